//! Hostile text in every place that prints: nothing but text and colours of ours reaches a terminal, and what is on one
//! line stays on one line.
#![cfg(unix)]

mod support;

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use support::driven::program;
use support::pty::Terminal;
use support::{command, scratch};

/// C0 and C1 commands, a title, a link, the clipboard, bidi, zero width, line separators, and a colour.
const COMMANDS: &str = "\u{1b}[31mRED\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\\
                        \u{1b}]52;c;ZXZpbA==\u{7}\u{9b}2J\u{9d}0;t\u{9c}\u{8}\u{8}\u{7f}\rover\u{202e}rtl\u{2066}\
                        \u{200b}\u{200f}\u{feff}\u{2028}\u{2029}\u{ad}\u{e0041}\u{61c}";

/// Looks like the end of a line, and a line of ours.
const FAKE: &str = "\nFAKE: your choice, by its number: \n\n";

/// A hostile name.
fn name() -> String {
    format!("evil{COMMANDS}{FAKE}{}", "long".repeat(400))
}

/// A hostile name that a file can have.
fn file(ending: &str, content: &[u8]) -> String {
    let short = COMMANDS.replace('/', "_");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{short}{FAKE}"));
    std::fs::create_dir_all(&folder).expect("a folder of any name");
    let path = folder.join(format!("{}{FAKE}.{ending}", "n".repeat(200)));
    std::fs::write(&path, content).expect("a file of any name");
    path.display().to_string()
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('m') {
            Some((colour, more)) if colour.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') => {
                rest.push_str(more);
            }
            _ => rest.push_str(&format!("\u{1b}[{part}")),
        }
    }
    rest
}

/// Nothing hostile reached the screen.
fn is_safe(what: &str, screen: &str) {
    assert!(!screen.contains("\u{1b}[31mRED"), "{what}: a colour that is not ours: {screen:?}");
    let plain = without_colours(screen);
    let found = plain.chars().find(|letter| {
        (letter.is_control() && !matches!(letter, '\n' | '\t'))
            || COMMANDS.chars().any(|hostile| hostile == *letter && !hostile.is_ascii())
    });
    assert_eq!(found, None, "{what}: {plain:?}");
    assert!(!plain.lines().any(|line| line.starts_with("FAKE")), "{what}: a fake line: {plain}");
}

/// Standard output and standard error of a command, both on terminals.
fn on_terminals(arguments: &[&str], environment: &[(&str, &str)]) -> (String, String) {
    let (out, err) = (Terminal::new(), Terminal::new());
    let mut command = command(arguments);
    command.envs(environment.iter().copied()).stdout(out.stdio()).stderr(err.stdio());
    let mut child = command.spawn().expect("the command starts");
    drop(command);
    let (out, err) = (out.person(), err.person());
    child.wait().expect("it ends");
    (out.screen(), err.screen())
}

/// Tries a command on terminals and in pipes. In pipes, standard output may be JSON, which is for programs.
fn both(arguments: &[&str], environment: &[(&str, &str)], is_json: bool) -> String {
    let shown = arguments.join(" ");
    let what = shown.chars().take(60).collect::<String>();
    let (out, err) = on_terminals(arguments, environment);
    is_safe(&format!("{what}: stdout on a terminal"), &out);
    is_safe(&format!("{what}: stderr on a terminal"), &err);
    let ran = command(arguments).envs(environment.iter().copied()).output().expect("the command runs");
    is_safe(&format!("{what}: stderr"), &String::from_utf8_lossy(&ran.stderr));
    let piped = String::from_utf8_lossy(&ran.stdout).into_owned();
    if is_json {
        let values = |text: &str| -> Vec<Value> {
            let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            values.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{what}: {error}: {text}"))
        };
        assert_eq!(values(&out), values(&piped), "{what}: a terminal gets the same JSON");
    } else {
        is_safe(&format!("{what}: stdout"), &piped);
    }
    assert!(!(out.is_empty() && err.is_empty()), "{what}: nothing was printed");
    format!("{out}{err}")
}

