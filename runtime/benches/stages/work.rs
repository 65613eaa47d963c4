//! The work that is counted, each in a process of its own under valgrind.

use std::hint::black_box;
use std::process::Command;

use interlingua::model::{self, ModelStream};
use interlingua::table::{Layer, Table};
use interlingua::{Options, Translator};
use serde_json::Value;

use crate::corpus::{captures, json, streams};
use crate::count::{Places, Stages, places};

/// The bytes of the streams.
const LENGTH: usize = 1_000_000;
/// What a reader of a pipe or a file would hand over at once.
const CHUNK: usize = 64 * 1024;

/// What a process does with the streams.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Nothing: what it takes to start and to make the streams.
    Begin,
    Parse,
    Translate,
    Write,
}

impl Work {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "begin" => Self::Begin,
            "parse" => Self::Parse,
            "translate" => Self::Translate,
            "write" => Self::Write,
            _ => panic!("there is no work `{name}`"),
        }
    }
}

/// Does the work, and returns the number of messages.
pub(crate) fn run(work: Work, table: &'static Table, row: &str) -> usize {
    let streams = streams(table, row, &captures(table), LENGTH);
    let messages: Vec<&[u8]> =
        streams.iter().flat_map(|stream| stream.split(|byte| *byte == b'\n')).filter_map(json).collect();
    let mut line = Vec::new();
    match work {
        Work::Begin => {}
        Work::Parse => {
            for message in &messages {
                black_box(serde_json::from_slice::<Value>(message).ok());
            }
        }
        Work::Translate => streams.iter().for_each(|stream| translate(table, stream, None)),
        Work::Write => streams.iter().for_each(|stream| translate(table, stream, Some(&mut line))),
    }
    messages.len()
}

/// Translates a stream; writes what it gives as JSON where there is a buffer for it.
fn translate(table: &'static Table, stream: &[u8], mut line: Option<&mut Vec<u8>>) {
    if table.layer == Layer::Model {
        let mut answer = ModelStream::new(table, model::Options::default());
        for piece in stream.chunks(CHUNK) {
            answer.push(piece).for_each(|chunk| {
                if let Some(line) = &mut line {
                    line.clear();
                    serde_json::to_writer(&mut **line, &chunk).expect("a chunk can be written");
                }
                black_box(&chunk);
            });
        }
        answer.finish().for_each(|chunk| {
            black_box(&chunk);
        });
        return;
    }
    let mut translator = Translator::new(table, Options::new());
    for piece in stream.chunks(CHUNK) {
        translator.push(piece).for_each(|event| {
            if let Some(line) = &mut line {
                line.clear();
                event.write_json(line).expect("an event can be written");
            }
            black_box(&event);
        });
    }
    translator.finish().for_each(|event| {
        black_box(&event);
    });
}

/// Counts a row of a provider; nothing where the captures have nothing for it.
pub(crate) fn count(table: &'static Table, row: &str) -> Result<Option<Stages>, String> {
    let process = |work: &str| process(work, table.provider, row);
    let (begin, messages) = process("begin")?;
    if messages == 0 {
        return Ok(None);
    }
    let [parse, translate, write] = [process("parse")?.0, process("translate")?.0, process("write")?.0];
    let total = |places: &Places| places.values().sum::<f64>();
    let in_stage = |stage| {
        let of = |places: &Places| places.get(stage).copied().unwrap_or(0.0);
        of(&translate) - of(&begin)
    };
    let counts: Stages = [
        total(&parse) - total(&begin),
        total(&translate) - total(&begin),
        in_stage("framing"),
        in_stage("json"),
        in_stage("engine"),
        in_stage("memory"),
        in_stage("other"),
        total(&write) - total(&translate),
    ];
    Ok(Some(counts.map(|count| count / messages as f64)))
}

/// The instructions of a process by their places, and its number of messages.
fn process(work: &str, provider: &str, row: &str) -> Result<(Places, usize), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let report = std::env::temp_dir().join(format!("interlingua-stages-{}", std::process::id()));
    let run = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg(format!("--cachegrind-out-file={}", report.display()))
        .arg(this)
        .args(["--run", work, provider, row])
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let counted = std::fs::read_to_string(&report);
    let _ = std::fs::remove_file(&report);
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    let messages = String::from_utf8_lossy(&run.stdout).trim().parse();
    let messages = messages.map_err(|_| "the process does not say how many messages it had".to_owned())?;
    Ok((places(&counted.map_err(|error| error.to_string())?), messages))
}
