//! What the packages for other languages share with the command: maps from files, conversations as request bodies, the
//! sessions of this machine, and tables. What needs no files is in the library `interlingua`.

use std::io::Read;
use std::path::{Path, PathBuf};

use interlingua::Table;
use interlingua::vocabulary::ModelRequest;

use crate::failure::Failure;
use crate::{provider, request, sessions};

/// Why something failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What went wrong, and where.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let help = match &failure {
            Failure::Said { help, .. } => help.clone(),
            _ => None,
        };
        Self { message: failure.message().to_owned(), help }
    }
}

/// A bundled provider by its name.
///
/// # Errors
/// When there is none of this name.
pub fn provider(name: &str) -> Result<&'static Table, Error> {
    Ok(provider::named(name)?)
}

/// A provider's or a target's table, compiled from a map in a file. It stays in memory until the process ends.
///
/// # Errors
/// When the map or a file that it names cannot be read, and when it has faults: all of them, each with its line.
pub fn load(map: &Path, schema: Option<&Path>) -> Result<&'static Table, Error> {
    Ok(provider::load(map, schema)?)
}

/// A bundled target by its name, or one from a map's file, whose name ends in `.map`.
///
/// # Errors
/// When there is none of this name, and as in [`load`].
pub fn target(name: &str) -> Result<&'static Table, Error> {
    Ok(provider::target(name)?)
}

/// A conversation from JSON: a request, or only its messages.
///
/// # Errors
/// When the text is neither.
pub fn conversation(json: &[u8]) -> Result<ModelRequest, Error> {
    request::conversation(json).map_err(|error| Error {
        message: format!("this is no conversation: {error}"),
        help: Some("give a list of messages, or an object with `messages`".to_owned()),
    })
}

/// Which sessions of this machine are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only those of this agent.
    pub agent: Option<String>,
    /// Only those that went on after this time, as `interlingua sessions --since` has it.
    pub since: Option<String>,
    /// Only those of this folder and those below it.
    pub cwd: Option<PathBuf>,
}

/// The sessions of this machine, newest first: each as a line of `interlingua sessions --json`.
///
/// # Errors
/// When `since` is no time.
pub fn sessions(wanted: &Wanted) -> Result<Vec<String>, Error> {
    Ok(sessions::json(wanted)?)
}

/// Tables of sources.
#[cfg(feature = "parquet")]
pub mod tables {
    use super::{Error, Path, Read, Table};
    use crate::args::Source;
    use crate::export::{self, read};
    use crate::stats::collect::Counting;

    pub use interlingua_arrow::{Choice, Pricing, Table as ArrowTable, Tables};

    /// The bundled price list, for days in the time zone of this machine.
    ///
    /// # Errors
    /// Never, so far.
    pub fn pricing() -> Result<Pricing, Error> {
        Ok(read::pricing(&Counting::default().books()?))
    }

    /// Whose map reads a source; without one, that is found out.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Reader {
        /// The map.
        pub table: Option<&'static Table>,
    }

    impl Reader {
        /// Adds the rows of a file. `send` is called when the rows are many, and may take them.
        ///
        /// # Errors
        /// When the file cannot be read, or not to its end. It has a row in `sources` all the same.
        pub fn file(
            self,
            tables: &mut Tables,
            path: &Path,
            send: impl FnMut(&mut Tables),
        ) -> Result<(), Error> {
            Ok(read::file(tables, &Source::default(), path, self.table, send)?)
        }

        /// Adds the rows of what a reader gives, under a name for people.
        ///
        /// # Errors
        /// As [`Reader::file`].
        pub fn reader(
            self,
            tables: &mut Tables,
            name: &str,
            reader: Box<dyn Read>,
            send: impl FnMut(&mut Tables),
        ) -> Result<(), Error> {
            Ok(read::reader(tables, name, reader, self.table, send)?)
        }
    }

    /// Writes the tables of files and folders as Parquet files, as `interlingua export` does; without any, those of all
    /// sessions of this machine. Gives the sources that could not be read, with the reasons.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn export_parquet(
        folder: &Path,
        files: &[std::path::PathBuf],
        choice: Choice,
    ) -> Result<Vec<String>, Error> {
        Ok(export::parquet(folder, files, choice)?)
    }
}
