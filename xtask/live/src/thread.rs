//! The server of an agent whose work is a thread: the server asks the model and tells what it says, and the program
//! shows that and runs the tools.
//!
//! Over its socket the program makes JSON-RPC requests, which are answered in their order. The server says plain
//! messages with a `type`: the thread's messages and their pieces, what the agent is about, and the calls that the
//! program has to run (`tool_lease`). What the program wants to know over HTTP before stands in the setup, as
//! `answers`. All of this is what the recorded version of the program asks for; nothing of it is published.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::script::{Line, Script};
use super::socket::Socket;
use super::wire::Part;

/// Answers a request for a socket; there is nothing else here.
pub fn answer(script: &Arc<Script>, request: &Request) -> Response {
    let id = request.query.split('&').find_map(|member| member.strip_prefix("rvt-key="));
    let (Some(_), Some(id)) = (&request.upgrade, id) else {
        return Response::Json(404, "{}".to_owned());
    };
    let mut thread = Thread::new(Arc::clone(script), id);
    // The program waits for some word before it says anything.
    let greeting = vec![json!({"type": "agent_state", "state": "idle"}).to_string()];
    Response::Socket(Socket { greeting, reply: Box::new(move |text| thread.hear(text)) })
}

/// A thread, and where its work stands.
struct Thread {
    script: Arc<Script>,
    id: String,
    /// The names of the tools that the program has.
    tools: Vec<Value>,
    /// How the program wants the work to be done.
    mode: Value,
    /// All that people have said.
    words: String,
    /// A call has its result.
    is_answered: bool,
    is_working: bool,
    /// Messages that have to wait until the work is done.
    waiting: VecDeque<Value>,
    /// How many ids were given.
    ids: u64,
    /// How many messages and changes of the thread were told.
    changes: u64,
}

impl Thread {
    fn new(script: Arc<Script>, id: &str) -> Self {
        Self {
            script,
            id: id.to_owned(),
            tools: Vec::new(),
            mode: Value::Null,
            words: String::new(),
            is_answered: false,
            is_working: false,
            waiting: VecDeque::new(),
            ids: 0,
            changes: 0,
        }
    }

    /// What is said to a text that the program says.
    fn hear(&mut self, text: &str) -> Vec<String> {
        if text == "ping" {
            return vec!["pong".to_owned()];
        }
        let Ok(request) = serde_json::from_str::<Value>(text) else { return Vec::new() };
        let method = request["method"].as_str().unwrap_or_default();
        let params = &request["params"];
        self.script.hear(format!("SOCKET {method}"), params.to_string());
        let mut said = Vec::new();
        if let Some(id) = request.get("id") {
            said.push(json!({"jsonrpc": "2.0", "id": id, "result": {}}));
        }
        match method {
            "executor_connect" => said.push(json!({"type": "executor_connected",
                "executorId": params["clientId"], "registeredToolCount": 0, "guidanceInventory": []})),
            "executor_tools_register" => {
                let tools = params["tools"].as_array().into_iter().flatten();
                self.tools.extend(tools.map(|tool| tool["name"].clone()));
            }
            "client_append_user_msg" => self.take(params, &mut said),
            "executor_tool_result" => {
                said.push(json!({"type": "executor_tool_result_ack", "toolCallId": params["toolCallId"]}));
                let id = self.new_id("M");
                let result =
                    json!({"type": "tool_result", "toolUseID": params["toolCallId"], "run": params["run"]});
                said.push(self.added(&json!({"role": "user", "messageId": id, "content": [result]})));
                self.is_answered = true;
                self.work(&mut said);
            }
            "client_cancel" => {
                self.is_working = false;
                self.changes += 1;
                said.push(json!({"type": "cancelled", "seq": self.changes}));
                said.push(json!({"type": "agent_state", "state": "idle"}));
            }
            _ => {}
        }
        said.iter().map(Value::to_string).collect()
    }

