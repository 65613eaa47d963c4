//! `interlingua run --speak`: a client of another protocol drives small programs in the place of agents.
#![cfg(unix)]

mod support;

use std::io::BufRead;

use serde_json::{Value, json};
use support::driven::{Driven, program};
use support::run;

/// A client of ACP.
struct Client {
    driven: Driven,
    session: Value,
    updates: Vec<Value>,
}

impl Client {
    fn start(name: &str) -> Self {
        let mut client = Self::connect("claude", name, &[]);
        client.open();
        client
    }

    /// A client that has opened no session.
    fn connect(agent: &str, name: &str, environment: &[(&str, &str)]) -> Self {
        let capabilities = json!({"fs": {"readTextFile": false, "writeTextFile": false}});
        Self::connect_with(agent, name, environment, &capabilities)
    }

    /// A client that has opened a session, and is able to do these things.
    fn able(name: &str, capabilities: &Value) -> Self {
        let mut client = Self::connect_with("claude", name, &[], capabilities);
        client.open();
        client
    }

    fn open(&mut self) {
        let opened = self.request(1, "session/new", json!({"cwd": "/", "mcpServers": []}));
        self.session = opened["result"]["sessionId"].clone();
        assert!(self.session.is_string(), "{opened}");
    }

    fn connect_with(agent: &str, name: &str, environment: &[(&str, &str)], capabilities: &Value) -> Self {
        let program = program(name);
        let driven =
            Driven::of(&["run", "--agent", agent, "--program", &program, "--speak", "acp"], environment);
        let mut client = Self { driven, session: Value::Null, updates: Vec::new() };
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        assert_eq!(client.request(0, "initialize", params)["result"]["protocolVersion"], 1);
        client
    }

    fn tell(&mut self, message: &Value) {
        self.driven.give(message);
    }

    fn ask(&mut self, id: u64, method: &str, params: Value) {
        self.tell(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.ask(id, method, params);
        self.until(|message| message["id"] == id && message["method"].is_null())
    }

    fn prompt(&mut self, id: u64, text: &str) {
        let params = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": text}]});
        self.ask(id, "session/prompt", params);
    }

    fn answer(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message["method"].is_null())
    }

    /// Reads messages until one that is wanted.
    fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            let count = self.driven.stdout.read_line(&mut line).expect("it writes");
            assert!(count > 0, "it has ended: {:#?}", self.updates);
            let message: Value = serde_json::from_str(&line).expect("one JSON object a line");
            if is_wanted(&message) {
                return message;
            }
            self.updates.push(message);
        }
    }

    fn text(&self) -> String {
        let chunk = |update: &Value| {
            let update = &update["params"]["update"];
            let is_said = update["sessionUpdate"] == "agent_message_chunk";
            is_said.then(|| update["content"]["text"].as_str().unwrap_or_default().to_owned())
        };
        self.updates.iter().filter_map(chunk).collect()
    }
}

