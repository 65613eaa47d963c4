//! `interlingua stats`: how much sessions did, took and cost.

mod record;
mod table;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use interlingua::transcript::Fold;

use self::record::Record;
use crate::args::Source;
use crate::events;
use crate::failure::{FINE, Failure, each, shown, warn};
use crate::output;

/// The end of the command's help.
pub const HELP: &str = "\
Each session is a row, and the last row is their sum. Of a DIR all files below it are
read that end in .jsonl, .json or .sse; those that no agent wrote are left out. A FILE
is what an agent printed, or a stored universal stream.

Tokens are counted as the vocabulary has it: of several reports about the same call the
last one counts, and running totals are never added up. `?` is what nobody says: an
unknown cost is not zero.

With --json each session is a line: {\"provider\", \"native_session_id\", \"files\",
\"title\", \"cwd\", \"model\", \"started\", \"ended\", \"turns\", \"calls\", \"errors\",
\"usage\": {\"input\", \"cache_read\", \"cache_write\", \"output\", \"reasoning\"}, \"cost\"};
null is what is not known.

Examples:
  interlingua stats session.jsonl
  interlingua stats runs/
  interlingua stats --json runs/ | jq -s 'map(.usage.output) | add'";

/// Options of `stats`.
#[derive(Debug, Args)]
pub struct Stats {
    #[command(flatten)]
    source: Source,
    /// Write a JSON object for each session instead of a table
    #[arg(long)]
    json: bool,
    /// What agents printed, universal streams, or folders of them
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Stats) -> Result<u8, Failure> {
    let mut records = Vec::new();
    let code = each(&options.files, |_, path| {
        if path.is_dir() {
            for file in files_below(path)? {
                // Folders hold all kinds of files: whichever is no agent's stream is left out.
                if let Ok(found) = read(options, &file) {
                    records.extend(found);
                }
            }
        } else {
            records.extend(read(options, path)?);
        }
        Ok(FINE)
    })?;
    let written = if options.json { json(&records) } else { table::print(&records) };
    written.map_err(|error| Failure::output(&error))?;
    Ok(code)
}

/// The sessions of a file.
fn read(options: &Stats, path: &Path) -> Result<Vec<Record>, Failure> {
    let mut fold = Fold::new().totals_only();
    let read = events::read(&options.source, path, "s1", |event| fold.push(event))?;
    if read.unparsed > 0 {
        warn(&format!("{}: {} messages could not be parsed", shown(path), read.unparsed));
    }
    let provider = read.table.map(|table| table.provider);
    let sessions = fold.into_transcript().sessions;
    Ok(sessions.into_iter().map(|session| Record::new(provider, path, session)).collect())
}

/// The files below a folder that may be streams, sorted. Links are not followed.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| Failure::reading(&folder, &error))? {
            let entry = entry.map_err(|error| Failure::reading(&folder, &error))?;
            let path = entry.path();
            let is_stream =
                || path.extension().is_some_and(|end| ["jsonl", "json", "sse"].iter().any(|one| end == *one));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && is_stream() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

fn json(records: &[Record]) -> io::Result<()> {
    let mut to = io::stdout().lock();
    let safe = output::StdoutJson::new();
    for record in records {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        safe.prepare(&mut line);
        to.write_all(&line)?;
    }
    Ok(())
}
