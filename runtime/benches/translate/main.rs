//! How fast streams are translated, against a bare parse of the same bytes in the same run.
//!
//! `cargo bench -p interlingua [-- PROVIDER… ROW… --json FILE]` times on one core, for each provider and row,
//!
//! - the baseline: `serde_json::from_slice::<Value>` over the same messages, already split,
//! - the translation: framing included, every event taken and dropped, nothing serialised,
//! - the translation with every event written as JSON.
//!
//! The figure to quote is a ratio to the baseline, since absolute speeds depend on the machine. `--json` also writes the
//! rows to a file: a list of objects with `provider`, `row`, `ratio` and `ratio_json`, without `huge`.
//!
//! | row | its streams |
//! |---|---|
//! | `small` | one long stream of the messages up to 64 kB of all captures; for models, answers of the length of real ones |
//! | `long` | the same with 20 messages that only give deltas for each other one |
//! | `short` | the captures as they are, each with a translator of its own |
//! | `large` | one long stream of all longer messages |
//! | `huge` | one message of 64 MiB |

mod corpus;

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use interlingua::model::{self, ModelStream};
use interlingua::table::{Layer, Table};
use interlingua::vocabulary::{Event, StreamChunk};
use interlingua::{Options, Translator};
use serde::Serialize;
use serde_json::Value;

use self::corpus::{captures, json, streams};

/// The rows of a provider.
const ROWS: [&str; 5] = ["small", "long", "short", "large", "huge"];
/// The length of the largest message.
const HUGE_LINE: usize = 64 * 1024 * 1024;
/// How often each figure is taken; the best counts, since noise only ever adds time.
const ROUNDS: usize = 5;
/// What a reader of a pipe or a file would hand over at once.
const CHUNK: usize = 64 * 1024;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut sizes, mut wanted, mut list) = (Vec::new(), Vec::new(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => list = Some(arguments.next().expect("`--json` needs a file")),
            "--bench" => {}
            _ if ROWS.contains(&argument.as_str()) => sizes.push(argument),
            _ => wanted.push(argument),
        }
    }
    println!(
        "{:<22} {:>6} {:>9} {:>9} | {:>7} {:>9} {:>5} | {:>9} {:>5} | {:>10} {:>6}",
        "corpus",
        "MB",
        "messages",
        "events",
        "parse",
        "translate",
        "ratio",
        "with JSON",
        "ratio",
        "events/s",
        "RSS"
    );
    let mut rows = Vec::new();
    for table in interlingua::providers() {
        if !wanted.is_empty() && !wanted.iter().any(|name| *name == table.provider) {
            continue;
        }
        let captures = captures(table);
        for row in ROWS.iter().filter(|row| sizes.is_empty() || sizes.iter().any(|size| size == *row)) {
            let corpus = Corpus { row, streams: streams(table, row, &captures, length(table, row)) };
            if !corpus.streams.is_empty() {
                rows.push(measure(table, &corpus));
            }
            if *row == "short" {
                println!("{:<22} {:>6} ns for a new translator", table.provider, nanoseconds_to_begin(table));
            }
        }
    }
    println!(
        "speeds in MB/s, best of {ROUNDS}, by processor time where the system tells it; RSS: growth of the resident memory in MB while translating"
    );
    if let Some(file) = list {
        rows.retain(|row| row.row != "huge");
        let text = serde_json::to_string_pretty(&rows).expect("rows can be written");
        fs::write(&file, text + "\n").expect("the list can be written");
    }
}

/// The bytes of a row's streams.
fn length(table: &Table, row: &str) -> usize {
    if row == "small" && table.layer != Layer::Model { 100_000_000 } else { 50_000_000 }
}

/// The streams of a row, each of which has a translator of its own.
struct Corpus {
    row: &'static str,
    streams: Vec<Vec<u8>>,
}

/// Translates a stream chunk by chunk, and hands over each event, or each chunk of a model's answer.
fn translate(table: &'static Table, stream: &[u8], take: &mut dyn FnMut(Given)) {
    if table.layer == Layer::Model {
        let mut answer = ModelStream::new(table, model::Options::default());
        for piece in stream.chunks(CHUNK) {
            answer.push(piece).for_each(|chunk| take(Given::Chunk(chunk)));
        }
        answer.finish().for_each(|chunk| take(Given::Chunk(chunk)));
        return;
    }
    let mut translator = Translator::new(table, Options::new().message_limit(HUGE_LINE + 1));
    for piece in stream.chunks(CHUNK) {
        translator.push(piece).for_each(|event| take(Given::Event(event)));
    }
    translator.finish().for_each(|event| take(Given::Event(event)));
}

