//! `html`: pages that hold what a session says, and nothing that it wants.

#[path = "html/hostile.rs"]
mod hostile;
#[path = "html/inert.rs"]
mod inert;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua::vocabulary::Event;
use support::{Ran, capture, claude, run, scratch};

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

fn page(file: &str, more: &[&str]) -> String {
    let ran = run(&[&["html", "-o", "-", file], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

fn pages(of: &Path, into: &Path) -> (Ran, BTreeMap<String, String>) {
    let ran = run(&["html", &of.display().to_string(), "-o", &into.display().to_string()]);
    let written = fs::read_dir(into).expect("the folder").map(|entry| entry.expect("an entry").path());
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("a page"))
    };
    (ran, written.map(read).collect())
}

/// One version of each provider is enough here.
fn recordings() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let mut found = Vec::new();
    for provider in fs::read_dir(root).expect("the recordings") {
        let provider = provider.expect("an entry").path();
        let mut versions: Vec<_> =
            fs::read_dir(provider).expect("versions").map(|entry| entry.expect("an entry").path()).collect();
        versions.sort();
        let last = versions.pop().expect("a version");
        let mut scenarios: Vec<_> =
            fs::read_dir(last).expect("scenarios").map(|entry| entry.expect("an entry").path()).collect();
        scenarios.sort();
        // Every third is enough, too.
        for scenario in scenarios.iter().step_by(3) {
            let files = ["stdout.jsonl", "session.jsonl", "events.sse", "transcript.jsonl"]
                .map(|name| scenario.join(name));
            found.extend(files.into_iter().find(|file| file.is_file()));
        }
    }
    found
}

#[test]
fn a_page_shows_the_conversation_with_calls_results_and_facts() {
    let page = page(&claude(), &[]);
    for part in [
        "<h1>",
        "hi from bash",
        "<strong>Bash</strong>",
        "<dt>cost</dt>",
        "<h1>Claude Code session ",
        "Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-",
        "<summary>source</summary>",
        "rule <code>assistant</code>",
    ] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    assert_eq!(inert::check(&page), Ok(()));
}

#[test]
fn an_empty_page_is_small() {
    let page = page(&scratch("empty-session.jsonl", b""), &[]);
    assert!(page.len() < 60_000, "{} bytes", page.len());
    assert!(page.contains("Nothing was recorded."));
}

#[test]
fn changes_sub_agents_and_permissions_are_shown_where_they_belong() {
    let edit = page(&capture("claude/2.1.332/06-write-edit"), &[]);
    assert!(edit.contains("class=\"del\"") && edit.contains("class=\"add\""), "{edit}");
    let sub = page(&capture("claude/2.1.332/13-subagent"), &[]);
    assert!(sub.contains("<section class=\"sub\" aria-label=\"Sub-agent\">"), "{sub}");
}

#[test]
fn native_lines_are_in_the_page() {
    let page = page(&claude(), &[]);
    let pack = page.split("data-k=\"n\"").nth(1).expect("native lines");
    let pack = pack.split_once('>').and_then(|(_, rest)| rest.split_once('<')).expect("its text").0;
    let lines = inert::inflated(pack);
    let native = fs::read_to_string(claude()).expect("the recording");
    assert!(lines.iter().all(|line| native.contains(line.as_str())) && lines.len() > 3, "{lines:?}");
}

#[test]
fn reasoning_without_a_text_is_not_recorded() {
    let event = r#"{"event_id":"s1:1","sequence":1,"session_id":"s1","agent_path":[],"origin":"agent","type":"item.completed","data":{"item":{"item_id":"m","kind":"message","role":"assistant","status":"completed","content":[{"type":"reasoning","text":""}]}}}"#;
    let page = page(&scratch("no-reasoning.jsonl", event.as_bytes()), &[]);
    assert!(page.contains("<p class=\"quiet\">not recorded</p>"), "{page}");
}

