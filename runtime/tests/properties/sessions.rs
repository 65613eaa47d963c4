//! Two sessions whose messages are mixed in one stream give what each gives alone.

use std::collections::BTreeMap;

use interlingua::table::{Layer, Path, Step, Table};
use interlingua::{Event, Options};
use proptest::test_runner::TestCaseError;
use serde_json::Value;

use crate::hold::translated;
use crate::runner::check;
use crate::stream::SOURCES;
use crate::tape::{Tape, tapes};

#[test]
fn mixed_sessions_give_what_each_gives_alone() {
    let mut tried = 0;
    for source in SOURCES.iter().filter(|source| source.table.layer == Layer::Agent) {
        let table = source.table;
        // A message that names no session belongs to the stream's first one, whichever that is.
        let of_sessions = |stream: &Vec<Vec<u8>>| -> Vec<Vec<u8>> {
            stream.iter().filter(|message| session(table, message).is_some()).cloned().collect()
        };
        let streams: Vec<_> =
            source.streams.iter().map(of_sessions).filter(|stream| stream.len() > 1).collect();
        if streams.is_empty() {
            continue;
        }
        tried += 1;
        check(40, &tapes(100), |numbers| {
            let mut tape = Tape::new(&numbers);
            let (one, two) = (tape.choose(&streams), tape.choose(&streams));
            // A stream is of one framing.
            let is_sse = |stream: &[Vec<u8>]| stream[0].starts_with(b"data: ");
            let shares = sessions(table, one).iter().any(|session| sessions(table, two).contains(session));
            if shares || is_sse(one) != is_sse(two) {
                return Ok::<(), TestCaseError>(());
            }
            let (mut first, mut second) = (one.iter(), two.iter());
            let mut mixed = Vec::new();
            while first.len() + second.len() > 0 {
                let next = if tape.below(2) == 0 { first.next() } else { second.next() };
                mixed.extend(next);
                if tape.once_in(20) {
                    mixed.extend(first.by_ref().take(4));
                }
                // At the tape's end the rest follows, one after the other.
                if first.len() == 0 {
                    mixed.extend(second.by_ref());
                }
            }
            let mixed: Vec<u8> = mixed.into_iter().flatten().copied().collect();
            let together = by_session(&translated(table, &Options::new(), &mixed, usize::MAX));
            let mut apart = by_session(&translated(table, &Options::new(), &one.concat(), usize::MAX));
            apart.extend(by_session(&translated(table, &Options::new(), &two.concat(), usize::MAX)));
            for (session, events) in &apart {
                let empty = Vec::new();
                let mixed = together.get(session).unwrap_or(&empty);
                for (place, event) in events.iter().enumerate() {
                    assert_eq!(
                        mixed.get(place),
                        Some(event),
                        "{}: event {place} of {session}",
                        table.provider
                    );
                }
                assert_eq!(mixed.len(), events.len(), "{}: events of {session}", table.provider);
            }
            assert_eq!(together.len(), apart.len(), "{}: sessions", table.provider);
            Ok(())
        });
    }
    assert!(tried > 1, "no provider names sessions");
}

/// The native session that a message names.
fn session(table: &Table, message: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(message.strip_prefix(b"data: ").unwrap_or(message)).ok()?;
    let inside = table.context.envelope.iter().find_map(|path| at(table, &value, path));
    let value = inside.unwrap_or(&value);
    let found = table.context.session.iter().find_map(|path| at(table, value, path))?;
    // A list or an object is no id, so that it names none.
    let found = Some(found).filter(|found| !found.is_array() && !found.is_object())?;
    Some(found.as_str().map_or_else(|| found.to_string(), str::to_owned))
}

fn at<'v>(table: &Table, value: &'v Value, path: &Path) -> Option<&'v Value> {
    let found = path.steps.iter().try_fold(value, |value, step| match step {
        Step::Key(number) => value.get(table.keys[usize::from(*number)]),
        _ => None,
    });
    found.filter(|value| !value.is_null())
}

/// All native sessions that a stream names.
fn sessions(table: &Table, stream: &[Vec<u8>]) -> Vec<String> {
    stream.iter().filter_map(|message| session(table, message)).collect()
}

/// What each native session has said, without what depends on the stream around it: our numbers of sessions and of
/// events, the native lines, and what could not be read, which belongs to the stream's first session.
fn by_session(events: &[Event]) -> BTreeMap<String, Vec<String>> {
    let mut native: BTreeMap<String, String> = BTreeMap::new();
    for event in events {
        if let Some(id) = &event.native_session_id {
            native.insert(event.session_id.as_str().to_owned(), id.as_str().to_owned());
        }
    }
    let named = |id: &str| native.get(id).cloned().unwrap_or_else(|| id.to_owned());
    let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.body.event_type() != "agent.unparsed") {
        let mut value = serde_json::to_value(event).expect("an event can be written");
        let session = named(event.session_id.as_str());
        if let Some(members) = value.as_object_mut() {
            members.retain(|name, _| name != "event_id" && name != "sequence");
        }
        value["session_id"] = session.clone().into();
        if let Some(native) = value.get_mut("native").and_then(Value::as_object_mut) {
            native.retain(|name, _| name == "rule");
        }
        if let Some(Value::String(parent)) = value.pointer_mut("/data/parent/session_id") {
            *parent = named(parent);
        }
        sessions.entry(session).or_default().push(value.to_string());
    }
    sessions
}
