//! `interlingua export`: sessions as tables, in Parquet files.

pub mod read;

use std::path::PathBuf;

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
    let pricing = read::pricing(&options.counting.books()?);
    let wanted =
        if options.files.is_empty() { Wanted::of_machine(None) } else { Wanted::named(&options.files) };
    let (files, is_fault, mut code) = wanted.into_files();
    let choice = options.choice();
    let writing = |error: &dyn std::fmt::Display| {
        Failure::new(IO, format!("cannot write the tables into {}: {error}", shown(&options.parquet)))
            .help("check that the folder can be written to, and the free space there")
    };
    let mut folder = ParquetFolder::create(&options.parquet, choice).map_err(|error| writing(&error))?;
    let mut copies = Copies::new();
    let mut progress = Files::new(files.len());
    let mut failed: Vec<Failure> = Vec::new();
    let work = |number: usize, sender: &parallel::Sender<Message>| {
        let File { path, table } = &files[number];
        let mut tables = Tables::new(choice).with_pricing(pricing.clone());
        let send = |tables: &mut Tables| {
            let batches = tables.take().map_err(|error| error.to_string());
            let _ = sender.send(Message::Rows(batches));
        };
        let result = read::file(&mut tables, &options.source, path, *table, send);
        send(&mut tables);
        let _ = sender.send(Message::Done(result.err()));
    };
    parallel::in_order(
        parallel::jobs(options.counting.jobs.wanted, files.len()),
        files.len(),
        work,
        |number, message| {
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
        },
    )?;
    progress.finish();
    folder.finish().map_err(|error| writing(&error))?;
    if !failed.is_empty() {
        tell(&failed);
        code = code.max(FINDINGS);
    }
    Ok(code)
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
