//! Running the built command.
#![allow(dead_code)]

#[cfg(unix)]
pub mod door;
#[cfg(unix)]
pub mod driven;
#[cfg(unix)]
pub mod pty;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A recording that is bundled with the repository.
pub fn capture(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    root.join(path).join("stdout.jsonl").display().to_string()
}

pub fn claude() -> String {
    capture("claude/2.1.332/04-bash")
}

pub fn codex() -> String {
    capture("codex/0.171.0/03b-command-interactive")
}

/// The command, not yet started.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlingua"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What the command did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("an exit code"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

pub fn run(arguments: &[&str]) -> Ran {
    command(arguments).output().expect("the command runs").into()
}

pub fn run_with_stdin(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("its standard input");
    let input = input.to_vec();
    // In a thread of its own: the command may write more than a pipe holds before it has read all.
    let writer = std::thread::spawn(move || {
        // The command may stop reading before the end, which is its good right.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    output.into()
}

/// The events on standard output.
pub fn events(ran: &Ran) -> Vec<serde_json::Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

/// A file of this test's own, in the folder that cargo keeps for tests.
pub fn scratch(name: &str, content: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("a scratch file");
    path.display().to_string()
}
