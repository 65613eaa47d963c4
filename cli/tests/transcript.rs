//! `transcript` and `stats`, as users run them.

mod support;

use std::fs;
use std::path::PathBuf;

use interlingua::vocabulary::{Event, Transcript};
use serde_json::Value;
use support::{capture, claude, codex, run, run_with_stdin, scratch};

fn transcript(file: &str) -> Transcript {
    let ran = run(&["transcript", file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}");
    serde_json::from_str(&ran.stdout).expect("a transcript")
}

#[test]
fn a_transcript_is_what_the_events_amount_to() {
    for file in [claude(), codex(), capture("claude/2.1.332/13-subagent")] {
        let events = run(&["translate", &file]).stdout;
        let read = events.lines().map(|line| serde_json::from_str::<Event>(line).expect("an event"));
        assert_eq!(transcript(&file), read.collect::<Transcript>());
    }
}

#[test]
fn a_stored_stream_gives_the_same_as_the_recording() {
    let events = run(&["translate", &claude()]).stdout;
    let from_file = run(&["transcript", &scratch("stored-events.jsonl", events.as_bytes())]);
    let from_stdin = run_with_stdin(&["transcript"], events.as_bytes());
    let native = run(&["transcript", &claude()]).stdout;
    assert_eq!((from_file.code, from_file.stdout.as_str()), (0, native.as_str()));
    assert_eq!((from_stdin.code, from_stdin.stdout.as_str()), (0, native.as_str()));
}

#[test]
fn items_are_as_in_events_with_results_in_their_calls() {
    let ran = run(&["transcript", "--pretty", &claude()]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let items = document["sessions"][0]["items"].as_array().expect("items");
    let call = items.iter().find(|item| item["kind"] == "tool-call").expect("a call");
    assert_eq!(call["role"], "assistant");
    assert_eq!(call["content"][0]["name"], "Bash");
    assert_eq!(call["result"]["kind"], "tool-result");
    assert_eq!(call["result"]["call_id"], call["call_id"]);
    assert_eq!(call["result"]["content"][0]["content"][0]["text"], "hi from bash");
    assert_eq!(call["turn_id"], document["sessions"][0]["turns"][0]["turn_id"]);
}

#[test]
fn markdown_shows_texts_calls_results_and_changes() {
    let ran = run(&["transcript", "--markdown", &capture("claude/2.1.332/06-write-edit")]);
    let page = ran.stdout;
    for part in [
        "# Session 673774cc",
        "- cost: `0.0174 USD`",
        "## Turn 1 (completed)",
        "**Assistant**\n\nCreating the file.\n",
        "**Tool** `Write` (completed, 0.4 s)\n\n```json\n{\"file_path\"",
        "File `/workspace/demo/notes.txt` (update)\n\n```diff\n@@ -1,3 +1,4 @@\n alpha\n-beta\n+BETA\n",
    ] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
}

#[test]
fn markdown_quotes_what_a_sub_agent_did() {
    let ran = run(&["transcript", "--markdown", &capture("claude/2.1.332/13-subagent")]);
    assert!(ran.stdout.contains("\nSub-agent:\n\n> **"), "{}", ran.stdout);
}

#[test]
fn the_stream_of_a_model_has_no_transcript() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../resources/captures/anthropic-messages/authored/text/events.sse");
    let ran = run(&["transcript", &file.display().to_string()]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("translate --assemble"), "{}", ran.stderr);
}

#[test]
fn stats_has_a_row_for_each_session_and_their_sum() {
    let ran = run(&["stats", &claude(), &codex()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let cells: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(cells[0][..4], ["session", "agent", "turns", "errors"]);
    assert_eq!(
        cells[1],
        [
            "b8a09c60-a0af-4a38-8d5e-a3333e5b7c1a",
            "claude",
            "1",
            "0",
            "664",
            "4096",
            "84",
            "$0.0058",
            "$0.0058",
            "0.8",
            "s",
            "0",
            "execute",
            "1"
        ]
    );
    assert_eq!(cells[2][..2], ["Use", "python."], "a session without a title has its first prompt");
    assert_eq!(cells[2][8..10], ["$0.0217", "?"], "Codex does not say what a session cost: {}", ran.stdout);
    assert!(ran.stdout.contains("total of 2 sessions"), "{}", ran.stdout);
    assert!(ran.stdout.lines().last().expect("a sum").contains("$0.0058 + ?"), "{}", ran.stdout);
}

#[test]
fn stats_of_a_folder_leaves_out_what_no_agent_wrote() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stats/below");
    fs::create_dir_all(&folder).expect("a folder");
    fs::copy(claude(), folder.join("session.jsonl")).expect("a copy");
    fs::write(folder.join("other.json"), "{\"name\":\"demo\"}").expect("a file");
    fs::write(folder.join("notes.txt"), "nothing").expect("a file");
    let above = folder.parent().expect("a folder").display().to_string();
    let ran = run(&["stats", "--json", &above]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let records: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!(record["provider"], "claude");
    assert_eq!(record["usage"]["output"], 84);
    assert_eq!(record["title"], Value::Null);
    assert_eq!(record["files"][0], folder.join("session.jsonl").display().to_string());
    assert_eq!(run(&["stats", "no/such/file"]).code, 3);
}
