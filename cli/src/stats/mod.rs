//! `interlingua stats`: how much sessions did, took and cost.

mod gather;
mod merge;
mod pattern;
pub mod places;
mod record;
mod table;
mod tokens;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use self::gather::File;
use self::record::Record;
use crate::args::Source;
use crate::failure::{FINE, Failure, shown, warn};
use crate::output;

/// The end of the command's help.
pub const HELP: &str = "\
Each session is a row, and the last row is their sum. Without FILE and DIR these are all
sessions of this machine whose files we can read, from where the agents keep them
(CLAUDE_CONFIG_DIR and the like are respected). A call that several files have is
counted once, in the session that it comes from; sub-agents count in the session that
started them. Of a DIR all files below it are
read that end in .jsonl, .json or .sse; those that no agent wrote are left out. A FILE
is what an agent printed, or a stored universal stream.

Tokens are counted as the vocabulary has it: of several reports about the same call the
last one counts, and running totals are never added up. `?` is what nobody says: an
unknown cost is not zero.

With --json each session is a line: {\"provider\", \"native_session_id\", \"files\",
\"title\", \"cwd\", \"model\", \"branch\", \"started\", \"ended\", \"turns\", \"calls\",
\"errors\", \"usage\": {\"input\", \"cache_read\", \"cache_write\", \"output\", \"reasoning\"},
\"cost\", \"resume\", …}; null is what is not known.

Examples:
  interlingua stats
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
    /// What agents printed, universal streams, or folders of them; none is all sessions of this machine
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
}

/// How a file is asked for: by its name, or by a folder that holds all kinds of files.
struct Wanted {
    file: File,
    by_name: bool,
}

/// Runs the command.
pub fn run(options: &Stats) -> Result<u8, Failure> {
    let mut code = FINE;
    let mut tell = |failure: Failure| {
        failure.tell();
        code = code.max(failure.code());
    };
    let mut wanted = Vec::new();
    if options.files.is_empty() {
        let files = places::session_files(|folder, error| tell(Failure::reading(folder, &error)));
        wanted.extend(
            files
                .into_iter()
                .map(|(table, path)| Wanted { file: File { path, table: Some(table) }, by_name: false }),
        );
    }
    for path in &options.files {
        let of = |path: PathBuf, by_name| Wanted { file: File { path, table: None }, by_name };
        if !path.is_dir() {
            wanted.push(of(path.clone(), true));
            continue;
        }
        let files = places::files_below(path, &["jsonl", "json", "sse"], |folder, error| {
            tell(Failure::reading(folder, &error));
        });
        wanted.extend(files.into_iter().map(|path| of(path, false)));
    }
    let (files, by_name): (Vec<File>, Vec<bool>) =
        wanted.into_iter().map(|wanted| (wanted.file, wanted.by_name)).unzip();
    let mut found = Vec::new();
    for ((file, by_name), result) in files.iter().zip(by_name).zip(gather::all(&options.source, &files)) {
        match result {
            Ok(read) => {
                if read.unparsed > 0 {
                    let path = shown(&file.path);
                    warn(&format!("{path}: {} messages could not be parsed", read.unparsed));
                }
                found.push((file.path.clone(), read));
            }
            Err(failure) if by_name || file.table.is_some() => tell(failure),
            // No agent wrote it.
            Err(_) => {}
        }
    }
    let records = merge::sessions(found);
    let written = if options.json { json(&records) } else { table::print(&records) };
    written.map_err(|error| Failure::output(&error))?;
    Ok(code)
}

fn json(records: &[Record]) -> io::Result<()> {
    let mut to = BufWriter::new(io::stdout().lock());
    let safe = output::StdoutJson::new();
    for record in records {
        let mut line = serde_json::to_vec(&record.line())?;
        line.push(b'\n');
        safe.prepare(&mut line);
        to.write_all(&line)?;
    }
    to.flush()
}
