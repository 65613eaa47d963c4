//! Putting several objects together into one that allows what each allows.

use serde_json::{Map, Value, json};

/// One object with the properties of all. A property that several have in
/// different shapes becomes a union of them, and only what all require stays
/// required.
pub fn merged_objects(objects: &[Value]) -> Value {
    let mut properties: Map<String, Value> = Map::new();
    let mut required: Option<Vec<Value>> = None;
    let mut entries: Vec<Value> = Vec::new();
    for object in objects {
        for (name, node) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            match properties.get_mut(name) {
                None => {
                    properties.insert(name.clone(), node.clone());
                }
                Some(known) => *known = either(known.take(), node.clone()),
            }
        }
        let here = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        required = Some(match required {
            None => here,
            Some(before) => before.into_iter().filter(|name| here.contains(name)).collect(),
        });
        if let Some(entry) = object.get("additionalProperties").filter(|entry| entry.is_object())
            && !entries.contains(entry)
        {
            entries.push(entry.clone());
        }
    }
    let mut merged = json!({"type": "object"});
    if !properties.is_empty() {
        merged["properties"] = Value::Object(properties);
    }
    if let Some(names) = required.filter(|names| !names.is_empty()) {
        merged["required"] = Value::Array(names);
    }
    match entries.len() {
        0 => {}
        1 => merged["additionalProperties"] = entries.remove(0),
        _ => merged["additionalProperties"] = json!({ "anyOf": entries }),
    }
    merged
}

/// One object that has the properties of all at once.
pub fn joined_objects(objects: &[Value]) -> Value {
    let mut joined = merged_objects(objects);
    let mut required: Vec<Value> = Vec::new();
    for name in objects.iter().filter_map(|object| object.get("required")?.as_array()).flatten() {
        if !required.contains(name) {
            required.push(name.clone());
        }
    }
    if !required.is_empty() {
        joined["required"] = Value::Array(required);
    }
    joined
}

fn either(one: Value, other: Value) -> Value {
    if one == other {
        return one;
    }
    let mut alternatives = match one {
        Value::Object(mut map) if map.len() == 1 && map.contains_key("anyOf") => match map.remove("anyOf") {
            Some(Value::Array(alternatives)) => alternatives,
            _ => Vec::new(),
        },
        one => vec![one],
    };
    if !alternatives.contains(&other) {
        alternatives.push(other);
    }
    if alternatives.len() == 1 {
        return alternatives.remove(0);
    }
    json!({ "anyOf": alternatives })
}
