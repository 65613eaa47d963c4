//! The command `interlingua`: translates the output of coding agents into universal events, checks,
//! explains and describes them. The library `interlingua` does the work; here are the command line, files and
//! messages for people.
//!
//! It is a library only so that the packages for other languages can share what needs files: the sessions of this
//! machine, maps from files, the export of tables. Its interface is not stable.

#![forbid(unsafe_code)]

mod args;
pub mod bindings;
mod check;
mod detect;
mod events;
mod explain;
#[cfg(feature = "parquet")]
mod export;
mod failure;
mod generated;
mod html;
mod input;
mod output;
mod parallel;
mod priced;
mod prices;
mod progress;
mod provider;
mod request;
mod run;
mod schema;
mod sessions;
mod show;
mod sketch;
mod statistics;
mod stats;
mod terminal;
mod terms;
mod transcript;
mod translate;
mod universal;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use args::{Cli, Command};

/// Runs the command with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    #[cfg(unix)]
    if let Some(code) = run::supervise_if_asked() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(error),
    };
    let result = match cli.command {
        Command::Translate(options) => translate::run(&options),
        Command::Transcript(options) => transcript::run(&options),
        Command::Show(options) => show::run(&options),
        Command::Html(options) => html::run(&options),
        Command::Stats(options) => stats::run(&options),
        Command::Sessions(options) => sessions::run(&options),
        Command::Check(options) => check::run(&options),
        #[cfg(feature = "parquet")]
        Command::Export(options) => export::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Terms(options) => terms::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Request(options) => request::run(&options),
        Command::Schema => schema::run(),
        Command::Detect(options) => detect::run(&options),
    };
    ExitCode::from(result.unwrap_or_else(|failure| {
        failure.tell();
        failure.code()
    }))
}

/// Help and version on standard output; what is wrong with the arguments, which may hold anything, on standard error.
fn wrong_usage(mut error: clap::Error) -> ExitCode {
    let given: Vec<(ContextKind, String)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(given) => Some((kind, output::name(given))),
            _ => None,
        })
        .collect();
    for (kind, given) in given {
        error.insert(kind, ContextValue::String(given));
    }
    if error.use_stderr() {
        let mut to = output::people_stderr();
        let _ = write!(to, "{}", error.render().ansi()).and_then(|()| to.flush());
    } else {
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(failure::USAGE))
}