/// What it takes to make a translator, and to drop it.
fn nanoseconds_to_begin(table: &'static Table) -> u128 {
    // The system tells the processor time in steps of some milliseconds.
    const TIMES: u32 = 1_000_000;
    let all = time(|| {
        for _ in 0..TIMES {
            match table.layer {
                Layer::Model => drop(black_box(ModelStream::new(table, model::Options::default()))),
                _ => drop(black_box(Translator::new(table, Options::new()))),
            }
        }
    });
    all.as_nanos() / u128::from(TIMES)
}

/// What a translation gives.
enum Given {
    Event(Event),
    Chunk(StreamChunk),
}

impl Given {
    fn write(&self, into: &mut Vec<u8>) {
        into.clear();
        match self {
            Self::Event(event) => event.write_json(into).expect("an event can be written"),
            Self::Chunk(chunk) => serde_json::to_writer(into, chunk).expect("a chunk can be written"),
        }
    }
}

/// Times a row: the bare parse, the translation, and the translation with all that it gives written as JSON.
fn measure(table: &'static Table, corpus: &Corpus) -> Row {
    let streams = &corpus.streams;
    let messages: Vec<&[u8]> =
        streams.iter().flat_map(|stream| stream.split(|byte| *byte == b'\n')).filter_map(json).collect();
    let before = resident();
    let mut given = 0;
    for stream in streams {
        translate(table, stream, &mut |one| {
            given += 1;
            black_box(&one);
        });
    }
    let grown = resident().saturating_sub(before);
    let mut line = Vec::new();
    let (mut parse, mut translation, mut written) = (Duration::MAX, Duration::MAX, Duration::MAX);
    // The three take turns, so that a machine that slows down for a while slows all of them.
    for _ in 0..ROUNDS {
        parse = parse.min(time(|| {
            for message in &messages {
                black_box(serde_json::from_slice::<Value>(message).ok());
            }
        }));
        translation = translation.min(time(|| {
            for stream in streams {
                translate(table, stream, &mut |one| {
                    black_box(&one);
                });
            }
        }));
        written = written.min(time(|| {
            for stream in streams {
                translate(table, stream, &mut |one| {
                    one.write(&mut line);
                    black_box(&line);
                });
            }
        }));
    }
    let length: usize = streams.iter().map(Vec::len).sum();
    print_row(table, corpus.row, length, messages.len(), given, [parse, translation, written], grown);
    let ratio = |time: Duration| parse.as_secs_f64() / time.as_secs_f64();
    Row { provider: table.provider, row: corpus.row, ratio: ratio(translation), ratio_json: ratio(written) }
}

/// What a reader of the JSON list gets.
#[derive(Serialize)]
struct Row {
    provider: &'static str,
    row: &'static str,
    /// The speed of the translation, divided by that of the bare parse.
    ratio: f64,
    /// The same with all that the translation gives written as JSON.
    ratio_json: f64,
}

fn print_row(
    table: &Table,
    name: &str,
    length: usize,
    messages: usize,
    events: usize,
    [parse, translation, written]: [Duration; 3],
    grown: u64,
) {
    let speed = |time: Duration| length as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{:<22} {:>6.0} {:>9} {:>9} | {:>7.0} {:>9.0} {:>5.2} | {:>9.0} {:>5.2} | {:>10.0} {:>6}",
        format!("{} {name}", table.provider),
        length as f64 / 1e6,
        messages,
        events,
        speed(parse),
        speed(translation),
        speed(translation) / speed(parse),
        speed(written),
        speed(written) / speed(parse),
        events as f64 / translation.as_secs_f64(),
        grown / 1000,
    );
}

/// The processor time that some work takes.
fn time(mut work: impl FnMut()) -> Duration {
    let (wall, cpu) = (Instant::now(), processor_time());
    work();
    match (cpu, processor_time()) {
        (Some(before), Some(after)) => after - before,
        _ => wall.elapsed(),
    }
}

/// The time that this thread has had a processor, where the system tells it: unlike the clock on the wall, it does not
/// count what other programs take.
fn processor_time() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The resident memory in kB, where the system tells it.
fn resident() -> u64 {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
