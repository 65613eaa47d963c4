//! The streams of language models on the command line.

mod support;

use std::fs;

use serde_json::Value;
use support::{events, run, run_with_stdin, scratch};

fn answer(path: &str) -> String {
    let root = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    root.join(path).display().to_string()
}

fn tool_call() -> String {
    answer("anthropic-messages/authored/reasoning-tool/events.sse")
}

#[test]
fn a_stream_becomes_chunks_and_its_provider_is_found_out() {
    for file in [
        tool_call(),
        answer("openai-chat/authored/text/events.sse"),
        answer("gemini/authored/text/events.sse"),
    ] {
        let ran = run(&["translate", &file]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}");
        let chunks = events(&ran);
        assert_eq!(chunks[0]["type"], "block-start", "{file}");
        assert_eq!(chunks[chunks.len() - 1]["type"], "finish", "{file}");
        let checked = run_with_stdin(&["check"], ran.stdout.as_bytes());
        assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{file}");
    }
}

#[test]
fn chunks_in_the_wrong_order_are_found() {
    let ran = run(&["translate", &tool_call()]);
    let mut lines: Vec<&str> = ran.stdout.lines().collect();
    lines.rotate_right(1);
    let checked = run_with_stdin(&["check"], lines.join("\n").as_bytes());
    assert_eq!(checked.code, 1);
    assert!(checked.stdout.starts_with("-:2: `block-start` comes after the finish"), "{}", checked.stdout);
}

#[test]
fn assembled_it_is_one_message() {
    let ran = run(&["translate", "--from", "anthropic-messages", "--assemble", &tool_call()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let message: Value = serde_json::from_str(&ran.stdout).expect("one message");
    assert_eq!(message["role"], "assistant");
    assert_eq!(message["source"]["model"], "claude-opus-4-6");
    let kinds: Vec<&Value> =
        message["content"].as_array().expect("blocks").iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["reasoning", "tool-call"]);
}

#[test]
fn an_answer_that_is_not_whole_is_told_with_the_exit_code() {
    for (file, said) in [
        ("anthropic-messages/authored/connection-dropped/events.sse", "was cut off"),
        ("openai-chat/authored/http-401/body.json", "has failed: Incorrect API key provided"),
        ("gemini/authored/prompt-blocked/events.sse", "ended with `content-filter`"),
        ("anthropic-messages/authored/max-tokens/events.sse", "ended with `max-tokens`"),
    ] {
        let provider = file.split('/').next().expect("a provider");
        let ran = run(&["translate", "--from", provider, "--assemble", &answer(file)]);
        assert_eq!(ran.code, 1, "{file}");
        assert!(ran.stderr.contains(said), "{file}: {}", ran.stderr);
        let message: Value = serde_json::from_str(&ran.stdout).expect("what there is of the message");
        assert!(message["content"].is_array(), "{file}");
    }
}

#[test]
fn statistics_count_messages_and_chunks() {
    let file = scratch("answers.json", b"");
    let ran = run(&[
        "translate",
        "--stats",
        &file,
        &tool_call(),
        &answer("openai-chat/authored/two-choices/events.sse"),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let stats: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    assert_eq!(stats["answers"]["chunks"]["finish"], 3, "the second file has two candidates, which end both");
    assert_eq!(stats["answers"]["left_out"].as_object().map(serde_json::Map::len), Some(0), "{stats}");
    assert_eq!(stats["unparsed"], 0);
}

#[test]
fn a_message_is_explained_with_the_rule_of_the_included_file() {
    let ran = run(&["explain", &tool_call()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("anthropic-messages.map:"), "{}", ran.stdout);
    assert!(ran.stdout.contains("→ tool-call-delta"), "{}", ran.stdout);
    let ran = run(&["explain", "--event", "s1:1", &tool_call()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--line N"), "{}", ran.stderr);
}

#[test]
fn assembling_is_not_for_agents() {
    let ran = run(&["translate", "--assemble", &support::claude()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("for the streams of models"), "{}", ran.stderr);
}

#[test]
fn terms_of_a_model_are_its_own_table() {
    let ran = run(&["terms", "gemini"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("finish") && ran.stdout.contains("promptFeedback"), "{}", ran.stdout);
    assert!(!run(&["terms"]).stdout.contains("Gemini"));
}
