//! A map that is loaded at run time, for a provider of the user's own.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{events, run, run_with_stdin, scratch};

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
fn terms_are_printed_of_a_map_of_ones_own() {
    let ran = run(&["terms", "--map", &demo("demo.map")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("heartbeat"), "{}", ran.stdout);
    assert_eq!(run(&["terms", "--commands"]).code, 2);
}

#[test]
fn a_map_of_ones_own_is_tried_when_a_stream_is_detected() {
    let (map, input) = (demo("demo.map"), demo("session.jsonl"));
    let ran = run(&["detect", &input]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let codex = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../resources/captures/codex/0.171.0/exec-01-text/stdout.jsonl")
        .display()
        .to_string();
    let ran = run(&["detect", "--map", &map, &input, &codex]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let names: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.rsplit_once(": ")).map(|(_, name)| name).collect();
    assert_eq!(names, ["demo", "codex"]);
    assert_eq!(run(&["detect", "--map", "no/such.map", &input]).code, 3);
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

/// The bundled maps are such maps, too: with files that they include, additions beside their schemas, and envelopes.
#[test]
fn a_bundled_map_does_the_same_when_it_is_loaded() {
    let resources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../resources");
    let mut tried = 0;
    for map in fs::read_dir(resources.join("term-maps")).expect("the maps") {
        let map = map.expect("an entry").path();
        let Some(name) = map.file_name().and_then(|name| name.to_str()?.strip_suffix(".map")) else {
            continue;
        };
        let map = map.display().to_string();
        let input = recording(&resources.join("captures").join(name));
        let loaded = run(&["translate", "--map", &map, &input]);
        let bundled = run(&["translate", "--from", name, &input]);
        assert_eq!((loaded.code, &loaded.stderr), (bundled.code, &bundled.stderr), "{name}");
        assert!(!bundled.stdout.is_empty() && loaded.stdout == bundled.stdout, "{name}: {input}");
        let text = fs::read_to_string(&input).expect("the recording");
        let first = text.lines().position(|line| line.starts_with("data:") || line.starts_with('{'));
        let line = (first.expect("a message") + 1).to_string();
        let loaded = run(&["explain", "--map", &map, &input, "--line", &line]);
        let bundled = run(&["explain", "--from", name, &input, "--line", &line]);
        assert_eq!((loaded.code, bundled.code), (0, 0), "{name}: {}", loaded.stderr);
        let places = |text: &str| text.lines().filter(|line| !line.contains(".map:")).count();
        assert_eq!(places(&loaded.stdout), places(&bundled.stdout), "{name}");
        let conversation = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hello"}]}"#;
        let loaded = run_with_stdin(&["request", "--map", &map, "-"], conversation.as_bytes());
        let bundled = run_with_stdin(&["request", "--to", name, "-"], conversation.as_bytes());
        if bundled.code == 0 {
            assert_eq!((loaded.code, loaded.stdout), (0, bundled.stdout), "{name}");
        }
        tried += 1;
    }
    assert!(tried >= 9, "only {tried} maps were found");
}

/// The first recording below a folder.
fn recording(folder: &Path) -> String {
    let mut below: Vec<PathBuf> =
        fs::read_dir(folder).expect("recordings").map(|entry| entry.expect("an entry").path()).collect();
    below.sort();
    let names = ["stdout.jsonl", "events.sse", "session.jsonl"];
    let is_stream = |path: &&PathBuf| names.iter().any(|name| path.ends_with(name));
    if let Some(found) = below.iter().find(is_stream) {
        return found.display().to_string();
    }
    recording(below.iter().find(|path| path.is_dir()).expect("a folder"))
}
