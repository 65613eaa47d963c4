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
    let ran = run_with_stdin(&["request", "--to", "openai-chat", "-"], messages.as_bytes());
    assert_eq!(body(ran.stdout.as_bytes())["messages"], json!([{"role": "user", "content": "Hi"}]));

    // Where the address names the model, a request without one has none.
    let ran = run_with_stdin(&["request", "--to", "gemini", "-"], messages.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.starts_with("error: `request` needs `model`"), "{}", ran.stderr);
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
    assert!(ran.stderr.contains("help: it is an object"), "{}", ran.stderr);

    let ran = run_with_stdin(&["request", "--to", "amp", "-"], CONVERSATION.as_bytes());
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("requests can be written for anthropic-messages, "), "{}", ran.stderr);

    let ran = run(&["request", "--to", "openai-chat", "no/such/file.json"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: cannot read no/such/file.json"), "{}", ran.stderr);

    let ran = run(&["request", "conversation.json"]);
    assert_eq!(ran.code, 2, "the provider must be named");
}
