//! The bundled providers: by name, and by what their messages look like.

#[cfg(feature = "providers")]
#[doc(inline)]
pub use interlingua_maps as bundled;

use std::cmp::Reverse;
use std::collections::HashMap;

use interlingua_table::{Layer, Rule, Table};
use serde::de::IgnoredAny;

use crate::engine::model::{self, ModelStream};
use crate::engine::{Options, Translator};
use crate::framing::{DEFAULT_LIMIT, Frame, Framer, find_object_start};

/// All bundled providers, sorted by name. Without the feature `providers` there are none.
///
/// ```
/// let names: Vec<&str> = interlingua::providers().iter().map(|table| table.provider).collect();
/// assert!(names.contains(&"claude"));
/// ```
#[must_use]
pub fn providers() -> &'static [&'static Table] {
    #[cfg(feature = "providers")]
    {
        bundled::PROVIDERS
    }
    #[cfg(not(feature = "providers"))]
    {
        &[]
    }
}

/// The versions of a bundled provider's program whose recordings prove its map. What another version says is
/// translated as well; what it says in a new way becomes `agent.unparsed`.
///
/// ```
/// # #[cfg(feature = "providers")]
/// assert!(!interlingua::registry::recorded_versions("claude").is_empty());
/// ```
#[must_use]
pub fn recorded_versions(provider: &str) -> &'static [&'static str] {
    #[cfg(feature = "providers")]
    {
        bundled::RECORDED.iter().find(|(name, _)| *name == provider).map_or(&[], |(_, versions)| versions)
    }
    #[cfg(not(feature = "providers"))]
    {
        let _ = provider;
        &[]
    }
}

/// The bundled provider of this name.
///
/// ```
/// assert_eq!(interlingua::provider("codex").map(|table| table.title), Some("Codex"));
/// assert!(interlingua::provider("nobody").is_none());
/// ```
#[must_use]
pub fn provider(name: &str) -> Option<&'static Table> {
    providers().iter().copied().find(|table| table.provider == name)
}

/// How many messages are looked at.
const MESSAGES: usize = 20;

/// The bundled provider whose messages these are: the first bytes of a stream, up to the end of a
/// message.
///
/// That one is chosen whose map takes the most of the first messages, and more than half of them. Programs
/// that imitate each other's format are told apart by their messages' members: where several maps take as
/// many, it is the one whose schema knows the most of the members, and then the one whose schema misses the
/// fewest. `None` when no map takes enough, or when two are equally near: more of the stream may tell them
/// apart.
///
/// ```
/// let start = br#"{"type":"thread.started","thread_id":"01a22b94"}"#;
/// assert_eq!(interlingua::detect(start).map(|table| table.provider), Some("codex"));
/// assert!(interlingua::detect(b"good morning").is_none());
/// ```
#[must_use]
pub fn detect(bytes: &[u8]) -> Option<&'static Table> {
    nearest(bytes, providers())
}

fn nearest(bytes: &[u8], tables: &[&'static Table]) -> Option<&'static Table> {
    let mut best: Option<(Fit, &'static Table)> = None;
    let mut tie = false;
    for table in tables {
        let messages = first_messages(bytes, table);
        let score = fit(table, &messages);
        // Maps are lenient, so that one message of a stranger may fit by chance.
        if 2 * score.taken <= messages.len() {
            continue;
        }
        match best {
            Some((other, known)) if score == other && table.dialect_of == Some(known.provider) => {}
            Some((other, known)) if score == other && known.dialect_of == Some(table.provider) => {
                best = Some((score, table));
            }
            Some((other, _)) if score == other => tie = true,
            Some((other, _)) if score < other => {}
            _ => {
                best = Some((score, table));
                tie = false;
            }
        }
    }
    best.filter(|_| !tie).map(|(_, table)| table)
}

/// The first messages, as the table's provider sends them.
fn first_messages(bytes: &[u8], table: &Table) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    let mut keep = |frame: Frame<'_>| {
        if messages.len() < MESSAGES {
            messages.push(frame.bytes.to_vec());
        }
    };
    let mut framer = Framer::for_table(table, DEFAULT_LIMIT);
    framer.push(bytes, &mut keep);
    framer.finish(&mut keep);
    messages
}

/// How well messages fit a map: the greater, the better.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// How many messages the map takes.
    taken: usize,
    /// How many of their members the schema does not know.
    strange: Reverse<usize>,
    /// How many members the schema knows that they do not have.
    missing: Reverse<usize>,
}

fn fit(table: &'static Table, messages: &[Vec<u8>]) -> Fit {
    let mut taker = Taker::new(table);
    let mut fit = Fit::default();
    for message in messages {
        let Some(rule) = taker.take(message) else {
            continue;
        };
        fit.taken += 1;
        if let Some(rule) = rule.filter(|rule| !rule.members.is_empty()) {
            let present = members(message);
            let known = present.iter().filter(|name| rule.members.contains(&name.as_str())).count();
            fit.strange.0 += present.len() - known;
            fit.missing.0 += rule.members.len() - known;
        }
    }
    fit
}

/// Who tries messages.
enum Taker {
    Agent(Box<Translator>),
    Model(Box<ModelStream>),
}

impl Taker {
    fn new(table: &'static Table) -> Self {
        match table.layer {
            Layer::Agent => Self::Agent(Box::new(Translator::new(table, Options::default()))),
            Layer::Model => Self::Model(Box::new(ModelStream::new(table, model::Options::default()))),
        }
    }

    /// The rule that speaks of a message, for one that is taken.
    fn take(&mut self, message: &[u8]) -> Option<Option<&'static Rule>> {
        match self {
            Self::Agent(translator) => {
                let before = translator.stats().unparsed;
                let events = translator.message(message);
                let name = events.filter_map(|event| event.native.map(|native| native.rule)).last();
                if translator.stats().unparsed > before {
                    return None;
                }
                let is_named = |rule: &&Rule| name.as_ref().is_some_and(|name| name.as_str() == rule.name);
                Some(translator.table().rules.iter().find(is_named))
            }
            Self::Model(stream) => {
                let before = stream.stats();
                stream.event(message).for_each(drop);
                let after = stream.stats();
                // A map that passes over what it does not know takes nothing by that.
                let is_taken = after.unparsed == before.unparsed && after.ignored == before.ignored;
                is_taken.then(|| stream.last_rule())
            }
        }
    }
}

/// The names of a message's members.
fn members(message: &[u8]) -> Vec<String> {
    let object = find_object_start(message, 0)
        .and_then(|start| serde_json::from_slice::<HashMap<String, IgnoredAny>>(&message[start..]).ok());
    object.map(|object| object.into_keys().collect()).unwrap_or_default()
}

#[cfg(all(test, feature = "providers"))]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

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
                let files = ["stdout.jsonl", "events.sse"].map(|file| scenario.join(file));
                found
                    .extend(files.into_iter().filter(|file| file.is_file()).map(|file| (name.clone(), file)));
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
            let first = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
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
        unknown.retain(|file| {
            !empty.iter().any(|name| file.parent().is_some_and(|folder| folder.ends_with(name)))
        });
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
}
