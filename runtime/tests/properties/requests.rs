//! Any conversation gives each provider a body that meets its demands, and tells it nothing that another provider
//! wants back.

use interlingua::Writer;
use interlingua::vocabulary::ModelRequest;
use proptest::test_runner::TestCaseError;
use serde_json::{Map, Value, json};

use crate::request_rules::broken;
use crate::runner::check;
use crate::tape::{Tape, tapes};

const PROVIDERS: [&str; 5] =
    ["anthropic-messages", "deepseek-chat", "gemini", "openai-chat", "openai-responses"];

#[test]
fn any_conversation_meets_the_demands_of_each_provider() {
    let writers = PROVIDERS.map(|name| (name, Writer::new(interlingua::provider(name).expect("bundled"))));
    check(2000, &tapes(160), |numbers| {
        let request = conversation(&mut Tape::new(&numbers));
        let read: ModelRequest = serde_json::from_value(request.clone()).expect("a request");
        for (provider, writer) in &writers {
            let written = writer.request(&read).expect("a body");
            let body: Value = serde_json::from_str(written.body.get()).expect("JSON");
            let broken = broken(provider, &body);
            assert!(broken.is_empty(), "{provider}: {}\n{request}\n{body}", broken.join("\n"));
            for other in PROVIDERS.iter().filter(|other| *other != provider) {
                let foreign = body.to_string().contains(&format!("state of {other}"));
                assert!(!foreign, "{provider} is told the state of {other}\n{request}\n{body}");
            }
            for degradation in &written.degradations {
                assert!(is_there(&request, &degradation.at), "{provider}: {degradation:?}\n{request}");
            }
        }
        Ok::<(), TestCaseError>(())
    });
}

/// Whether a path leads to something.
fn is_there(request: &Value, path: &str) -> bool {
    let pointer = path.replace('[', "/").replace(']', "").replace('.', "/");
    path.is_empty() || request.pointer(&format!("/{pointer}")).is_some()
}

fn conversation(tape: &mut Tape<'_>) -> Value {
    let messages: Vec<Value> = (0..tape.below(9)).map(|number| message(tape, number)).collect();
    json!({ "model": "m", "max_tokens": 9, "system": text(tape), "messages": messages })
}

fn message(tape: &mut Tape<'_>, number: usize) -> Value {
    let role = *tape.choose(&["user", "assistant", "assistant", "user", "system"]);
    let provider =
        *tape.choose(&["", "anthropic-messages", "openai-responses", "gemini", "openai-chat", "elsewhere"]);
    let mut content = Vec::new();
    let mut blocks = Map::new();
    for place in 0..tape.below(5) {
        let block = block(tape, provider);
        if tape.below(3) > 0 {
            blocks.insert(place.to_string(), state(tape, provider, &block));
        }
        content.push(block);
    }
    let mut message = json!({ "id": format!("m{number}"), "role": role, "content": content,
        "source": { "kind": "user" } });
    if !provider.is_empty() && role == "assistant" {
        message["replay_state"] = json!({ "provider": provider, "blocks": blocks });
    }
    message
}

fn block(tape: &mut Tape<'_>, provider: &str) -> Value {
    match tape.below(12) {
        0..=2 => json!({ "type": "text", "text": text(tape) }),
        3..=5 => {
            let arguments = *tape.choose(&["{}", "{\"a\":1}", "", "x", "[1]", "null", "{\"a\":\"\\ud800\"}"]);
            json!({ "type": "tool-call", "call_id": id(tape), "name": "f", "arguments": arguments,
                "hosted": tape.once_in(6) })
        }
        6..=8 => {
            let content: Vec<Value> =
                (0..tape.below(3)).map(|_| json!({ "type": "text", "text": text(tape) })).collect();
            json!({ "type": "tool-result", "call_id": id(tape), "content": content, "is_error": tape.once_in(4) })
        }
        9 => {
            let mut block = json!({ "type": "reasoning", "text": text(tape),
                "visibility": tape.choose(&["raw", "summary", "hidden"]) });
            // Without a provider, nobody knows whose signature it is.
            if tape.below(3) > 0 && !provider.is_empty() {
                block["signature"] = format!("state of {provider}").into();
            }
            block
        }
        10 => json!({ "type": "image", "mime": "image/png", "data": "AAAA" }),
        _ => json!({ "type": "json", "value": { "text": "" } }),
    }
}

fn text(tape: &mut Tape<'_>) -> String {
    (*tape.choose(&["words", "", " ", "\n\t", " x "])).to_owned()
}

fn id(tape: &mut Tape<'_>) -> String {
    let long = "x".repeat(95);
    let ids = ["call_1", "call_2", "functions.ls:0", "functions/ls:0", "", "ü", long.as_str()];
    (*tape.choose(&ids)).to_owned()
}

/// What a provider wants back with a block.
fn state(tape: &mut Tape<'_>, provider: &str, block: &Value) -> Value {
    let mark = format!("state of {provider}");
    match provider {
        "openai-responses" if block["hosted"] == true => json!({ "id": mark, "type": "web_search_call" }),
        "openai-responses" => match tape.below(4) {
            0 => json!({ "id": "rs_1", "phase": "commentary" }),
            1 => json!({ "id": "rs_2" }),
            2 => json!({ "id": "ct_1", "type": "custom_tool_call", "namespace": mark }),
            _ => json!({ "id": mark }),
        },
        "anthropic-messages" => json!({ "toolset_name": mark }),
        "gemini" => json!({ "thoughtSignature": mark }),
        _ => json!({ "id": mark, "thoughtSignature": mark, "phase": mark, "namespace": mark }),
    }
}
