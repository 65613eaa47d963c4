//! A schema that gains or loses something must break the maps that have not decided about it, with
//! a message that names it.

mod common;

use std::path::{Path, PathBuf};

use interlingua_codegen::{Diagnostic, SchemaText, compile};
use serde_json::{Value, json};

fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/maps/demo.map")
}

/// What the compiler says about the demo map after a change of its schema.
fn after(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let text = std::fs::read_to_string(demo()).expect("the demo map");
    let published = common::schema(&demo());
    let mut schema: Value = serde_json::from_str(&published.schema).expect("the schema is JSON");
    change(&mut schema["definitions"]);
    match compile(&text, "demo.map", |_: &str| Ok(SchemaText::new(schema.to_string()))) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(shown).collect(),
    }
}

/// A fault without the line that it shows.
fn shown(fault: &Diagnostic) -> String {
    let help = fault.help.as_ref().map_or_else(String::new, |help| format!("\n  help: {help}"));
    format!("{}:{}:{}: {}{help}", fault.file, fault.line, fault.column, fault.message)
}

fn push(list: &mut Value, value: Value) {
    list.as_array_mut().expect("a list").push(value);
}

#[test]
fn without_a_change_there_is_no_fault() {
    assert_eq!(after(|_| ()), Vec::<String>::new());
}

#[test]
fn a_new_message_type_is_named() {
    let faults = after(|definitions| {
        definitions["Retry"] = json!({"type": "object", "properties": {"type": {"const": "retry"}}});
        push(&mut definitions["DemoEvent"]["anyOf"], json!({"$ref": "#/definitions/Retry"}));
    });
    assert_eq!(
        faults,
        ["demo.map:6:19: message type `retry` (`Retry`) of `DemoEvent` is not mapped\n  \
          help: add `on retry { … }` or `ignore retry because \"…\";`"]
    );
}

#[test]
fn a_new_message_type_at_the_second_tag_is_named() {
    let faults = after(|definitions| {
        let action = json!({"type": "object", "properties": {"kind": {"const": "paused"}}});
        push(&mut definitions["Tool"]["properties"]["action"]["oneOf"], action);
    });
    assert_eq!(
        faults,
        ["demo.map:6:19: message type `tool/paused` (`Tool`) of `DemoEvent` is not mapped\n  \
          help: add `on tool/paused { … }` or `ignore tool/paused because \"…\";`"]
    );
}

#[test]
fn a_new_content_block_is_named() {
    let faults = after(|definitions| {
        let video = json!({"type": "object", "properties": {"type": {"const": "video"}}});
        push(&mut definitions["Block"]["oneOf"], video);
    });
    assert_eq!(
        faults,
        ["demo.map:26:29: `video` (`Block`), a variant of `content`, is not mapped\n  \
          help: add `video => …` or `ignore video because \"…\"`"]
    );
}

#[test]
fn a_new_enum_value_is_named() {
    let faults = after(|definitions| {
        push(&mut definitions["Done"]["properties"]["outcome"]["enum"], json!("out_of_budget"));
    });
    assert_eq!(
        faults,
        ["demo.map:42:36: value `out_of_budget` of `outcome` is not mapped by `reason`\n  \
          help: add `out_of_budget => \"…\"` to the value map"]
    );
}

#[test]
fn what_a_schema_loses_is_named() {
    let faults = after(|definitions| {
        definitions["Hello"]["properties"].as_object_mut().expect("properties").remove("cwd");
        definitions["Done"]["properties"]["outcome"] = json!({"enum": ["success"]});
        definitions["DemoEvent"]["anyOf"].as_array_mut().expect("a list").pop();
    });
    assert_eq!(
        faults,
        [
            "demo.map:19:45: value `error_max_turns` is in no enum that is read through `reason`",
            "demo.map:21:72: unknown path `cwd`: `Hello` has no `cwd`\n  \
             help: known are `at`, `model`, `parent_call_id`, `session_id`, `timestamp`, `turn`, `type`",
            "demo.map:44:19: no message has `pong` as its `type`\n  help: did you mean `ping`?",
        ]
    );
}
