//! Running a case: its input through the engine, whole and byte by byte, and everything that must hold.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua::laws::{Checker, ChunkChecker};
use interlingua::model::{self, ModelStream};
use interlingua::table::Layer;
use interlingua::vocabulary::{Event, StreamChunk};
use interlingua::{Options, Stats, Table, Translator};
use serde_json::Value;

use super::assertion::{Case, check};

/// Runs one case and gives back everything that is wrong with it.
pub fn run(folder: &Path) -> Vec<String> {
    match read(folder) {
        Ok((case, table, input)) => {
            let mut problems = judge(&case, table, &input);
            if !problems.is_empty() {
                problems.insert(0, case.about);
            }
            problems
        }
        Err(problem) => vec![problem],
    }
}

/// A case, the table that it needs, and its input.
pub fn read(folder: &Path) -> Result<(Case, &'static Table, Vec<u8>), String> {
    let text = fs::read_to_string(folder.join("case.json")).map_err(|error| format!("case.json: {error}"))?;
    let case: Case = serde_json::from_str(&text).map_err(|error| format!("case.json: {error}"))?;
    let table = interlingua::provider(&case.from)
        .ok_or_else(|| format!("case.json: there is no provider `{}`", case.from))?;
    let input = fs::read(input_file(folder)?).map_err(|error| format!("the input: {error}"))?;
    Ok((case, table, input))
}

/// The one file called `input.` something.
fn input_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut inputs: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.file_stem().is_some_and(|stem| stem == "input"))
        .collect();
    match (inputs.pop(), inputs.len()) {
        (Some(input), 0) => Ok(input),
        (_, 0) => Err("there is no file `input.…`".to_string()),
        _ => Err("there are several files `input.…`".to_string()),
    }
}

/// The chunks of a model's answer as JSON, and the message that they make up as the last value, of the type `message`.
fn answer<'a>(
    table: &'static Table,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Value>, Vec<String>, Value) {
    let mut stream = ModelStream::new(table, model::Options::default().count_unread(true));
    let mut chunks: Vec<StreamChunk> = Vec::new();
    for piece in pieces {
        chunks.extend(stream.push(piece));
    }
    chunks.extend(stream.finish());
    let mut checker = ChunkChecker::new();
    let mut faults: Vec<String> = chunks.iter().flat_map(|chunk| checker.feed(chunk)).collect();
    faults.extend(checker.finish());
    let json = |value: serde_json::Result<Value>| value.expect("a value as JSON");
    let mut values: Vec<Value> = chunks.iter().map(|chunk| json(serde_json::to_value(chunk))).collect();
    values.push(
        serde_json::json!({"type": "message", "message": json(serde_json::to_value(stream.message()))}),
    );
    (values, faults, json(serde_json::to_value(stream.stats())))
}

/// The events of an input, or the chunks and the message of an answer.
pub fn told(table: &'static Table, input: &[u8]) -> Vec<Value> {
    if table.layer == Layer::Model {
        return answer(table, [input]).0;
    }
    let (events, _) = translate(table, [input]);
    events.iter().map(|event| serde_json::to_value(event).expect("an event as JSON")).collect()
}

/// The same for the stream of a model.
fn judge_answer(case: &Case, table: &'static Table, input: &[u8]) -> Vec<String> {
    let (values, mut problems, stats) = answer(table, [input]);
    if case.assert.is_empty() {
        problems.push("case.json: asserts nothing".to_string());
    }
    let (piecewise, ..) = answer(table, input.chunks(1));
    if piecewise != values {
        problems.push("byte by byte, the chunks differ".to_string());
    }
    problems.extend(case.assert.iter().filter_map(|assertion| check(assertion, &values, &stats).err()));
    problems
}

/// Translates an input and compares with what the case asserts, and with what holds for every case.
pub fn judge(case: &Case, table: &'static Table, input: &[u8]) -> Vec<String> {
    if table.layer == Layer::Model {
        return judge_answer(case, table, input);
    }
    let (events, stats) = translate(table, [input]);
    let mut problems = Vec::new();
    if case.assert.is_empty() {
        problems.push("case.json: asserts nothing".to_string());
    }

    let (piecewise, _) = translate(table, input.chunks(1));
    if piecewise != events {
        let place = events.iter().zip(&piecewise).take_while(|(whole, cut)| whole == cut).count();
        let shown = |events: &[Event]| events.get(place).map_or("nothing".to_string(), json);
        problems.push(format!(
            "byte by byte, event {} differs:\n    whole: {}\n    cut:   {}",
            place + 1,
            shown(&events),
            shown(&piecewise)
        ));
    }

    let accounted = stats.translated + stats.ignored_total() + stats.unparsed;
    if accounted != stats.messages {
        problems.push(format!("{} messages, but {accounted} accounted for: {stats:?}", stats.messages));
    }

    let mut checker = Checker::new();
    for event in &events {
        for fault in checker.feed(event) {
            problems.push(format!("{fault}\n    {}", json(event)));
        }
    }
    problems.extend(checker.finish().iter().map(ToString::to_string));

    let values: Vec<Value> =
        events.iter().map(|event| serde_json::to_value(event).expect("an event as JSON")).collect();
    let stats = serde_json::to_value(&stats).expect("statistics as JSON");
    problems.extend(case.assert.iter().filter_map(|assertion| check(assertion, &values, &stats).err()));
    problems
}

fn translate<'a>(table: &'static Table, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Stats) {
    let mut translator = Translator::new(table, Options::default().count_unread(true));
    let mut events: Vec<Event> = Vec::new();
    for piece in pieces {
        events.extend(translator.push(piece));
    }
    events.extend(translator.finish());
    (events, translator.stats())
}

fn json(event: &Event) -> String {
    serde_json::to_string(event).expect("an event as JSON")
}
