//! `interlingua run` with agents that refuse what they are told, or die: it ends, says why, and gives an exit code.
#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use support::driven::{Driven, keeps_the_laws, program};
use support::{Ran, door};

/// A run of an agent whose program is one of `agents/`, with these further arguments.
fn start(agent: &str, name: &str, more: &[&str], environment: &[(&str, &str)]) -> Driven {
    let program = program(name);
    Driven::of(&[&["run", "--agent", agent, "--program", &program], more].concat(), environment)
}

/// Whether it has ended with this exit code and these words.
fn ended(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, code, "{}", ran.stderr);
    for words in words {
        assert!(ran.stderr.contains(words), "{words:?} is missing: {}", ran.stderr);
    }
    keeps_the_laws(ran);
}

#[test]
fn a_refused_request_ends_the_run() {
    let start_refused = "`session.start` failed: the agent refused it: no such luck";
    let not_started = "`message.send` failed: the agent refused to start the session";
    let message_refused = "`message.send` failed: the agent refused it: no such luck";
    for (refuses, more, words) in [
        ("thread/start", &["Go"][..], &[start_refused, not_started][..]),
        ("thread/resume", &["--resume", "t1", "Go"], &[start_refused, not_started]),
        ("turn/start", &["Go"], &[message_refused]),
        ("turn/start", &["--resume", "t1", "Go"], &[message_refused]),
    ] {
        let ran = start("codex", "refuses", more, &[("REFUSES", refuses)]).end();
        ended(&ran, 1, words);
        assert!(ran.stdout.contains(r#""message":"no such luck""#), "{refuses}: {}", ran.stdout);
    }
}

#[test]
fn a_refused_request_of_the_agent_client_protocol_ends_the_run() {
    for (refuses, code, words) in [
        ("session/new", 1, &["`session.start` failed: the agent refused it: no such luck"][..]),
        ("session/prompt", 1, &["no such luck"]),
        ("nothing", 0, &[]),
    ] {
        let ran = start("acp", "refuses", &["Go"], &[("REFUSES", refuses)]).end();
        ended(&ran, code, words);
    }
}

#[test]
fn a_session_that_is_refused_ends_the_run_though_more_could_be_said() {
    let mut driven = start("codex", "refuses", &["--keep", "Go"], &[("REFUSES", "thread/start")]);
    // Its input stays open until the events have come to their end.
    driven.until("session.ended");
    ended(&driven.end(), 1, &["no such luck"]);
}

#[test]
fn a_message_that_is_refused_can_be_followed_by_another() {
    let mut driven = start("codex", "refuses", &["Go"], &[("REFUSES", "turn/start")]);
    for _ in 0..2 {
        assert_eq!(driven.until("error")["message"], "no such luck");
        driven.give(&json!({"type": "message.send", "content": [{"type": "text", "text": "Again"}]}));
    }
    ended(&driven.end(), 1, &["no such luck"]);
}

#[test]
fn a_request_that_nobody_knows_is_answered() {
    let ran = start("codex", "refuses", &["Go"], &[("ASKS", "item/brandNew/request")]).end();
    ended(&ran, 0, &[]);
    assert!(ran.stdout.contains("agent.unparsed"), "{}", ran.stdout);
}

#[test]
fn a_server_that_refuses_ends_the_run() {
    let opened = json!({"type": "session.created", "properties": {"sessionID": "ses_1",
        "info": {"id": "ses_1", "slug": "s", "projectID": "p", "directory": "/demo", "title": "t",
            "version": "1", "time": {"created": 1, "updated": 1}}}});
    let refused = |place: &str| format!("`{place}");
    for (refuses, more, words) in [
        (
            "POST /session",
            &["Go"][..],
            refused("session.start` failed: the agent refused it: POST /session: 503"),
        ),
        (
            "POST /session/ses_1/prompt_async",
            &["Go"],
            refused("message.send` failed: the agent refused it: POST /session/ses_1/prompt_async: 503"),
        ),
        (
            "POST /session/ses_1/prompt_async",
            &["--resume", "ses_1", "Go"],
            refused("message.send` failed: the agent refused it: POST /session/ses_1/prompt_async: 503"),
        ),
    ] {
        let opened = opened.clone();
        let (address, _requests) = door::open(move |place, _: &Value| match place {
            place if place == refuses => (503, Vec::new()),
            "POST /session" => (200, vec![opened.clone()]),
            _ => (204, Vec::new()),
        });
        let ran = start("opencode", "serves", more, &[("SERVER", &address)]).end();
        ended(&ran, 1, &[&words]);
    }
}

#[test]
fn a_program_that_dies_at_once_is_told_with_its_last_words() {
    for agent in ["acp", "amp", "claude", "codex", "opencode", "pi", "qwen"] {
        for flood in ["", "100000"] {
            let ran = start(agent, "dies", &["Go"], &[("FLOOD", flood)]).end();
            ended(&ran, 3, &["ended with exit code 1 before its turn was over", "invalid API key"]);
            let ended = support::events(&ran).pop().expect("the events end")["data"].clone();
            assert_eq!((&ended["reason"], &ended["exit_code"]), (&json!("failed"), &json!(1)), "{agent}");
            let why = ended["error"]["message"].as_str().expect("a reason");
            assert!(
                why.ends_with("ended with exit code 1 before its turn was over: invalid API key"),
                "{why}"
            );
            assert!(ran.stderr.len() < 5000, "{agent}: {} bytes", ran.stderr.len());
        }
    }
}

#[test]
fn every_agent_that_can_be_driven_is_tried() {
    let text = include_str!("refusals.rs");
    let drives =
        |table: &&&interlingua::Table| table.writes.iter().any(|rule| rule.command == "session.start");
    for table in interlingua::providers().iter().filter(drives) {
        assert!(text.contains(&format!("\"{}\"", table.provider)), "{} is tried by no test", table.provider);
    }
}
