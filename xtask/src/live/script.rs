//! The scripted model: what it says in each scenario, told from the words of the request alone.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::http::{Answer, Request};
use super::setup::{Setup, Tool};
use super::wire::{Part, Wire};

/// What begins the name of a scenario in a prompt.
pub const MARK: &str = "scenario:";

/// The id of the one call that a scenario makes.
const CALL: &str = "call_live_1";

/// A model that follows the script.
pub struct Script {
    wire: Wire,
    setup: Setup,
    count: AtomicU64,
    /// Every request: its method, path and body.
    heard: Mutex<Vec<(String, String)>>,
}

impl Script {
    /// A model for an agent of this setup.
    #[must_use]
    pub fn new(wire: Wire, setup: Setup) -> Self {
        Self { wire, setup, count: AtomicU64::new(0), heard: Mutex::new(Vec::new()) }
    }

    /// All that was asked so far, each with its method and path.
    #[must_use]
    pub fn heard(&self) -> Vec<(String, String)> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let place = format!("{} {}", request.method, request.path);
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push((place, request.body.clone()));
        if request.method != "POST" || !request.path.ends_with(self.wire.path()) {
            return Answer::Json(if request.method == "HEAD" { 200 } else { 404 }, "{}".to_owned());
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        // Titles and the like are asked for without tools.
        let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let scenario = if has_tools { scenario(&request.body) } else { "" };
        let is_answered = request.body.contains(CALL);
        let (parts, whole) = match (scenario, is_answered) {
            ("allow" | "deny", false) => {
                let shell = call(
                    &self.setup.shell,
                    &format!("echo live-{scenario} > {scenario}.txt && cat {scenario}.txt"),
                );
                (vec![text("I need a tool."), shell], true)
            }
            ("question", false) => {
                (self.setup.question.as_ref().map(|tool| call(tool, "")).into_iter().collect(), true)
            }
            ("interrupt", false) => (vec![text("This takes a while.")], false),
            ("allow" | "deny" | "question", true) => (vec![text("After the tool.")], true),
            _ => (vec![text("Plain reply.")], true),
        };
        let events = self.wire.events(number, &parts, whole);
        if whole { Answer::Events(events) } else { Answer::Endless(events) }
    }
}

/// The scenario that a request is about: the last one that it names.
fn scenario(body: &str) -> &str {
    body.rsplit_once(MARK).map_or("", |(_, rest)| {
        let end = rest.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(rest.len());
        &rest[..end]
    })
}

fn text(text: &str) -> Part {
    let pieces = text.split_inclusive(' ').map(str::to_owned).collect();
    Part::Text(pieces)
}

fn call(tool: &Tool, command: &str) -> Part {
    let arguments = tool.arguments.to_string().replace("{command}", command);
    Part::Call {
        id: CALL.to_owned(),
        name: tool.name.clone(),
        arguments: serde_json::from_str(&arguments).unwrap_or_else(|_| json!({})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        let setup = Setup::read(&crate::repository(), "claude", &[]).expect("a setup");
        Script::new(Wire::Messages, setup)
    }

    fn asked(script: &Script, body: &str) -> String {
        let request =
            Request { method: "POST".to_owned(), path: "/v1/messages".to_owned(), body: body.to_owned() };
        match script.answer(&request) {
            Answer::Events(events) => events.join("\n"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_tool_is_called_once_and_only_where_there_are_tools() {
        let script = script();
        let first = asked(&script, r#"{"tools":[{}],"messages":"play scenario:allow now"}"#);
        assert!(first.contains("tool_use") && first.contains("echo live-allow > allow.txt"), "{first}");
        let second = asked(&script, r#"{"tools":[{}],"messages":"play scenario:allow now call_live_1"}"#);
        assert!(second.contains("After "), "{second}");
        let title = asked(&script, r#"{"messages":"name this: play scenario:allow now"}"#);
        assert!(title.contains("Plain "), "{title}");
        assert_eq!(script.heard().len(), 3);
    }

    #[test]
    fn what_is_not_about_the_model_is_not_found() {
        let request =
            Request { method: "GET".to_owned(), path: "/v1/models".to_owned(), body: String::new() };
        assert!(matches!(script().answer(&request), Answer::Json(404, _)));
    }
}
