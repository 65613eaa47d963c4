//! Step: drop what says nothing about the shape of a type.

use serde_json::{Map, Value, json};

use super::fold::each_node;

/// Formats that choose a Rust number type; all others only narrow strings.
const FORMATS: [&str; 4] = ["int64", "uint64", "int32", "uint32"];

/// Drops prose, defaults and checks (`pattern`, `minLength`, …), makes a fixed
/// string out of `const`, and takes tuples as arrays of any of their members.
///
/// `additionalProperties: false` would refuse a field that a newer program
/// sends, `pattern` an id of a new shape, and a default would be sent back
/// although it never came. A union's member for whatever the others are `not`
/// goes too: it keeps the schema open, and has no shape of its own.
pub fn drop_keywords(document: &mut Value) {
    each_node(document, &mut |node| {
        let Some(map) = node.as_object_mut() else { return };
        if map.get("additionalProperties").is_some_and(Value::is_boolean) {
            map.remove("additionalProperties");
        }
        if map.get("additionalItems").is_some_and(|more| *more == Value::Bool(false)) {
            map.remove("additionalItems");
        }
    });
    each_node(document, &mut |node| {
        if node.is_boolean() {
            *node = json!({});
        }
        let Some(map) = node.as_object_mut() else { return };
        if map.contains_key("definitions") {
            map.retain(|key, _| key == "definitions");
            return;
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(members)) = map.get_mut(union) {
                members.retain(|member| member.get("not").and_then(|not| not.get("anyOf")).is_none());
            }
        }
        constant_to_enum(map);
        tuple_to_array(map);
        numbers(map);
        const KEPT: [&str; 13] = [
            "type",
            "properties",
            "required",
            "enum",
            "$ref",
            "anyOf",
            "oneOf",
            "allOf",
            "items",
            "additionalProperties",
            "format",
            "minimum",
            "not",
        ];
        map.retain(|key, _| KEPT.contains(&key.as_str()));
    });
}

fn constant_to_enum(map: &mut Map<String, Value>) {
    match map.remove("const") {
        Some(Value::String(text)) => {
            map.insert("type".into(), json!("string"));
            map.insert("enum".into(), json!([text]));
        }
        Some(Value::Bool(_)) => {
            map.insert("type".into(), json!("boolean"));
        }
        Some(Value::Number(_)) => {
            map.insert("type".into(), json!("number"));
        }
        Some(Value::Null) => {
            map.insert("type".into(), json!("null"));
        }
        _ => {}
    }
    // An enum of numbers or flags is no Rust enum; an enum that lists null is
    // one that may be null.
    let Some(Value::Array(values)) = map.get_mut("enum") else { return };
    values.retain(|value| !value.is_null());
    if !values.iter().all(Value::is_string) || values.is_empty() {
        map.remove("enum");
    }
}

fn tuple_to_array(map: &mut Map<String, Value>) {
    if let Some(Value::Array(members)) = map.get("items") {
        let mut members = members.clone();
        members.extend(map.get("additionalItems").filter(|more| more.is_object()).cloned());
        let mut distinct: Vec<Value> = Vec::new();
        for member in members {
            if !distinct.contains(&member) {
                distinct.push(member);
            }
        }
        let items = if distinct.len() == 1 { distinct.remove(0) } else { json!({ "anyOf": distinct }) };
        map.insert("items".into(), items);
    }
}

/// Numbers keep their range and nothing else. A `number` has none: providers
/// declare times and counts as `number`, and they come with and without a
/// fraction.
fn numbers(map: &mut Map<String, Value>) {
    if !map.get("format").and_then(Value::as_str).is_some_and(|format| FORMATS.contains(&format)) {
        map.remove("format");
    }
    let whole =
        |ty: &Value| ty == "integer" || ty.as_array().is_some_and(|all| all.contains(&json!("integer")));
    if !map.get("type").is_some_and(whole) {
        map.remove("minimum");
        map.remove("format");
    }
    match map.get("minimum").and_then(Value::as_f64) {
        Some(least) if least >= 0.0 => {
            map.insert("minimum".into(), json!(0));
        }
        _ => {
            map.remove("minimum");
        }
    }
}
