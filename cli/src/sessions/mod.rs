//! `interlingua sessions`: the sessions of this machine, newest first.

pub mod find;
mod since;

use std::cmp::Reverse;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::args::Source;
use crate::bindings;
use crate::failure::Failure;
use crate::output;
use crate::output::table::{self, Cell, Column, FAINT, PLAIN, STRONG, UNKNOWN};
use crate::stats::collect::{Counting, Wanted};
use crate::stats::days::Zone;
use crate::stats::merge::Books;
use crate::stats::record::Record;
use crate::stats::{costs, lines};

/// The end of the command's help.
pub const HELP: &str = "\
The sessions are read from where the agents keep them; the environment variables that move
these places are respected, such as CLAUDE_CONFIG_DIR and CODEX_HOME. A session without a
title has the beginning of its first prompt. An id stands for the file of its session
wherever a command takes a FILE; so does its beginning, if no other session has it.

With --json, each session is a line with the members of `stats --json`, but `title` is the
title or the first prompt.

Examples:
  interlingua sessions
  interlingua sessions --agent claude --since 2d --cwd .
  interlingua transcript --markdown 5e550001
  interlingua sessions --json | jq -r .resume";

/// Options of `sessions`.
#[derive(Debug, Args)]
pub struct Sessions {
    /// Only sessions of this agent, such as claude or codex
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only sessions that went on after this time: a day, a time such as 2026-11-30T08:00:00Z, or 90m, 12h, 2d, 1w ago
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only sessions of this folder and those below it
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    #[command(flatten)]
    counting: Counting,
    /// Write a JSON object for each session instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(options: &Sessions) -> Result<u8, Failure> {
    let books = options.counting.books()?;
    let wanted = bindings::Wanted {
        agent: options.agent.clone(),
        since: options.since.clone(),
        cwd: options.cwd.clone(),
    };
    let (records, code) = of_machine(&wanted, &options.counting, &books)?;
    let written = match options.json {
        true => lines(records.iter().map(Record::listed)),
        false => print(&records, &books.zone),
    };
    written.map_err(|error| Failure::output(&error))?;
    Ok(code)
}

/// The sessions as JSON lines.
pub fn json(wanted: &bindings::Wanted) -> Result<Vec<String>, Failure> {
    let counting = Counting::default();
    let (records, _) = of_machine(wanted, &counting, &counting.books()?)?;
    // Numbers are finite and keys are texts, so that a record can always be written.
    Ok(records.iter().filter_map(|record| serde_json::to_string(&record.listed()).ok()).collect())
}

/// The sessions of this machine, newest first, and the exit code.
fn of_machine(
    wanted: &bindings::Wanted,
    counting: &Counting,
    books: &Books,
) -> Result<(Vec<Record>, u8), Failure> {
    let since = wanted.since.as_deref().map(|text| since::read(text, &books.zone)).transpose()?;
    let folder = wanted.cwd.as_deref().map(whole);
    let files = Wanted::of_machine(wanted.agent.as_deref());
    let (mut records, code) = files.read(&Source::default(), counting, books);
    records.retain(|record| {
        let is_new = since.is_none_or(|since| ended(record).is_some_and(|ended| ended >= since));
        let is_here = folder.as_deref().is_none_or(|folder| {
            record.summary.cwd.as_deref().is_some_and(|cwd| Path::new(cwd).starts_with(folder))
        });
        is_new && is_here
    });
    records.sort_by_key(|record| Reverse(ended(record)));
    Ok((records, code))
}

fn ended(record: &Record) -> Option<i64> {
    record.summary.ended.map(|ended| ended.unix_millis())
}

/// A folder as agents record it: from the root, and without links where it exists.
fn whole(folder: &Path) -> PathBuf {
    let from_root = || env::current_dir().map_or_else(|_| folder.to_owned(), |here| here.join(folder));
    fs::canonicalize(folder).unwrap_or_else(|_| from_root())
}

fn print(records: &[Record], zone: &Zone) -> io::Result<()> {
    let columns = [
        Column::Words("last"),
        Column::Words("agent"),
        Column::Words("title"),
        Column::Numbers("turns"),
        Column::Numbers("cost"),
        Column::Words("folder"),
        Column::Words("id"),
    ];
    let row = |record: &Record| -> Vec<Cell> {
        let last = ended(record).map_or(UNKNOWN.to_owned(), |ended| zone.shown(ended));
        let text = |text: Option<&str>| text.map_or(UNKNOWN.to_owned(), |text| output::line(text, 1000));
        vec![
            last.into(),
            Cell::new(record.agent().unwrap_or(UNKNOWN), FAINT),
            Cell::new(output::line(&table::short(record.title().unwrap_or(UNKNOWN), 48), 60), STRONG),
            record.summary.turns.to_string().into(),
            costs(record).into(),
            text(record.summary.cwd.as_deref()).into(),
            Cell::new(text(record.native()), PLAIN),
        ]
    };
    let rows: Vec<Vec<Cell>> = records.iter().map(row).collect();
    let mut to = output::people();
    table::write(&mut to, &columns, &rows, false)?;
    to.flush()
}
