//! What the author of a recording meant, in the form for comparison.

use serde_json::{Value, json};

use super::answer::{Answer, image_of, other, parsed, plain, reasoning, text, tool_call, tool_result};

/// The file `intended.json`.
pub fn intended(provider: &str, file: &Value) -> Answer {
    let mut answer = Answer::default();
    for block in file["content"].as_array().into_iter().flatten() {
        // Only the first choice is a stream.
        if block["choice"].as_u64().is_none_or(|choice| choice == 0) {
            add(&mut answer, provider, block);
        }
    }
    let native = match &file["finish"] {
        Value::Array(choices) => choices[0].as_str(),
        finish => finish.as_str(),
    };
    answer.finish = Some(match (&file["error"], native) {
        (Value::Null, None) => "aborted".to_owned(),
        (Value::Null, Some("stop" | "completed")) if refuses(file) => "refusal".to_owned(),
        (Value::Null, Some(native)) => finish(provider, native, &answer),
        (error, _) => format!("error: {}", error["message"].as_str().unwrap_or_default()),
    });
    usage(&mut answer, provider, &file["usage"]);
    answer
}

fn refuses(file: &Value) -> bool {
    file["content"].as_array().into_iter().flatten().any(|block| block["type"] == "refusal")
}

fn add(answer: &mut Answer, provider: &str, block: &Value) {
    let string = |name: &str| block[name].as_str();
    let hosted = block["server"] == true;
    let raw = match (string("raw"), &block["input"]) {
        (Some(raw), _) => parsed(raw),
        (None, input) => plain(input.clone()),
    };
    match string("type") {
        Some("text" | "refusal") => {
            let notes = [&block["citations"], &block["annotations"]].into_iter().find(|list| !list.is_null());
            answer.add(text(string("text").unwrap_or_default(), notes.cloned()));
        }
        Some("reasoning") => {
            let signature = ["signature", "data", "encrypted"].into_iter().find_map(string);
            match block["summaries"].as_array() {
                Some(summaries) => {
                    // Each part of a summary is a block, the first with the ciphertext.
                    let hidden = summaries.is_empty();
                    let mut texts: Vec<&str> = summaries.iter().filter_map(Value::as_str).collect();
                    if hidden {
                        texts.push("");
                    }
                    for (place, text) in texts.into_iter().enumerate() {
                        answer.add(reasoning(text, signature.filter(|_| place == 0), hidden));
                    }
                }
                None => answer.add(reasoning(
                    string("text").unwrap_or_default(),
                    signature,
                    block["redacted"] == true,
                )),
            }
        }
        Some("tool-call") => {
            answer.add(tool_call(string("id"), string("name").unwrap_or_default(), &raw, hosted))
        }
        Some("tool-result") => {
            let content = match &block["content"] {
                Value::Array(all) => all.clone(),
                one => vec![one.clone()],
            };
            answer.add(tool_result(string("callId").unwrap_or_default(), content, block["isError"] == true));
        }
        Some("image") => answer.add(image_of(string("data"))),
        Some("unknown") => answer.add(other(block["raw"].clone())),
        // Told by its kind alone.
        Some("provider-item") => answer.add(other(json!({"type": block["item"], "id": block["itemId"]}))),
        kind => panic!("{provider}: an unknown kind of block: {kind:?}"),
    }
}

/// What a provider's own word for the end means.
pub fn finish(provider: &str, native: &str, answer: &Answer) -> String {
    let calls = answer.blocks.iter().any(|block| block["kind"] == "call" && block["hosted"] != true);
    let is_empty = answer.blocks.iter().all(|block| block["kind"] == "text" && block["text"] == "");
    let stop = || match (calls, is_empty) {
        (true, _) => "tool-calls",
        (_, true) => "empty",
        _ => "stop",
    };
    let word = match (provider, native) {
        ("anthropic-messages", "end_turn" | "stop_sequence") if is_empty => "empty",
        ("anthropic-messages", "end_turn" | "stop_sequence") => "stop",
        ("anthropic-messages", "tool_use") => "tool-calls",
        ("anthropic-messages", "pause_turn") => "pause",
        ("anthropic-messages", "model_context_window_exceeded") => "context-window",
        ("openai-chat" | "deepseek-chat", "stop") => stop(),
        ("openai-chat" | "deepseek-chat", "tool_calls" | "function_call") => "tool-calls",
        ("openai-chat" | "deepseek-chat", "length") => "max-tokens",
        ("openai-chat" | "deepseek-chat", "content_filter") => "content-filter",
        ("openai-responses", "completed") => stop(),
        ("openai-responses", "incomplete:max_output_tokens") => "max-tokens",
        ("openai-responses", "incomplete:content_filter") => "content-filter",
        ("gemini", "STOP") => stop(),
        ("gemini", "MAX_TOKENS") => "max-tokens",
        (
            "gemini",
            "SAFETY" | "RECITATION" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" | "blocked:SAFETY",
        ) => "content-filter",
        (_, "max_tokens") => "max-tokens",
        (_, "refusal") => "refusal",
        (_, native) => native,
    };
    word.to_owned()
}

/// The provider's counts as disjoint ones.
pub fn usage(answer: &mut Answer, provider: &str, native: &Value) {
    let at = |path: &str| native.pointer(path).and_then(Value::as_u64);
    let minus = |whole: Option<u64>, part: Option<u64>| Some(whole?.saturating_sub(part.unwrap_or(0)));
    if !native.is_object() {
        return;
    }
    match provider {
        "anthropic-messages" => {
            let thinking = at("/output_tokens_details/thinking_tokens");
            answer.count("input", at("/input_tokens"));
            answer.count("cache_read", at("/cache_read_input_tokens"));
            answer.count("cache_write", at("/cache_creation_input_tokens"));
            answer.count("output", minus(at("/output_tokens"), thinking));
            answer.count("reasoning", thinking);
        }
        "openai-chat" | "deepseek-chat" => {
            let hit = at("/prompt_cache_hit_tokens").or(at("/prompt_tokens_details/cached_tokens"));
            let reasoning = at("/completion_tokens_details/reasoning_tokens");
            answer.count("input", minus(at("/prompt_tokens"), hit));
            answer.count("cache_read", hit);
            answer.count("output", minus(at("/completion_tokens"), reasoning));
            answer.count("reasoning", reasoning);
        }
        "openai-responses" => {
            let cached = at("/input_tokens_details/cached_tokens");
            let reasoning = at("/output_tokens_details/reasoning_tokens");
            answer.count("input", minus(at("/input_tokens"), cached));
            answer.count("cache_read", cached);
            answer.count("output", minus(at("/output_tokens"), reasoning));
            answer.count("reasoning", reasoning);
        }
        "gemini" => {
            let cached = at("/cachedContentTokenCount");
            let prompt = minus(at("/promptTokenCount"), cached);
            let tools = at("/toolUsePromptTokenCount");
            answer.count("input", prompt.map(|prompt| prompt + tools.unwrap_or(0)));
            answer.count("cache_read", cached);
            answer.count("output", at("/candidatesTokenCount"));
            answer.count("reasoning", at("/thoughtsTokenCount"));
        }
        other => panic!("no provider {other}"),
    }
}
