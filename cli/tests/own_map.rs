//! A map that is loaded at run time, for a provider of the user's own.

mod support;

use std::fs;
use std::path::PathBuf;

use support::{events, run, scratch};

fn demo(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/demo").join(name).display().to_string()
}

#[test]
fn a_map_and_its_schema_translate_without_a_line_of_rust() {
    let (map, schema, input) = (demo("demo.map"), demo("demo.json"), demo("session.jsonl"));
    let ran = run(&["translate", "--map", &map, "--schema", &schema, &input]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let events = events(&ran);
    let completed = events.iter().find(|event| event["type"] == "item.completed").expect("a completed item");
    assert_eq!(completed["data"]["item"]["content"][0]["text"], "Good morning.");
    assert_eq!(events[0]["data"]["model"], "demo-1");
    // The schema stands beside the map, as the map says.
    assert_eq!(run(&["translate", "--map", &map, &input]).stdout, ran.stdout);
}

#[test]
fn explain_works_with_a_map_of_ones_own() {
    let ran = run(&["explain", "--map", &demo("demo.map"), &demo("session.jsonl"), "--line", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("demo.map:18:5") && ran.stdout.contains("heartbeat"), "{}", ran.stdout);
}

#[test]
fn a_map_that_is_not_right_is_told_with_line_and_column() {
    let broken = fs::read_to_string(demo("demo.map")).expect("the map").replace("whole: text", "whole: txet");
    let map = scratch("broken.map", broken.as_bytes());
    let ran = run(&["translate", "--map", &map, "--schema", &demo("demo.json"), &demo("session.jsonl")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("broken.map:15:97: unknown path `txet`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `text`?"), "{}", ran.stderr);
}

#[test]
fn a_missing_map_or_schema_is_named() {
    let input = demo("session.jsonl");
    let ran = run(&["translate", "--map", "no/such.map", &input]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("no/such.map"), "{}", ran.stderr);
    let ran = run(&["translate", "--map", &demo("demo.map"), "--schema", "no/such.json", &input]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("no/such.json"), "{}", ran.stderr);
    assert_eq!(run(&["translate", "--map", &demo("demo.map"), "--from", "claude", &input]).code, 2);
}
