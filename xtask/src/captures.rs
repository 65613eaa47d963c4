//! The bundled recordings: `resources/captures/<provider>/<version>/<scenario>/`.

use std::fs;
use std::path::{Path, PathBuf};

/// Where they lie, below the repository's root.
pub const FOLDER: &str = "resources/captures";

/// What the program printed, in one of the forms that recordings have.
const STREAMS: [&str; 3] = ["stdout.jsonl", "events.sse", "session.jsonl"];

/// One recording of a provider.
pub struct Recording {
    /// `<version>__<scenario>`.
    pub name: String,
    /// The file with what the program printed.
    pub file: PathBuf,
}

impl Recording {
    /// What the program printed.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.file).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// The recordings of a provider in a folder of recordings, sorted by name; none when there are none.
///
/// # Errors
///
/// When a folder cannot be read.
pub fn of(captures: &Path, provider: &str) -> Result<Vec<Recording>, String> {
    let folder = captures.join(provider);
    let mut recordings = Vec::new();
    if !folder.is_dir() {
        return Ok(recordings);
    }
    for version in folders(&folder)? {
        for scenario in folders(&version)? {
            let name = format!("{}__{}", last(&version), last(&scenario));
            let files = STREAMS.iter().map(|stream| scenario.join(stream)).filter(|file| file.is_file());
            recordings.extend(files.map(|file| Recording { name: name.clone(), file }));
        }
    }
    Ok(recordings)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|error| format!("{}: {error}", folder.display()))?;
    paths.retain(|path| path.is_dir());
    paths.sort();
    Ok(paths)
}

fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
