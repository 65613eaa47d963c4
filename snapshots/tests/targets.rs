//! Every bundled recording of an agent in the terms of every bundled target: whole, cut off, and with lines missing or
//! repeated. Each message has the shape that the target's schema asks for, and the messages together keep the grammar
//! that `targets/grammar.json` gives: what starts ends, nothing is continued that did not start, and all of it lies in
//! a run where the target has runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use insta::Settings;
use interlingua::table::Layer;
use interlingua::vocabulary::Event;
use interlingua::{Options, Replay, Speaker, Table, Translator};
use serde::Deserialize;
use serde_json::Value;

/// The grammar of a target, as data.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grammar {
    /// What all messages lie in.
    around: Option<Around>,
    pairs: Vec<Pair>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Around {
    open: Vec<String>,
    close: Vec<String>,
}

/// Messages that start, continue and end something.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    open: String,
    inside: Vec<String>,
    close: String,
    /// The member that names it; null where there is one at a time.
    id: Option<String>,
}

/// Checks the messages of one stream.
struct Judge<'g> {
    grammar: &'g Grammar,
    in_run: bool,
    open: BTreeSet<(usize, String)>,
    faults: Vec<String>,
}

impl<'g> Judge<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        Self { grammar, in_run: false, open: BTreeSet::new(), faults: Vec::new() }
    }

    fn take(&mut self, message: &Value) {
        let kind = message["type"].as_str().unwrap_or_default();
        let is_one = |kinds: &[String]| kinds.iter().any(|one| one == kind);
        if let Some(around) = &self.grammar.around {
            let opens = is_one(&around.open);
            if opens == self.in_run {
                self.faults.push(format!("`{kind}` with {} run open", if opens { "a" } else { "no" }));
            }
            self.in_run = self.in_run || opens;
            if is_one(&around.close) {
                self.in_run = false;
                if !self.open.is_empty() {
                    self.faults.push(format!("`{kind}` while these are open: {:?}", self.open));
                }
            }
        }
        for (number, pair) in self.grammar.pairs.iter().enumerate() {
            let name =
                pair.id.as_ref().map(|id| message[id].as_str().unwrap_or_default()).unwrap_or_default();
            let key = (number, name.to_owned());
            let fits = match kind {
                kind if kind == pair.open => self.open.insert(key),
                kind if kind == pair.close => self.open.remove(&key),
                _ => !is_one(&pair.inside) || self.open.contains(&key),
            };
            if !fits {
                self.faults.push(format!("`{kind}` of `{name}` at the wrong time"));
            }
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.in_run || !self.open.is_empty() {
            self.faults.push(format!("open at the end: {:?}, in a run: {}", self.open, self.in_run));
        }
        self.faults
    }
}

#[test]
fn every_recording_is_right_in_every_target() {
    let grammars = grammars();
    let mut faults = Vec::new();
    let (mut streams, mut messages) = (0, 0);
    let validators: BTreeMap<&str, jsonschema::Validator> =
        interlingua::targets().iter().map(|target| (target.provider, validator(target))).collect();
    for (name, table, input) in recordings() {
        for (way, input) in [
            ("whole", input.clone()),
            ("cut", cut(&input)),
            ("dropped", dropped(&input)),
            ("doubled", doubled(&input)),
        ] {
            let events = translate(table, &input);
            for target in interlingua::targets() {
                for said in speak(target, &events).into_values() {
                    streams += 1;
                    let mut judge = Judge::new(&grammars[target.provider]);
                    for message in &said {
                        messages += 1;
                        // What is broken by changed lines is the order; the shapes stay those of the map.
                        if way == "whole"
                            && let Err(error) = validators[target.provider].validate(message)
                        {
                            faults.push(format!("{name} {way}, {}: {error}: {message}", target.provider));
                        }
                        judge.take(message);
                    }
                    let wrong = judge.finish().into_iter();
                    faults.extend(wrong.map(|fault| format!("{name} {way}, {}: {fault}", target.provider)));
                }
            }
        }
    }
    assert!(streams > 1000 && messages > 30_000, "only {streams} streams with {messages} messages");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(20)].join("\n"));
}

