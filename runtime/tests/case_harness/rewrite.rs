//! The messages of a case written in other ways that mean the same: members in another order, members that nobody
//! knows, and null for what is absent.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// A member that no schema knows, and that looks like one which some do.
const UNKNOWN: &str = "zz_future";

/// Members whose value is what a model or a person wrote, or has a key for each thing: whatever they hold is content.
const FREE: &[&str] =
    &["input", "arguments", "args", "answers", "metadata", "modelUsage", "tool_use_result", "updatedInput"];

/// Texts of events that may hold a native object, byte for byte.
const RAW: &[&str] = &["arguments", "arguments_delta", "delta", "error", "label", "text"];

/// A stream whose messages are changed, each in its line; what is no message stays as it is. Members come out in the
/// order of the alphabet.
pub fn rewritten(input: &[u8], change: &impl Fn(&mut Value)) -> Vec<u8> {
    let mut stream = Vec::with_capacity(input.len());
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let start = if line.starts_with(b"data:") { 5 } else { 0 };
        match serde_json::from_slice(&line[start..]) {
            Ok(Value::Object(message)) => {
                let mut message = Value::Object(message);
                change(&mut message);
                stream.extend(&line[..start]);
                stream.extend(message.to_string().into_bytes());
                stream.extend(&line[line.trim_ascii_end().len()..]);
            }
            _ => stream.extend(line),
        }
    }
    stream
}

/// All objects of a message that have a type, an id or a method: it is these that schemas describe member by member.
fn described(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            for (_, member) in members.iter_mut().filter(|(key, _)| !FREE.contains(&key.as_str())) {
                described(member, visit);
            }
            if ["type", "id", "method"].iter().any(|key| members.contains_key(*key)) {
                visit(members);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| described(element, visit)),
        _ => {}
    }
}

/// Puts a member that nobody knows into every described object.
pub fn with_unknown_members(message: &mut Value) {
    described(message, &mut |members| {
        members.insert(UNKNOWN.to_owned(), json!({"type": "text", "id": "x", "text": "of no concern"}));
    });
}

/// Puts null for each of these members where it is absent.
pub fn with_nulls(message: &mut Value, keys: &BTreeSet<String>) {
    described(message, &mut |members| {
        for key in keys {
            members.entry(key.as_str()).or_insert(Value::Null);
        }
    });
}

/// The members that described objects of a stream have.
pub fn keys(input: &[u8]) -> BTreeSet<String> {
    let keys = std::cell::RefCell::new(BTreeSet::new());
    rewritten(input, &|message| {
        described(message, &mut |members| keys.borrow_mut().extend(members.keys().cloned()))
    });
    keys.into_inner()
}

/// What a value of an event says: without where it came from, and without what was added; native objects by their
/// members and not by their bytes.
pub fn meaning(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, member)| {
                !member.is_null() && !["native", "sha256", "excerpt", UNKNOWN].contains(&key.as_str())
            });
            let said = kept.filter_map(|(key, member)| {
                let raw = member.as_str().filter(|_| RAW.contains(&key.as_str()));
                let object = raw.and_then(|text| serde_json::from_str::<Value>(text).ok());
                let object = object.filter(|object| object.is_object() || object.is_array());
                let said = meaning(object.as_ref().unwrap_or(member));
                // An object of nothing but what was added says nothing.
                let is_added = said == Value::Object(Map::new()) && *member != said;
                (!is_added).then(|| (key.clone(), said))
            });
            Value::Object(said.collect())
        }
        Value::Array(elements) => elements.iter().map(meaning).collect(),
        other => other.clone(),
    }
}