    /// A message of a person: it begins the work, or is for the work that goes on, or waits for its end.
    fn take(&mut self, message: &Value, said: &mut Vec<Value>) {
        let steers = message["steer"] == true;
        if self.is_working && !steers {
            self.waiting.push_back(message.clone());
            return;
        }
        self.mode = message["agentMode"].clone();
        self.words.push_str(&message["content"].to_string());
        said.push(self.added(&json!({"role": "user", "messageId": message["messageId"],
            "content": message["content"]})));
        if !self.is_working {
            self.is_answered = false;
            self.work(said);
        }
    }

    /// The model is asked, and says its next line.
    fn work(&mut self, said: &mut Vec<Value>) {
        self.is_working = true;
        let id = self.new_id("M");
        let state = |state: &str| json!({"type": "agent_state", "state": state, "messageId": id});
        said.push(state("working"));
        // Before that the program shows nothing of its work.
        said.push(
            json!({"type": "inference_tools", "messageId": id, "agentMode": self.mode, "tools": self.tools}),
        );
        said.push(state("streaming"));
        let Line { parts, whole } = self.script.next(&self.words, self.is_answered);
        let mut blocks = Vec::new();
        let mut call = None;
        for part in &parts {
            match part {
                Part::Text(pieces) => {
                    said.extend(pieces.iter().map(|piece| {
                        json!({"type": "delta", "messageId": id, "role": "assistant", "state": "generating",
                            "blockIndex": blocks.len(), "contentMode": "append",
                            "blocks": [{"type": "text", "text": piece}]})
                    }));
                    blocks.push(json!({"type": "text", "text": pieces.concat()}));
                }
                Part::Call { name, arguments, .. } => {
                    let call_id = self.new_id("TU");
                    blocks.push(json!({"type": "tool_use", "id": call_id, "name": name, "input": arguments,
                        "complete": true}));
                    call = Some(json!({"type": "tool_lease", "toolCallId": call_id, "toolName": name,
                        "args": arguments, "messageId": id}));
                }
            }
        }
        if !whole {
            return;
        }
        let usage = json!({"model": "live-model", "maxInputTokens": 100_000, "inputTokens": 10, "outputTokens": 5,
            "cacheCreationInputTokens": null, "cacheReadInputTokens": null, "totalInputTokens": 10});
        said.push(self.added(&json!({"role": "assistant", "messageId": id, "content": blocks,
            "state": {"type": "complete"}, "usage": usage})));
        if let Some(call) = call {
            said.push(state("running_tools"));
            said.push(call);
            return;
        }
        self.is_working = false;
        match self.waiting.pop_front() {
            Some(message) => self.take(&message, said),
            None => said.push(state("idle")),
        }
    }

    /// A message that has come into the thread.
    fn added(&mut self, message: &Value) -> Value {
        self.changes += 1;
        let mut message = message.clone();
        message["threadId"] = json!(self.id);
        json!({"type": "message_added", "seq": self.changes, "message": message})
    }

    /// An id of the form that the program takes.
    fn new_id(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}-{:0>22}", self.ids)
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Protocol;
    use super::super::setup::Setup;
    use super::*;

    fn thread() -> Thread {
        let setup = Setup::read(&crate::tests::repository(), "amp", &[]).expect("a setup");
        Thread::new(Arc::new(Script::new(Protocol::Thread, setup)), "T-1")
    }

    /// What is said to a request, without the answer to the request itself.
    fn said(thread: &mut Thread, method: &str, params: &Value) -> Vec<Value> {
        let request = json!({"jsonrpc": "2.0", "id": "r1", "method": method, "params": params});
        let said: Vec<Value> = thread.hear(&request.to_string()).iter().map(|text| json(text)).collect();
        assert_eq!(said[0], json!({"jsonrpc": "2.0", "id": "r1", "result": {}}));
        said[1..].to_vec()
    }

