//! The streams that are translated, made of the bundled captures.
//!
//! They are repeated with their ids changed, so that no message is a repetition of an earlier one, except for the ids of
//! sessions: the stream is that of long sessions.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua::model::{self, ModelStream};
use interlingua::table::{Layer, Table};
use interlingua::{Options, Translator};
use serde_json::Value;

use crate::HUGE_LINE;

/// Lines up to this length are small messages.
const SMALL_LINE: usize = 64 * 1024;
/// How many messages that only give deltas stand beside each other message of a long session.
const DELTAS: usize = 20;
/// How often an event of an answer that only goes on with a block is repeated.
const ANSWER_DELTAS: usize = 100;

/// The streams of a row, of about `length` bytes; none where the captures have nothing for it.
pub(crate) fn streams(table: &'static Table, row: &str, captures: &[Vec<u8>], length: usize) -> Vec<Vec<u8>> {
    let one = |stream: Vec<u8>| if stream.is_empty() { Vec::new() } else { vec![stream] };
    match (row, table.layer) {
        ("short", _) => repeated(captures.to_vec(), length),
        ("small", Layer::Model) => repeated(answers(table, captures, ANSWER_DELTAS), length),
        ("long", Layer::Model) => {
            repeated(captures.iter().filter_map(|capture| long(table, capture)).collect(), length)
        }
        (_, Layer::Model) => Vec::new(),
        ("small", _) => one(corpus(captures, length, |line| line.len() <= SMALL_LINE)),
        ("long", _) => one(corpus(
            &captures.iter().filter_map(|capture| long(table, capture)).collect::<Vec<_>>(),
            length,
            |line| line.len() <= SMALL_LINE,
        )),
        ("large", _) => one(corpus(captures, length, |line| line.len() > SMALL_LINE)),
        _ => huge(table, captures).into_iter().collect(),
    }
}

/// The streams again and again, up to a length.
fn repeated(streams: Vec<Vec<u8>>, length: usize) -> Vec<Vec<u8>> {
    let once: usize = streams.iter().map(Vec::len).sum();
    let times = if once == 0 { 0 } else { length.div_ceil(once) };
    streams.iter().cycle().take(streams.len() * times).cloned().collect()
}

/// A capture whose messages that only give deltas are repeated, so that there are `DELTAS` of them for each other one.
/// Nothing where there are none.
fn long(table: &'static Table, capture: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> =
        capture.split(|byte| *byte == b'\n').filter(|line| json(line).is_some()).collect();
    let is_delta = only_deltas(table, &lines);
    let deltas = is_delta.iter().filter(|is_delta| **is_delta).count();
    if deltas == 0 {
        return None;
    }
    let times = ((lines.len() - deltas) * DELTAS).div_ceil(deltas).max(1);
    let mut long = Vec::new();
    for (line, is_delta) in lines.iter().zip(is_delta) {
        for _ in 0..if is_delta { times } else { 1 } {
            long.extend_from_slice(line);
            long.extend_from_slice(end(line));
        }
    }
    Some(long)
}

/// For each line, whether all that it gives are deltas.
fn only_deltas(table: &'static Table, lines: &[&[u8]]) -> Vec<bool> {
    let mut translator = Translator::new(table, Options::new());
    let mut answer = ModelStream::new(table, model::Options::default());
    let is_delta = |line: &&[u8]| {
        let message = json(line).unwrap_or_default();
        let mut given = Vec::new();
        if table.layer == Layer::Model {
            given.extend(answer.push_message(message).map(|chunk| chunk.chunk_type().ends_with("-delta")));
        } else {
            given.extend(
                translator.push_message(message).map(|event| event.body.event_type() == "item.delta"),
            );
        }
        !given.is_empty() && given.iter().all(|is_delta| *is_delta)
    };
    lines.iter().map(is_delta).collect()
}

/// Answers of the length of real ones: the captured ones are short, so the events that only go on with a block are
/// repeated.
fn answers(table: &'static Table, captures: &[Vec<u8>], times: usize) -> Vec<Vec<u8>> {
    let long = |capture: &Vec<u8>| {
        let lines: Vec<&[u8]> =
            capture.split(|byte| *byte == b'\n').filter(|line| json(line).is_some()).collect();
        let mut answer = Vec::new();
        for (line, is_delta) in lines.iter().zip(only_deltas(table, &lines)) {
            for _ in 0..if is_delta { times } else { 1 } {
                answer.extend_from_slice(line);
                answer.extend_from_slice(b"\n\n");
            }
        }
        answer
    };
    captures.iter().map(long).filter(|answer| answer.len() > 20_000).collect()
}

