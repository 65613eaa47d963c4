//! The new provider that CONTRIBUTING.md builds step by step is built here from the same text, so that
//! the steps stay true.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use support::{events, run, run_with_stdin};

/// The files that the text shows: a comment names each, and a code block follows.
fn files() -> BTreeMap<String, String> {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../CONTRIBUTING.md");
    let text = fs::read_to_string(page).expect("CONTRIBUTING.md").replace("\r\n", "\n");
    let mut files = BTreeMap::new();
    for part in text.split("<!-- file: ").skip(1) {
        let (name, rest) = part.split_once(" -->\n```").expect("a code block after the name");
        let (_, rest) = rest.split_once('\n').expect("a line after the fence");
        let (content, _) = rest.split_once("\n```").expect("the end of the code block");
        files.insert(name.to_string(), format!("{content}\n"));
    }
    files
}

#[test]
fn the_provider_of_contributing_works_as_shown() {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("contributing");
    let files = files();
    assert_eq!(files.len(), 4, "{:?}", files.keys());
    for (name, content) in &files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let path = |name: &str| root.join(name).display().to_string();
    let (map, input) =
        (path("resources/term-maps/acme.map"), path("resources/captures/acme/1.0/hello/stdout.jsonl"));

    let ran = run(&["translate", "--strict", "--map", &map, &input]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let events = events(&ran);
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().expect("a type")).collect();
    assert_eq!(types.iter().filter(|event_type| **event_type == "item.completed").count(), 4, "{types:?}");
    let deltas: String = events
        .iter()
        .filter(|event| event["type"] == "item.delta" && event["data"]["item_id"] == "m1")
        .map(|event| event["data"]["delta"].as_str().expect("a text"))
        .collect();
    assert_eq!(deltas, "Let me look.");
    let ended = events.iter().find(|event| event["type"] == "turn.ended").expect("the turn's end");
    assert_eq!(ended["data"]["usage"]["input"], 120);

    let checked = run_with_stdin(&["check"], ran.stdout.as_bytes());
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""));
    assert_eq!(run(&["explain", "--map", &map, &input]).code, 0);
}
