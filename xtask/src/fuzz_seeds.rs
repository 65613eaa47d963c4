//! `cargo xtask fuzz-seeds`: what the fuzz targets start from, made from recordings, cases, maps and schemas.
//!
//! The seeds are not checked in: they are large, and made anew in a second.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::captures::{self, Recording};
use crate::maps;

/// Where the seeds go, below the repository's root.
pub const FOLDER: &str = "runtime/fuzz/corpus";

/// Where the words go that a provider's messages are told apart by.
pub const DICTIONARIES: &str = "runtime/fuzz/dictionaries";

/// The longest seed in bytes: a fuzzer tries many short streams in the time of a long one.
const LONGEST: usize = 4 * 1024;

/// The longest text of a seed in characters; the rest says nothing new to the engine.
const LONGEST_TEXT: usize = 40;

/// Writes all seeds and gives their number.
///
/// # Errors
///
/// When a source cannot be read or a seed cannot be written.
pub fn write(root: &Path) -> Result<usize, String> {
    let mut seeds = Vec::new();
    for map in maps::compile(root)? {
        let provider = map.table.provider;
        let mut words: BTreeSet<String> = map.table.keys.iter().map(|key| (*key).to_owned()).collect();
        for recording in captures::of(&root.join(captures::FOLDER), provider)? {
            for (place, part) in parts(&recording)?.into_iter().enumerate() {
                seeds.push((format!("engine-{provider}"), format!("{}-{place}", recording.name), part));
            }
        }
        for pattern in map.table.rules.iter().flat_map(|rule| rule.patterns) {
            words.extend(pattern.split(['/', '"', ' ']).filter(|word| !word.is_empty()).map(str::to_owned));
        }
        let lines: String =
            words.iter().map(|word| format!("\"\\\"{}\\\"\"\n", word.escape_default())).collect();
        put(&root.join(DICTIONARIES), &format!("{provider}.dict"), lines.as_bytes())?;
    }
    for file in files(&root.join("runtime/tests"), "")? {
        let is_input = file.file_stem().is_some_and(|stem| stem == "input");
        if is_input || file.extension().is_some_and(|extension| extension == "jsonl" || extension == "bin") {
            let bytes = read(&file)?;
            let name =
                file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
            seeds.push((
                "framing".to_owned(),
                name.clone(),
                [&[3, 255, 7], &bytes[..bytes.len().min(LONGEST)]].concat(),
            ));
            if let Some(map) = maps::names(root)?.into_iter().find(|map| name.contains(map.as_str())) {
                seeds.push((format!("engine-{map}"), name, bytes));
            }
        }
    }
    for file in files(&root.join("codegen/tests"), "map")? {
        seeds.push(("map_language".to_owned(), name_of(&file), read(&file)?));
    }
    for file in files(&root.join("codegen/tests"), "json")? {
        seeds.push(("schema".to_owned(), name_of(&file), read(&file)?));
    }
    let written = seeds.iter().filter(|(_, _, bytes)| bytes.len() <= LONGEST);
    for (target, name, bytes) in written.clone() {
        put(&root.join(FOLDER).join(target), name, bytes)?;
    }
    Ok(written.count())
}

/// A recording with its long texts cut, in parts that are short enough: each from a line on.
fn parts(recording: &Recording) -> Result<Vec<Vec<u8>>, String> {
    let mut parts = vec![Vec::new()];
    for line in recording.read()?.split_inclusive(|byte| *byte == b'\n') {
        let line = shortened(line);
        let part = parts.last_mut().filter(|part| part.len() + line.len() <= LONGEST);
        match part {
            Some(part) => part.extend_from_slice(&line),
            None => parts.push(line),
        }
    }
    Ok(parts)
}

fn shortened(line: &[u8]) -> Vec<u8> {
    let (before, json) = line.split_at(if line.starts_with(b"data: ") { 6 } else { 0 });
    match serde_json::from_slice::<Value>(json) {
        Ok(mut value) => {
            shorten(&mut value);
            [before, value.to_string().as_bytes(), b"\n"].concat()
        }
        Err(_) => line.to_vec(),
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
                text.truncate(end);
            }
        }
        Value::Array(elements) => {
            elements.truncate(6);
            elements.iter_mut().for_each(shorten);
        }
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// All files below a folder whose names end so, sorted; all files where `extension` is empty.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if extension.is_empty() || path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn name_of(file: &Path) -> String {
    let parts: Vec<_> =
        file.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("-")
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join(name), bytes))
        .map_err(|error| format!("{}/{name}: {error}", folder.display()))
}
