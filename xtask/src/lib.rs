//! The chores behind `cargo xtask`, as a library so that tests can call them.
//!
//! [`regen`] writes everything in the repository that is generated and checked
//! in; [`types`] is its largest part: Rust types from the agents' schemas.

#![forbid(unsafe_code)]

pub mod book;
pub mod captures;
pub mod cases;
pub mod coverage;
pub mod drift;
mod foreign;
pub mod fuzz_seeds;
pub mod generator;
pub mod infer;
pub mod language;
pub mod laws;
pub mod manifest;
pub mod mapping;
pub mod maps;
mod markdown;
pub mod prices;
pub mod providers;
pub mod regen;
pub mod registry;
pub mod tables;
pub mod targets;
pub mod tools;
pub mod types;
pub mod vocabulary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask: chores of this repository

USAGE
    cargo xtask regen            write all generated files
    cargo xtask regen --check    write nothing; fail when a file is stale
    cargo xtask book             build the documents as a site with mdbook, in target/book
    cargo xtask coverage         write only docs/coverage: what is read of each provider
    cargo xtask targets          write only what is made from resources/target-maps
    cargo xtask coverage --captures FOLDER
                                 write nothing; say what gets lost of the recordings in a folder
                                 FOLDER/<provider>/<version>/<scenario>/{stdout.jsonl,events.sse,session.jsonl}
    cargo xtask drift OLD NEW    say what differs between two schemas, and which rules of the map,
                                 recordings and documents that touches; writes nothing
                                 (`cargo xtask drift --help` has the options)
    cargo xtask live AGENT [--program PATH] [--only SCENARIO] [--keep FOLDER]
                                 drive the real program by `interlingua run` against a scripted model, in
                                 a network that has loopback alone; --keep writes events and requests
    cargo xtask infer NAME [--any MEMBER,…] FILE…
                                 print a schema of the messages in files of JSON lines, for formats that
                                 nobody publishes; NAME is its root definition, and a MEMBER holds any JSON
    cargo xtask fuzz-seeds       write what the fuzz targets start from

Generated files are checked in, so a build needs no generator and no map compiler, and a change of
a schema or a map shows in review what it changes. They are made from
    resources/*-schemas          the schemas, their manifests, additions
    resources/term-maps          the maps
    resources/target-maps        the maps of targets
    resources/captures           the recordings, for docs/coverage
    runtime                      the vocabulary's own types
without the network, and come out the same on every machine.

After editing any of these: cargo xtask regen, then commit what changed.
A schema's update, step by step: CONTRIBUTING.md.

EXIT CODES
    0  fine        1  stale files, or a source is broken        2  usage
";

/// Runs one command and says how it went.
pub fn run(arguments: &[String]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["regen"] => regen::regen(&repository(), false).map(|report| report.to_string()),
        ["regen", "--check"] => regen::regen(&repository(), true).map(|report| report.to_string()),
        ["book"] => book::build(&repository()),
        ["coverage"] => regen::regen_with(&repository(), false, &[("coverage", coverage::generate)])
            .map(|report| report.to_string()),
        ["targets"] => regen::regen_with(&repository(), false, &[("targets", targets::generate)])
            .map(|report| report.to_string()),
        ["coverage", "--captures", folder] => coverage::report(&repository(), Path::new(folder)),
        ["drift", "--help" | "-h"] | ["drift", _, "--help" | "-h"] => {
            print!("{}", drift::HELP);
            return ExitCode::SUCCESS;
        }
        ["drift"] | ["drift", _] => {
            eprint!("error: `drift` needs two schemas\n\n{}", drift::HELP);
            return ExitCode::from(2);
        }
        ["drift", old, new, more @ ..] => {
            let drift = drift::command(&repository(), Path::new(old), Path::new(new), more);
            drift.and_then(|drift| {
                println!("{}", drift.text);
                let unfit = "the map does not fit the new schema; the errors above say what is missing";
                if drift.fits { Ok(String::new()) } else { Err(unfit.to_owned()) }
            })
        }
        ["infer", more @ ..] => infer::command(more),
        ["live", more @ ..] => xtask_live::command(&repository(), more),
        ["fuzz-seeds"] => fuzz_seeds::write(&repository())
            .map(|count| format!("{count} seeds written to {}", fuzz_seeds::FOLDER)),
        ["--help" | "-h" | "help"] | ["regen", "--help" | "-h"] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [] => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
        other => {
            eprintln!("error: `{}` is no command; `cargo xtask --help` lists them", other.join(" "));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(report) => {
            if !report.is_empty() {
                println!("{report}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// The repository's root, found from where this package lies.
pub fn repository() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package.parent().map(PathBuf::from).unwrap_or(package)
}
