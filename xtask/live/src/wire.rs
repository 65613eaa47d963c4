//! How the providers of models stream an answer: the few events of each that a text and a tool call need.

use serde_json::{Value, json};

/// A part of a model's answer.
#[derive(Debug, Clone)]
pub enum Part {
    /// Text, in the pieces in which it is streamed.
    Text(Vec<String>),
    /// A call of a tool.
    Call {
        /// Its id.
        id: String,
        /// The tool's name.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
}

/// A provider's form of an answer's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Messages of Anthropic.
    Messages,
    /// Responses of OpenAI.
    Responses,
    /// Chat completions of OpenAI, which many others speak, too.
    Chat,
    /// Generated contents of Gemini.
    Contents,
}

impl Wire {
    /// The form of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "anthropic-messages" => Some(Self::Messages),
            "openai-responses" => Some(Self::Responses),
            "openai-chat" => Some(Self::Chat),
            "gemini" => Some(Self::Contents),
            _ => None,
        }
    }

    /// The end of the path to which requests for an answer go.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Messages => "/messages",
            Self::Responses => "/responses",
            Self::Chat => "/chat/completions",
            Self::Contents => ":streamGenerateContent",
        }
    }

    /// The events of an answer; without its end when it is not `whole`.
    #[must_use]
    pub fn events(self, number: u64, parts: &[Part], whole: bool) -> Vec<String> {
        match self {
            Self::Messages => messages(number, parts, whole),
            Self::Responses => responses(number, parts, whole),
            Self::Chat => chat(number, parts, whole),
            Self::Contents => contents(number, parts, whole),
        }
    }
}

fn has_call(parts: &[Part]) -> bool {
    parts.iter().any(|part| matches!(part, Part::Call { .. }))
}

/// An event with its name, which is the data's type.
fn named(data: &Value) -> String {
    format!("event: {}\ndata: {data}", data["type"].as_str().unwrap_or_default())
}

fn messages(number: u64, parts: &[Part], whole: bool) -> Vec<String> {
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    let mut events = vec![json!({"type": "message_start", "message": {
        "id": format!("msg_live_{number}"), "type": "message", "role": "assistant", "model": "live-model",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage}})];
    for (index, part) in parts.iter().enumerate() {
        let (block, deltas): (Value, Vec<Value>) = match part {
            Part::Text(pieces) => (
                json!({"type": "text", "text": ""}),
                pieces.iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect(),
            ),
            Part::Call { id, name, arguments } => (
                json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                vec![json!({"type": "input_json_delta", "partial_json": arguments.to_string()})],
            ),
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.extend(
            deltas.iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        if whole {
            events.push(json!({"type": "content_block_stop", "index": index}));
        }
    }
    if whole {
        let reason = if has_call(parts) { "tool_use" } else { "end_turn" };
        events.push(json!({"type": "message_delta", "usage": usage,
            "delta": {"stop_reason": reason, "stop_sequence": null}}));
        events.push(json!({"type": "message_stop"}));
    }
    events.iter().map(named).collect()
}

fn responses(number: u64, parts: &[Part], whole: bool) -> Vec<String> {
    let response = |status: &str| {
        json!({"id": format!("resp_live_{number}"), "object": "response",
        "status": status, "model": "live-model", "output": []})
    };
    let mut events = vec![json!({"type": "response.created", "response": response("in_progress")})];
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Text(pieces) => {
                let id = format!("item_live_{number}_{index}");
                let item = |text: &str| {
                    json!({"type": "message", "id": id, "role": "assistant",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]})
                };
                events.push(
                    json!({"type": "response.output_item.added", "output_index": index, "item": item("")}),
                );
                events.extend(pieces.iter().map(|piece| {
                    json!({"type": "response.output_text.delta", "item_id": id, "output_index": index,
                        "content_index": 0, "delta": piece})
                }));
                if whole {
                    let item = item(&pieces.concat());
                    events.push(
                        json!({"type": "response.output_item.done", "output_index": index, "item": item}),
                    );
                }
            }
            Part::Call { id, name, arguments } => {
                let item = json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
                    "arguments": arguments.to_string(), "status": "completed"});
                events
                    .push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
            }
        }
    }
    if whole {
        let mut done = response("completed");
        done["usage"] = json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}});
        events.push(json!({"type": "response.completed", "response": done}));
    }
    events.iter().map(named).collect()
}

fn chat(number: u64, parts: &[Part], whole: bool) -> Vec<String> {
    let chunk = |delta: Value, reason: Value| {
        json!({"id": format!("chatcmpl-live-{number}"),
        "object": "chat.completion.chunk", "created": 1, "model": "live-model",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let mut calls = 0;
    for part in parts {
        match part {
            Part::Text(pieces) => {
                events.extend(pieces.iter().map(|piece| chunk(json!({"content": piece}), Value::Null)));
            }
            Part::Call { id, name, arguments } => {
                let call = json!({"index": calls, "id": id, "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()}});
                events.push(chunk(json!({"tool_calls": [call]}), Value::Null));
                calls += 1;
            }
        }
    }
    let mut events: Vec<String> = events.iter().map(|event| format!("data: {event}")).collect();
    if whole {
        let reason = if has_call(parts) { "tool_calls" } else { "stop" };
        let mut last = chunk(json!({}), json!(reason));
        last["usage"] = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
        events.push(format!("data: {last}"));
        events.push("data: [DONE]".to_owned());
    }
    events
}

fn contents(number: u64, parts: &[Part], whole: bool) -> Vec<String> {
    let chunk = |parts: Value| {
        json!({"responseId": format!("live_{number}"), "modelVersion": "live-model",
            "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]})
    };
    let mut chunks = Vec::new();
    for part in parts {
        match part {
            Part::Text(pieces) => chunks.extend(pieces.iter().map(|piece| chunk(json!([{"text": piece}])))),
            Part::Call { id, name, arguments } => {
                chunks.push(chunk(json!([{"functionCall": {"id": id, "name": name, "args": arguments}}])));
            }
        }
    }
    if whole {
        let mut last = chunk(json!([{"text": ""}]));
        last["candidates"][0]["finishReason"] = json!("STOP");
        last["usageMetadata"] =
            json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15});
        chunks.push(last);
    }
    chunks.iter().map(|chunk| format!("data: {chunk}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of the events that have any.
    fn data(events: &[String]) -> Vec<Value> {
        let data = events.iter().filter_map(|event| event.split_once("data: ").map(|(_, data)| data));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }

    #[test]
    fn an_answer_has_its_text_its_call_and_its_end_in_every_form() {
        let call = Part::Call { id: "c1".to_owned(), name: "run".to_owned(), arguments: json!({"a": 1}) };
        let parts = [Part::Text(vec!["Hello ".to_owned(), "you".to_owned()]), call];
        for (wire, end) in [
            (Wire::Messages, "message_stop"),
            (Wire::Responses, "response.completed"),
            (Wire::Chat, "\"finish_reason\":\"tool_calls\""),
            (Wire::Contents, "\"finishReason\":\"STOP\""),
        ] {
            let whole = wire.events(1, &parts, true);
            let text = whole.join("\n");
            assert!(
                text.contains("Hello ")
                    && text.contains("run")
                    && text.replace('\\', "").contains(r#"{"a":1}"#),
                "{text}"
            );
            assert!(text.contains(end), "{text}");
            assert_eq!(
                data(&whole).len() + usize::from(wire == Wire::Chat),
                whole.len(),
                "each is JSON: {text}"
            );
            assert!(!wire.events(1, &parts, false).join("\n").contains(end));
        }
    }
}
