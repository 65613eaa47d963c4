//! `interlingua run` with a program in the place of an agent, driven step by step.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use super::{Ran, command, events, run_with_stdin};

/// The folder of the programs.
pub fn agents() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

/// The path of one of the programs.
pub fn program(name: &str) -> String {
    agents().join(format!("{name}.sh")).display().to_string()
}

/// `run` with one of the programs and these further arguments.
pub fn arguments<'a>(program: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--agent", "claude", "--program", program], more].concat()
}

/// A run whose commands are given while it goes on.
pub struct Driven {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    pub stdout: BufReader<ChildStdout>,
    seen: Vec<Value>,
}

impl Driven {
    pub fn start(name: &str, more: &[&str]) -> Self {
        Self::of(&arguments(&program(name), more), &[])
    }

    pub fn of(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = command(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, stdin, stdout, seen: Vec::new() }
    }

    pub fn give(&mut self, command: &Value) {
        let stdin = self.stdin.as_mut().expect("its input is open");
        writeln!(stdin, "{command}").expect("it reads");
    }

    /// Reads events until one of this type has come.
    pub fn until(&mut self, event_type: &str) -> Value {
        loop {
            let mut line = String::new();
            let count = self.stdout.read_line(&mut line).expect("it writes");
            assert!(count > 0, "no {event_type} came: {:#?}", self.seen);
            let event: Value = serde_json::from_str(&line).expect("one JSON object a line");
            self.seen.push(event.clone());
            if event["type"] == event_type {
                return event["data"].clone();
            }
        }
    }

    /// The text of the next message that is whole.
    pub fn text(&mut self) -> String {
        loop {
            let item = &self.until("item.completed")["item"];
            let text = item["content"][0]["text"].as_str();
            if let Some(text) = text.filter(|_| item["kind"] == "message" && item["role"] == "assistant") {
                return text.to_owned();
            }
        }
    }

    /// Gives no more commands, and waits for the end.
    pub fn end(mut self) -> Ran {
        drop(self.stdin.take());
        let mut stdout: String = self.seen.iter().map(|event| format!("{event}\n")).collect();
        self.stdout.read_to_string(&mut stdout).expect("UTF-8");
        let mut stderr = String::new();
        self.child.stderr.take().expect("its errors").read_to_string(&mut stderr).expect("UTF-8");
        let status = self.child.wait().expect("it ends");
        Ran { code: status.code().expect("an exit code"), stdout, stderr }
    }
}

/// All texts of the agent, in order.
pub fn texts(ran: &Ran) -> Vec<String> {
    let is_said = |event: &&Value| {
        let item = &event["data"]["item"];
        event["type"] == "item.completed" && item["kind"] == "message" && item["role"] == "assistant"
    };
    let text = |event: &Value| event["data"]["item"]["content"][0]["text"].as_str().unwrap_or("").to_owned();
    events(ran).iter().filter(is_said).map(text).collect()
}

pub fn keeps_the_laws(ran: &Ran) {
    let checked = run_with_stdin(&["check"], ran.stdout.as_bytes());
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{}", ran.stdout);
}
