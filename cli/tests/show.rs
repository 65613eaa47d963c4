//! `show`, as users run it.

#[path = "html/hostile.rs"]
mod hostile;
mod support;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};

use support::{capture, claude, command, run, scratch};

fn shown(file: &str, more: &[&str]) -> String {
    let ran = run(&[&["show", file], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn a_session_is_plain_text_in_a_pipe() {
    let text = shown(&capture("claude/2.1.332/06-write-edit"), &[]);
    for part in [
        "Session 673774cc-d4a1-4083-8fce-04262375cea1\n",
        "── Turn 1 ──\n",
        "\nCreating the file.\n",
        "● Write /workspace/demo/src/lib.rs 0.4 s\n",
        "  update /workspace/demo/notes.txt\n",
        "\n  -beta\n  +BETA\n",
        "turn completed ",
        " · $0.0174\n",
    ] {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn what_a_sub_agent_did_is_indented_in_its_call() {
    let text = shown(&capture("claude/2.1.332/13-subagent"), &[]);
    assert!(text.contains("\n  sub-agent\n  ┃ "), "{text}");
}

#[test]
fn a_long_output_is_folded_unless_all_of_it_is_asked_for() {
    let output: String = (1..=50).map(|number| format!("line {number}\\n")).collect();
    let event = format!(
        r#"{{"event_id":"s1:1","sequence":1,"session_id":"s1","agent_path":[],"origin":"agent","type":"item.completed","data":{{"item":{{"item_id":"m","kind":"message","role":"assistant","status":"completed","content":[{{"type":"reasoning","text":"{output}"}}]}}}}}}"#
    );
    let file = scratch("show-long.jsonl", event.as_bytes());
    let text = shown(&file, &[]);
    assert!(text.contains("│ line 12\n") && !text.contains("line 13\n"), "{text}");
    assert!(text.contains("… 38 more lines"), "{text}");
    assert!(shown(&file, &["--full"]).contains("│ line 50\n"));
}

#[test]
fn nothing_of_a_hostile_session_reaches_the_terminal_as_a_command() {
    let mut payloads: Vec<&str> = hostile::PAYLOADS.to_vec();
    payloads.extend([
        "\u{1b}[2J\u{1b}]52;c;ZXZpbA==\u{7}\r\u{9b}1A\u{202e}\u{8}",
        "\u{1b}[31mred\u{1b}[0m **b** `c\u{1b}[?25l`",
    ]);
    for payload in payloads {
        let file = scratch("show-hostile.jsonl", hostile::every_kind(payload).as_bytes());
        let ran = command(&["show", "--full", &file])
            .env("CLICOLOR_FORCE", "1")
            .output()
            .expect("the command runs");
        let text = String::from_utf8(ran.stdout).expect("UTF-8");
        let plain = anstream::adapter::strip_str(&text).to_string();
        let is_bad = |letter: char| (letter.is_control() && !"\n\t".contains(letter)) || letter == '\u{202e}';
        assert!(!plain.chars().any(is_bad), "{plain:?}");
        // Only colours were stripped.
        let rest = text.split('\u{1b}').skip(1);
        for sequence in rest {
            let end = sequence.find(|letter: char| !letter.is_ascii_digit() && !"[;".contains(letter));
            assert!(
                sequence.starts_with('[') && end.is_some_and(|end| sequence[end..].starts_with('m')),
                "{sequence:?}"
            );
        }
        assert!(text.contains('\u{1b}'), "there are colours");
    }
}

#[test]
fn a_growing_file_is_followed() {
    let recording = fs::read_to_string(claude()).expect("the recording");
    let lines: Vec<&str> = recording.lines().collect();
    let half = lines.iter().position(|line| line.contains("tool_use")).expect("a call");
    let file = scratch("show-growing.jsonl", format!("{}\n", lines[..half].join("\n")).as_bytes());
    let mut child = command(&["show", "--follow", &file]).spawn().expect("the command starts");
    let mut output = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut to = OpenOptions::new().append(true).open(&file).expect("the file");
    for line in &lines[half..] {
        writeln!(to, "{line}").expect("it is appended");
    }
    let ended = output.find(|line| line.as_ref().expect("UTF-8").starts_with("turn completed"));
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert!(ended.is_some());
}
