//! What a map from a stranger may not do to whoever compiles it. Each limit is listed in `SECURITY.md`.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use interlingua_codegen::{Beside, SchemaText, compile, read_map};

const MAP: &str = r#"term_map! {
    provider demo { title: "Demo"; schema: "demo.json"; framing: jsonl; receives: Line; tag: type; }
    on hello { session.started { model: a } }
}"#;

/// What the compiler says about the map with a schema of these definitions.
fn with_definitions(definitions: &str) -> String {
    let schema = format!(r#"{{"definitions": {{{definitions}}}}}"#);
    match compile(MAP, "demo.map", |_: &str| Ok(SchemaText::new(schema.clone()))) {
        Ok(_) => String::new(),
        Err(faults) => faults.iter().map(|fault| format!("{}\n", fault.message)).collect(),
    }
}

/// A folder for the files of one test, which is removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("interlingua-limits-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// What the compiler says about the map in the folder.
    fn compile(&self, map: &str) -> String {
        match compile(map, "demo.map", Beside::new(self.0.join("demo.map"))) {
            Ok(_) => String::new(),
            Err(faults) => faults.iter().map(|fault| format!("{}\n", fault.message)).collect(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const HELLO: &str =
    r##""type": "object", "properties": {"type": {"const": "hello"}, "a": {"$ref": "#/definitions/A0"}}"##;

/// Definitions `A0`, `A1`, … of which each is made of the next one.
fn chain(length: usize, each: impl Fn(&str) -> String, last: &str) -> String {
    let mut definitions = format!(r#""Line": {{{}}}"#, HELLO);
    for number in 0..length {
        let next = format!(r##"{{"$ref": "#/definitions/A{}"}}"##, number + 1);
        let _ = write!(definitions, r#", "A{number}": {}"#, each(&next));
    }
    let _ = write!(definitions, r#", "A{length}": {last}"#);
    definitions
}

#[test]
fn references_may_follow_each_other_up_to_a_number() {
    let text = r#"{"type": "string"}"#;
    let references = |length| with_definitions(&chain(length, str::to_owned, text));
    assert_eq!(references(100), "");
    let refused = references(1_000);
    assert!(refused.contains("more than 128 `$ref`s and unions"), "{refused}");
    assert!(refused.starts_with("cannot use the schema `demo.json`: `A1"), "{refused}");
}

#[test]
fn a_union_may_be_made_of_a_number_of_nodes() {
    let text = r#"{"type": "string"}"#;
    let doubled =
        |length| with_definitions(&chain(length, |next| format!(r#"{{"oneOf": [{next}, {next}]}}"#), text));
    assert_eq!(doubled(10), "");
    let refused = doubled(40);
    assert!(refused.contains("more than the 100000 nodes that are allowed"), "{refused}");
}

#[test]
fn a_union_may_have_a_number_of_alternatives() {
    let member = |number| format!(r#"{{"type": "object", "properties": {{"p{number}": {{}}}}}}"#);
    let union = |from: usize| {
        let members: Vec<String> = (from..from + 100).map(member).collect();
        format!(r#"{{"anyOf": [{}]}}"#, members.join(","))
    };
    let all = format!(r#"{{"allOf": [{}, {}, {}]}}"#, union(0), union(100), union(200));
    let refused = with_definitions(&chain(0, str::to_owned, &all));
    assert!(refused.contains("more than the 4096 alternatives that are allowed"), "{refused}");
}

#[test]
fn a_schema_may_nest_up_to_a_depth() {
    let deep =
        |depth: usize| format!("{}{}", r#"{"not":"#.repeat(depth), "{}".to_owned() + &"}".repeat(depth));
    assert_eq!(with_definitions(&chain(0, str::to_owned, &deep(100))), "");
    let refused = with_definitions(&chain(0, str::to_owned, &deep(10_000)));
    assert!(refused.contains("128"), "{refused}");
}

#[test]
fn a_map_may_include_a_number_of_files() {
    let folder = Folder::new("includes");
    fs::write(
        folder.0.join("demo.json"),
        format!(r#"{{"definitions": {{{}}}}}"#, chain(0, str::to_owned, "{}")),
    )
    .expect("a schema");
    let including = |number: usize| {
        let mut map = MAP.trim_end_matches('}').to_owned();
        for file in 0..number {
            fs::write(folder.0.join(format!("{file}.map")), "term_map! { }\n").expect("a file");
            let _ = writeln!(map, "    include \"{file}.map\";");
        }
        folder.compile(&(map + "}"))
    };
    assert_eq!(including(16), "");
    let refused = including(65);
    assert!(refused.contains("cannot include `64.map`: a map may include 64 files"), "{refused}");
}

#[test]
fn files_have_a_limit_and_are_files() {
    let folder = Folder::new("files");
    let schema = folder.0.join("demo.json");
    fs::File::create(&schema).and_then(|file| file.set_len((64 << 20) + 1)).expect("a long file");
    let refused = folder.compile(MAP);
    assert!(refused.contains("it is longer than the 64 MiB that are allowed"), "{refused}");
    fs::remove_file(&schema).expect("it is there");
    fs::create_dir(&schema).expect("a folder");
    let refused = folder.compile(MAP);
    assert!(refused.contains("it is not a regular file"), "{refused}");

    let map = folder.0.join("long.map");
    fs::File::create(&map).and_then(|file| file.set_len((4 << 20) + 1)).expect("a long file");
    let refused = read_map(&map).expect_err("it is too long").to_string();
    assert_eq!(refused, "it is longer than the 4 MiB that are allowed");
}

/// Opening a named pipe waits until somebody writes to it.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_opened() {
    let folder = Folder::new("pipe");
    let pipe = folder.0.join("demo.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    let refused = folder.compile(MAP);
    assert!(refused.contains("it is not a regular file"), "{refused}");
}
