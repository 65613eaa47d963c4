//! Every line of every bundled recording decodes into the variant that its
//! tags name, and encodes back without losing a field that the schema knows.
//!
//! The schema as published (with its additions, before normalising) is the
//! judge, so that the types are not checked against themselves. What a
//! recording breaks on purpose stands in `tests/exceptions`, and an exception
//! that is none any more fails the test too.

mod compare;
mod providers;
mod report;

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::schema::{self, Schema};
use serde_json::Value;

use report::Report;

#[test]
fn claude() {
    let mut report = Report::new("claude");
    providers::claude(&mut report);
    report.finish(4_300);
}

#[test]
fn codex() {
    let mut report = Report::new("codex");
    providers::codex(&mut report);
    report.finish(2_800);
}

#[test]
fn opencode() {
    let mut report = Report::new("opencode");
    providers::opencode(&mut report);
    report.finish(3_500);
}

#[test]
fn amp() {
    let mut report = Report::new("amp");
    providers::amp(&mut report);
    report.finish(120);
}

/// The repository's root.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schema of a provider, with its additions.
fn schema_of(provider: &str) -> Schema {
    let folder = repository().join("resources/agent-schemas");
    let schema = read(&folder.join(format!("{provider}.json")));
    let additions = read(&folder.join(format!("additions/{provider}.json")));
    schema::load(&schema, &additions).unwrap_or_else(|error| panic!("{provider}: {error}"))
}

/// The folders of a provider's recordings, sorted.
fn recordings(provider: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for version in folders(&repository().join("resources/captures").join(provider)) {
        found.extend(folders(&version));
    }
    found
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.expect("readable").path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a file that are JSON, with their numbers; none when the
/// recording has no such file. Lines that are no JSON are broken on purpose,
/// and what the framing has to deal with.
fn lines(path: &Path) -> Vec<(usize, Value)> {
    let bytes = fs::read(path).unwrap_or_default();
    let mut found = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if let Ok(value) = interlingua_types::read_json(line) {
            found.push((index + 1, value));
        }
    }
    found
}
