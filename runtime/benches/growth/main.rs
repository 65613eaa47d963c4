//! How the work for a stream grows with its length: twice the stream must be about twice the work.
//!
//! `cargo bench -p interlingua --bench growth [-- PROBE…]` runs each probe with three lengths under valgrind, which counts
//! instructions: the counts are the same on a busy machine, and no clock is read. What a program does at its start cancels
//! out, since the differences between the lengths are compared. The program fails when a probe grows by more than `LIMIT`.

mod agents;
mod host;
mod models;

use std::process::{Command, ExitCode};

/// A stream of a length, and what is done with it.
type Probe = (&'static str, fn(usize));

/// The first of the three lengths; each of the others is twice the one before.
const LENGTH: usize = 1500;
/// How the differences may grow: 2 is linear, 4 is the square.
const LIMIT: f64 = 2.5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let probes: Vec<Probe> = [agents::PROBES, host::PROBES, models::PROBES].concat();
    if let [run, name, length] = &arguments[..]
        && run == "--run"
    {
        let probe = probes.iter().find(|(known, _)| known == name).expect("a known probe");
        probe.1(length.parse().expect("a length"));
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = arguments.iter().find(|name| !probes.iter().any(|(known, _)| known == name)) {
        eprintln!("error: there is no probe `{unknown}`");
        return ExitCode::from(2);
    }
    let mut grows = Vec::new();
    for (name, _) in
        probes.iter().filter(|(name, _)| arguments.is_empty() || arguments.iter().any(|a| a == name))
    {
        let counts = [LENGTH, LENGTH * 2, LENGTH * 4].map(|length| instructions(name, length));
        let [Ok(one), Ok(two), Ok(four)] = counts else {
            let error = counts.into_iter().find_map(Result::err).unwrap_or_default();
            eprintln!("error: the instructions of `{name}` cannot be counted: {error}");
            return ExitCode::from(2);
        };
        let growth = (four - two) / (two - one);
        let each = (four - two) / (LENGTH * 2) as f64;
        let mark = if growth > LIMIT { "   GROWS" } else { "" };
        println!("{name:<48} {each:>9.0} instructions each   x{growth:.2}{mark}");
        if growth > LIMIT {
            grows.push(*name);
        }
    }
    if grows.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "error: more than linear: {}; a growth of 2 is linear, and up to {LIMIT} is allowed",
        grows.join(", ")
    );
    ExitCode::FAILURE
}

/// The instructions of a process that runs one probe.
fn instructions(probe: &str, length: usize) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(this)
        .args(["--run", probe, &length.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let said = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        return Err(said.into_owned());
    }
    let count = said
        .lines()
        .find_map(|line| line.split_once("refs:"))
        .map(|(_, count)| count.trim().replace(',', ""));
    count.and_then(|count| count.parse().ok()).ok_or_else(|| said.into_owned())
}
