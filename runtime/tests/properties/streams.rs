//! Streams that no sound agent sends: messages dropped, doubled, swapped and mixed, values of other places and kinds,
//! damaged bytes. Whatever happens to the bytes, the laws hold.

use interlingua::Options;
use interlingua::table::Layer;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

use crate::hold::{faults, hold_answer, hold_laws, unfinished};
use crate::runner::check;
use crate::stream::{SOURCES, Source};
use crate::tape::{Tape, tapes};

/// How many messages a stream has at most.
const MESSAGES: usize = 24;

/// Checks everything that must hold for a stream, which is cut and ended where the tape says.
fn hold(source: &Source, tape: &mut Tape<'_>, stream: &[u8]) {
    if source.table.layer == Layer::Model {
        return hold_answer(source.table, stream, &[1 + tape.below(97)]);
    }
    // A small window and a low limit, so that a short stream reaches what comes after them.
    let options = match tape.below(3) {
        0 => Options::new(),
        1 => Options::new().closed_window(2),
        _ => Options::new().closed_window(1 + tape.below(6)).message_limit(200 + tape.below(2000)).raw(true),
    };
    let slice = 1 + tape.below(97);
    let events = hold_laws(source.table, &options, stream, &[usize::MAX, slice]);
    let prefix = &stream[..tape.below(stream.len() + 1)];
    let some = unfinished(source.table, &options, prefix);
    assert!(events.starts_with(&some), "the events of the first {} bytes are no prefix", prefix.len());
    assert_eq!(faults(&some, false), [""; 0]);
}

/// Tries a change of messages for every provider.
fn for_all(cases: u32, change: impl Fn(&Source, &mut Tape<'_>, &mut Vec<Vec<u8>>)) {
    for source in SOURCES.iter() {
        check(cases, &tapes(120), |numbers| {
            let mut tape = Tape::new(&numbers);
            let mut messages = source.piece(&mut tape, MESSAGES);
            change(source, &mut tape, &mut messages);
            hold(source, &mut tape, &messages.concat());
            Ok::<(), TestCaseError>(())
        });
    }
}

#[test]
fn messages_dropped_doubled_and_swapped_keep_the_laws() {
    for_all(30, |_, tape, messages| {
        for _ in 0..tape.below(8) {
            if messages.is_empty() {
                return;
            }
            let (one, two) = (tape.below(messages.len()), tape.below(messages.len()));
            match tape.below(4) {
                0 => drop(messages.remove(one)),
                1 => messages.insert(two, messages[one].clone()),
                2 => messages.swap(one, two),
                _ => messages.truncate(one + 1),
            }
        }
    });
}

#[test]
fn messages_of_all_streams_in_any_order_keep_the_laws() {
    for_all(30, |source, tape, messages| {
        for _ in 0..tape.below(MESSAGES) {
            let other = source.piece(tape, 1);
            let place = tape.below(messages.len() + 1);
            messages.splice(place..place, other);
        }
    });
}

#[test]
fn damaged_bytes_keep_the_laws() {
    for_all(30, |_, tape, messages| {
        for _ in 0..tape.below(12) {
            let place = tape.below(messages.len());
            let message = &mut messages[place];
            let at = tape.below(message.len() + 1);
            match tape.below(4) {
                0 => message.truncate(at),
                1 => {
                    message.insert(at, *tape.choose(&[0, b'\n', b'\r', b'"', b'\\', b'{', 0x80, 0xff, 0xed]))
                }
                2 if at < message.len() => drop(message.remove(at)),
                _ if at < message.len() => message[at] = u8::try_from(tape.below(256)).unwrap_or_default(),
                _ => {}
            }
        }
    });
}

#[test]
fn values_of_other_places_and_kinds_keep_the_laws() {
    for_all(80, |_, tape, messages| {
        let mut values: Vec<Value> = messages.iter().filter_map(|message| parsed(message)).collect();
        for _ in 0..tape.below(10) {
            if values.is_empty() {
                return;
            }
            let (from, to) = (tape.below(values.len()), tape.below(values.len()));
            let new = match tape.below(2) {
                0 => odd(tape),
                _ => somewhere(&mut values[from], tape).clone(),
            };
            *somewhere(&mut values[to], tape) = new;
        }
        *messages = values.iter().map(|value| written(messages, value)).collect();
    });
}

#[test]
fn few_ids_that_are_used_for_everything_keep_the_laws() {
    for_all(30, |_, tape, messages| {
        let values: Vec<Value> = messages.iter().filter_map(|message| parsed(message)).collect();
        let mut changed = Vec::new();
        for mut value in values {
            few_ids(&mut value, tape);
            changed.push(written(messages, &value));
        }
        *messages = changed;
    });
}

/// Gives every member whose name speaks of an id one of a few.
fn few_ids(value: &mut Value, tape: &mut Tape<'_>) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|inner| few_ids(inner, tape)),
        Value::Object(members) => {
            for (name, inner) in members {
                let name = name.to_ascii_lowercase();
                let is_id = ["id", "call", "turn", "parent", "session", "message", "key"];
                if inner.is_string() && is_id.iter().any(|end| name.ends_with(end)) {
                    *inner = (*tape.choose(&["x", "y", "x/result", "turn-1", "message-1", ""])).into();
                } else {
                    few_ids(inner, tape);
                }
            }
        }
        _ => {}
    }
}

fn parsed(message: &[u8]) -> Option<Value> {
    serde_json::from_slice(message.strip_prefix(b"data: ").unwrap_or(message)).ok()
}

/// A message as the stream has its messages.
fn written(messages: &[Vec<u8>], value: &Value) -> Vec<u8> {
    let is_sse = messages.iter().any(|message| message.starts_with(b"data: "));
    if is_sse { format!("data: {value}\n\n").into_bytes() } else { format!("{value}\n").into_bytes() }
}

/// A value inside another one, or the whole.
fn somewhere<'v>(value: &'v mut Value, tape: &mut Tape<'_>) -> &'v mut Value {
    let mut at = value;
    loop {
        // Members of which each has as good a chance as the whole that they are in.
        let is_leaf = match &*at {
            Value::Array(elements) => elements.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => true,
        };
        if is_leaf || tape.once_in(6) {
            return at;
        }
        at = match at {
            Value::Array(elements) => {
                let place = tape.below(elements.len());
                &mut elements[place]
            }
            Value::Object(members) => {
                let place = tape.below(members.len());
                members.values_mut().nth(place).expect("a member at a place below their number")
            }
            leaf => return leaf,
        };
    }
}

/// A value that few programs expect.
fn odd(tape: &mut Tape<'_>) -> Value {
    let odd = [
        Value::Null,
        json!(true),
        json!(12.5),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("text"),
        json!("\u{0}\u{ffff}\u{2028}"),
        json!([]),
        json!({}),
        json!({ "type": "x", "a": [1] }),
        json!([null, "a", { "type": "text", "text": 5 }, { "type": "new" }, [[]]]),
    ];
    tape.choose(&odd).clone()
}