#[test]
fn a_prompt_is_answered_and_so_is_the_next() {
    let mut client = Client::start("plain");
    for (id, begin) in [(2, "1: "), (3, "2: ")] {
        client.updates.clear();
        client.prompt(id, "Hello");
        assert_eq!(client.answer(id)["result"]["stopReason"], "end_turn");
        assert!(client.text().starts_with(begin), "{:#?}", client.updates);
        assert!(!format!("{:?}", client.updates).contains("user_message_chunk"), "it knows what it has said");
    }
    let ran = client.driven.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_permission_is_given_or_refused_by_the_client() {
    for (outcome, expected, status) in [
        (json!({"outcome": "selected", "optionId": "allow"}), "done", "completed"),
        (json!({"outcome": "selected", "optionId": "deny"}), "refused", "failed"),
        (json!({"outcome": "cancelled"}), "refused", "failed"),
    ] {
        let mut client = Client::start("leave");
        client.prompt(2, "Touch it");
        let asked = client.until(|message| message["method"] == "session/request_permission");
        assert_eq!(asked["params"]["toolCall"]["rawInput"]["command"], "touch demo.txt");
        client.tell(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": outcome}}));
        assert_eq!(client.answer(2)["result"]["stopReason"], "end_turn");
        let ended = client.updates.iter().rev().find(|update| {
            update["params"]["update"]["status"] == status
                && update["params"]["update"].to_string().contains(expected)
        });
        assert!(ended.is_some(), "{outcome}: {:#?}", client.updates);
    }
}

#[test]
fn a_question_is_answered_by_an_option() {
    let mut client = Client::start("asks");
    client.prompt(2, "Choose");
    let asked = client.until(|message| message["method"] == "session/request_permission");
    assert_eq!(asked["params"]["options"][1]["optionId"], "Blue");
    let outcome = json!({"outcome": "selected", "optionId": "Blue"});
    client.tell(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": outcome}}));
    client.answer(2);
    assert!(client.text().contains("Blue it is."), "{:#?}", client.updates);
}

#[test]
fn a_cancelled_prompt_is_answered_as_cancelled() {
    let mut client = Client::start("interrupted");
    client.prompt(2, "Go");
    client.until(|message| message["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    let session = client.session.clone();
    client.tell(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}));
    assert_eq!(client.answer(2)["result"]["stopReason"], "cancelled");
}

#[test]
fn a_crash_and_a_failure_are_errors_of_the_prompt() {
    for (name, expected) in [("crash", "out of memory"), ("failing", "error_during_execution")] {
        let mut client = Client::start(name);
        client.prompt(2, "Go");
        let error = client.answer(2)["error"].clone();
        assert!(error["message"].as_str().is_some_and(|message| message.contains(expected)), "{error}");
        assert!(error["data"]["errorKind"].is_string(), "{error}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let mut client = Client::start("plain");
    let unknown = client.request(2, "session/dream", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let params = json!({"sessionId": "nowhere", "prompt": [{"type": "text", "text": "Hello"}]});
    let lost = client.request(3, "session/prompt", params);
    assert!(lost["error"]["message"].as_str().is_some_and(|message| message.contains("nowhere")), "{lost}");
    let mode = client.session.clone();
    let mode = client.request(4, "session/set_mode", json!({"sessionId": mode, "modeId": "no-such"}));
    assert!(mode["error"]["message"].as_str().is_some_and(|message| message.contains("plan")), "{mode}");
}

#[test]
fn each_session_has_an_agent_of_its_own() {
    let mut client = Client::start("plain");
    let second = client.request(2, "session/new", json!({"cwd": "/", "mcpServers": []}));
    let first = std::mem::replace(&mut client.session, second["result"]["sessionId"].clone());
    assert_ne!(first, client.session);
    client.prompt(3, "Hello");
    client.answer(3);
    assert!(client.updates.iter().all(|update| update["params"]["sessionId"] == client.session));
    let closed = client.request(4, "session/close", json!({"sessionId": first}));
    assert_eq!(closed["result"], json!({}));
    let params = json!({"sessionId": first, "prompt": [{"type": "text", "text": "Hello"}]});
    assert!(client.request(5, "session/prompt", params)["error"].is_object());
}

/// Both agents call their request the same.
#[test]
fn an_answer_reaches_the_session_that_has_asked() {
    let mut client = Client::start("leave");
    let first = client.session.clone();
    let second = client.request(2, "session/new", json!({"cwd": "/", "mcpServers": []}));
    let mut asked = Vec::new();
    for (id, session) in [(3, first), (4, second["result"]["sessionId"].clone())] {
        client.session = session;
        client.prompt(id, "Touch it");
        asked.push(client.until(|message| message["method"] == "session/request_permission"));
    }
    assert_ne!(asked[0]["id"], asked[1]["id"]);
    for (request, option, prompt, expected) in
        [(&asked[1], "allow", 4, "done"), (&asked[0], "deny", 3, "refused")]
    {
        client.updates.clear();
        let outcome = json!({"outcome": "selected", "optionId": option});
        client.tell(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": outcome}}));
        client.answer(prompt);
        let updates = format!("{:?}", client.updates);
        assert!(updates.contains(expected), "{option}: {updates}");
        assert!(
            client
                .updates
                .iter()
                .all(|update| update["params"]["sessionId"] == request["params"]["sessionId"])
        );
    }
}

#[test]
fn a_target_without_clients_is_refused() {
    let ran = run(&["run", "--agent", "claude", "--speak", "ag-ui"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("its clients send nothing on it"), "{}", ran.stderr);
}

/// The environment of an agent whose session files are in this folder.
fn home(case: &str) -> (String, String) {
    let home = format!("{}/tests/homes/{case}/home", env!("CARGO_MANIFEST_DIR"));
    (format!("{home}/.claude"), home)
}

#[test]
fn an_earlier_session_is_listed_shown_again_and_resumed() {
    let (config, home) = home("titles");
    let environment = [("HOME", home.as_str()), ("CLAUDE_CONFIG_DIR", config.as_str())];
    let mut client = Client::connect("claude", "plain", &environment);
    let listed = client.request(1, "session/list", json!({"cwd": "/demo/app"}));
    let newest = json!({"sessionId": "p", "cwd": "/demo/app", "title": "Fix the broken tests",
        "updatedAt": "2026-10-05T10:02:00.000Z"});
    assert_eq!(listed["result"]["sessions"][0], newest);
    let elsewhere = client.request(2, "session/list", json!({"cwd": "/elsewhere"}));
    assert_eq!(elsewhere["result"], json!({"sessions": []}));
    let open = json!({"sessionId": "p", "cwd": "/", "mcpServers": []});
    assert_eq!(client.request(3, "session/load", open.clone())["result"], json!({}));
    let shown = |update: &Value| {
        let update = &update["params"]["update"];
        Some(format!("{}: {}", update["sessionUpdate"].as_str()?, update["content"]["text"].as_str()?))
    };
    let history: Vec<String> = client.updates.iter().filter_map(shown).collect();
    let expected = ["user_message_chunk: Fix the\n  broken   tests", "agent_message_chunk: Done."];
    assert_eq!(history[1..], expected, "{history:#?}");
    client.updates.clear();
    client.session = json!("p");
    client.prompt(4, "Hello");
    assert_eq!(client.answer(4)["result"]["stopReason"], "end_turn");
    assert!(client.text().ends_with("--resume p"), "{:#?}", client.updates);
    assert!(client.request(5, "session/load", open)["error"]["message"].is_string(), "it is open already");
    let unknown = json!({"sessionId": "nowhere", "cwd": "/", "mcpServers": []});
    let unknown = client.request(6, "session/load", unknown)["error"].clone();
    assert!(unknown["message"].as_str().is_some_and(|message| message.contains("nowhere")), "{unknown}");
}

#[test]
fn a_resumed_session_shows_nothing_of_before() {
    let (config, home) = home("titles");
    let environment = [("HOME", home.as_str()), ("CLAUDE_CONFIG_DIR", config.as_str())];
    let mut client = Client::connect("claude", "plain", &environment);
    let open = json!({"sessionId": "p", "cwd": "/", "mcpServers": []});
    assert_eq!(client.request(1, "session/resume", open.clone())["result"], json!({}));
    assert_eq!(client.updates, [] as [Value; 0]);
    // This agent tells the turns of before by itself.
    let mut client = Client::connect("codex", "rpc", &environment);
    let open = json!({"sessionId": "t1", "cwd": "/", "mcpServers": []});
    assert_eq!(client.request(1, "session/resume", open)["result"], json!({}));
    client.session = json!("t1");
    client.prompt(2, "Hello");
    client.until(|message| message["method"] == "session/request_permission");
    assert!(!client.text().contains("Said before"), "{:#?}", client.updates);
}

#[test]
fn a_session_has_the_id_that_the_agent_is_told() {
    let mut client = Client::start("plain");
    client.prompt(2, "Hello");
    client.answer(2);
    let session = client.session.as_str().expect("an id").to_owned();
    assert!(client.text().ends_with(&format!("--session-id {session}")), "{:#?}", client.updates);
}

#[test]
fn all_questions_are_asked_in_one_form_where_the_client_has_forms() {
    for (result, expected) in [
        (
            json!({"action": "accept", "content": {"Which colour?": "Blue", "Which sizes?": ["Small", "Large"]}}),
            "Blue, small and large.",
        ),
        (json!({"action": "decline"}), "No answers."),
        (json!({"action": "cancel"}), "No answers."),
    ] {
        let mut client = Client::able("asks-two", &json!({"elicitation": {"form": {}}}));
        client.prompt(2, "Choose");
        let asked = client.until(|message| message["method"] == "elicitation/create");
        let asks = &asked["params"];
        assert_eq!((&asks["mode"], &asks["toolCallId"]), (&json!("form"), &json!("q1")));
        let properties = &asks["requestedSchema"]["properties"];
        assert_eq!(properties["Which colour?"]["oneOf"][1]["const"], "Blue");
        assert_eq!(properties["Which sizes?"]["items"]["anyOf"][0]["const"], "Small");
        client.tell(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
        assert_eq!(client.answer(2)["result"]["stopReason"], "end_turn");
        assert!(client.text().contains(expected), "{result}: {:#?}", client.updates);
    }
}

#[test]
fn a_command_has_a_terminal_where_the_client_shows_them() {
    let mut client = Client::able("leave", &json!({"_meta": {"terminal_output": true}}));
    client.prompt(2, "Touch it");
    let asked = client.until(|message| message["method"] == "session/request_permission");
    let outcome = json!({"outcome": "selected", "optionId": "allow"});
    client.tell(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": outcome}}));
    client.answer(2);
    let of_call = |update: &&Value| update["params"]["update"]["toolCallId"] == "c1";
    let updates: Vec<&Value> =
        client.updates.iter().filter(of_call).map(|update| &update["params"]["update"]).collect();
    assert_eq!(updates[0]["content"], json!([{"type": "terminal", "terminalId": "c1"}]));
    assert_eq!(updates[0]["_meta"]["terminal_info"], json!({"terminal_id": "c1"}));
    let last = updates.last().expect("its end");
    assert_eq!(last["_meta"]["terminal_output"], json!({"terminal_id": "c1", "data": "done"}));
    assert_eq!(last["_meta"]["terminal_exit"]["terminal_id"], "c1");
    assert_eq!(last["status"], "completed");
}

#[test]
fn a_change_of_a_file_is_shown_with_both_texts() {
    let recording = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../resources/captures/claude/2.1.197/06-write-edit/stdout.jsonl"
    );
    let ran = run(&["translate", "--to", "acp", recording]);
    let messages = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let update = |message: Value| message["params"]["update"].clone();
    let ended = messages
        .map(update)
        .find(|update| update["status"] == "completed" && update["content"][0]["type"] == "diff")
        .expect("an edit");
    let expected = json!({"type": "diff", "path": "/workspace/demo/src/lib.rs",
        "oldText": "pub fn one() -> u32 {\n    1\n}\n",
        "newText": "pub fn one() -> u32 {\n    // the number one\n    1\n}\n"});
    assert_eq!(ended["content"][0], expected);
}

#[test]
fn a_session_that_the_agent_does_not_resume_stays_closed() {
    let mut client = Client::connect("codex", "rpc", &[]);
    for id in [1, 2] {
        let gone = json!({"sessionId": "gone", "cwd": "/", "mcpServers": []});
        let error = client.request(id, "session/resume", gone)["error"].clone();
        assert!(error["message"].as_str().is_some_and(|text| text.contains("no such thread")), "{error}");
    }
}
