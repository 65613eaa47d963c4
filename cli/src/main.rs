//! The command `interlingua`: translates the output of coding agents into universal events, checks,
//! explains and describes them. All the work is done by the library `interlingua`; here are only the
//! command line, files and words for people.

#![forbid(unsafe_code)]

mod args;
mod check;
mod detect;
mod explain;
mod failure;
mod input;
mod progress;
mod provider;
mod request;
mod run;
mod schema;
mod sketch;
mod statistics;
mod terms;
mod translate;
mod universal;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Translate(options) => translate::run(&options),
        Command::Check(options) => check::run(&options),
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