/// A session of Claude Code in which every text is hostile.
fn recording() -> Vec<Value> {
    let (name, text) = (name(), format!("text {COMMANDS} end"));
    let begin = json!({"type": "system", "subtype": "init", "session_id": name, "cwd": name, "model": name,
        "tools": [name], "permissionMode": name, "claude_code_version": name});
    let say = |id: &str, block: Value| {
        json!({"type": "assistant", "session_id": name, "parent_tool_use_id": null,
            "message": {"id": id, "role": "assistant", "content": [block]}})
    };
    let arguments = json!({"command": text, name.as_str(): name});
    vec![
        begin,
        say("m1", json!({"type": "text", "text": text})),
        say("m2", json!({"type": "thinking", "thinking": text})),
        say("m3", json!({"type": "tool_use", "id": name, "name": name, "input": arguments})),
        json!({"type": "user", "session_id": name, "parent_tool_use_id": null, "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": name, "content": text, "is_error": true}]}}),
        json!({"type": name, "text": text}),
        json!({"type": "system", "subtype": name}),
    ]
}

/// What asks the person.
fn requests() -> Vec<Value> {
    let (name, text) = (name(), format!("text {COMMANDS} end"));
    let ask = |id: &str, tool: &str, input: Value| {
        json!({"type": "control_request", "request_id": format!("{id}{name}"), "request": {"subtype": "can_use_tool",
            "tool_name": tool, "input": input, "tool_use_id": format!("{id}{name}"), "decision_reason": name,
            "blocked_path": name, "permission_suggestions": []}})
    };
    let questions = json!({"questions": [{"question": text, "header": name, "multiSelect": false,
        "options": [{"label": name, "description": name}, {"label": "b", "description": text}]}]});
    vec![ask("p", &name, json!({"command": text})), ask("q", "AskUserQuestion", questions)]
}

fn result() -> Value {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "session_id": name(),
        "num_turns": 1, "duration_ms": 1, "errors": [name()]})
}

fn lines(values: &[Value]) -> Vec<u8> {
    values.iter().map(|value| format!("{value}\n")).collect::<String>().into_bytes()
}

#[test]
fn files_are_named_safely() {
    let native = file("jsonl", &lines(&recording()));
    let strange = file("txt", format!("{COMMANDS}\n{COMMANDS}\n").as_bytes());
    let missing = format!("{strange}.missing");
    for path in [&native, &strange, &missing] {
        both(&["detect", path], &[], false);
        both(&["check", path], &[], false);
        both(&["explain", path], &[], false);
        both(&["request", "--to", "gemini", path], &[], false);
        both(&["run", "--map", path, "Go"], &[], false);
        both(&["translate", "--map", path, &native], &[], false);
        both(&["translate", "--host", path, &native], &[], true);
    }
    both(&["translate", &native], &[], true);
    both(&["translate", "--stats", &format!("{missing}/x"), &native], &[], true);
    for path in [&strange, &missing] {
        both(&["translate", path], &[], false);
    }
}

#[test]
fn arguments_are_repeated_safely() {
    let name = name();
    let native = scratch("hostile.jsonl", &lines(&recording()));
    both(&["run", "--agent", &name, "Go"], &[], false);
    both(&["run", "--agent", "claude", "--program", &name, "Go"], &[], false);
    both(&["run", "--agent", "claude", "--cwd", &name, "Go"], &[], false);
    both(&["run", "--agent", "claude", "--native", &name, "Go"], &[], false);
    both(&["terms", &name], &[], false);
    both(&["explain", &native, "--event", &name], &[], false);
    both(&["translate", "--from", &name, &native], &[], false);
    both(&[&name], &[], false);
}

#[test]
fn what_a_stream_says_is_shown_safely() {
    let native = scratch("hostile-stream.jsonl", &lines(&[recording(), requests(), vec![result()]].concat()));
    both(&["translate", "--from", "claude", &native], &[], true);
    both(&["translate", "--from", "claude", "--pretty", &native], &[], true);
    both(&["translate", "--from", "codex", &native], &[], true);
    both(&["explain", &native], &[], false);
    for line in 1..=10 {
        both(&["explain", &native, "--line", &line.to_string()], &[], false);
    }
    let name = name();
    let event = |sequence: u64, kind: &str, data: Value| {
        json!({"event_id": format!("{name}:{sequence}"), "sequence": sequence, "session_id": name, "agent_path": [],
            "origin": "agent", "type": kind, "data": data})
    };
    let broken = [
        event(7, "item.delta", json!({"item_id": name, "part": 0, "channel": "text", "delta": name})),
        event(7, &name, json!({name.as_str(): name})),
        json!({name.as_str(): name}),
        event(9, "turn.ended", json!({"turn_id": name, "reason": {"kind": name}})),
    ];
    both(&["check", &scratch("hostile-events.jsonl", &lines(&broken))], &[], false);
}

