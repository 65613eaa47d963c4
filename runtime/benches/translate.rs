//! How fast streams are translated, against a bare parse of the same bytes in the same run.
//!
//! `cargo bench --bench translate [-- PROVIDER… SIZE…]` builds, for each provider, a stream of at least
//! 100 MB from the lines of its bundled captures, and times on one core
//!
//! - the baseline: `serde_json::from_slice::<Value>` over the same messages, already split,
//! - the translation: framing included, every event taken and dropped, nothing serialised,
//! - the translation with every event written as JSON.
//!
//! The figure to quote is a ratio to the baseline, since absolute speeds depend on the machine.
//! The captures are repeated with their ids changed, so that no message is a repetition of an
//! earlier one, except for the ids of sessions: the stream is that of long sessions.
//!
//! The captured answers of models are short; here each is as long as real ones are, since its events that only go on with a
//! block are repeated.

use std::collections::HashSet;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interlingua::model::{self, ModelStream};
use interlingua::table::{Layer, Table};
use interlingua::vocabulary::{Event, StreamChunk};
use interlingua::{Options, Translator};
use serde_json::Value;

/// The rows of a provider, by the size of the messages.
const SIZES: [&str; 3] = ["small", "large", "huge"];
/// Bytes of a corpus of small messages.
const SMALL_CORPUS: usize = 100_000_000;
/// Bytes of a corpus of large messages.
const LARGE_CORPUS: usize = 50_000_000;
/// Lines up to this length are small messages.
const SMALL_LINE: usize = 64 * 1024;
/// The length of the largest message.
const HUGE_LINE: usize = 64 * 1024 * 1024;
/// How often each figure is taken; the best counts, since noise only ever adds time.
const ROUNDS: usize = 5;
/// What a reader of a pipe or a file would hand over at once.
const CHUNK: usize = 64 * 1024;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let (sizes, wanted): (Vec<_>, Vec<_>) = arguments.iter().partition(|name| SIZES.contains(&name.as_str()));
    let measured = |size: &str| sizes.is_empty() || sizes.iter().any(|name| *name == size);
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
    for table in interlingua::providers() {
        if !wanted.is_empty() && !wanted.iter().any(|name| *name == table.provider) {
            continue;
        }
        let captures = captures(table);
        if captures.is_empty() {
            continue;
        }
        if table.layer == Layer::Model {
            if measured("small") {
                answers_row(table, &answers(table, &captures));
            }
            continue;
        }
        if measured("small") {
            row(table, "small", &corpus(&captures, SMALL_CORPUS, |line| line.len() <= SMALL_LINE));
        }
        let large = corpus(&captures, LARGE_CORPUS, |line| line.len() > SMALL_LINE);
        if measured("large") && !large.is_empty() {
            row(table, "large", &large);
        }
        if measured("huge")
            && let Some(huge) = huge(table, &captures)
        {
            row(table, "one of 64 MiB", &huge);
        }
    }
    println!(
        "speeds in MB/s, best of {ROUNDS}, by processor time where the system tells it; RSS: growth of the resident memory in MB while translating"
    );
}

/// The streams of the provider's bundled captures, in a fixed order: the event streams where there are any, since the
/// lines that the same program prints are few.
fn captures(table: &Table) -> Vec<Vec<u8>> {
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
fn json(line: &[u8]) -> Option<&[u8]> {
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
        .filter(|line| translate(table, line, |_| ()) > 0)
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

/// How often an event of an answer that only goes on with a block is repeated.
const DELTAS: usize = 100;
/// Bytes of all answers of a provider.
const ANSWERS: usize = 50_000_000;

/// Answers of the length of real ones, made of the captured ones.
fn answers(table: &'static Table, captures: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let long = |capture: &Vec<u8>| {
        let mut stream = ModelStream::new(table, model::Options::default());
        let mut answer = Vec::new();
        for message in capture.split(|byte| *byte == b'\n').filter_map(json) {
            let chunks: Vec<StreamChunk> = stream.event(message).collect();
            let goes_on =
                !chunks.is_empty() && chunks.iter().all(|chunk| chunk.chunk_type().ends_with("-delta"));
            for _ in 0..if goes_on { DELTAS } else { 1 } {
                answer.extend_from_slice(b"data: ");
                answer.extend_from_slice(message);
                answer.extend_from_slice(b"\n\n");
            }
        }
        answer
    };
    let mut all: Vec<Vec<u8>> = captures.iter().map(long).filter(|answer| answer.len() > 20_000).collect();
    let once: usize = all.iter().map(Vec::len).sum();
    all = all.iter().cycle().take(all.len() * ANSWERS.div_ceil(once.max(1))).cloned().collect();
    all
}

fn answers_row(table: &'static Table, answers: &[Vec<u8>]) {
    let messages: Vec<&[u8]> =
        answers.iter().flat_map(|answer| answer.split(|byte| *byte == b'\n')).filter_map(json).collect();
    let all = |take: &mut dyn FnMut(StreamChunk)| {
        let mut chunks = 0;
        for answer in answers {
            let mut stream = ModelStream::new(table, model::Options::default());
            for piece in answer.chunks(CHUNK) {
                stream.push(piece).for_each(|chunk| {
                    chunks += 1;
                    take(chunk);
                });
            }
            stream.finish().for_each(|chunk| {
                chunks += 1;
                take(chunk);
            });
        }
        chunks
    };
    let before = resident();
    let chunks = all(&mut |chunk| {
        black_box(&chunk);
    });
    let grown = resident().saturating_sub(before);
    let mut line = Vec::new();
    let (mut parse, mut translation, mut written) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        parse = parse.min(time(|| {
            for message in &messages {
                black_box(serde_json::from_slice::<Value>(message).ok());
            }
        }));
        translation = translation.min(time(|| {
            all(&mut |chunk| {
                black_box(&chunk);
            });
        }));
        written = written.min(time(|| {
            all(&mut |chunk| {
                line.clear();
                serde_json::to_writer(&mut line, &chunk).expect("a chunk can be written");
                black_box(&line);
            });
        }));
    }
    let length: usize = answers.iter().map(Vec::len).sum();
    print_row(table, "answers", length, messages.len(), chunks, [parse, translation, written], grown);
}

fn row(table: &'static Table, name: &str, corpus: &[u8]) {
    let messages: Vec<&[u8]> = corpus.split(|byte| *byte == b'\n').filter_map(json).collect();
    let before = resident();
    let events = translate(table, corpus, |event| {
        black_box(&event);
    });
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
            translate(table, corpus, |event| {
                black_box(&event);
            });
        }));
        written = written.min(time(|| {
            translate(table, corpus, |event| {
                line.clear();
                event.write_json(&mut line).expect("an event can be written");
                black_box(&line);
            });
        }));
    }
    print_row(table, name, corpus.len(), messages.len(), events, [parse, translation, written], grown);
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

/// Translates the stream chunk by chunk; gives the number of events.
fn translate(table: &'static Table, corpus: &[u8], mut take: impl FnMut(Event)) -> usize {
    let mut translator = Translator::new(table, Options::new().message_limit(HUGE_LINE + 1));
    let mut events = 0;
    for chunk in corpus.chunks(CHUNK) {
        for event in translator.push(chunk) {
            events += 1;
            take(event);
        }
    }
    for event in translator.finish() {
        events += 1;
        take(event);
    }
    events
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
