//! `interlingua stats`: how much sessions did, took and cost.

pub mod collect;
pub mod days;
mod follow;
pub mod gather;
pub mod merge;
mod pattern;
pub mod places;
mod reading;
pub mod record;
mod sum;
mod table;
mod tokens;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use self::collect::{Counting, Wanted};
use self::merge::Books;
use self::record::{Record, Share};
use crate::args::Source;
use crate::failure::Failure;
use crate::output;
use crate::parallel;

/// The end of the command's help.
pub const HELP: &str = "\
Each session is a row, and the last row is their sum. Without FILE and DIR, these are all
sessions on this machine, read from where the agents keep them (CLAUDE_CONFIG_DIR and the
like are respected). Of a DIR, all files below it are read that end in .jsonl, .json or
.sse; those that no agent wrote are left out. A FILE is a session file, what an agent
printed, or a stored universal stream.

A call of a model counts once, in the session that it comes from: copies in forked and
resumed sessions are shown as `copied_calls` and not counted. Of several reports about a
call, the one with the most output counts. Running totals are never added up. A sub-agent
counts in the session that started it, and is listed there in `sub_agents`. `?` is what is
not known: an unknown cost is not zero.

With --json, each session is a line: {\"provider\", \"native_session_id\", \"files\",
\"title\", \"cwd\", \"model\", \"branch\", \"started\", \"ended\", \"turns\", \"calls\",
\"errors\", \"usage\": {\"input\", \"cache_read\", \"cache_write\", \"output\", \"reasoning\"},
\"cost\", \"resume\", …}; null is what is not known. `calls` are those of models, `tools` has
those of tools. `models`, `days` and `sub_agents` have the shares. `cost` is by the price
list, or else what the agent says, which is `agent_cost`. With --by-day, each day is a
line; a session that goes on over midnight is split by its calls. With --follow, a session
that grows is told again; of a line that is only half written, the rest is waited for.

";

/// The examples in the command's help.
pub const EXAMPLES: &str = "

Examples:
  interlingua stats
  interlingua stats --by-day --timezone UTC
  interlingua stats session.jsonl
  interlingua stats runs/
  interlingua stats --json runs/ | jq -s 'map(.usage.output) | add'";

/// Options of `stats`.
#[derive(Debug, Args)]
pub struct Stats {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    counting: Counting,
    /// Write a JSON object for each row instead of a table
    #[arg(long)]
    json: bool,
    /// A row for each day instead of each session
    #[arg(long)]
    by_day: bool,
    /// Go on: sessions that grow are told again, as lines with --json, else as the table
    #[arg(long)]
    follow: bool,
    /// Session files, what agents printed, universal streams, or folders of them; none is all sessions of this machine
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Stats) -> Result<u8, Failure> {
    let books = options.counting.books()?;
    if options.follow {
        return follow(options, &books);
    }
    let wanted =
        if options.files.is_empty() { Wanted::of_machine(None) } else { Wanted::named(&options.files) };
    let (records, code) = wanted.read(&options.source, &options.counting, &books);
    write(options, &records).map_err(|error| Failure::output(&error))?;
    Ok(code)
}

/// Tells the sessions again whenever one of them grows.
fn follow(options: &Stats, books: &Books) -> Result<u8, Failure> {
    let of_machine = options.files.is_empty();
    let files = if of_machine { Wanted::of_machine(None) } else { Wanted::named(&options.files) }.files;
    let jobs = parallel::jobs(options.counting.jobs.wanted, files.len());
    let search = || if of_machine { Wanted::of_machine(None).files } else { Vec::new() };
    follow::run(&options.source, files, jobs, books, search, |records, news| {
        if options.json && !options.by_day {
            return lines(news.iter().map(|number| records[*number].line()));
        }
        if io::stdout().is_terminal() && !options.json {
            // The table takes the place of the one before.
            io::stdout().lock().write_all(b"\x1b[H\x1b[2J")?;
        }
        write(options, records)
    })
}

fn write(options: &Stats, records: &[Record]) -> io::Result<()> {
    match (options.json, options.by_day) {
        (true, false) => lines(records.iter().map(Record::line)),
        (true, true) => {
            let days = table::by_day(records);
            lines(
                days.iter().map(|(day, (sessions, sum))| Day {
                    share: Share::of_day(*day, sum),
                    sessions: *sessions,
                }),
            )
        }
        (false, false) => table::print(records),
        (false, true) => table::print_days(records),
    }
}

/// A day as a JSON line.
#[derive(Serialize)]
struct Day<'r> {
    #[serde(flatten)]
    share: Share<'r>,
    sessions: u64,
}

/// What a session cost, for people: the amount, or what is known of it.
pub fn costs(record: &Record) -> String {
    table::costs([&record.sum], sum::Sum::cost, sum::Sum::least_cost)
}

/// Writes each value as a line of JSON.
pub fn lines<T: Serialize>(values: impl Iterator<Item = T>) -> io::Result<()> {
    let mut to = BufWriter::new(io::stdout().lock());
    let safe = output::StdoutJson::new();
    for value in values {
        let mut line = serde_json::to_vec(&value)?;
        line.push(b'\n');
        safe.prepare(&mut line);
        to.write_all(&line)?;
    }
    to.flush()
}
