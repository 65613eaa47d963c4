//! Which provider wrote a stream: of every recording and case, and of streams of others.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua::table::Layer;
use interlingua::{Detection, Detector, Options, Translator, detect, provider};
use serde_json::Value;

/// The recordings of each provider: its name, and what its program printed.
fn recordings() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let inside = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut found = Vec::new();
    for provider in inside(&root) {
        let name = provider.file_name().expect("a name").to_string_lossy().into_owned();
        for scenario in inside(&provider).iter().flat_map(|version| inside(version)) {
            let files = ["stdout.jsonl", "events.sse", "session.jsonl"].map(|file| scenario.join(file));
            found.extend(files.into_iter().filter(|file| file.is_file()).map(|file| (name.clone(), file)));
        }
    }
    found
}

#[test]
fn every_recording_is_known_by_its_first_line_already() {
    let mut seen = 0;
    for (name, file) in recordings() {
        let Some(table) = provider(&name).filter(|table| table.layer == Layer::Agent) else {
            continue;
        };
        let bytes = fs::read(&file).expect("a recording");
        // These begin a stream and a session file with the same line.
        let lines = if ["pi", "pi-session"].contains(&name.as_str()) { 2 } else { 1 };
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end + 1);
        let first = ends.take(lines).last().unwrap_or(bytes.len());
        // A document over several lines has no message in its first.
        let first = if bytes[..first].trim_ascii() == b"{" { bytes.len() } else { first };
        for start in [&bytes[..first], &bytes] {
            let found = detect(start).map(|table| table.provider);
            assert_eq!(found, Some(table.provider), "{}: {} bytes", file.display(), start.len());
        }
        seen += 1;
    }
    assert!(seen > 0, "no recordings");
}

/// An answer that fails at once is told alike by all, and one that breaks off may have said nothing.
#[test]
fn the_stream_of_a_model_is_known_unless_it_holds_no_answer() {
    let (mut seen, mut unknown) = (0, Vec::new());
    for (name, file) in recordings() {
        let Some(table) = provider(&name).filter(|table| table.layer == Layer::Model) else {
            continue;
        };
        seen += 1;
        let found = detect(&fs::read(&file).expect("a recording"));
        match found {
            Some(found) => {
                let is_it = found.provider == table.provider || table.dialect_of == Some(found.provider);
                assert!(is_it, "{}: {}", file.display(), found.provider);
            }
            None => unknown.push(file),
        }
    }
    let empty = ["empty-body", "done-only", "error-first", "closed-mid-event"];
    unknown
        .retain(|file| !empty.iter().any(|name| file.parent().is_some_and(|folder| folder.ends_with(name))));
    assert!(seen > 100 && unknown.is_empty(), "{seen} recordings, of which unknown: {unknown:?}");
}

#[test]
fn another_protocol_is_not_taken_for_a_known_one() {
    for (name, file) in recordings() {
        // The streams of other providers are events of a server, which no other map may claim.
        if file.extension().is_some_and(|extension| extension == "sse") {
            let found = detect(&fs::read(&file).expect("a recording")).map(|table| table.provider);
            let base = found.is_none_or(|found| {
                found == name || provider(&name).is_some_and(|table| table.dialect_of == Some(found))
            });
            assert!(base, "{}: {found:?}", file.display());
        }
    }
}

#[test]
fn text_without_messages_is_unknown() {
    for text in ["", "\n\n", "good morning\n", "{}\n", "[1,2]\n", "{\"type\":\"no such\"}\n"] {
        assert!(detect(text.as_bytes()).is_none(), "{text:?}");
    }
}

#[test]
fn the_cuts_between_slices_do_not_matter() {
    for (_, file) in recordings().iter().step_by(7) {
        let bytes = fs::read(file).expect("a recording");
        let bytes = &bytes[..bytes.len().min(4 << 10)];
        for size in [1, 7, 1000] {
            let mut detector = Detector::new();
            bytes.chunks(size).for_each(|slice| _ = detector.push(slice));
            assert_eq!(detector.finish().table(), detect(bytes), "{}, by {size}", file.display());
        }
    }
}

#[test]
fn half_a_message_needs_more() {
    let line = b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n";
    let mut detector = Detector::new();
    for byte in &line[..line.len() - 1] {
        assert_eq!(detector.push(&[*byte]), Detection::NeedMore);
    }
    assert!(detector.push(b"\n").table().is_some());
    assert!(detector.push(b"good morning\n").table().is_some(), "what was found stays");
    assert_eq!(Detector::new().finish(), Detection::Unknown);
}

#[test]
fn a_translation_is_universal() {
    let codex = provider("codex").expect("a bundled provider");
    let mut translator = Translator::new(codex, Options::default());
    let event = translator.push_message(b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}").next();
    let event = serde_json::to_vec(&event.expect("an event")).expect("JSON");
    let chunk = b"{\"type\":\"text-delta\",\"index\":0,\"text\":\"Hi\"}";
    for line in [&event[..], chunk] {
        let mut detector = Detector::new();
        detector.push(line);
        assert_eq!(detector.finish(), Detection::Universal, "{}", line.escape_ascii());
    }
}

#[test]
fn the_scores_tell_which_lines_were_recognised() {
    let mut detector = Detector::new();
    detector.push(b"npm warn\n{\"level\":1}\n{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n");
    let scores = detector.scores();
    let best = scores.first().expect("a score");
    assert_eq!((best.table.provider, best.recognised, &best.lines[..]), ("openai-chat", 1, &[3][..]));
}

/// A format that shares its shape with a known one is not taken for it by a message or two.
#[test]
fn another_program_of_the_same_shape_is_unknown() {
    let lsp = "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"capabilities\":{\"hoverProvider\":true}}}\n\
               {\"jsonrpc\":\"2.0\",\"method\":\"textDocument/publishDiagnostics\",\"params\":{\"uri\":\"file:///a\"}}\n\
               {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}\n";
    let steps = "{\"type\":\"run_start\"}\n{\"type\":\"step_start\"}\n\
                 {\"type\":\"message_start\",\"message\":{\"role\":\"robot\",\"content\":[]}}\n\
                 {\"type\":\"message_update\"}\n{\"type\":\"message_end\"}\n{\"type\":\"step_end\"}\n";
    for stream in [lsp, steps] {
        assert_eq!(detect(stream.as_bytes()).map(|table| table.provider), None, "{stream}");
    }
}

/// The cases of the engine are built to break translators; none of them may be taken for another provider's stream.
#[test]
fn cases_are_told_by_what_they_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut unknown = Vec::new();
    for folder in fs::read_dir(root).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let Ok(case) = fs::read(folder.join("case.json")) else { continue };
        let case: Value = serde_json::from_slice(&case).expect("JSON");
        let own = case["from"].as_str().expect("a provider");
        let files = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut inputs = files.filter(|path| path.file_stem().is_some_and(|stem| stem == "input"));
        let input = fs::read(inputs.next().expect("an input")).expect("an input");
        let base = provider(own).and_then(|table| table.dialect_of);
        match detect(&input).map(|table| table.provider) {
            Some(found) => assert!(found == own || Some(found) == base, "{}: {found}", folder.display()),
            None => unknown.push(folder.file_name().expect("a name").to_string_lossy().into_owned()),
        }
    }
    unknown.sort();
    assert_eq!(unknown, UNKNOWN, "cases whose lines do not tell who wrote them");
}

/// Errors that several formats write alike.
const UNKNOWN: [&str; 4] = [
    "220-chat-error-body-alone",
    "error-field-in-words",
    "error-with-what-was-generated-alone",
    "noise-header-before-a-document",
];
