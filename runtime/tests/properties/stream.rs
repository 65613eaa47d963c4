//! Native streams to begin with: of every bundled provider its recordings, and of the invented one its test streams.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use interlingua::table::{Framing, Table};
use interlingua_codegen::{SchemaText, compile};
use serde_json::Value;

use crate::tape::Tape;

/// A provider with streams of it, each as its messages with what ends them.
pub struct Source {
    pub table: &'static Table,
    pub streams: Vec<Vec<Vec<u8>>>,
}

/// The most bytes of a message that is kept whole; in a longer one, long texts are cut.
const LONG: usize = 1500;

/// Every provider that has streams.
pub static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let captures = tests.join("../resources/captures");
    let of_provider = |table: &'static Table| {
        let files = files(&captures.join(table.provider));
        let is_stream = |file: &&PathBuf| {
            file.file_name()
                .is_some_and(|name| name == "stdout.jsonl" || name == "events.sse" || name == "session.jsonl")
        };
        Source { table, streams: files.iter().filter(is_stream).map(|file| messages(table, file)).collect() }
    };
    let mut sources: Vec<Source> = interlingua::providers().iter().copied().map(of_provider).collect();
    let table = invented();
    let streams =
        files(&tests.join("tests/engine/streams")).iter().map(|file| messages(table, file)).collect();
    sources.push(Source { table, streams });
    sources.iter_mut().for_each(|source| source.streams.retain(|stream| !stream.is_empty()));
    sources.retain(|source| !source.streams.is_empty());
    assert!(sources.len() > 1, "no recordings were found");
    sources
});

/// The table of the invented provider, whose map uses all that the engine can do.
fn invented() -> &'static Table {
    let schema = include_str!("../engine/demo.json");
    let compiled =
        compile(include_str!("../engine/demo.map"), "demo.map", |_: &str| Ok(SchemaText::new(schema)));
    compiled.unwrap_or_else(|faults| panic!("{}", faults[0])).table
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The messages of a recording, with what ends each. Long texts are cut: they say nothing new to the engine.
fn messages(table: &Table, file: &Path) -> Vec<Vec<u8>> {
    let is_sse = table.framing.contains(&Framing::Sse) && file.extension().is_some_and(|end| end == "sse");
    let bytes = fs::read(file).expect("a recording");
    let text = String::from_utf8_lossy(&bytes);
    let ending = if is_sse { "\n\n" } else { "\n" };
    let messages = text.split(ending).filter(|message| !message.trim().is_empty());
    messages.map(|message| format!("{}{ending}", shortened(message)).into_bytes()).collect()
}

fn shortened(message: &str) -> String {
    let (before, json) = message.strip_prefix("data: ").map_or(("", message), |json| ("data: ", json));
    match serde_json::from_str::<Value>(json) {
        Ok(mut value) if json.len() > LONG => {
            shorten(&mut value);
            format!("{before}{value}")
        }
        _ => message.to_owned(),
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(48) {
                text.truncate(end);
            }
        }
        Value::Array(elements) => {
            elements.truncate(5);
            elements.iter_mut().for_each(shorten);
        }
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

impl Source {
    /// A piece of one of the streams, of at most so many messages.
    pub fn piece(&self, tape: &mut Tape<'_>, most: usize) -> Vec<Vec<u8>> {
        let stream = tape.choose(&self.streams);
        let length = 1 + tape.below(most.min(stream.len()));
        let start = tape.below(stream.len() + 1 - length);
        stream[start..start + length].to_vec()
    }
}
