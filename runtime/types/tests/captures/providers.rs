//! Which lines of a recording are messages of which definition.

use std::collections::HashMap;
use std::path::Path;

use interlingua_types::{Table, Tagged, acp, amp, claude, codex, gemini_cli_session, opencode, pi};
use serde_json::Value;

use crate::report::Report;
use crate::{lines, read, recordings};

/// Every line of one file of each recording is a message of one tagged union.
pub fn each_line<T: Tagged>(report: &mut Report, file: &str, definition: &str) {
    for recording in recordings(report.provider) {
        for (line, message) in lines(&recording.join(file)) {
            let place = report.place(&recording, file, line);
            report.message::<T>(definition, &place, &message);
        }
    }
}

/// Requests and notifications are told by their method; an answer has none.
pub fn acp(report: &mut Report) {
    for recording in recordings("acp") {
        for (line, message) in lines(&recording.join("stdout.jsonl")) {
            let place = report.place(&recording, "stdout.jsonl", line);
            match message.get("method") {
                Some(_) => report.message::<acp::AgentMessage>("AgentMessage", &place, &message),
                None => report.single::<acp::AgentAnswer>("AgentAnswer", &place, &message),
            }
        }
        for (line, message) in lines(&recording.join("stdin.jsonl")) {
            let place = report.place(&recording, "stdin.jsonl", line);
            match message.get("method") {
                Some(_) => report.message::<acp::HostMessage>("HostMessage", &place, &message),
                None => report.single::<acp::HostAnswer>("HostAnswer", &place, &message),
            }
        }
    }
}

/// A message has a type; what changes the session is told by its member, and the first line has neither.
pub fn gemini_cli_session(report: &mut Report) {
    use gemini_cli_session as types;
    for recording in recordings("gemini-cli-session") {
        for (line, message) in lines(&recording.join("session.jsonl")) {
            let place = report.place(&recording, "session.jsonl", line);
            let has = |member: &str| message.get(member).is_some();
            if has("type") {
                report.message::<types::GeminiMessage>("GeminiMessage", &place, &message);
            } else if has("$set") {
                report.single::<types::GeminiSet>("GeminiSet", &place, &message);
            } else if has("$rewindTo") {
                report.single::<types::GeminiRewind>("GeminiRewind", &place, &message);
            } else {
                report.single::<types::GeminiSession>("GeminiSession", &place, &message);
            }
        }
    }
}

/// A recording is of the mode for programs (RPC) when a host spoke to it.
pub fn pi(report: &mut Report) {
    for recording in recordings("pi") {
        let given = lines(&recording.join("stdin.jsonl"));
        for (line, message) in lines(&recording.join("stdout.jsonl")) {
            let place = report.place(&recording, "stdout.jsonl", line);
            match given.is_empty() {
                true => report.message::<pi::PiJsonStdout>("PiJsonStdout", &place, &message),
                false => report.message::<pi::PiRpcStdout>("PiRpcStdout", &place, &message),
            }
        }
        for (line, message) in &given {
            let place = report.place(&recording, "stdin.jsonl", *line);
            report.message::<pi::PiStdin>("PiStdin", &place, message);
        }
    }
}

pub fn claude(report: &mut Report) {
    for recording in recordings("claude") {
        let sent = lines(&recording.join("stdout.jsonl"));
        let given = lines(&recording.join("stdin.jsonl"));
        for (line, message) in &sent {
            let place = report.place(&recording, "stdout.jsonl", *line);
            report.message::<claude::StdoutMessage>("StdoutMessage", &place, message);
        }
        for (line, message) in &given {
            let place = report.place(&recording, "stdin.jsonl", *line);
            report.message::<claude::StdinMessage>("StdinMessage", &place, message);
        }
        control_answers(report, &recording, ("stdin.jsonl", &given), &sent);
        control_answers(report, &recording, ("stdout.jsonl", &sent), &given);
    }
}

/// What a control response carries is typed by the subtype of its request.
fn control_answers(
    report: &mut Report,
    recording: &Path,
    (file, answers): (&str, &[(usize, Value)]),
    requests: &[(usize, Value)],
) {
    let mut subtypes: HashMap<&str, &str> = HashMap::new();
    for (_, request) in requests {
        if let (Some(id), Some(subtype)) =
            (request["request_id"].as_str(), request["request"]["subtype"].as_str())
        {
            subtypes.insert(id, subtype);
        }
    }
    for (line, answer) in answers {
        let response = &answer["response"];
        let subtype = response["request_id"].as_str().and_then(|id| subtypes.get(id));
        let (Some(subtype), true) = (subtype, response["response"].is_object()) else { continue };
        let words: String = subtype.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        let keys = [(*subtype).to_owned(), format!("SDKControl{words}Response")];
        if let Some(key) =
            keys.iter().find(|key| claude::ControlResponsePayloads::KEYS.contains(&key.as_str()))
        {
            let place = report.place(recording, file, *line);
            report.answer::<claude::ControlResponsePayloads>(
                "ControlResponsePayloads",
                key,
                &place,
                &response["response"],
            );
        }
    }
}

