//! Answers, in both directions: the commands that the agent has not answered yet, and the answer to a request that
//! nobody here can handle.

use std::collections::VecDeque;
use std::fmt;

use interlingua_table::{Framing, Table};
use serde::Deserialize;

use crate::engine::{IdReader, NativeMessage};
use crate::vocabulary::{Command, Event, EventBody, Json};

/// How many commands may wait for an answer; of more, the oldest are forgotten.
const OPEN: usize = 4096;

/// JSON-RPC 2.0: "The method does not exist / is not available."
const METHOD_NOT_FOUND: i32 = -32601;

/// The commands that the agent has neither accepted nor refused yet.
pub(super) struct Unanswered {
    ids: IdReader,
    /// Whether the map pairs requests with answers, so that requests need to be remembered.
    is_paired: bool,
    open: VecDeque<(Key, Command)>,
}

/// What an answer names the command by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// The id of a message.
    Id(String),
    /// Method and path of an HTTP request.
    Http(String),
}

impl Key {
    pub(super) fn http(method: &str, path: &str) -> Self {
        Self::Http(format!("{method} {path}"))
    }
}

impl Unanswered {
    pub(super) fn new(table: &'static Table) -> Self {
        let is_paired = !table.pairing.member.is_empty();
        Self { ids: IdReader::new(table), is_paired, open: VecDeque::new() }
    }

    /// Notes what a command was written as. Its last request decides: those before it only prepare it.
    pub(super) fn note(&mut self, messages: &[NativeMessage], command: &Command) {
        let Some(key) = self.last_key(messages) else { return };
        if self.open.len() == OPEN {
            self.open.pop_front();
        }
        self.open.push_back((key, command.clone()));
    }

    /// What an answer to the last of these messages names.
    pub(super) fn last_key(&mut self, messages: &[NativeMessage]) -> Option<Key> {
        messages.iter().rev().find_map(|message| self.key(message))
    }

    fn key(&mut self, message: &NativeMessage) -> Option<Key> {
        match message {
            NativeMessage::Text(text) if self.is_paired => {
                self.ids.ids(text.get().as_bytes()).asks.map(Key::Id)
            }
            NativeMessage::Http { method, path, .. } => Some(Key::http(method, path)),
            _ => None,
        }
    }

    /// The command that an answer is for. Answers come in the order of the requests, or nearly so.
    pub(super) fn take(&mut self, key: &Key) -> Option<Command> {
        let place = self.open.iter().position(|(open, _)| open == key)?;
        self.open.remove(place).map(|(_, command)| command)
    }
}

impl fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unanswered").field("open", &self.open).finish_non_exhaustive()
    }
}

/// The answer to a JSON-RPC request of the agent that no rule could translate: its method is not known. Without an
/// answer, the agent would wait for one. None for other messages and framings.
pub(super) fn method_not_found(table: &Table, event: &Event) -> Option<NativeMessage> {
    #[derive(Deserialize)]
    struct Request {
        jsonrpc: Option<String>,
        id: serde_json::Value,
        #[serde(rename = "method")]
        _method: String,
    }

    let EventBody::AgentUnparsed(unparsed) = &event.body else { return None };
    if !table.framing.contains(&Framing::JsonRpc) {
        return None;
    }
    let Request { jsonrpc, id, .. } = unparsed.value.as_ref()?.to().ok()?;
    // A message without an id is a notification, which has no answer.
    if !(id.is_string() || id.is_number()) {
        return None;
    }
    // Some programs leave out the version, and their answers do the same.
    let version = jsonrpc.map_or_else(String::new, |version| format!("\"jsonrpc\":{version:?},"));
    let answer = format!(
        r#"{{{version}"id":{id},"error":{{"code":{METHOD_NOT_FOUND},"message":"method not found"}}}}"#
    );
    Json::parse(answer).ok().map(NativeMessage::Text)
}
