//! What the providers of models demand of a request beyond its schema, told by the bodies alone and not by the maps.

use std::collections::HashSet;

use serde_json::Value;

/// The demands that a body does not meet; none for a provider that is not known here.
pub fn broken(provider: &str, body: &Value) -> Vec<String> {
    let mut broken = Broken::default();
    match provider {
        "anthropic-messages" => broken.anthropic(body),
        "openai-chat" => broken.chat(body, 40),
        "deepseek-chat" => broken.chat(body, usize::MAX),
        "openai-responses" => broken.responses(body),
        "gemini" => broken.gemini(body),
        _ => {}
    }
    broken.0
}

#[derive(Default)]
struct Broken(Vec<String>);

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn is_object(text: &Value) -> bool {
    let read = text.as_str().map(serde_json::from_str::<Value>);
    matches!(read, Some(Ok(Value::Object(_))))
}

/// The texts under a key, sorted.
fn sorted<'v>(values: impl Iterator<Item = &'v Value>, key: &str) -> Vec<String> {
    let mut texts: Vec<String> = values.map(|value| value[key].to_string()).collect();
    texts.sort();
    texts
}

impl Broken {
    fn must(&mut self, holds: bool, what: &str, at: &Value) {
        if !holds {
            self.0.push(format!("{what}: {at}"));
        }
    }

    fn ids(&mut self, calls: &[&Value], key: &str, takes: impl Fn(&str) -> bool) {
        let mut seen = HashSet::new();
        for call in calls {
            let id = call[key].as_str().unwrap_or_default();
            self.must(!id.is_empty() && takes(id), "an id that is refused", call);
            self.must(seen.insert(id), "an id of two calls", call);
        }
    }

    fn anthropic(&mut self, body: &Value) {
        let messages = list(body, "messages");
        let of = |message: &'_ Value, kind: &str| -> Vec<Value> {
            list(message, "content").iter().filter(|block| block["type"] == kind).cloned().collect()
        };
        let calls: Vec<Value> = messages.iter().flat_map(|message| of(message, "tool_use")).collect();
        let takes = |id: &str| {
            id.len() <= 64 && id.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-')
        };
        self.ids(&calls.iter().collect::<Vec<_>>(), "id", takes);
        let results: Vec<Value> = messages.iter().flat_map(|message| of(message, "tool_result")).collect();
        self.must(calls.len() == results.len(), "as many results as calls", body);
        for (number, message) in messages.iter().enumerate() {
            self.must(!list(message, "content").is_empty(), "an empty message", message);
            self.texts(message);
            let calls = of(message, "tool_use");
            for call in &calls {
                self.must(call["input"].is_object(), "arguments that are no object", call);
            }
            let next = messages.get(number + 1).unwrap_or(&Value::Null);
            self.must(next["role"] != message["role"], "two messages of one role", next);
            if !calls.is_empty() {
                self.must(next["role"] == "user", "results follow", message);
                let first = list(next, "content").iter().take(calls.len());
                let answered = sorted(first, "tool_use_id");
                self.must(answered == sorted(calls.iter(), "id"), "the first blocks are the results", next);
            }
        }
    }

    /// No text is blank, at any depth.
    fn texts(&mut self, message: &Value) {
        for block in list(message, "content") {
            if block["type"] == "text" {
                let text = block["text"].as_str().unwrap_or_default();
                self.must(!text.trim().is_empty(), "a blank text", block);
            }
            self.texts(block);
        }
    }

    /// No text of a part is empty.
    fn parts(&mut self, message: &Value, key: &str) {
        for part in list(message, key) {
            self.must(part["text"] != "" || part.get("thoughtSignature").is_some(), "an empty text", part);
        }
    }

    fn chat(&mut self, body: &Value, longest: usize) {
        let messages = list(body, "messages");
        let calls: Vec<&Value> = messages.iter().flat_map(|message| list(message, "tool_calls")).collect();
        self.ids(&calls, "id", |id| id.chars().count() <= longest);
        let results = messages.iter().filter(|message| message["role"] == "tool").count();
        self.must(calls.len() == results, "as many results as calls", body);
        for call in calls {
            self.must(is_object(&call["function"]["arguments"]), "arguments that are no object", call);
        }
        for (number, message) in messages.iter().enumerate() {
            self.parts(message, "content");
            let calls = list(message, "tool_calls");
            let says = !calls.is_empty() || !message["content"].is_null() && message["content"] != "";
            self.must(says || message["role"] == "tool", "an empty message", message);
            let answers = messages[number + 1..].iter().take(calls.len());
            let answered = sorted(answers.filter(|answer| answer["role"] == "tool"), "tool_call_id");
            self.must(answered == sorted(calls.iter(), "id"), "the next messages are the results", message);
        }
    }

    fn responses(&mut self, body: &Value) {
        let items = list(body, "input");
        let kind = |item: &Value| item["type"].as_str().unwrap_or("message").to_owned();
        let is_call = |item: &&Value| ["function_call", "custom_tool_call"].contains(&kind(item).as_str());
        let calls: Vec<&Value> = items.iter().filter(is_call).collect();
        self.ids(&calls, "call_id", |id| id.chars().count() <= 64);
        let is_result = |item: &&Value| kind(item).ends_with("_call_output");
        self.must(items.iter().filter(is_result).count() == calls.len(), "as many results as calls", body);
        for (number, item) in items.iter().enumerate() {
            self.parts(item, "content");
            if is_call(&item) {
                let output = format!("{}_output", kind(item));
                let answers = |other: &&Value| other["call_id"] == item["call_id"] && kind(other) == output;
                self.must(items[number..].iter().any(|other| answers(&other)), "a result follows", item);
                let is_free = kind(item) == "custom_tool_call";
                self.must(is_free || is_object(&item["arguments"]), "arguments that are no object", item);
            }
            if kind(item) == "reasoning" {
                self.must(item["encrypted_content"].is_string(), "reasoning that was not stored", item);
                let next = items.get(number + 1).unwrap_or(&Value::Null);
                let follows = !next.is_null() && next["role"] != "user" && !is_result(&next);
                self.must(follows, "reasoning without what follows it", item);
            }
        }
    }

    fn gemini(&mut self, body: &Value) {
        let contents = list(body, "contents");
        let of = |content: &Value, key: &str| -> Vec<Value> {
            list(content, "parts").iter().filter_map(|part| part.get(key)).cloned().collect()
        };
        let all = |key: &str| contents.iter().flat_map(|content| of(content, key)).count();
        self.must(all("functionCall") == all("functionResponse"), "as many results as calls", body);
        for (number, content) in contents.iter().enumerate() {
            self.must(!list(content, "parts").is_empty(), "an empty message", content);
            self.parts(content, "parts");
            let calls = of(content, "functionCall");
            for call in &calls {
                self.must(call["args"].is_object(), "arguments that are no object", call);
            }
            if !calls.is_empty() {
                let next = contents.get(number + 1).unwrap_or(&Value::Null);
                let answers: Vec<Value> = list(next, "parts")
                    .iter()
                    .take(calls.len())
                    .filter_map(|part| part.get("functionResponse"))
                    .cloned()
                    .collect();
                for key in ["id", "name"] {
                    let answered = sorted(answers.iter(), key);
                    self.must(answered == sorted(calls.iter(), key), "the first parts are the results", next);
                }
            }
        }
    }
}
