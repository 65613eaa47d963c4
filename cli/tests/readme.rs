//! What README.md shows is what the command does.

mod support;

use std::fs;
use std::path::PathBuf;

use support::{capture, run};

fn page() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    fs::read_to_string(path).expect("README.md").replace("\r\n", "\n")
}

/// The lines of the code block after a marker.
fn block(page: &str, marker: &str) -> Vec<String> {
    let (_, rest) = page.split_once(&format!("<!-- example: {marker} -->\n```json\n")).expect(marker);
    let (block, _) = rest.split_once("\n```").expect("the end of the block");
    block.lines().map(str::to_string).collect()
}

#[test]
fn the_example_is_real() {
    let page = page();
    let recording = capture("codex/0.171.0/exec-03-command");
    let native = fs::read_to_string(&recording).expect("the recording");
    let translated = run(&["translate", &recording]).stdout;
    let (input, output) = (block(&page, "input"), block(&page, "output"));
    assert!(native.contains(&input.join("\n")), "not in the recording: {input:?}");
    assert!(translated.contains(&output.join("\n")), "not what translate prints: {output:?}");
}

#[test]
fn the_thirty_seconds_translate_a_bundled_recording() {
    let page = page();
    let command = page.lines().find(|line| line.starts_with("cargo run")).expect("the first command");
    let (_, arguments) = command.split_once(" -- ").expect("arguments");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let ran = support::command(&arguments.split(' ').collect::<Vec<_>>()).current_dir(root).output();
    let ran = ran.expect("the command runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(ran.stdout.starts_with(b"{\"event_id\":\"s1:1\""));
}

#[test]
fn the_checks_run_the_test_command_of_the_page() {
    let page = page();
    let test = page.lines().find(|line| line.starts_with("cargo test")).expect("the second command");
    let script = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.ci/run"));
    assert!(script.expect(".ci/run").contains(test), "`{test}` is not in .ci/run");
}
