//! Large input that is made to hurt, with the time and the memory that it takes:
//! `cargo run --release -p interlingua --example hostile [NAME]`
//!
//! Each input is tried in a process of its own, whose peak memory the system tells (on Linux).

use std::env;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, ExitCode};
use std::time::Instant;

use interlingua::{Options, Translator};

/// Makes an input piece by piece, so that it need not be in memory as a whole.
type Input = fn(&mut dyn FnMut(&[u8]));

const INPUTS: &[(&str, Input)] = &[
    ("nothing, to compare with", |_| {}),
    ("arrays nested 100,000 deep, 1,000 times", |push| {
        let deep = format!(
            "{{\"type\":\"item.started\",\"item\":{}{}}}\n",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        (0..1_000).for_each(|_| push(deep.as_bytes()));
    }),
    ("a text of 64 MiB, less a little, in one message", |push| {
        push(b"{\"type\":\"item.completed\",\"item\":{\"id\":\"m\",\"type\":\"agent_message\",\"text\":\"");
        (0..1023).for_each(|_| push(&[b'x'; 64 << 10]));
        push(b"\"}}\n");
    }),
    ("a line of 1 GiB, over the limit", |push| {
        push(b"{\"type\":\"item.completed\",\"item\":{\"text\":\"");
        (0..16 << 10).for_each(|_| push(&[b'x'; 64 << 10]));
        push(b"\"}}\n");
    }),
    ("a million open items", |push| {
        let mut lines = String::new();
        for number in 0..1_000_000 {
            let _ = writeln!(
                lines,
                "{{\"type\":\"item.started\",\"item\":{{\"id\":\"c{number}\",\"type\":\"command_execution\",\"command\":\"ls\",\"status\":\"in_progress\"}}}}"
            );
            if lines.len() > 1 << 16 {
                push(lines.as_bytes());
                lines.clear();
            }
        }
        push(lines.as_bytes());
    }),
    ("a hundred open items with ids of a megabyte", |push| {
        for number in 0..100 {
            let id = "x".repeat(1 << 20);
            let line = format!(
                "{{\"type\":\"item.started\",\"item\":{{\"id\":\"{id}{number}\",\"type\":\"command_execution\",\"command\":\"ls\",\"status\":\"in_progress\"}}}}\n"
            );
            push(line.as_bytes());
        }
    }),
    ("64 MiB of bytes that are no UTF-8, in lines of 1 KiB", |push| {
        let mut line = [0xff; 1 << 10];
        line[1023] = b'\n';
        (0..64 << 10).for_each(|_| push(&line));
    }),
    ("64 MiB of NULs in one line", |push| (0..1 << 10).for_each(|_| push(&[0; 64 << 10]))),
    ("a million lines of `{`", |push| (0..1_000).for_each(|_| push("{\n".repeat(1_000).as_bytes()))),
    ("64 MiB of `{` in one line", |push| (0..1 << 10).for_each(|_| push(&[b'{'; 64 << 10]))),
];

fn main() -> ExitCode {
    let wanted = env::args().nth(1).unwrap_or_default();
    if let Some(number) = wanted.strip_prefix("--only=").and_then(|number| number.parse::<usize>().ok()) {
        return run(number);
    }
    println!("| input | messages | events | seconds | peak MiB |\n|---|---|---|---|---|");
    let program = env::current_exe().expect("the program's own path");
    for (number, _) in INPUTS.iter().enumerate().filter(|(_, (name, _))| name.contains(&wanted)) {
        let output =
            Command::new(&program).arg(format!("--only={number}")).output().expect("the program runs again");
        std::io::stdout().write_all(&output.stdout).expect("the output can be written");
        if !output.status.success() {
            println!(
                "| {} | failed: {} | | | |",
                INPUTS[number].0,
                String::from_utf8_lossy(&output.stderr).trim()
            );
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Tries one input in this process.
fn run(number: usize) -> ExitCode {
    let (name, input) = INPUTS[number];
    let table = interlingua::provider("codex").expect("a bundled provider");
    let mut translator = Translator::new(table, Options::new());
    let start = Instant::now();
    let mut events = 0;
    input(&mut |piece| events += translator.push(piece).count());
    events += translator.finish().count();
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak_memory().map_or_else(|| "unknown".to_owned(), |kib| (kib / 1024).to_string());
    println!("| {name} | {} | {events} | {seconds:.2} | {peak} |", translator.stats().messages);
    ExitCode::SUCCESS
}

/// The most memory that this process has had, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
