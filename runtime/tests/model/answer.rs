//! An answer in the form in which all sides are compared: what it says, whoever tells it.

use interlingua::vocabulary::{ContentBlock, FinishReason, Message, StreamChunk, Usage};
use serde_json::{Map, Value, json};

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub blocks: Vec<Value>,
    /// The reason by its tag; `error: …` for a failure.
    pub finish: Option<String>,
    pub usage: Map<String, Value>,
}

impl Answer {
    /// What the chunks and the message of a stream say.
    pub fn ours(chunks: &[StreamChunk], message: &Message) -> Self {
        let mut answer = Self::default();
        for chunk in chunks {
            match chunk {
                StreamChunk::Finish { reason: FinishReason::Error(error), .. } => {
                    answer.finish = Some(format!("error: {}", error.message));
                }
                StreamChunk::Finish { reason, .. } => answer.finish = Some(reason.tag().to_owned()),
                StreamChunk::Usage { usage } => answer.usage = counts(usage),
                _ => {}
            }
        }
        for block in &message.content {
            answer.add(ours(block));
        }
        answer
    }

    /// Adds a block. Neighbouring texts are one: where a provider cuts them is not what they say.
    pub fn add(&mut self, block: Value) {
        if let Some(last) = self.blocks.last_mut()
            && last["kind"] == block["kind"]
            && matches!(block["kind"].as_str(), Some("text" | "reasoning"))
            && (last["signature"].is_null() || block["signature"].is_null())
            && last["redacted"] == block["redacted"]
        {
            let text = [&last["text"], &block["text"]].map(|text| text.as_str().unwrap_or_default()).concat();
            last["text"] = json!(text);
            for member in ["citations", "signature"] {
                if !block[member].is_null() {
                    last[member] = block[member].clone();
                }
            }
            return;
        }
        self.blocks.push(block);
    }

    /// Sets a count, unless it is absent.
    pub fn count(&mut self, name: &str, count: Option<u64>) {
        if let Some(count) = count {
            self.usage.insert(name.to_owned(), json!(count));
        }
    }

    /// What is different, in words.
    pub fn differences(&self, other: &Self, name: &str) -> Vec<String> {
        let mut all = Vec::new();
        if self.finish != other.finish {
            all.push(format!("finish: {:?}, {name} {:?}", self.finish, other.finish));
        }
        if self.usage != other.usage {
            all.push(format!("usage: {:?}, {name} {:?}", self.usage, other.usage));
        }
        if self.blocks != other.blocks {
            let show =
                |blocks: &[Value]| blocks.iter().map(|block| format!("\n      {block}")).collect::<String>();
            all.push(format!("blocks:{}\n    {name}{}", show(&self.blocks), show(&other.blocks)));
        }
        all
    }
}

fn counts(usage: &Usage) -> Map<String, Value> {
    let mut counts = Map::new();
    for (name, count) in [
        ("input", usage.input),
        ("cache_read", usage.cache_read),
        ("cache_write", usage.cache_write),
        ("output", usage.output),
        ("reasoning", usage.reasoning),
    ] {
        if let Some(count) = count {
            counts.insert(name.to_owned(), json!(count));
        }
    }
    counts
}

fn ours(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(block) => {
            let citations: Vec<Value> =
                block.annotations.iter().map(|json| json.to().expect("an annotation as JSON")).collect();
            text(&block.text, (!citations.is_empty()).then(|| json!(citations)))
        }
        ContentBlock::Reasoning(block) => {
            reasoning(&block.text, block.signature.as_deref(), is_hidden(block.visibility))
        }
        ContentBlock::ToolCall(call) => {
            tool_call(Some(call.call_id.as_str()), &call.name, &parsed(&call.arguments), call.hosted)
        }
        ContentBlock::ToolResult(result) => {
            let content: Vec<Value> = result
                .content
                .iter()
                .map(|block| match block {
                    ContentBlock::Text(text) => json!(text.text),
                    ContentBlock::Json(block) => block.value.to().expect("JSON"),
                    other => serde_json::to_value(other).expect("a block as JSON"),
                })
                .collect();
            tool_result(result.call_id.as_str(), content, result.is_error)
        }
        ContentBlock::Image(image) => image_of(image.data.as_deref()),
        ContentBlock::Json(block) => other(block.value.to().expect("JSON")),
        block => other(serde_json::to_value(block).expect("a block as JSON")),
    }
}

fn is_hidden(visibility: Option<interlingua::vocabulary::Visibility>) -> bool {
    visibility == Some(interlingua::vocabulary::Visibility::Hidden)
}

pub fn text(text: &str, citations: Option<Value>) -> Value {
    json!({"kind": "text", "text": text, "citations": citations})
}

pub fn reasoning(text: &str, signature: Option<&str>, redacted: bool) -> Value {
    json!({"kind": "reasoning", "text": text, "signature": signature, "redacted": redacted})
}

/// A call. One without an id has any.
pub fn tool_call(id: Option<&str>, name: &str, input: &Value, hosted: bool) -> Value {
    json!({"kind": "call", "id": id, "name": name, "input": input, "hosted": hosted})
}

pub fn tool_result(call: &str, content: Vec<Value>, is_error: bool) -> Value {
    json!({"kind": "result", "call": call, "content": content, "is_error": is_error})
}

pub fn image_of(data: Option<&str>) -> Value {
    json!({"kind": "image", "data": data})
}

pub fn other(value: Value) -> Value {
    json!({"kind": "other", "value": value})
}

/// Arguments as what they mean: nothing is an empty object, and what is no JSON is its text.
pub fn parsed(arguments: &str) -> Value {
    if arguments.trim().is_empty() {
        return json!({});
    }
    serde_json::from_str(arguments).map_or_else(|_| json!({"not JSON": arguments}), plain)
}

/// A value whose whole numbers are written in one way.
pub fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 9e15 => json!(whole as i64),
            _ => Value::Number(number),
        },
        Value::Array(all) => Value::Array(all.into_iter().map(plain).collect()),
        Value::Object(members) => members.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// Leaves out what the other side does not tell: the id of a call, more of a block of the provider's own than its kind, and
/// the words of an error.
pub fn forget(ours: &mut Answer, theirs: &Answer) {
    if theirs.finish.as_deref() == Some("error: ")
        && ours.finish.as_deref().is_some_and(|finish| finish.starts_with("error: "))
    {
        ours.finish.clone_from(&theirs.finish);
    }
    for (mine, other) in ours.blocks.iter_mut().zip(&theirs.blocks) {
        let kind_alone = other["value"].as_object().is_some_and(|value| value.keys().eq(["id", "type"]));
        if mine["kind"] == "other" && kind_alone {
            mine["value"] = json!({"type": mine["value"]["type"], "id": mine["value"]["id"]});
        }
        if mine["kind"] == "call" && other["kind"] == "call" && other["id"].is_null() {
            mine["id"] = Value::Null;
        }
    }
}
