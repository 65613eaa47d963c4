//! The scripted model: what it says in each scenario, told from the words of the request alone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::http::{Request, Response};
use super::setup::{Setup, Tool};
use super::thread;
use super::wire::{Part, Wire};

/// What begins the name of a scenario in a prompt.
pub const MARK: &str = "scenario:";

/// What the host says in the middle of the work, to see whether the model hears it.
pub const STEER: &str = "Be brief from now on.";

/// The id of the one call that a scenario makes.
const CALL: &str = "call_live_1";

/// How an agent speaks to its model.
#[derive(Debug, Clone, Copy)]
pub enum Protocol {
    /// By itself, in one of these forms.
    Model(Wire),
    /// Its maker's server does it, and tells the agent of it.
    Thread,
}

impl Protocol {
    /// The protocol of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "thread-actor" => Some(Self::Thread),
            name => Wire::named(name).map(Self::Model),
        }
    }
}

/// What the model says when it is asked once.
#[derive(Debug)]
pub struct Line {
    /// The parts, in their order.
    pub parts: Vec<Part>,
    /// Whether it comes to its end.
    pub whole: bool,
}

/// A model that follows the script.
pub struct Script {
    protocol: Protocol,
    setup: Setup,
    /// How often the model was asked.
    count: AtomicU64,
    /// Every request: its method and place, and its body.
    heard: Mutex<Vec<(String, String)>>,
}

impl Script {
    /// A model for an agent of this setup.
    #[must_use]
    pub fn new(protocol: Protocol, setup: Setup) -> Self {
        Self { protocol, setup, count: AtomicU64::new(0), heard: Mutex::new(Vec::new()) }
    }

    /// All that was asked so far, each with its method and place.
    #[must_use]
    pub fn heard(&self) -> Vec<(String, String)> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often the model was asked so far.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether it knows by itself what was said before, so that nobody has to repeat that.
    #[must_use]
    pub fn remembers(&self) -> bool {
        matches!(self.protocol, Protocol::Thread)
    }

    /// Takes down what was asked.
    pub fn hear(&self, place: String, body: String) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push((place, body));
    }

    /// Answers a request.
    pub fn answer(self: &Arc<Self>, request: &Request) -> Response {
        let mark = if request.query.is_empty() { "" } else { "?" };
        let place = format!("{} {}{mark}{}", request.method, request.path, request.query);
        self.hear(place.clone(), request.body.clone());
        if let Some(answer) = self.setup.answers.get(&place) {
            return Response::Json(200, answer.to_string());
        }
        let wire = match self.protocol {
            Protocol::Model(wire) => wire,
            Protocol::Thread => return thread::answer(self, request),
        };
        if request.method != "POST" || !request.path.ends_with(wire.path()) {
            return Response::Json(if request.method == "HEAD" { 200 } else { 404 }, "{}".to_owned());
        }
        let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
        // Titles and the like are asked for without tools.
        let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let words = if has_tools { request.body.as_str() } else { "" };
        let Line { parts, whole } = self.next(words, words.contains(CALL));
        let events = wire.events(self.asked(), &parts, whole);
        if whole { Response::Events(events) } else { Response::Endless(events) }
    }

    /// What the model says to these words, before or after the result of its call.
    pub fn next(&self, words: &str, is_answered: bool) -> Line {
        self.count.fetch_add(1, Ordering::Relaxed);
        let (parts, whole) = match (scenario(words), is_answered) {
            (name @ ("allow" | "deny" | "forbid" | "steer"), false) => {
                // What steers has to come while the tool runs.
                let pause = if name == "steer" { "sleep 2; " } else { "" };
                let command = format!("{pause}echo live-{name} > {name}.txt && cat {name}.txt");
                (vec![text("I need a tool."), call(&self.setup.shell, &command)], true)
            }
            ("question", false) => {
                (self.setup.question.as_ref().map(|tool| call(tool, "")).into_iter().collect(), true)
            }
            ("interrupt" | "end", false) => (vec![text("This takes a while.")], false),
            ("steer", true) if words.contains(STEER) => (vec![text("So be it.")], true),
            ("allow" | "deny" | "forbid" | "question" | "steer", true) => {
                (vec![text("After the tool.")], true)
            }
            _ => (vec![text("Plain reply.")], true),
        };
        Line { parts, whole }
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

    fn script(agent: &str) -> Arc<Script> {
        let setup = Setup::read(&crate::tests::repository(), agent, &[]).expect("a setup");
        let protocol = Protocol::named(&setup.wire).expect("a protocol");
        Arc::new(Script::new(protocol, setup))
    }

    fn request(method: &str, path: &str, query: &str, body: &str) -> Request {
        let [method, path, query, body] = [method, path, query, body].map(str::to_owned);
        Request { method, path, query, body, upgrade: None }
    }

    fn asked(script: &Arc<Script>, body: &str) -> String {
        match script.answer(&request("POST", "/v1/messages", "beta=true", body)) {
            Response::Events(events) => events.join("\n"),
            _ => panic!("no events"),
        }
    }

    #[test]
    fn a_tool_is_called_once_and_only_where_there_are_tools() {
        let script = script("claude");
        let first = asked(&script, r#"{"tools":[{}],"messages":"play scenario:allow now"}"#);
        assert!(first.contains("tool_use") && first.contains("echo live-allow > allow.txt"), "{first}");
        let second = asked(&script, r#"{"tools":[{}],"messages":"play scenario:allow now call_live_1"}"#);
        assert!(second.contains("After "), "{second}");
        let title = asked(&script, r#"{"messages":"name this: play scenario:allow now"}"#);
        assert!(title.contains("Plain "), "{title}");
        assert_eq!(script.heard().len(), 3);
    }

    #[test]
    fn what_is_said_in_between_changes_the_line() {
        let script = script("claude");
        let body = format!(r#"{{"tools":[{{}}],"messages":"play scenario:steer now call_live_1 {STEER}"}}"#);
        assert!(asked(&script, &body).contains("So "));
        assert!(asked(&script, &body.replace(STEER, "")).contains("After "));
        assert_eq!(script.asked(), 2);
    }

    #[test]
    fn what_is_not_about_the_model_is_not_found_unless_the_setup_knows_an_answer() {
        let models = request("GET", "/v1/models", "", "");
        assert!(matches!(script("claude").answer(&models), Response::Json(404, _)));
        let amp = script("amp");
        assert!(matches!(amp.answer(&models), Response::Json(404, _)));
        let known = request("POST", "/api/internal", "getUserInfo", r#"{"method":"getUserInfo"}"#);
        assert!(matches!(amp.answer(&known), Response::Json(200, body) if body.contains("\"ok\":true")));
    }
}
