//! `cargo xtask`: the project's own chores. See `cargo xtask --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    xtask::run(&arguments)
}