#[test]
fn a_long_session_keeps_its_parts_compressed() {
    let mut lines = String::new();
    for number in 1..=3000 {
        let text = format!("entry {number} {}", "word ".repeat(60));
        lines.push_str(&format!(r#"{{"event_id":"s1:{number}","sequence":{number},"session_id":"s1","agent_path":[],"origin":"agent","type":"item.completed","data":{{"item":{{"item_id":"m{number}","kind":"message","role":"assistant","status":"completed","content":[{{"type":"text","text":"{text}"}}]}}}}}}"#));
        lines.push('\n');
    }
    let page = page(&scratch("long-session.jsonl", lines.as_bytes()), &[]);
    assert!(page.len() < 300_000 && page.contains("data-k=\"p\""), "{} bytes", page.len());
    assert_eq!(inert::check(&page), Ok(()));
}

#[test]
fn redaction_removes_secrets_and_native_lines_and_reports() {
    let key = concat!("sk", "-test-0123456789abcdefghij");
    let event = format!(
        r#"{{"event_id":"s1:1","sequence":1,"session_id":"s1","agent_path":[],"origin":"agent","type":"item.completed","data":{{"item":{{"item_id":"m","kind":"message","role":"user","status":"completed","content":[{{"type":"text","text":"in /home/ann/work is {key}"}}]}}}},"native":{{"line":1,"offset":0,"length":9,"rule":"r","raw":"{key}"}}}}"#
    );
    let file = scratch("secret-session.jsonl", event.as_bytes());
    let ran = run(&["html", "--redact", "-o", "-", &file]);
    assert!(ran.stdout.contains("in ~/work is [redacted API key]"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(key) && !ran.stdout.contains("data-k=\"n\""), "{}", ran.stdout);
    assert!(ran.stderr.contains("redacted: 1 × API key, 1 × home folder"), "{}", ran.stderr);
}

#[test]
fn several_sessions_get_an_index() {
    let (from, into) = (folder("html-index-from"), folder("html-index-into"));
    for (name, recording) in [("a", claude()), ("b", capture("codex/0.171.0/03b-command-interactive"))] {
        fs::copy(recording, from.join(name).with_extension("jsonl")).expect("a copy");
    }
    let (ran, pages) = pages(&from, &into);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(pages.keys().collect::<Vec<_>>(), ["a.html", "b.html", "index.html"]);
    let index = &pages["index.html"];
    assert!(index.contains("<h1>2 sessions</h1>") && index.contains("href=\"a.html\""), "{index}");
    assert_eq!(inert::check(index), Ok(()));
}

#[test]
fn nothing_of_a_hostile_session_is_alive() {
    let (from, into) = (folder("html-hostile-from"), folder("html-hostile-into"));
    for (number, payload) in hostile::PAYLOADS.iter().enumerate() {
        let stream = hostile::every_kind(payload);
        for line in stream.lines() {
            serde_json::from_str::<Event>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
        fs::write(from.join(format!("kinds-{number}.jsonl")), stream).expect("a file");
    }
    let mut count = hostile::PAYLOADS.len();
    for (number, recording) in recordings().iter().enumerate() {
        let translated = run(&["translate", &recording.display().to_string()]);
        if translated.code != 0 || !translated.stdout.starts_with("{\"event_id\"") {
            // The stream of a model.
            continue;
        }
        let stream = hostile::events(&translated.stdout, hostile::PAYLOADS[number % hostile::PAYLOADS.len()]);
        for line in stream.lines() {
            serde_json::from_str::<Event>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
        fs::write(from.join(format!("recording-{number}.jsonl")), stream).expect("a file");
        count += 1;
    }
    let (ran, pages) = pages(&from, &into);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(pages.len(), count + 1, "{}", ran.stderr);
    assert!(count > 60, "{count}");
    for (name, page) in &pages {
        assert_eq!(inert::check(page), Ok(()), "{name}");
    }
}