#[test]
fn the_messages_of_some_recordings_are_those_of_their_snapshots() {
    let chosen = include_str!("target_snapshots.txt").lines();
    for folder in chosen.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (folder, targets) = folder.split_once(' ').expect("a recording, and its targets");
        let [provider, version, scenario]: [&str; 3] =
            folder.split('/').collect::<Vec<_>>().try_into().expect("PROVIDER/VERSION/SCENARIO");
        let table = interlingua::provider(provider).expect("a bundled provider");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures").join(folder);
        let read = |names: &[&str]| names.iter().find_map(|name| fs::read(path.join(name)).ok());
        let agent = read(&["stdout.jsonl", "events.sse"]).expect("a recording");
        let mut events = Vec::new();
        match read(&["stdin.jsonl", "http.jsonl"]) {
            Some(host) => {
                for moment in Replay::new(table, Options::default(), &agent, &host).by_ref() {
                    events.extend(moment.into_events());
                }
            }
            None => events = translate(table, &agent),
        }
        for target in targets.split(' ').map(|name| interlingua::target(name).expect("a bundled target")) {
            let mut text = String::new();
            for (stream, messages) in speak(target, &events) {
                text.push_str(&format!("stream {stream}\n"));
                messages.iter().for_each(|message| text.push_str(&format!("{message}\n")));
            }
            let mut settings = Settings::clone_current();
            settings.set_snapshot_path(format!("../targets/{}", target.provider));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(format!("{provider}__{version}__{scenario}"), text));
        }
    }
}

