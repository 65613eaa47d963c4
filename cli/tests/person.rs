//! `run` with a person at a terminal.
#![cfg(unix)]

mod support;

use std::process::{Command, Stdio};

use support::command;
use support::driven::program;
use support::pty::Terminal;

#[test]
fn a_person_sees_what_is_waited_for_and_interrupts_it() {
    let terminal = Terminal::new();
    let program = program("interrupted");
    let mut run = command(&["run", "--agent", "claude", "--program", &program, "Work\nwithout end"]);
    run.env("TERM", "xterm").stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(Stdio::null());
    let mut child = run.spawn().expect("the command starts");
    drop(run);
    let mut person = terminal.person();
    person.sees("> Work");
    person.sees("Working.");
    person.sees("waiting for the agent");
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(done.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    let screen = person.screen();
    let told = screen.find("interrupting the turn; Ctrl-C again ends the run").expect("what Ctrl-C does");
    let ended = screen.find("turn failed: error_during_execution").expect("the end of the turn");
    assert!(told < ended, "{screen}");
}