/// The streams of the provider's bundled captures, in a fixed order: the event streams where there are any, since the
/// lines that the same program prints are few.
pub(crate) fn captures(table: &Table) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures").join(table.provider);
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "stdout.jsonl" || name == "events.sse") {
                files.push(path);
            }
        }
    }
    let is_events = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sse");
    if files.iter().any(is_events) {
        files.retain(is_events);
    }
    files.sort();
    files.iter().map(|path| fs::read(path).expect("a bundled capture can be read")).collect()
}

/// Repeats the chosen lines of all captures, with other ids each time, up to a length.
fn corpus(captures: &[Vec<u8>], length: usize, choose: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let lines: Vec<&[u8]> = captures
        .iter()
        .flat_map(|capture| capture.split(|byte| *byte == b'\n'))
        .filter(|line| json(line).is_some() && choose(line))
        .collect();
    let ids = ids(&lines);
    let mut corpus = Vec::with_capacity(length + length / 8);
    let mut repetition = 0;
    while !lines.is_empty() && corpus.len() < length {
        let suffix = format!("-{repetition}");
        for line in &lines {
            rename(line, &ids, &suffix, &mut corpus);
            corpus.extend_from_slice(end(line));
        }
        repetition += 1;
    }
    corpus
}

/// The message on a line of JSON lines or of an event stream.
pub(crate) fn json(line: &[u8]) -> Option<&[u8]> {
    let json = line.strip_prefix(b"data:").unwrap_or(line).trim_ascii_start();
    json.starts_with(b"{").then_some(json)
}

/// What ends a message that stands on such a line.
fn end(line: &[u8]) -> &'static [u8] {
    if line.starts_with(b"data:") { b"\n\n" } else { b"\n" }
}

/// The texts that stand under keys which end in `id`, but for those of sessions and threads.
fn ids(lines: &[&[u8]]) -> HashSet<String> {
    let (mut ids, mut sessions) = (HashSet::new(), HashSet::new());
    for line in lines {
        if let Some(value) = json(line).and_then(|json| serde_json::from_slice(json).ok()) {
            collect_ids(&value, &mut ids, &mut sessions);
        }
    }
    &ids - &sessions
}

fn collect_ids(value: &Value, ids: &mut HashSet<String>, sessions: &mut HashSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids, sessions)),
        Value::Object(members) => {
            for (key, member) in members {
                let name = key.to_ascii_lowercase();
                match member {
                    Value::String(text) if name.contains("session") || name.contains("thread") => {
                        sessions.insert(text.clone());
                    }
                    Value::String(text) if name.ends_with("id") => {
                        ids.insert(text.clone());
                    }
                    _ => collect_ids(member, ids, sessions),
                }
            }
        }
        _ => {}
    }
}

/// Copies a line, with a suffix on every string that is an id.
fn rename(line: &[u8], ids: &HashSet<String>, suffix: &str, into: &mut Vec<u8>) {
    let mut rest = line;
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let string = &rest[start + 1..];
        let mut end = 0;
        while string[end] != b'"' {
            end += if string[end] == b'\\' { 2 } else { 1 };
        }
        into.extend_from_slice(&rest[..=start]);
        into.extend_from_slice(&string[..end]);
        if std::str::from_utf8(&string[..end]).is_ok_and(|text| ids.contains(text)) {
            into.extend_from_slice(suffix.as_bytes());
        }
        into.push(b'"');
        rest = &string[end + 1..];
    }
    into.extend_from_slice(rest);
}

/// The longest small message that says something by itself, with its longest string blown up to 64 MiB.
fn huge(table: &'static Table, captures: &[Vec<u8>]) -> Option<Vec<u8>> {
    let line = captures
        .iter()
        .flat_map(|capture| capture.split(|byte| *byte == b'\n'))
        .filter(|line| line.len() <= SMALL_LINE && json(line).is_some())
        .filter(|line| {
            Translator::new(table, Options::new()).push_message(json(line).unwrap_or_default()).count() > 0
        })
        .max_by_key(|line| line.len())?;
    let (mut at, mut longest, mut position) = (0, 0, 0);
    for piece in line.split(|byte| *byte == b'"') {
        if piece.len() > longest {
            (at, longest) = (position, piece.len());
        }
        position += piece.len() + 1;
    }
    let filler = HUGE_LINE.checked_sub(line.len() + 1)?;
    let mut huge = line[..at].to_vec();
    huge.extend(b"All work and no play makes a dull stream. ".iter().cycle().take(filler));
    huge.extend_from_slice(&line[at..]);
    huge.extend_from_slice(end(line));
    Some(huge)
}
