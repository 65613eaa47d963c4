//! One snapshot per bundled recording, for every provider that has a map: found by glob, so that a new
//! recording is a new folder and no line of Rust.
//!
//! `INSTA_GLOB_FILTER='claude/**' cargo test -p interlingua-snapshots` looks at some of them only.

use std::fs;
use std::path::Path;

use insta::Settings;
use interlingua::laws::Checker;
use interlingua::model::{self, Answered, Answers};
use interlingua::table::Layer;
use interlingua::vocabulary::{Event, StreamChunk};
use interlingua::{Options, Replay, Stats, Table, Translator};

/// Recordings that hold lines which are no messages: scenario and how many.
const BROKEN: &[(&str, u64)] = &[];

#[test]
fn every_recording_becomes_what_its_snapshot_says() {
    insta::glob!("../../resources/captures", "*/*/*/{stdout.jsonl,events.sse,session.jsonl}", |path| {
        let [scenario, version, provider] = parents(path);
        // A provider without a map has recordings for its types alone.
        if let Some(table) = interlingua::provider(&provider).filter(|table| table.layer == Layer::Agent) {
            recording(table, path, &provider, &format!("{version}__{scenario}"));
        }
    });
}

#[test]
fn every_answer_of_a_model_becomes_what_its_snapshot_says() {
    insta::glob!("../../resources/captures", "*/*/*/{events.sse,body.json}", |path| {
        let [scenario, version, provider] = parents(path);
        if let Some(table) = interlingua::provider(&provider).filter(|table| table.layer == Layer::Model) {
            let text = answers(table, &fs::read(path).expect("a recording"));
            settings(path, &provider)
                .bind(|| insta::assert_snapshot!(format!("{version}__{scenario}"), text));
        }
    });
}

/// The answers of a recording one below the other, although the chunks of candidates come mixed.
fn answers(table: &'static Table, bytes: &[u8]) -> String {
    let mut chunks: Vec<Vec<StreamChunk>> = Vec::new();
    let mut text = String::new();
    let mut take = |number: u64, answered| {
        let index = usize::try_from(number - 1).expect("a number of an answer");
        chunks.resize_with(chunks.len().max(index + 1), Vec::new);
        match answered {
            Answered::Chunk(chunk) => chunks[index].push(chunk),
            Answered::Over(stream) => {
                if number > 1 {
                    text.push_str(&format!("\n\nanswer {number}\n\n"));
                }
                let answer = interlingua_snapshots::render_chunks(&chunks[index], &stream.stats());
                text.push_str(&answer.expect("JSON"));
            }
            _ => {}
        }
    };
    let mut answers = Answers::new(table, model::Options::default());
    answers.push(bytes, &mut take);
    answers.finish(&mut take);
    text
}

/// Recordings that are also translated with the host's side: at least one for each thing that a host does.
fn with_host() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("host_snapshots.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[test]
fn with_what_the_host_has_sent_a_recording_becomes_what_its_snapshot_says() {
    for folder in with_host() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures").join(folder);
        let read = |names: [&str; 2]| {
            let path = names.map(|name| path.join(name)).into_iter().find(|path| path.is_file());
            path.map(|path| fs::read(path).expect("a recording"))
                .unwrap_or_else(|| panic!("{folder}: none of {names:?}"))
        };
        let (agent, host) = (read(["events.sse", "stdout.jsonl"]), read(["http.jsonl", "stdin.jsonl"]));
        let [provider, version, scenario]: [&str; 3] =
            folder.split('/').collect::<Vec<_>>().try_into().expect("PROVIDER/VERSION/SCENARIO");
        let table = interlingua::provider(provider).expect("a bundled provider");
        let mut replay = Replay::new(table, Options::default(), &agent, &host);
        let mut events = Vec::new();
        for moment in replay.by_ref() {
            events.extend(moment.into_events());
        }
        let faults = faults(&events);
        assert!(faults.is_empty(), "{folder}: broken laws:\n{}", faults.join("\n"));
        let mut settings = Settings::clone_current();
        settings.set_snapshot_path(format!("../{provider}"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(about(&path.join("meta.json")));
        settings.bind(|| {
            let text = interlingua_snapshots::render(&events, &replay.stats()).expect("JSON");
            insta::assert_snapshot!(format!("{version}__{scenario}__host"), text);
        });
    }
}

/// The names of the three folders around a file, the innermost first.
fn parents(path: &Path) -> [String; 3] {
    let mut folders = path.ancestors().skip(1);
    std::array::from_fn(|_| {
        let folder = folders.next().and_then(Path::file_name);
        folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    })
}

fn recording(table: &'static Table, path: &Path, provider: &str, name: &str) {
    let input = fs::read(path).expect("a recording");
    let (events, stats) = translate(table, &input);

    let accounted = stats.translated + stats.ignored_total() + stats.unparsed;
    assert_eq!(stats.messages, accounted, "{provider}/{name}: messages that are not accounted for");
    let broken = BROKEN.iter().find(|(scenario, _)| name.ends_with(&format!("__{scenario}")));
    let expected = broken.map_or(0, |(_, count)| *count);
    assert_eq!(stats.unparsed, expected, "{provider}/{name}: unparsed messages: {:?}", unparsed(&events));
    let faults = faults(&events);
    assert!(faults.is_empty(), "{provider}/{name}: broken laws:\n{}", faults.join("\n"));

    settings(path, provider).bind(|| {
        insta::assert_snapshot!(name, interlingua_snapshots::render(&events, &stats).expect("JSON"))
    });
}

fn settings(path: &Path, provider: &str) -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(format!("../{provider}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.remove_snapshot_suffix();
    settings.set_omit_expression(true);
    settings.set_description(about(path));
    settings
}

fn translate(table: &'static Table, input: &[u8]) -> (Vec<Event>, Stats) {
    let mut translator = Translator::new(table, Options::default());
    let mut events: Vec<Event> = translator.push(input).collect();
    events.extend(translator.finish());
    (events, translator.stats())
}

fn unparsed(events: &[Event]) -> Vec<String> {
    let about = events.iter().filter(|event| event.body.event_type() == "agent.unparsed");
    about.map(|event| serde_json::to_string(event).expect("JSON")).collect()
}

fn faults(events: &[Event]) -> Vec<String> {
    let mut checker = Checker::new();
    let mut faults: Vec<String> = Vec::new();
    for event in events {
        faults.extend(checker.feed(event).iter().map(ToString::to_string));
    }
    faults.extend(checker.finish().iter().map(ToString::to_string));
    faults
}

/// What the recording shows, as its `meta.json` says.
fn about(path: &Path) -> String {
    let meta = path.with_file_name("meta.json");
    let text = fs::read_to_string(&meta).expect("the recording's meta.json");
    let meta: serde_json::Value = serde_json::from_str(&text).expect("meta.json as JSON");
    meta["description"].as_str().expect("meta.json: a description").to_string()
}
