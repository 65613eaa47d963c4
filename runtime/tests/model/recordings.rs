//! The recordings of models' streams.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua::Table;
use interlingua::model::{ModelStream, Options, Stats};
use interlingua::vocabulary::{Message, StreamChunk};
use serde_json::Value;

/// One answer as it came over the wire.
pub struct Recording {
    pub provider: String,
    pub scenario: String,
    folder: PathBuf,
    pub wire: Vec<u8>,
    pub meta: Value,
}

impl Recording {
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.scenario)
    }

    /// A JSON file beside the wire, if there is one. A library that keeps the halves of a character apart writes what is no
    /// text, and is not compared.
    pub fn json(&self, file: &str) -> Option<Value> {
        let text = fs::read_to_string(self.folder.join(file)).ok()?;
        match serde_json::from_str(&text) {
            Ok(value) => Some(value),
            Err(error) if error.to_string().contains("hex escape") => None,
            Err(error) => panic!("{}/{file}: {error}", self.name()),
        }
    }

    pub fn table(&self) -> &'static Table {
        interlingua::provider(&self.provider).unwrap_or_else(|| panic!("no provider {}", self.provider))
    }

    /// The wire, cut where the reads of the recording ended.
    pub fn reads(&self) -> Vec<&[u8]> {
        let mut cuts: Vec<usize> = self.meta["reads"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|cut| Some(cut.as_u64()? as usize))
            .filter(|cut| *cut < self.wire.len())
            .collect();
        cuts.push(self.wire.len());
        let mut from = 0;
        cuts.into_iter().map(|cut| &self.wire[std::mem::replace(&mut from, cut)..cut]).collect()
    }
}

/// What a stream becomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub chunks: Vec<StreamChunk>,
    pub message: Message,
    pub stats: Stats,
}

pub fn translate<'a>(table: &'static Table, pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut stream = ModelStream::new(table, Options::default());
    let mut chunks: Vec<StreamChunk> = Vec::new();
    for piece in pieces {
        chunks.extend(stream.push(piece));
    }
    chunks.extend(stream.finish());
    Outcome { chunks, message: stream.message(), stats: stream.stats() }
}

/// All recordings, sorted; not those without a stream.
pub fn all() -> Vec<Recording> {
    let mut found = Vec::new();
    match std::env::var_os("MODEL_STREAMS") {
        Some(root) => {
            for provider in below(Path::new(&root)) {
                for scenario in below(&provider) {
                    found.extend(read(&provider, &scenario, &["wire.sse", "wire.json"]));
                }
            }
        }
        None => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
            for provider in below(&root) {
                let table = interlingua::provider(&last(&provider));
                if table.is_none_or(|table| table.layer != interlingua::table::Layer::Model) {
                    continue;
                }
                for scenario in below(&provider).iter().flat_map(|version| below(version)) {
                    found.extend(read(&provider, &scenario, &["events.sse", "body.json"]));
                }
            }
        }
    }
    assert!(found.len() > 50, "only {} recordings", found.len());
    found
}

fn read(provider: &Path, folder: &Path, files: &[&str]) -> Option<Recording> {
    let wire = files.iter().find_map(|file| fs::read(folder.join(file)).ok())?;
    let meta = fs::read_to_string(folder.join("meta.json")).expect("meta.json");
    Some(Recording {
        provider: last(provider),
        scenario: last(folder),
        folder: folder.to_owned(),
        wire,
        meta: serde_json::from_str(&meta).expect("meta.json as JSON"),
    })
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    paths
}

fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
