//! The first edition of the mapping table, statement by statement. Each one holds here, shown by a few
//! native lines and what they become (`seed_table/<provider>.json`), or is declared as different from
//! what the real program does, shown by a recording (`seed_table/differences.json`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua::Table;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::case_harness::assertion::{Assertion, Case};
use crate::case_harness::run::judge;

/// The rows that the table has for every provider.
const ROWS: &[&str] = &[
    "session_id",
    "native_session_id",
    "item_id",
    "native_item_id",
    "session.started",
    "session.ended",
    "message (user)",
    "message (assistant)",
    "message.delta",
    "tool call",
    "tool result",
    "permission.requested",
    "permission.resolved",
    "question.requested",
    "question.resolved",
    "error",
    "synthetic: session.started",
    "synthetic: session.ended",
    "policy: item.delta before item.completed",
    "normalised: user and assistant by role",
];

/// What it says of single providers.
const STATEMENTS: &[(&str, &str)] = &[
    ("claude", "synthetic: item_id"),
    ("claude", "synthetic: user message"),
    ("claude", "synthetic: question events"),
    ("claude", "synthetic: message.delta"),
    ("claude", "deltas: no deltas in its schema"),
    ("codex", "synthetic: native_session_id"),
    ("codex", "deltas: native deltas"),
    ("opencode", "synthetic: stub before message"),
    ("opencode", "deltas: native deltas"),
    ("opencode", "normalised: tool parts are items"),
    ("amp", "synthetic: message.delta"),
    ("amp", "deltas: no deltas in its schema"),
];

/// The providers of its columns.
const COLUMNS: &[&str] = &["claude", "codex", "opencode", "amp"];

/// A statement that holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Held {
    row: String,
    seed: String,
    /// Native messages, in order.
    #[serde(default)]
    input: Vec<Value>,
    /// What their events are.
    #[serde(default)]
    assert: Vec<Assertion>,
    /// For a term that the provider has not: events that no recording of it gives.
    #[serde(default)]
    never: Vec<Value>,
}

/// A statement that does not hold for the real program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    provider: String,
    row: String,
    seed: String,
    /// What the program does instead.
    instead: String,
    /// The recording that shows it.
    capture: String,
    assert: Vec<Assertion>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seed_table")
}

fn captures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures")
}

fn read<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let file = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn table(provider: &str) -> &'static Table {
    interlingua::provider(provider).unwrap_or_else(|| panic!("there is no map of {provider}"))
}

fn case(provider: &str, about: String, assert: Vec<Assertion>) -> Case {
    Case { from: provider.to_string(), kind: "seed-table".to_string(), about, assert }
}

/// What the program wrote in a recording.
fn recorded(folder: &Path) -> Vec<u8> {
    let files = ["stdout.jsonl", "events.sse", "session.jsonl"].map(|file| folder.join(file));
    let file = files.into_iter().find(|file| file.is_file());
    fs::read(file.unwrap_or_else(|| panic!("{}: no recording", folder.display()))).expect("a recording")
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// Every statement stands once, as held or as different.
#[test]
fn every_statement_is_accounted_for_once() {
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for provider in COLUMNS {
        for held in read::<Held>(provider) {
            *found.entry(((*provider).to_string(), held.row)).or_default() += 1;
        }
    }
    for difference in read::<Difference>("differences") {
        assert!(!difference.instead.is_empty() && !difference.seed.is_empty(), "{}", difference.row);
        *found.entry((difference.provider, difference.row)).or_default() += 1;
    }
    let rows = COLUMNS.iter().flat_map(|provider| ROWS.iter().map(move |row| (*provider, *row)));
    for (provider, row) in rows.chain(STATEMENTS.iter().copied()) {
        let times = found.remove(&(provider.to_string(), row.to_string())).unwrap_or_default();
        assert_eq!(times, 1, "{provider}, {row}: stands so many times");
    }
    assert!(found.is_empty(), "no statements of the table: {found:?}");
}

#[test]
fn each_native_term_gives_the_universal_term() {
    let mut problems = Vec::new();
    for provider in COLUMNS {
        for held in read::<Held>(provider) {
            let about = format!("{provider}, {}: {}", held.row, held.seed);
            if !held.never.is_empty() {
                problems.extend(never(provider, &about, &held.never));
                continue;
            }
            let lines: Vec<String> = held.input.iter().map(|message| format!("{message}\n")).collect();
            let case = case(provider, about, held.assert);
            let faults = judge(&case, table(provider), lines.concat().as_bytes());
            problems.extend(faults.iter().map(|fault| format!("{}\n{fault}", case.about)));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// No recording of the provider gives such an event.
fn never(provider: &str, about: &str, patterns: &[Value]) -> Vec<String> {
    let scenarios: Vec<PathBuf> =
        below(&captures().join(provider)).iter().flat_map(|version| below(version)).collect();
    assert!(!scenarios.is_empty(), "{provider} has no recordings");
    let none = || patterns.iter().cloned().map(Assertion::None).collect();
    let judged = scenarios.iter().flat_map(|scenario| {
        judge(&case(provider, about.to_string(), none()), table(provider), &recorded(scenario))
    });
    judged.map(|fault| format!("{about}\n{fault}")).collect()
}

#[test]
fn each_difference_is_what_the_recording_shows() {
    let mut problems = Vec::new();
    for difference in read::<Difference>("differences") {
        let Difference { provider, row, instead, capture, assert, .. } = difference;
        assert!(capture.starts_with(&format!("{provider}/")), "{row}: a recording of another provider");
        let case = case(&provider, format!("{provider}, {row}: {instead}"), assert);
        let faults = judge(&case, table(&provider), &recorded(&captures().join(&capture)));
        problems.extend(faults.iter().map(|fault| format!("{}\n{fault}", case.about)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
