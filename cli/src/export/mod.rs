//! `interlingua export`: sessions as tables, in Parquet files.

pub mod read;

use std::path::{Path, PathBuf};

use clap::Args;
use interlingua_arrow::{Choice, Copies, ParquetFolder, Table, Tables};

use crate::args::Source;
use crate::failure::{FINDINGS, Failure, IO, shown, warn};
use crate::parallel;
use crate::progress::Files;
use crate::stats::collect::{Counting, Wanted};
use crate::stats::gather::File;

/// The end of the command's help.
pub const HELP: &str = "\
Writes a Parquet file for each table into DIR: sources, sessions, turns, items, tool_calls,
usage, files and events. docs/tables.md describes each column. The files appear when all of
them are complete, in place of older ones.

Without FILE and DIR, these are all sessions on this machine, as in `interlingua stats`. Of
a DIR, all files below it are read that end in .jsonl, .json or .sse. A FILE is a session
file, what an agent printed, or a stored universal stream. One that cannot be read, or not
to its end, has a row in `sources` with the reason in `error`. The exit code is 1 then,
unless it is a file in DIR that no agent wrote.

A call of a model that several sources have, since sessions were forked or resumed, counts
in the first of them; in the others its row in `usage` has `is_copy`.

";

/// The examples in the command's help.
pub const EXAMPLES: &str = "

Examples:
  interlingua export --parquet tables
  interlingua export --parquet tables --tables sessions,usage runs/
  duckdb -c \"select model, sum(cost) from 'tables/usage.parquet' where not is_copy group by model\"";

/// Options of `export`.
#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    counting: Counting,
    /// Write Parquet files into this folder, which is created if it is not there
    #[arg(long, value_name = "DIR", required = true)]
    parquet: PathBuf,
    /// Only these tables, separated by commas (default: all)
    #[arg(long, value_name = "TABLES", value_delimiter = ',', value_parser = table_names())]
    tables: Vec<String>,
    /// Session files, what agents printed, universal streams, or folders of them; none is all sessions of this machine
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
}

fn table_names() -> clap::builder::PossibleValuesParser {
    Table::ALL.map(Table::name).into()
}

impl Export {
    fn choice(&self) -> Choice {
        if self.tables.is_empty() {
            return Choice::all();
        }
        self.tables.iter().filter_map(|name| Table::named(name)).fold(Choice::none(), Choice::with)
    }
}

/// Runs the command.
pub fn run(options: &Export) -> Result<u8, Failure> {
    let exported =
        export(&options.parquet, &options.files, options.choice(), &options.source, &options.counting)?;
    tell(&exported.failed);
    Ok(if exported.failed.is_empty() { exported.code } else { exported.code.max(FINDINGS) })
}

/// Exports with the usual options. Gives the reasons of the sources that could not be read.
pub fn parquet(folder: &Path, files: &[PathBuf], choice: Choice) -> Result<Vec<String>, Failure> {
    let exported = export(folder, files, choice, &Source::default(), &Counting::default())?;
    Ok(exported.failed.iter().map(|failure| failure.message().to_owned()).collect())
}

/// What became of an export.
struct Exported {
    /// Why sources could not be read, without the files in folders that no agent wrote.
    failed: Vec<Failure>,
    code: u8,
}

fn export(
    to: &Path,
    files: &[PathBuf],
    choice: Choice,
    source: &Source,
    counting: &Counting,
) -> Result<Exported, Failure> {
    let pricing = read::pricing(&counting.books()?);
    let wanted = if files.is_empty() { Wanted::of_machine(None) } else { Wanted::named(files) };
    let (files, is_fault, code) = wanted.into_files();
    let writing = |error: &dyn std::fmt::Display| {
        Failure::new(IO, format!("cannot write the tables into {}: {error}", shown(to)))
            .help("check that the folder can be written to, and the free space there")
    };
    let mut folder = ParquetFolder::create(to, choice).map_err(|error| writing(&error))?;
    let mut copies = Copies::new();
    let mut progress = Files::new(files.len());
    let mut failed = Vec::new();
    let work = |number: usize, sender: &parallel::Sender<Message>| {
        let File { path, table } = &files[number];
        let mut tables = Tables::new(choice).with_pricing(pricing.clone());
        let send = |tables: &mut Tables| {
            let batches = tables.take().map_err(|error| error.to_string());
            let _ = sender.send(Message::Rows(batches));
        };
        let result = read::file(&mut tables, source, path, *table, send);
        send(&mut tables);
        let _ = sender.send(Message::Done(result.err()));
    };
    let jobs = parallel::jobs(counting.jobs.wanted, files.len());
    parallel::in_order(jobs, files.len(), work, |number, message| {
        match message {
            Message::Rows(batches) => {
                for (table, batch) in batches.map_err(|error| writing(&error))? {
                    let batch = match table {
                        Table::Usage => copies.mark(&batch).map_err(|error| writing(&error))?,
                        _ => batch,
                    };
                    folder.write(table, &batch).map_err(|error| writing(&error))?;
                }
            }
            Message::Done(failure) => {
                progress.advance();
                failed.extend(failure.filter(|_| is_fault[number]));
            }
        }
        Ok::<(), Failure>(())
    })?;
    progress.finish();
    folder.finish().map_err(|error| writing(&error))?;
    Ok(Exported { failed, code })
}

/// What the work on a file sends.
enum Message {
    Rows(Result<Vec<(Table, arrow_array::RecordBatch)>, String>),
    /// The end of the file, with the reason when it failed.
    Done(Option<Failure>),
}

/// How many sources that failed are named.
const NAMED: usize = 10;

fn tell(failed: &[Failure]) {
    for failure in failed.iter().take(NAMED) {
        warn(failure.message());
    }
    if failed.len() > NAMED {
        let others = failed.len() - NAMED;
        warn(&format!(
            "{others} more sources could not be read; `error` in the table sources has the reasons"
        ));
    }
}
