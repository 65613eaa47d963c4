//! Reading many files at once: what each of them says about its sessions.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use interlingua::Options;
use interlingua::table::Table;

use super::reading::{Found, Reading};
use crate::args::Source;
use crate::events;
use crate::failure::Failure;
use crate::parallel;
use crate::progress::Files;

/// How many bytes of a text are read. Titles, prompts and paths are shorter, and nothing else of a text is needed.
const TEXT: usize = 64 << 10;

/// A file to read.
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Whose it is, where the place says so.
    pub table: Option<&'static Table>,
}

/// How files are translated when nothing but numbers is needed.
pub fn options() -> Options {
    Options::default().session_id("s1").text_limit(TEXT)
}

/// Reads files on several threads, and gives what each says in the order of the files.
pub fn all(source: &Source, files: &[File], jobs: Option<NonZeroUsize>) -> Vec<Result<Found, Failure>> {
    let mut progress = Files::new(files.len());
    let mut all = Vec::with_capacity(files.len());
    let work = |number: usize, sender: &parallel::Sender<Result<Found, Failure>>| {
        let _ = sender.send(read(source, &files[number]));
    };
    let taken = parallel::in_order(parallel::jobs(jobs, files.len()), files.len(), work, |_, found| {
        progress.advance();
        all.push(found);
        Ok::<(), std::convert::Infallible>(())
    });
    progress.finish();
    match taken {
        Ok(()) => all,
        Err(never) => match never {},
    }
}

fn read(source: &Source, file: &File) -> Result<Found, Failure> {
    let mut reading = Reading::new(&file.path);
    let take = |event| reading.take(event);
    let read = match file.table {
        Some(table) => events::read_as(table, &file.path, options(), take)?,
        None => events::read(source, &file.path, options(), take)?,
    };
    Ok(reading.found(read.table, read.unparsed))
}
