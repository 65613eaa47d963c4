//! How a command fails: what went wrong, where, what to do about it, and the exit code.

use std::fmt;
use std::io;
use std::path::Path;

use crate::output;

/// Everything went well.
pub const FINE: u8 = 0;
/// The input has findings.
pub const FINDINGS: u8 = 1;
/// The command was used wrongly.
pub const USAGE: u8 = 2;
/// Input or output failed.
pub const IO: u8 = 3;

/// Ended by a signal, whose number is added, as shells have it.
pub const SIGNAL: u8 = 128;

/// Why a command stops.
#[derive(Debug)]
pub enum Failure {
    /// Whoever reads our output has stopped reading: nothing to complain about.
    BrokenPipe,
    /// Standard output cannot be written, so that nothing else is worth doing.
    Output(String),
    /// Anything else.
    Said {
        /// The exit code.
        code: u8,
        /// What went wrong, and where.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
}

impl Failure {
    /// A failure with this exit code.
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        Self::Said { code, message: message.into(), help: None }
    }

    /// The same with a hint what to do.
    pub fn help(self, help: impl Into<String>) -> Self {
        match self {
            Self::Said { code, message, .. } => Self::Said { code, message, help: Some(help.into()) },
            broken => broken,
        }
    }

    /// A file that cannot be read.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        let failure = Self::new(IO, format!("cannot read {}: {}", shown(path), plain(error)));
        match error.kind() {
            io::ErrorKind::NotFound => failure.help("check the path, or use - for standard input"),
            io::ErrorKind::IsADirectory => failure.help("name the files in it"),
            io::ErrorKind::PermissionDenied => failure.help("check its permissions"),
            _ => failure.help("check that the file is complete and readable"),
        }
    }

    /// A map that cannot be read; standard input is none.
    pub fn reading_map(path: &Path, error: &io::Error) -> Self {
        Self::new(IO, format!("cannot read the map {}: {}", shown(path), plain(error))).help("check the path")
    }

    /// A file that cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        Self::new(IO, format!("cannot write {}: {}", shown(path), plain(error)))
            .help("check that the folder exists and can be written to")
    }

    /// Standard output that cannot be written.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Output(format!("cannot write to standard output: {}", plain(error))),
        }
    }

    /// What went wrong, without what to do about it.
    pub fn message(&self) -> &str {
        match self {
            Self::BrokenPipe => "the output was closed",
            Self::Output(message) | Self::Said { message, .. } => message,
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::BrokenPipe => FINE,
            Self::Output(_) => IO,
            Self::Said { code, .. } => *code,
        }
    }

    /// Tells it on standard error.
    pub fn tell(&self) {
        if !matches!(self, Self::BrokenPipe) {
            let error = anstyle::AnsiColor::Red.on_default().bold();
            output::tell(format_args!("{error}error:{error:#} {}", output::text(&self.to_string())));
        }
    }
}

/// Does something with each of several files. One that cannot be used is told, and the others are looked at all the
/// same; the worst exit code is given back.
pub fn each<P: AsRef<Path>>(
    files: &[P],
    mut with: impl FnMut(usize, &Path) -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let mut worst = FINE;
    for (place, path) in files.iter().enumerate() {
        let code = match with(place, path.as_ref()) {
            Ok(code) => code,
            Err(end @ (Failure::BrokenPipe | Failure::Output(_))) => return Err(end),
            Err(failure) => {
                failure.tell();
                failure.code()
            }
        };
        worst = worst.max(code);
    }
    Ok(worst)
}

/// Warns of the messages of a file that could not be parsed; nothing when there are none.
pub fn warn_unparsed(path: &Path, count: u64) {
    match count {
        0 => {}
        1 => warn(&format!("{}: 1 message could not be parsed", shown(path))),
        _ => warn(&format!("{}: {count} messages could not be parsed", shown(path))),
    }
}

/// Tells something that is no error.
pub fn warn(what: &str) {
    let warning = anstyle::AnsiColor::Yellow.on_default().bold();
    output::tell(format_args!("{warning}warning:{warning:#} {}", output::text(what)));
}

/// Tells what to do about it.
pub fn help(what: &str) {
    output::tell(format_args!("  help: {}", output::text(what)));
}

/// An error of the system without its number, which tells people nothing.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_string(),
        None => text,
    }
}

/// A path as people call it, on one line.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { output::path(path) }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BrokenPipe => f.write_str("the output was closed"),
            Self::Output(why) => write!(f, "{why}\n  help: check the free space there"),
            Self::Said { message, help, .. } => {
                write!(f, "{message}")?;
                help.iter().try_for_each(|help| write!(f, "\n  help: {help}"))
            }
        }
    }
}
