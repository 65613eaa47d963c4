//! Items and their content as JSON. Every struct is taken apart field by field, so that a new field cannot be
//! forgotten here.

use super::text::{number, string};
use crate::vocabulary::{
    ContentBlock, Item, ItemDelta, ItemState, Json, JsonBlock, Location, MessageSource, ModelSource,
    Reasoning, Status, Text, ToolCall, ToolResult,
};

type Written = Result<(), serde_json::Error>;

pub(super) fn item_delta(out: &mut Vec<u8>, delta: &ItemDelta) {
    let ItemDelta { item_id, native_item_id, part, channel, delta } = delta;
    out.extend_from_slice(br#"{"item_id":"#);
    string(out, item_id.as_str());
    optional(out, br#","native_item_id":"#, native_item_id.as_ref());
    out.extend_from_slice(br#","part":"#);
    number(out, (*part).into());
    out.extend_from_slice(br#","channel":""#);
    out.extend_from_slice(channel.as_str().as_bytes());
    out.extend_from_slice(br#"","delta":"#);
    string(out, delta);
    out.push(b'}');
}

pub(super) fn item_state(out: &mut Vec<u8>, state: &ItemState) -> Written {
    let Item {
        item_id,
        native_item_id,
        parent_id,
        call_id,
        kind,
        role,
        source,
        status,
        outlives_turn,
        superseded_by,
        merged_from,
        index,
        content,
    } = &*state.item;
    out.extend_from_slice(br#"{"item":{"item_id":"#);
    string(out, item_id.as_str());
    optional(out, br#","native_item_id":"#, native_item_id.as_ref());
    optional(out, br#","parent_id":"#, parent_id.as_ref());
    optional(out, br#","call_id":"#, call_id.as_ref());
    out.extend_from_slice(br#","kind":"#);
    string(out, kind.as_str());
    optional(out, br#","role":"#, role.map(|role| role.as_str()));
    if let Some(source) = source {
        out.extend_from_slice(br#","source":"#);
        message_source(out, source)?;
    }
    out.extend_from_slice(br#","status":""#);
    out.extend_from_slice(status.as_str().as_bytes());
    out.push(b'"');
    if *outlives_turn {
        out.extend_from_slice(br#","outlives_turn":true"#);
    }
    optional(out, br#","superseded_by":"#, superseded_by.as_ref());
    if !merged_from.is_empty() {
        out.extend_from_slice(br#","merged_from":"#);
        list(out, merged_from, |out, id| {
            string(out, id.as_str());
            Ok(())
        })?;
    }
    if let Some(index) = index {
        out.extend_from_slice(br#","index":"#);
        number(out, (*index).into());
    }
    out.extend_from_slice(br#","content":"#);
    list(out, content, block)?;
    out.extend_from_slice(b"}}");
    Ok(())
}

fn message_source(out: &mut Vec<u8>, source: &MessageSource) -> Written {
    match source {
        MessageSource::User => out.extend_from_slice(br#"{"kind":"user"}"#),
        MessageSource::Model(ModelSource { model: Some(model) }) => {
            out.extend_from_slice(br#"{"kind":"model","model":"#);
            string(out, model);
            out.push(b'}');
        }
        other => serde_json::to_writer(out, other)?,
    }
    Ok(())
}

/// Writes a block. Results hold no results: this goes one level down.
fn block(out: &mut Vec<u8>, block: &ContentBlock) -> Written {
    match block {
        ContentBlock::Text(Text { text, annotations }) => {
            out.extend_from_slice(br#"{"type":"text","text":"#);
            string(out, text);
            if !annotations.is_empty() {
                out.extend_from_slice(br#","annotations":"#);
                list(out, annotations, |out, note| {
                    json(out, note);
                    Ok(())
                })?;
            }
        }
        ContentBlock::Reasoning(Reasoning { text, visibility, signature }) => {
            out.extend_from_slice(br#"{"type":"reasoning","text":"#);
            string(out, text);
            optional(out, br#","visibility":"#, visibility.map(|visibility| visibility.as_str()));
            optional(out, br#","signature":"#, signature.as_ref());
        }
        ContentBlock::ToolCall(call) => tool_call(out, call)?,
        ContentBlock::ToolResult(result) => {
            let ToolResult { call_id, content, is_error, exit_code, duration_ms } = result;
            out.extend_from_slice(br#"{"type":"tool-result","call_id":"#);
            string(out, call_id.as_str());
            out.extend_from_slice(br#","content":"#);
            list(out, content, self::block)?;
            out.extend_from_slice(br#","is_error":"#);
            out.extend_from_slice(if *is_error { b"true" } else { b"false" });
            if let Some(code) = exit_code {
                out.extend_from_slice(br#","exit_code":"#);
                if *code < 0 {
                    out.push(b'-');
                }
                number(out, code.unsigned_abs());
            }
            if let Some(duration) = duration_ms {
                out.extend_from_slice(br#","duration_ms":"#);
                number(out, *duration);
            }
        }
        ContentBlock::Json(JsonBlock { value }) => {
            out.extend_from_slice(br#"{"type":"json","value":"#);
            json(out, value);
        }
        ContentBlock::Status(Status { label, detail, data }) => {
            out.extend_from_slice(br#"{"type":"status","label":"#);
            string(out, label);
            optional(out, br#","detail":"#, detail.as_ref());
            if let Some(data) = data {
                out.extend_from_slice(br#","data":"#);
                json(out, data);
            }
        }
        ContentBlock::Other(object) => {
            json(out, object.json());
            return Ok(());
        }
        ContentBlock::Image(_) | ContentBlock::FileChange(_) | ContentBlock::Plan(_) => {
            return serde_json::to_writer(out, block);
        }
    }
    out.push(b'}');
    Ok(())
}

fn tool_call(out: &mut Vec<u8>, call: &ToolCall) -> Written {
    let ToolCall { call_id, name, arguments, arguments_invalid, hosted, tool_kind, title, locations } = call;
    out.extend_from_slice(br#"{"type":"tool-call","call_id":"#);
    string(out, call_id.as_str());
    out.extend_from_slice(br#","name":"#);
    string(out, name);
    out.extend_from_slice(br#","arguments":"#);
    string(out, arguments);
    if *arguments_invalid {
        out.extend_from_slice(br#","arguments_invalid":true"#);
    }
    if *hosted {
        out.extend_from_slice(br#","hosted":true"#);
    }
    optional(out, br#","tool_kind":"#, tool_kind.as_ref().map(|kind| kind.as_str()));
    optional(out, br#","title":"#, title.as_ref());
    if !locations.is_empty() {
        out.extend_from_slice(br#","locations":"#);
        list(out, locations, |out, Location { path, line }| {
            out.extend_from_slice(br#"{"path":"#);
            string(out, path);
            if let Some(line) = line {
                out.extend_from_slice(br#","line":"#);
                number(out, *line);
            }
            out.push(b'}');
            Ok(())
        })?;
    }
    Ok(())
}

/// Writes a field with the comma and the key in front of it, if it is there.
fn optional(out: &mut Vec<u8>, key: &[u8], value: Option<impl AsRef<str>>) {
    if let Some(value) = value {
        out.extend_from_slice(key);
        string(out, value.as_ref());
    }
}

/// Writes native JSON, which is valid as it stands.
fn json(out: &mut Vec<u8>, json: &Json) {
    out.extend_from_slice(json.get().as_bytes());
}

fn list<T>(out: &mut Vec<u8>, items: &[T], mut each: impl FnMut(&mut Vec<u8>, &T) -> Written) -> Written {
    out.push(b'[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        each(out, item)?;
    }
    out.push(b']');
    Ok(())
}