#[test]
fn a_grammar_is_broken_by_what_breaks_it() {
    let grammars = grammars();
    let judged = |messages: &[Value]| {
        let mut judge = Judge::new(&grammars["ag-ui"]);
        messages.iter().for_each(|message| judge.take(message));
        judge.finish().len()
    };
    let message = |kind: &str| serde_json::json!({ "type": kind, "messageId": "m" });
    let run = |inside: &[&str]| {
        let all = ["RUN_STARTED"].iter().chain(inside).chain(&["RUN_FINISHED"]);
        all.map(|kind| message(kind)).collect::<Vec<_>>()
    };
    assert_eq!(judged(&run(&["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"])), 0);
    assert!(judged(&run(&["TEXT_MESSAGE_START", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END"])) > 0);
    assert!(judged(&run(&["TEXT_MESSAGE_START"])) > 0);
    assert!(judged(&run(&["TEXT_MESSAGE_CONTENT"])) > 0);
    assert!(judged(&run(&["RUN_STARTED"])) > 0);
    assert!(judged(&[message("RUN_STARTED")]) > 0);
    assert!(judged(&[message("CUSTOM")]) > 0);
}

fn grammars() -> BTreeMap<String, Grammar> {
    let grammars: BTreeMap<String, Grammar> =
        serde_json::from_str(include_str!("../targets/grammar.json")).expect("grammars");
    let targets: Vec<&str> = interlingua::targets().iter().map(|target| target.provider).collect();
    assert_eq!(grammars.keys().collect::<Vec<_>>(), targets, "each target has a grammar");
    grammars
}

fn validator(target: &Table) -> jsonschema::Validator {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../resources/target-schemas/{}.json", target.provider));
    let mut schema: Value =
        serde_json::from_str(&fs::read_to_string(file).expect("a schema")).expect("a schema as JSON");
    // What the map may write is narrower than the published root, which takes any extension.
    let accepted = accepted(target);
    if !accepted.is_empty() {
        let additions = format!("../resources/target-schemas/additions/{}.json", target.provider);
        let additions = Path::new(env!("CARGO_MANIFEST_DIR")).join(additions);
        let additions: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(additions).expect("additions")).expect("a list");
        let definitions = schema["$defs"].as_object_mut().expect("definitions");
        for defined in additions.iter().filter_map(|addition| addition["define"].as_object()) {
            definitions.extend(defined.clone());
        }
        let any: Vec<Value> =
            accepted.iter().map(|name| serde_json::json!({ "$ref": format!("#/$defs/{name}") })).collect();
        schema = serde_json::json!({ "$schema": schema["$schema"], "$defs": schema["$defs"], "anyOf": any });
    }
    jsonschema::validator_for(&schema).expect("a schema")
}

/// The messages that the target's map names as accepted; none where it takes the schema's root.
fn accepted(target: &Table) -> Vec<String> {
    let map = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../resources/target-maps/{}.map", target.provider));
    let map = fs::read_to_string(map).expect("a map");
    let line = map.lines().find_map(|line| line.trim().strip_prefix("accepts: ")?.strip_suffix(';'));
    line.map_or_else(Vec::new, |names| names.split(", ").map(str::to_owned).collect())
}

#[test]
fn a_message_of_another_shape_is_refused() {
    let acp = validator(interlingua::target("acp").expect("a bundled target"));
    let update = |update: Value| serde_json::json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s", "update": update } });
    let text = serde_json::json!({ "type": "text", "text": "Hi" });
    assert!(
        acp.is_valid(&update(serde_json::json!({ "sessionUpdate": "agent_message_chunk", "content": text })))
    );
    assert!(!acp.is_valid(&update(serde_json::json!({ "sessionUpdate": "agent_message_chunk" }))));
    assert!(!acp.is_valid(&update(serde_json::json!({ "garbage": 1 }))));
    assert!(!acp.is_valid(&serde_json::json!({ "jsonrpc": "2.0", "method": "x" })));
    let answer =
        |reason: &str| serde_json::json!({ "jsonrpc": "2.0", "id": 1, "result": { "stopReason": reason } });
    assert!(acp.is_valid(&answer("end_turn")));
    assert!(!acp.is_valid(&answer("nonsense")));
}

/// All recordings of agents, with their names and maps.
fn recordings() -> Vec<(String, &'static Table, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let mut all = Vec::new();
    for table in interlingua::providers().iter().filter(|table| table.layer == Layer::Agent) {
        for version in folders(&root.join(table.provider)) {
            for scenario in folders(&version) {
                let files = ["stdout.jsonl", "events.sse", "session.jsonl"];
                let Some(input) = files.iter().find_map(|file| fs::read(scenario.join(file)).ok()) else {
                    continue;
                };
                all.push((scenario.display().to_string(), *table, input));
            }
        }
    }
    assert!(all.len() > 300, "only {} recordings", all.len());
    all
}

fn folders(of: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(of).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut folders: Vec<_> = entries.unwrap_or_default();
    folders.sort();
    folders
}

fn translate(table: &'static Table, input: &[u8]) -> Vec<Event> {
    let mut translator = Translator::new(table, Options::default());
    let mut events: Vec<Event> = translator.push(input).collect();
    events.extend(translator.finish());
    events
}

/// The messages of each stream.
fn speak(target: &'static Table, events: &[Event]) -> BTreeMap<String, Vec<Value>> {
    let mut speaker = Speaker::new(target);
    let mut spoken: Vec<_> = events.iter().flat_map(|event| speaker.push(event)).collect();
    spoken.extend(speaker.finish());
    let mut streams: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for one in spoken {
        let text = without_surrogates(one.message.get());
        let message = serde_json::from_str(&text).expect("a message is JSON");
        streams.entry(one.stream.to_string()).or_default().push(message);
    }
    streams
}

/// Native values are kept byte for byte, lone surrogates included, which this reader of JSON refuses.
fn without_surrogates(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at..];
        let is_surrogate = escape.get(2..4).is_some_and(|digits| digits.to_lowercase().as_str() > "d7");
        let is_surrogate =
            is_surrogate && escape.get(2..4).is_some_and(|digits| digits.to_lowercase().as_str() < "e0");
        let (written, length) = match escape.as_bytes().get(1) {
            Some(b'u') if is_surrogate => ("\\ufffd", 6),
            _ => (&escape[..2], 2),
        };
        text.push_str(written);
        rest = &escape[length..];
    }
    text + rest
}

/// The first two thirds.
fn cut(input: &[u8]) -> Vec<u8> {
    input[..input.len() * 2 / 3].to_vec()
}

/// Without each fifth line.
fn dropped(input: &[u8]) -> Vec<u8> {
    lines(input)
        .enumerate()
        .filter(|(number, _)| number % 5 != 3)
        .flat_map(|(_, line)| line.to_vec())
        .collect()
}

/// With each fourth line twice.
fn doubled(input: &[u8]) -> Vec<u8> {
    lines(input)
        .enumerate()
        .flat_map(|(number, line)| line.repeat(1 + usize::from(number % 4 == 2)))
        .collect()
}

fn lines(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    input.split_inclusive(|byte| *byte == b'\n')
}
