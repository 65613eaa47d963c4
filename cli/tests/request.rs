//! `interlingua request`, as users run it.

mod support;

use serde_json::{Value, json};
use support::{run, run_with_stdin};

const CONVERSATION: &str = r#"{"model": "m-1", "stop": ["END"], "messages": [
    {"id": "u1", "role": "user", "content": [{"type": "text", "text": "Hello"}], "source": {"kind": "user"}}]}"#;

fn body(stdout: &[u8]) -> Value {
    serde_json::from_slice(stdout).expect("one JSON value")
}

#[test]
fn the_body_is_on_stdout_and_what_it_lacks_on_stderr() {
    let ran = run_with_stdin(&["request", "--to", "openai-responses", "-"], CONVERSATION.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "degraded: stop: there is no such parameter\n"));
    let hello = json!([{"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}]);
    assert_eq!(body(ran.stdout.as_bytes())["input"], hello);

    let ran = run_with_stdin(&["request", "--to", "openai-chat", "-"], CONVERSATION.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(body(ran.stdout.as_bytes())["stop"], json!(["END"]));
}

#[test]
fn programs_get_path_body_and_degradations_as_one_object() {
    let arguments = ["request", "--to", "openai-responses", "--json", "--strict", "-"];
    let ran = run_with_stdin(&arguments, CONVERSATION.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "--strict finds that something is lost");
    let all = body(ran.stdout.as_bytes());
    assert_eq!(all["path"], "/responses");
    assert_eq!(
        all["degradations"],
        json!([{"what": "stop", "at": "", "reason": "there is no such parameter"}])
    );
}

#[test]
fn a_list_of_messages_is_a_conversation() {
    let messages =
        r#"[{"id":"u1","role":"user","content":[{"type":"text","text":"Hi"}],"source":{"kind":"user"}}]"#;
    let ran = run_with_stdin(&["request", "--to", "openai-chat", "--model", "m-1", "-"], messages.as_bytes());
    assert_eq!(body(ran.stdout.as_bytes())["messages"], json!([{"role": "user", "content": "Hi"}]));

    for provider in ["anthropic-messages", "deepseek-chat", "gemini", "openai-chat", "openai-responses"] {
        let ran = run_with_stdin(&["request", "--to", provider, "-"], messages.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{provider}: no model is named");
        assert!(ran.stderr.starts_with("error: `request` needs `model`"), "{}", ran.stderr);
    }
}

#[test]
fn a_message_that_is_written_by_hand_is_a_role_and_a_text() {
    let short = r#"{"model": "m-1", "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": [{"type": "text", "text": "Bye"}]}]}"#;
    let ran = run_with_stdin(&["request", "--to", "openai-chat", "-"], short.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let said = json!([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Bye"}]);
    assert_eq!(body(ran.stdout.as_bytes())["messages"], said);

    let wrong = r#"{"model": "m-1", "messages": [{"role": "user", "content": 7}]}"#;
    let ran = run_with_stdin(&["request", "--to", "openai-chat", "-"], wrong.as_bytes());
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("content is a list of blocks, or a plain text"), "{}", ran.stderr);
}

#[test]
fn a_repair_is_told_with_its_place() {
    let cut = r#"{"model": "m-1", "max_tokens": 9, "messages": [{"role": "user", "content": "Go"}, {"role": "assistant",
        "content": [{"type": "tool-call", "call_id": "functions.ls:0", "name": "ls", "arguments": "{}"}]}]}"#;
    let ran = run_with_stdin(&["request", "--to", "anthropic-messages", "--strict", "-"], cut.as_bytes());
    assert_eq!(ran.code, 1, "--strict finds the repairs");
    let told: Vec<&str> = ran.stderr.lines().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(told, ["call-id at messages[1].content[0]", "missing-result at messages[1].content[0]"]);
}

#[test]
fn what_goes_wrong_is_said_with_its_place_and_what_to_do() {
    let ran = run_with_stdin(&["request", "--to", "openai-chat", "-"], b"{\"messages\": [{}]}");
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.starts_with("error: standard input is no conversation: missing field"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("help: `interlingua request --help` shows one"), "{}", ran.stderr);

    // What would get lost without a word is an error.
    let message = r#"{"id":"a1","role":"assistant","content":[],"source":{"kind":"model"}}"#;
    for (conversation, said) in [
        (message, "it is one message; put it into a list"),
        (r#"{"model":"m-1"}"#, "it has no messages"),
        ("[]", "it has no messages"),
        (r#"{"messages":[],"maxtokens":1}"#, "it has no place for `maxtokens`; it takes `max_tokens`"),
    ] {
        let ran = run_with_stdin(&["request", "--to", "openai-chat", "-"], conversation.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{conversation}");
        assert!(ran.stderr.contains(said), "{conversation}: {}", ran.stderr);
    }

    let ran = run_with_stdin(&["request", "--to", "amp", "-"], CONVERSATION.as_bytes());
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("[possible values: anthropic-messages, "), "{}", ran.stderr);

    let ran = run(&["request", "--to", "openai-chat", "no/such/file.json"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: cannot read no/such/file.json"), "{}", ran.stderr);

    let ran = run(&["request", "conversation.json"]);
    assert_eq!(ran.code, 2, "the provider must be named");
}

#[test]
fn a_picture_goes_out_with_the_type_that_its_bytes_tell_or_not_at_all() {
    let with = |data: &str| {
        json!({"model": "m-1", "max_tokens": 9, "messages": [{"id": "u1", "role": "user", "source": {"kind": "user"},
            "content": [{"type": "text", "text": "Look"}, {"type": "image", "data": data}]}]})
        .to_string()
    };
    for provider in ["anthropic-messages", "gemini", "openai-chat", "openai-responses"] {
        let ran =
            run_with_stdin(&["request", "--to", provider, "-"], with("R0lGODlhAQABAAAAACw=").as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{provider}");
        assert!(ran.stdout.contains("image/gif"), "{provider}: {}", ran.stdout);
        let ran = run_with_stdin(&["request", "--to", provider, "-"], with("aGVsbG8gd29ybGQh").as_bytes());
        assert!(ran.stderr.starts_with("degraded: image"), "{provider}: {}", ran.stderr);
        assert!(!ran.stdout.contains("aGVsbG8gd29ybGQh"), "{provider}: {}", ran.stdout);
    }
}