pub fn codex(report: &mut Report) {
    for recording in recordings("codex") {
        let sent = lines(&recording.join("stdout.jsonl"));
        let is_exec = recording.file_name().is_some_and(|name| name.to_string_lossy().starts_with("exec-"));
        if is_exec {
            for (line, message) in &sent {
                let place = report.place(&recording, "stdout.jsonl", *line);
                report.message::<codex::ExecThreadEvent>("ExecThreadEvent", &place, message);
            }
            continue;
        }
        let given = lines(&recording.join("stdin.jsonl"));
        let (asked, asking) = (methods(&given), methods(&sent));
        for (line, message) in &sent {
            let place = report.place(&recording, "stdout.jsonl", *line);
            match message.get("method") {
                Some(_) if message.get("id").is_some() => {
                    report.message::<codex::ServerRequest>("ServerRequest", &place, message);
                }
                Some(_) => report.message::<codex::ServerNotification>("ServerNotification", &place, message),
                None => rpc_answer::<codex::ClientRequestResults>(
                    report,
                    "ClientRequestResults",
                    &asked,
                    &place,
                    message,
                ),
            }
        }
        for (line, message) in &given {
            let place = report.place(&recording, "stdin.jsonl", *line);
            match message.get("method") {
                Some(_) if message.get("id").is_some() => {
                    report.message::<codex::ClientRequest>("ClientRequest", &place, message);
                }
                Some(_) => report.single::<codex::ClientNotification>("ClientNotification", &place, message),
                None => rpc_answer::<codex::ServerRequestResults>(
                    report,
                    "ServerRequestResults",
                    &asking,
                    &place,
                    message,
                ),
            }
        }
    }
}

/// Methods of requests by the JSON text of their id.
fn methods(messages: &[(usize, Value)]) -> HashMap<String, String> {
    let mut methods = HashMap::new();
    for (_, message) in messages {
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            methods.insert(id.to_string(), method.to_owned());
        }
    }
    methods
}

fn rpc_answer<T: Table>(
    report: &mut Report,
    table: &str,
    methods: &HashMap<String, String>,
    place: &str,
    message: &Value,
) {
    if message.get("error").is_some() {
        return report.single::<codex::JsonrpcError>("JSONRPCError", place, message);
    }
    report.single::<codex::JsonrpcResponse>("JSONRPCResponse", place, message);
    match methods.get(&message["id"].to_string()) {
        Some(method) => report.answer::<T>(table, method, place, &message["result"]),
        None => report.fault(table, place, "no request has this id"),
    }
}

pub fn opencode(report: &mut Report) {
    report.further_lines::<opencode::Event>("Event");
    for recording in recordings("opencode") {
        let stream = std::fs::read_to_string(recording.join("events.sse")).unwrap_or_default();
        for (index, line) in stream.split('\n').enumerate() {
            let Some(data) = line.strip_prefix("data:") else { continue };
            let place = report.place(&recording, "events.sse", index + 1);
            match interlingua_types::read_json(data.as_bytes()) {
                Ok(message) => report.message::<opencode::Event>("Event", &place, &message),
                Err(error) => report.fault("Event", &place, &error.to_string()),
            }
        }
        for (line, message) in lines(&recording.join("stdout.jsonl")) {
            let place = report.place(&recording, "stdout.jsonl", line);
            report.message::<opencode::RunEvent>("RunEvent", &place, &message);
        }
        for (line, exchange) in lines(&recording.join("http.jsonl")) {
            let place = report.place(&recording, "http.jsonl", line);
            http(report, &place, &exchange);
        }
        let export = recording.join("export.json");
        if export.exists() {
            let message = interlingua_types::read_json(read(&export).as_bytes()).expect("an export is JSON");
            let place = report.place(&recording, "export.json", 1);
            report.single::<opencode::SessionExport>("SessionExport", &place, &message);
        }
    }
}

fn http(report: &mut Report, place: &str, exchange: &Value) {
    let text = |key: &str| exchange[key].as_str().unwrap_or_default().to_owned();
    let (method, path) = (text("method"), text("path"));
    let sent = route(&method, &path, opencode::RequestBodies::KEYS);
    let answered = route(&method, &path, opencode::ResponseBodies::KEYS);
    if sent.is_none() && answered.is_none() {
        return report.fault("ResponseBodies", place, &format!("no table has a route for {method} {path}"));
    }
    if let Some(key) = sent.filter(|_| exchange["body"].is_object()) {
        report.answer::<opencode::RequestBodies>("RequestBodies", key, place, &exchange["body"]);
    }
    if let Some(key) = answered.filter(|_| exchange["status"] == 200) {
        report.answer::<opencode::ResponseBodies>("ResponseBodies", key, place, &exchange["response"]);
    }
}

/// The route that a path belongs to: `{name}` stands for one segment.
fn route(method: &str, path: &str, keys: &'static [&'static str]) -> Option<&'static str> {
    let path = path.split('?').next().unwrap_or_default();
    keys.iter().copied().find(|key| {
        let Some(pattern) = key.strip_prefix(method).and_then(|rest| rest.strip_prefix(' ')) else {
            return false;
        };
        let (pattern, path): (Vec<&str>, Vec<&str>) =
            (pattern.split('/').collect(), path.split('/').collect());
        pattern.len() == path.len() && pattern.iter().zip(&path).all(|(a, b)| a.starts_with('{') || a == b)
    })
}

pub fn amp(report: &mut Report) {
    report.further_lines::<amp::StreamMessage>("StreamMessage");
    for recording in recordings("amp") {
        for (line, message) in lines(&recording.join("stdout.jsonl")) {
            let place = report.place(&recording, "stdout.jsonl", line);
            report.message::<amp::StreamMessage>("StreamMessage", &place, &message);
        }
        for (line, message) in lines(&recording.join("stdin.jsonl")) {
            let place = report.place(&recording, "stdin.jsonl", line);
            report.single::<amp::UserInputMessage>("UserInputMessage", &place, &message);
        }
    }
}
