//! `stats` without files: the sessions of a machine, from their files.

mod support;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use support::{Ran, command};

/// A home of this test's own.
fn home(name: &str) -> PathBuf {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("homes").join(name);
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a folder");
    home
}

fn write(home: &std::path::Path, file: &str, lines: &[Value]) {
    let path = home.join(".claude/projects/-demo").join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, lines.concat()).expect("a file");
}

/// What `stats --json` says of a home, by native session id.
fn stats(home: &std::path::Path) -> (Vec<Value>, Ran) {
    let mut command = command(&["stats", "--json"]);
    command.env("HOME", home).env_remove("CLAUDE_CONFIG_DIR");
    let ran = Ran::from(command.output().expect("the command runs"));
    let records =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    (records, ran)
}

fn prompt(session: &str, uuid: &str, text: &str) -> Value {
    json!({ "type": "user", "sessionId": session, "uuid": uuid, "cwd": "/demo", "gitBranch": "main",
        "timestamp": "2026-11-30T08:00:00.000Z", "message": { "role": "user", "content": text } })
}

fn answer(session: &str, uuid: &str, message: &str, output: u64) -> Value {
    json!({ "type": "assistant", "sessionId": session, "uuid": uuid, "requestId": format!("req_{message}"),
        "timestamp": "2026-11-30T08:00:01.000Z",
        "message": { "id": message, "type": "message", "role": "assistant", "model": "m-1",
            "content": [{ "type": "text", "text": "Done." }], "stop_reason": "end_turn",
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 1000, "output_tokens": output } } })
}

fn of<'r>(records: &'r [Value], session: &str) -> &'r Value {
    records.iter().find(|record| record["native_session_id"] == session).expect("the session")
}

#[test]
fn a_session_file_tells_all_that_a_listing_needs() {
    let home = home("one");
    write(&home, "s.jsonl", &[prompt("s", "u1", "Hello"), answer("s", "u2", "m1", 5)]);
    let (records, ran) = stats(&home);
    assert_eq!((ran.code, ran.stderr.as_str(), records.len()), (0, "", 1));
    let record = &records[0];
    assert_eq!(record["provider"], "claude");
    assert_eq!(
        (&record["cwd"], &record["branch"], &record["model"]),
        (&json!("/demo"), &json!("main"), &json!("m-1"))
    );
    assert_eq!((&record["turns"], &record["started"]), (&json!(1), &json!("2026-11-30T08:00:00.000Z")));
    assert_eq!(record["resume"], "claude --resume s");
    assert_eq!(
        record["usage"],
        json!({ "input": 10, "cache_read": 1000, "cache_write": null, "output": 5, "reasoning": null })
    );
    assert_eq!(record["cost"], Value::Null, "an unknown cost is not zero");
}

#[test]
fn the_line_with_the_most_output_counts_and_calls_without_ids_stay_apart() {
    let home = home("lines");
    let mut nameless = [answer("s", "u4", "m", 7), answer("s", "u5", "m", 7)];
    nameless.iter_mut().for_each(|line| drop(line.as_object_mut().expect("an object").remove("requestId")));
    let lines = [prompt("s", "u1", "Hello"), answer("s", "u2", "m1", 500), answer("s", "u3", "m1", 1)];
    write(&home, "s.jsonl", &[&lines[..], &nameless].concat());
    let (records, _) = stats(&home);
    assert_eq!(records[0]["usage"]["output"], 514);
}

#[test]
fn a_copy_belongs_to_the_session_that_it_comes_from() {
    let home = home("fork");
    let shared = [prompt("z", "u1", "Hello"), answer("z", "u2", "m1", 5)];
    write(&home, "z.jsonl", &shared);
    let copies = shared.map(|mut line| {
        line["sessionId"] = json!("a");
        line["forkedFrom"] = json!({ "sessionId": "z" });
        line
    });
    // Its file comes before that of its origin.
    write(
        &home,
        "a.jsonl",
        &[&copies[..], &[prompt("a", "u3", "More"), answer("a", "u4", "m2", 6)]].concat(),
    );
    let (records, _) = stats(&home);
    assert_eq!(
        (of(&records, "z")["usage"]["output"].as_u64(), of(&records, "a")["usage"]["output"].as_u64()),
        (Some(5), Some(6))
    );
}

#[test]
fn a_sub_agent_counts_in_the_session_that_started_it() {
    let home = home("agents");
    write(&home, "s.jsonl", &[prompt("s", "u1", "Hello"), answer("s", "u2", "m1", 5)]);
    for (agent, file) in [("x", "s/subagents/agent-x.jsonl"), ("y", "agent-y.jsonl")] {
        let lines =
            [prompt("s", &format!("{agent}1"), "Look"), answer("s", &format!("{agent}2"), agent, 100)];
        let lines = lines.map(|mut line| {
            line["isSidechain"] = json!(true);
            line["agentId"] = json!(agent);
            line
        });
        write(&home, file, &lines);
    }
    let (records, _) = stats(&home);
    assert_eq!(records.len(), 1);
    assert_eq!((&records[0]["usage"]["output"], &records[0]["turns"]), (&json!(205), &json!(1)));
    assert_eq!(records[0]["files"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_bad_line_affects_only_itself_and_is_told() {
    let home = home("bad");
    write(&home, "s.jsonl", &[prompt("s", "u1", "Hello"), answer("s", "u2", "m1", 5)]);
    let path = home.join(".claude/projects/-demo/s.jsonl");
    let mut text = fs::read_to_string(&path).expect("the file");
    text.insert_str(0, "{\"type\":\"assistant\",\"mess\n{\"type\":\"of tomorrow\"}\n");
    text.push_str("{\"type\":\"user\",\"mess");
    fs::write(&path, text).expect("the file");
    let (records, ran) = stats(&home);
    assert_eq!((&records[0]["usage"]["output"], &records[0]["unparsed"]), (&json!(5), &json!(3)));
    assert!(ran.stderr.contains("3 messages could not be parsed"), "{}", ran.stderr);
}

#[test]
fn another_folder_may_be_named_and_none_is_no_error() {
    let home = home("elsewhere");
    let (records, ran) = stats(&home);
    assert_eq!((ran.code, records.len()), (0, 0));
    write(&home, "s.jsonl", &[prompt("s", "u1", "Hello")]);
    let mut command = command(&["stats", "--json"]);
    command.env("HOME", "/nowhere").env("CLAUDE_CONFIG_DIR", home.join(".claude"));
    let ran = Ran::from(command.output().expect("the command runs"));
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stderr);
}
