//! The JSON Schema of the vocabulary is whole and always the same.
#![cfg(feature = "schema")]

use std::collections::BTreeSet;

use interlingua::vocabulary::{ContentBlock, EventBody, json_schema};
use serde_json::Value;

/// Calls `visit` on every object in a JSON value.
fn objects<'a>(value: &'a Value, visit: &mut impl FnMut(&'a serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|inner| objects(inner, visit));
        }
        Value::Array(values) => values.iter().for_each(|inner| objects(inner, visit)),
        _ => {}
    }
}

/// What no event holds: the other things that are written and read as they are.
const ROOTS: [&str; 8] = [
    "CommandContext",
    "Degradation",
    "HostContext",
    "ModelRequest",
    "Signal",
    "SignalContext",
    "StreamChunk",
    "Transcript",
];

#[test]
fn every_reference_has_its_definition() {
    let schema = json_schema();
    let definitions = schema["$defs"].as_object().unwrap();
    let mut used = BTreeSet::new();
    objects(&schema, &mut |object| {
        if let Some(Value::String(reference)) = object.get("$ref") {
            used.insert(reference.strip_prefix("#/$defs/").unwrap());
        }
    });
    for name in &used {
        assert!(definitions.contains_key(*name), "{name} is not defined");
    }
    for name in definitions.keys().filter(|name| !used.contains(name.as_str())) {
        assert!(ROOTS.contains(&name.as_str()), "nothing needs {name}");
    }
}

#[test]
fn every_event_type_and_block_is_there() {
    let schema = json_schema();
    let constants = |choices: &Value, key: &str| -> Vec<String> {
        let constant = |choice: &Value| Some(choice["properties"][key]["const"].as_str()?.to_owned());
        choices.as_array().unwrap().iter().filter_map(constant).collect()
    };
    assert_eq!(constants(&schema["oneOf"], "type"), EventBody::TYPES);
    let blocks = &schema["$defs"]["ContentBlock"]["oneOf"];
    assert_eq!(constants(blocks, "type"), ContentBlock::TAGS);
}

#[test]
fn it_is_text_for_readers_and_tools() {
    objects(&json_schema(), &mut |object| {
        assert!(object.keys().is_sorted());
        if let Some(Value::String(text)) = object.get("description") {
            assert!(!text.contains("```") && !text.contains("]("), "{text}");
        }
    });
}
