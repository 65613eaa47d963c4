//! The sessions of files, or of this machine.

use std::path::PathBuf;

use clap::Args;

use super::days::Zone;
use super::gather::{self, File};
use super::merge::{self, Books};
use super::places;
use super::record::Record;
use crate::args::Source;
use crate::failure::{self, Failure, warn};
use crate::parallel::Jobs;
use crate::prices::Prices;

/// Options of all commands that read sessions.
#[derive(Debug, Default, Args)]
pub struct Counting {
    /// A price list, whose entries replace those of the same models
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// The time zone of days: a name such as Europe/Berlin, UTC, +02:00 (default: that of this machine)
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    pub timezone: Option<String>,
    #[command(flatten)]
    pub jobs: Jobs,
}

impl Counting {
    /// The price list and the time zone.
    pub fn books(&self) -> Result<Books, Failure> {
        let zone = Zone::named(self.timezone.as_deref())?;
        Ok(Books { prices: Prices::with(self.prices.as_deref())?, zone })
    }
}

/// Files to read, and which of them were asked for by name.
#[derive(Default)]
pub struct Wanted {
    /// The files.
    pub files: Vec<File>,
    by_name: Vec<bool>,
    /// The exit code so far.
    code: u8,
    /// Whether nothing is told of what cannot be read.
    is_quiet: bool,
}

impl Wanted {
    /// All session files of this machine, those of one agent if it is named.
    pub fn of_machine(agent: Option<&str>) -> Self {
        let mut wanted = Self::default();
        let mut faults = Vec::new();
        let files = places::session_files(|folder, error| faults.push(Failure::reading(folder, &error)));
        faults.into_iter().for_each(|fault| wanted.fail(&fault));
        for (table, path) in files {
            if agent.is_none_or(|agent| places::is_of(table, agent)) {
                wanted.add(path, Some(table), false);
            }
        }
        wanted
    }

    /// The same, and nothing is told of what cannot be read.
    pub fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// These files, and all below these folders.
    pub fn named(paths: &[PathBuf]) -> Self {
        let mut wanted = Self::default();
        for path in paths {
            if !path.is_dir() {
                wanted.add(path.clone(), None, true);
                continue;
            }
            let mut faults = Vec::new();
            let files = places::files_below(path, &["jsonl", "json", "sse"], |folder, error| {
                faults.push(Failure::reading(folder, &error));
            });
            faults.into_iter().for_each(|fault| wanted.fail(&fault));
            files.into_iter().for_each(|path| wanted.add(path, None, false));
        }
        wanted
    }

    fn add(&mut self, path: PathBuf, table: Option<&'static interlingua::table::Table>, by_name: bool) {
        self.files.push(File { path, table });
        self.by_name.push(by_name);
    }

    fn fail(&mut self, failure: &Failure) {
        if !self.is_quiet {
            failure.tell();
        }
        self.code = self.code.max(failure.code());
    }

    /// The files themselves, whether a file that cannot be read is a fault, and the exit code so far. In a folder, there may
    /// be files that no agent wrote.
    pub fn into_files(self) -> (Vec<File>, Vec<bool>, u8) {
        let is_fault =
            self.files.iter().zip(self.by_name).map(|(file, by_name)| by_name || file.table.is_some());
        let is_fault = is_fault.collect();
        (self.files, is_fault, self.code)
    }

    /// Reads the files and gives their sessions, with the exit code. What cannot be read is told.
    pub fn read(mut self, source: &Source, counting: &Counting, books: &Books) -> (Vec<Record>, u8) {
        let mut found = Vec::with_capacity(self.files.len());
        let mut unparsed = Vec::new();
        let results = gather::all(source, &self.files, counting.jobs.wanted);
        for (number, result) in results.into_iter().enumerate() {
            let file = &self.files[number];
            match result {
                Ok(read) => {
                    if read.unparsed > 0 {
                        unparsed.push((file.path.clone(), read.unparsed));
                    }
                    found.push((file.path.clone(), read));
                }
                Err(failure) if self.by_name[number] || file.table.is_some() => self.fail(&failure),
                // No agent wrote it.
                Err(_) => {}
            }
        }
        if !self.is_quiet {
            warn_unparsed(&unparsed);
        }
        (merge::sessions(found, books), self.code)
    }
}

/// How many files with messages that could not be parsed are named.
const NAMED: usize = 10;

/// Tells how many messages of each file could not be parsed.
fn warn_unparsed(files: &[(PathBuf, u64)]) {
    for (path, count) in files.iter().take(NAMED) {
        failure::warn_unparsed(path, *count);
    }
    if let Some(others) = files.get(NAMED..).filter(|others| !others.is_empty()) {
        let count: u64 = others.iter().map(|(_, count)| count).sum();
        warn(&format!(
            "{count} messages of {} more files could not be parsed; --json counts them for each",
            others.len()
        ));
    }
}
