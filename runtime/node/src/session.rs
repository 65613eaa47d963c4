//! Both directions of one agent, and requests to models' providers.

use interlingua::vocabulary::Command;
use interlingua::{NativeMessage, Session, SessionOutput, Writer};
use interlingua_cli::bindings;
use napi_derive::napi;
use serde_json::json;

use crate::error::{Code, Result, error, of, unwritable};
use crate::events::{list, options};
use crate::map::NativeMap;

/// One agent in both directions. Each call gives what it leads to, as JSON.
#[napi]
pub struct NativeSession(Session);

#[napi]
impl NativeSession {
    #[napi(constructor)]
    pub fn new(map: &NativeMap, session_id: Option<String>, raw: Option<bool>) -> Result<Self> {
        Ok(Self(Session::new(map.agent()?, options(session_id, raw))))
    }

    /// Takes the agent's next bytes.
    #[napi]
    pub fn push(&mut self, bytes: &[u8]) -> Result<String> {
        output(self.0.push(bytes))
    }

    /// Takes one whole message of the agent.
    #[napi]
    pub fn push_message(&mut self, message: &[u8]) -> Result<String> {
        output(self.0.push_message(message))
    }

    /// Gives the agent a command.
    #[napi]
    pub fn command(&mut self, json: String) -> Result<String> {
        let command: Command = serde_json::from_str(&json)
            .map_err(|failure| error(Code::Command, format!("this is no command: {failure}")))?;
        output(self.0.command(&command).map_err(|failure| error(Code::Command, failure))?)
    }

    /// The agent has been silent for a while.
    #[napi]
    pub fn idle(&mut self) -> Result<String> {
        output(self.0.idle())
    }

    /// The end of the agent's output.
    #[napi]
    pub fn finish(&mut self) -> Result<String> {
        output(self.0.finish())
    }

    /// How many requests of the agent wait for an answer.
    #[napi(getter)]
    pub fn open_requests(&self) -> u32 {
        u32::try_from(self.0.pending().iter().count()).unwrap_or(u32::MAX)
    }
}

fn output(step: SessionOutput) -> Result<String> {
    let messages: Vec<serde_json::Value> = step.messages.iter().map(native).collect();
    let refused = step
        .refused
        .iter()
        .map(|(command, reason)| {
            Ok(json!({ "command": serde_json::to_value(command)?, "reason": reason.to_string() }))
        })
        .collect::<std::result::Result<Vec<_>, serde_json::Error>>()
        .map_err(unwritable)?;
    let degradations = serde_json::to_string(&step.degradations).map_err(unwritable)?;
    let rest = json!({ "messages": messages, "refused": refused }).to_string();
    let events = list(step.events)?;
    Ok(format!("{{\"events\":{events},\"degradations\":{degradations},{}", &rest[1..]))
}

/// A message for the agent, tagged `kind`.
fn native(message: &NativeMessage) -> serde_json::Value {
    match message {
        NativeMessage::Spawn { args, cwd } => json!({ "kind": "spawn", "args": args, "cwd": cwd }),
        NativeMessage::Text(line) => json!({ "kind": "text", "text": format!("{}\n", line.get()) }),
        NativeMessage::HangUp => json!({ "kind": "hang-up" }),
        NativeMessage::Http { method, path, body } => {
            json!({ "kind": "http", "method": method, "path": path, "body": body.as_ref().map(|body| body.get()) })
        }
    }
}

/// A conversation as the request body of a model's provider, as JSON.
#[napi]
pub fn native_request(conversation: String, map: &NativeMap, model: Option<String>) -> Result<String> {
    let mut request = bindings::conversation(conversation.as_bytes()).map_err(of(Code::Unreadable))?;
    if model.is_some() {
        request.model = model;
    }
    let written = Writer::new(map.table).request(&request).map_err(|failure| error(Code::Failed, failure))?;
    let degradations = serde_json::to_string(&written.degradations).map_err(unwritable)?;
    let path = serde_json::to_string(&written.path).map_err(unwritable)?;
    Ok(format!("{{\"path\":{path},\"body\":{},\"degradations\":{degradations}}}", written.body.get()))
}