    fn json(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    fn message(text: &str) -> Value {
        json!({"messageId": "M-0356fhtH4KwNrFnqIO4VaP", "agentMode": "medium",
            "content": [{"type": "text", "text": text}]})
    }

    fn types(said: &[Value]) -> Vec<String> {
        said.iter()
            .filter(|message| message["type"] != "delta")
            .map(|message| match message["state"].as_str() {
                Some(state) => state.to_owned(),
                None => message["type"].as_str().unwrap_or_default().to_owned(),
            })
            .collect()
    }

    #[test]
    fn pings_are_answered_and_notifications_are_not() {
        let mut thread = thread();
        assert_eq!(thread.hear("ping"), ["pong"]);
        assert!(thread.hear(r#"{"jsonrpc":"2.0","method":"tool_progress","params":{}}"#).is_empty());
        let connected = said(&mut thread, "executor_connect", &json!({"clientId": "c1"}));
        assert_eq!(connected[0]["executorId"], "c1");
    }

    #[test]
    fn a_reply_is_told_in_pieces_and_as_a_message_and_then_it_rests() {
        let mut thread = thread();
        let tools = json!({"tools": [{"name": "shell_command", "description": "Runs."}]});
        assert!(said(&mut thread, "executor_tools_register", &tools).is_empty());
        let said = said(&mut thread, "client_append_user_msg", &message("play scenario:plain now"));
        assert_eq!(
            types(&said),
            ["message_added", "working", "inference_tools", "streaming", "message_added", "idle"]
        );
        let tools = json!({"type": "inference_tools", "messageId": "M-0000000000000000000001",
            "agentMode": "medium", "tools": ["shell_command"]});
        assert_eq!(said[2], tools);
        let pieces: String =
            said.iter().filter_map(|message| message["blocks"][0]["text"].as_str()).collect();
        let reply = said.iter().rfind(|message| message["type"] == "message_added").expect("a reply");
        assert_eq!(reply["message"]["content"][0]["text"], pieces.as_str());
        assert_eq!((&reply["seq"], &reply["message"]["threadId"]), (&json!(2), &json!("T-1")));
    }

    #[test]
    fn a_call_is_leased_and_its_result_ends_the_work() {
        let mut thread = thread();
        let said_first = said(&mut thread, "client_append_user_msg", &message("play scenario:allow now"));
        let lease = said_first.last().expect("a lease");
        assert_eq!((&lease["type"], &lease["toolName"]), (&json!("tool_lease"), &json!("shell_command")));
        assert!(lease["args"]["command"].as_str().is_some_and(|command| command.contains("live-allow")));
        // Ids have the prefix and 22 letters.
        assert_eq!(lease["toolCallId"].as_str().map(str::len), Some(25));
        let run = json!({"status": "done", "result": {"output": "x"}});
        let result = json!({"toolCallId": lease["toolCallId"], "run": run});
        let said = said(&mut thread, "executor_tool_result", &result);
        assert_eq!(said[0]["type"], "executor_tool_result_ack");
        assert_eq!(said[1]["message"]["content"][0]["run"], run);
        assert_eq!(types(&said).last().map(String::as_str), Some("idle"));
    }

    #[test]
    fn a_message_steers_the_work_or_waits_for_its_end() {
        let mut thread = thread();
        let _ = said(&mut thread, "client_append_user_msg", &message("play scenario:allow now"));
        assert!(said(&mut thread, "client_append_user_msg", &message("then play scenario:plain")).is_empty());
        let mut steering = message("Be quick");
        steering["steer"] = json!(true);
        assert_eq!(types(&said(&mut thread, "client_append_user_msg", &steering)), ["message_added"]);
        let said = said(&mut thread, "executor_tool_result", &json!({"toolCallId": "x", "run": {}}));
        let texts: Vec<&str> =
            said.iter().filter_map(|added| added["message"]["content"][0]["text"].as_str()).collect();
        assert_eq!(texts, ["After the tool.", "then play scenario:plain", "Plain reply."]);
        assert_eq!(types(&said).iter().filter(|name| *name == "idle").count(), 1);
    }

    #[test]
    fn what_does_not_end_is_cancelled() {
        let mut thread = thread();
        let begun = said(&mut thread, "client_append_user_msg", &message("play scenario:interrupt now"));
        assert_eq!(types(&begun), ["message_added", "working", "inference_tools", "streaming"]);
        assert_eq!(types(&said(&mut thread, "client_cancel", &json!({}))), ["cancelled", "idle"]);
    }
}