#[test]
fn answers_and_requests_are_shown_safely() {
    let name = name();
    let chunks = [
        json!({"id": name, "object": "chat.completion.chunk", "model": name, "created": 1, "choices":
            [{"index": 0, "delta": {"role": "assistant", "content": name}, "finish_reason": null}]}),
        json!({"error": {"message": name, "code": name, "type": name}}),
    ];
    let stream: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    let stream = scratch("hostile-answer.sse", stream.as_bytes());
    both(&["translate", "--from", "openai-chat", &stream], &[], true);
    both(&["translate", "--from", "openai-chat", "--assemble", &stream], &[], true);
    both(&["explain", "--from", "openai-chat", &stream], &[], false);
    for (number, conversation) in [
        json!({"messages": [], name.as_str(): 1}),
        json!({name.as_str(): name}),
        json!([{"role": name, "content": name}]),
    ]
    .iter()
    .enumerate()
    {
        let conversation = scratch(&format!("hostile-{number}.json"), conversation.to_string().as_bytes());
        both(&["request", "--to", "openai-chat", &conversation], &[], false);
    }
    let said = json!({"model": name, "messages": [{"id": name, "role": "user", "source": {"kind": "user"}, "content":
        [{"type": "text", "text": name}, {"type": "file", "name": name, "mime": name, "uri": name}]}]});
    let said = scratch("hostile-request.json", said.to_string().as_bytes());
    both(&["request", "--to", "openai-chat", &said], &[], true);
    both(&["request", "--to", "openai-chat", "--pretty", "--json", &said], &[], true);
}

#[test]
fn an_agent_is_shown_safely_and_cannot_fake_a_prompt() {
    let says = scratch("hostile-says.jsonl", &lines(&[recording(), requests()].concat()));
    let then = scratch("hostile-then.jsonl", &lines(&[json!({}), result()]));
    let program = program("hostile");
    let environment = [("SAYS", says.as_str()), ("THEN", then.as_str())];
    let arguments = ["run", "--agent", "claude", "--program", &program, "Go"];
    both(&arguments, &environment, true);
    both(&arguments, &[environment[0], environment[1], ("CODE", "1")], true);

    // A person at a terminal, who first gives wrong answers.
    let terminal = Terminal::new();
    let mut run = command(&arguments);
    // Nothing moves on such a terminal, while everything has its colours.
    run.envs([("TERM", "dumb"), ("CLICOLOR_FORCE", "1")]);
    run.envs(environment).stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(Stdio::null());
    let mut child = run.spawn().expect("the command starts");
    drop(run);
    let mut person = terminal.person();
    for (prompt, answer) in [
        ("\nyour choice, by its number: ", "what?"),
        ("is not an answer; type a number from 1 to 2: ", "1"),
        ("your own words (an empty line gives none): ", "7"),
    ] {
        person.sees(prompt);
        person.types(answer);
    }
    child.wait().expect("it ends");
    let screen = person.screen();
    is_safe("a person at a terminal", &screen);
    let plain = without_colours(&screen);
    assert_eq!(plain.lines().filter(|line| line.starts_with("? ")).count(), 2, "{plain}");
    assert!(plain.contains("? permission for the tool \"evil\\u{1b}[31mRED"), "{plain}");
    assert!(plain.contains("`what?` is not an answer; type a number from 1 to 2: "), "{plain}");
    assert!(plain.contains("turn failed"), "{plain}");
}

#[test]
fn only_the_module_of_output_writes_to_people() {
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("output") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                for wrong in ["print!(", "println!(", "io::stderr().lock()"] {
                    assert!(!text.contains(wrong), "{}: `{wrong}` goes around `output`", path.display());
                }
            }
        }
    }
}
