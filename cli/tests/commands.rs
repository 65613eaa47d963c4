//! The other commands, as users run them.

mod support;

use std::fs;

use interlingua::laws::Law;
use serde_json::Value;
use support::{claude, codex, run, run_with_stdin, scratch};

#[test]
fn check_finds_nothing_wrong_with_what_translate_writes() {
    for file in [claude(), codex()] {
        let translated = run(&["translate", &file]).stdout;
        let ran = run_with_stdin(&["check"], translated.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{file}");
    }
}

#[test]
fn check_says_which_law_breaks_where() {
    let translated = run(&["translate", &claude()]).stdout;
    let mut lines: Vec<&str> = translated.lines().collect();
    let completed = lines.iter().position(|line| line.contains("item.completed")).expect("a completed item");
    lines.remove(completed);
    let file = scratch("broken-events.jsonl", lines.join("\n").as_bytes());
    let ran = run(&["check", &file]);
    assert_eq!(ran.code, 1);
    let place = format!("{file}:{}: law 1 (order):", completed + 1);
    assert!(ran.stdout.lines().any(|line| line.starts_with(&place)), "{place} is missing: {}", ran.stdout);
    assert!(ran.stdout.contains("law 2 (item life):"), "{}", ran.stdout);
}

#[test]
fn check_knows_a_native_recording_when_it_sees_one() {
    let ran = run(&["check", &claude()]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains(":1: not a universal event"), "{}", ran.stdout);
    assert!(ran.stderr.contains("interlingua translate"), "{}", ran.stderr);
    assert_eq!(run_with_stdin(&["check"], b"{\"type\":1}\n").code, 1);
    assert_eq!(run(&["check", "no/such/file"]).code, 3);
}

#[test]
fn explain_leads_from_every_line_to_its_rule_and_events() {
    let ran = run(&["explain", &claude()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = fs::read_to_string(claude()).expect("the recording").lines().count();
    for line in 1..=lines {
        let heading = format!("line {line}  ");
        let found = ran.stdout.lines().find(|text| text.starts_with(&heading)).expect("a heading");
        // The rule may stand in a file that the map includes.
        assert!(found.contains("term-maps/claude") && found.contains(".map:"), "{found}");
    }
    assert!(ran.stdout.contains("→ s1:1 session.started"), "{}", ran.stdout);
    assert!(ran.stdout.contains("end of input"), "{}", ran.stdout);
}

#[test]
fn explain_shows_one_line_or_one_event_in_full() {
    let by_line = run(&["explain", "--line", "1", &claude()]);
    let by_event = run(&["explain", "--event", "s1:1", &claude()]);
    assert_eq!(by_line.stdout, by_event.stdout);
    let text = by_line.stdout;
    assert!(text.contains("\"subtype\": \"init\""), "the native message: {text}");
    assert!(
        text.contains("session.started") && text.contains("native_session_id: session_id"),
        "the rule: {text}"
    );
    assert!(text.contains("{\"event_id\":\"s1:1\""), "the event: {text}");
}

#[test]
fn explain_says_when_there_is_no_such_line_or_event() {
    let line = run(&["explain", "--line", "9999", &claude()]);
    assert_eq!(line.code, 2);
    assert!(line.stderr.contains("9999") && line.stderr.contains("help:"), "{}", line.stderr);
    assert_eq!(run(&["explain", "--event", "s1:9999", &claude()]).code, 2);
    assert_eq!(run(&["explain", "--line", "0", &claude()]).code, 2);
}

#[test]
fn an_empty_input_is_fine_for_every_command() {
    let empty = scratch("empty.jsonl", b"\n \n");
    for command in ["translate", "check", "explain"] {
        let ran = run(&[command, &empty]);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{command}");
    }
    let ran = run(&["detect", &empty]);
    assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (0, format!("{empty}: empty\n"), ""));
    let ran = run(&["explain", "--line", "1", &empty]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no message to explain") && ran.stderr.contains("help:"), "{}", ran.stderr);
}

#[test]
fn a_file_that_cannot_be_used_does_not_stop_the_others() {
    let good = scratch("good-events.jsonl", run(&["translate", &claude()]).stdout.as_bytes());
    let ran = run(&["check", "no/such/file", &claude(), &good, &good]);
    // The missing file counts for more than the recording that is no universal stream.
    assert_eq!(ran.code, 3);
    assert_eq!(ran.stderr.matches("error:").count(), 2, "{}", ran.stderr);
    let ran = run(&["check", &claude(), &good]);
    assert_eq!(ran.code, 1);
    let ran = run(&["detect", "no/such/file", &codex()]);
    assert_eq!((ran.code, ran.stdout), (3, format!("{}: codex\n", codex())));
    assert!(ran.stderr.contains("no/such/file"), "{}", ran.stderr);
}

#[test]
fn what_is_found_says_what_to_do() {
    let translated = run(&["translate", &claude()]).stdout;
    let without_start = translated.split_once('\n').expect("several events").1;
    let ran = run_with_stdin(&["check"], without_start.as_bytes());
    assert_eq!(ran.code, 1);
    let law = Law::Order;
    assert!(ran.stderr.contains(&format!("{law}: {}", law.text())), "{}", ran.stderr);
    assert!(ran.stderr.contains("help: docs/laws.md"), "{}", ran.stderr);
    let ran = run_with_stdin(&["check"], b"{\"type\":1}\n");
    assert!(ran.stderr.contains("help: `interlingua schema`"), "{}", ran.stderr);
    let last = translated.lines().last().expect("an event");
    let last: Value = serde_json::from_str(last).expect("JSON");
    let ran = run(&["explain", "--event", last["event_id"].as_str().expect("an id"), &claude()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("help:"), "{}", ran.stderr);
}

#[test]
fn terms_prints_the_tables_of_the_providers() {
    let one = run(&["terms", "codex"]);
    assert_eq!(one.code, 0);
    assert!(one.stdout.contains("turn.started") && one.stdout.contains("ignored"), "{}", one.stdout);
    assert!(!one.stdout.contains('\u{1b}'), "colours belong on a terminal");
    let wrong = run(&["terms", "codx"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("'codex'"), "{}", wrong.stderr);
}

#[test]
fn terms_without_a_provider_shows_all_of_them_beside_each_universal_term() {
    let all = run(&["terms"]);
    assert_eq!(all.code, 0);
    for section in
        ["Identifiers", "Events and message flow", "Synthetics", "Delta handling", "Message normalisation"]
    {
        assert!(all.stdout.lines().any(|line| line == section), "{section} is missing");
    }
    // The term stands before its first provider, the others below it.
    let row: Vec<&str> = all.stdout.lines().skip_while(|line| !line.starts_with("  turn.ended ")).collect();
    for (provider, native) in [("amp", "result "), ("claude", "result "), ("codex", "\"turn/completed\"")] {
        let line = row.iter().position(|line| line.contains(&format!(" {provider} ")));
        let shown = line.is_some_and(|line| row[line..line + 2].iter().any(|line| line.contains(native)));
        assert!(shown, "{provider}: {:#?}", &row[..8]);
    }
    assert!(!all.stdout.contains('\u{1b}'), "colours belong on a terminal");
}

#[test]
fn terms_says_what_an_agent_can_be_told_and_what_it_cannot() {
    let ran = run(&["terms", "amp", "--commands"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let line = |start: &str| {
        ran.stdout
            .lines()
            .find(|line| line.trim_start().starts_with(start))
            .unwrap_or_else(|| panic!("no {start}"))
    };
    assert!(line("message.send").contains("content, delivery, message_id, native"));
    assert!(line("turn.interrupt").contains("cannot"));
    assert!(line("cannot model").contains("it chooses the model by itself"));
    // Without a provider there is nothing to tell.
    assert_eq!(run(&["terms", "--commands"]).code, 2);
}

#[test]
fn terms_prints_the_reference_of_the_language() {
    let ran = run(&["terms", "--language"]);
    assert_eq!(ran.code, 0);
    for name in ["session.started", "item message", "part text", "turn.ended"] {
        assert!(ran.stdout.lines().any(|line| line == name), "{name} is missing");
    }
}

#[test]
fn schema_prints_a_schema_that_names_every_event_type() {
    let ran = run(&["schema"]);
    assert_eq!(ran.code, 0);
    let schema: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert!(schema["$schema"].is_string());
    for name in interlingua::vocabulary::EventBody::TYPES {
        assert!(ran.stdout.contains(&format!("\"{name}\"")), "{name} is missing");
    }
}

#[test]
fn detect_names_the_agent_of_each_file() {
    let unknown = scratch("unknown.jsonl", b"{\"hello\":1}\n");
    let ran = run(&["detect", &claude(), &codex()]);
    assert_eq!(ran.stdout, format!("{}: claude\n{}: codex\n", claude(), codex()));
    assert_eq!(ran.code, 0);
    let ran = run(&["detect", &unknown]);
    assert_eq!((ran.code, ran.stdout), (1, format!("{unknown}: unknown\n")));
    assert!(ran.stderr.contains("no provider recognises a message"), "{}", ran.stderr);
    assert_eq!(run(&["detect"]).code, 2);
    assert_eq!(run(&["detect", "no/such/file"]).code, 3);
}

#[test]
fn an_uncertain_stream_is_explained() {
    // An error that several formats write alike.
    let file = scratch("error.json", b"npm warn\n{\"error\":{\"message\":\"no such model\"}}\n");
    let ran = run(&["detect", &file]);
    assert_eq!((ran.code, ran.stdout), (1, format!("{file}: unknown\n")));
    assert!(ran.stderr.contains("  openai-chat: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("--from: it could be "), "{}", ran.stderr);
    let ran = run(&["translate", &file]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("--from: it could be "), "{}", ran.stderr);
}

#[test]
fn a_translation_is_not_translated_again() {
    let events = scratch("events.jsonl", run(&["translate", &codex()]).stdout.as_bytes());
    let ran = run(&["detect", &events]);
    assert_eq!((ran.code, ran.stdout), (0, format!("{events}: universal\n")));
    for command in [&["translate", &events][..], &["explain", &events]] {
        let ran = run(command);
        assert_eq!((ran.code, &*ran.stdout), (1, ""), "{command:?}");
        assert!(ran.stderr.contains("is already universal"), "{command:?}: {}", ran.stderr);
    }
    let ran = run(&["translate", "--from", "codex", &events]);
    assert!(ran.stderr.contains("it is already universal"), "{}", ran.stderr);
}

#[test]
fn each_answer_of_a_file_is_a_stream_of_its_own() {
    let body = |id: &str| {
        format!(
            r#"{{"id":"{id}","object":"chat.completion","choices":[{{"index":0,"message":{{"content":"I am {id}"}},"finish_reason":"stop"}}]}}"#
        )
    };
    let file = scratch("answers.json", format!("[{},{}]", body("a"), body("b")).as_bytes());
    let ran = run(&["translate", "--from", "openai-chat", &file, &file]);
    let streams: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let numbers: Vec<Option<u64>> = streams
        .iter()
        .filter(|chunk| chunk["type"] == "finish")
        .map(|chunk| chunk["stream"].as_u64())
        .collect();
    assert_eq!((ran.code, &numbers[..]), (0, &[None, Some(2), Some(3), Some(4)][..]));
    let chunks = scratch("answers.jsonl", ran.stdout.as_bytes());
    assert_eq!(run(&["check", &chunks]).code, 0);
    let ran = run(&["translate", "--from", "openai-chat", "--assemble", &file]);
    let messages: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(messages.len(), 2, "{}", ran.stdout);
    assert!(messages[0].contains("I am a") && messages[1].contains("I am b"), "{}", ran.stdout);
}

#[test]
fn help_teaches_with_examples() {
    for command in ["translate", "check", "explain", "terms", "detect"] {
        let ran = run(&[command, "--help"]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("Examples:"), "{command}: {}", ran.stdout);
    }
    let ran = run(&["--help"]);
    assert!(ran.stdout.contains("Exit codes:"), "{}", ran.stdout);
    assert_eq!(run(&["--version"]).code, 0);
}

#[cfg(unix)]
#[test]
fn whoever_has_read_enough_gets_the_exit_code_all_the_same() {
    let finding = scratch("many-findings.jsonl", "{\"a\":1}\n".repeat(50).as_bytes());
    let unknown = scratch("unknown.jsonl", b"{\"a\":1}\n");
    let many = vec![unknown.as_str(); 5];
    for arguments in [vec!["check", &finding], [vec!["detect"], many].concat()] {
        let mut child = support::command(&arguments).spawn().expect("the command starts");
        drop(child.stdout.take());
        let ran: support::Ran = child.wait_with_output().expect("it ends").into();
        assert_eq!(ran.code, 1, "{}: {}", arguments[0], ran.stderr);
    }
}
