//! Streams of agents that keep things open, or name one thing again and again, under the engine and the law checker.

use std::fmt::Write as _;
use std::sync::OnceLock;

use interlingua::laws::Checker;
use interlingua::table::Table;
use interlingua::{Options, Translator};
use interlingua_codegen::{SchemaText, compile};

use crate::Probe;

/// The table of the invented provider that the engine's tests use.
pub(crate) fn demo() -> &'static Table {
    static TABLE: OnceLock<&Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let schema = include_str!("../../tests/engine/demo.json");
        let map = include_str!("../../tests/engine/demo.map");
        compile(map, "demo.map", |_: &str| Ok(SchemaText::new(schema))).expect("the map compiles").table
    })
}

/// Translates a stream of so many steps, checks the laws, and ends it.
fn stream(length: usize, step: fn(usize, usize) -> String) {
    let mut translator = Translator::new(demo(), Options::new());
    let mut checker = Checker::new();
    let mut text = String::new();
    for number in 0..length {
        let _ = writeln!(text, "{}", step(number, length));
        if text.len() > 10_000 {
            translator.push(text.as_bytes()).for_each(|event| drop(checker.feed(&event)));
            text.clear();
        }
    }
    translator.push(text.as_bytes()).for_each(|event| drop(checker.feed(&event)));
    translator.finish().for_each(|event| drop(checker.feed(&event)));
    assert_eq!(checker.finish(), [], "the stream breaks no law");
}

/// One message with so many elements.
fn message(length: usize, before: &str, element: fn(usize) -> String, after: &str) {
    let elements: Vec<String> = (0..length).map(element).collect();
    let mut translator = Translator::new(demo(), Options::new());
    let message = format!("{before}{}{after}\n", elements.join(","));
    assert!(translator.push(message.as_bytes()).count() > 0, "the message gives events");
    assert_eq!(translator.stats().unparsed, 0);
    translator.finish().for_each(drop);
}

pub(crate) const PROBES: &[Probe] = &[
    ("open calls", |length| {
        stream(length, |n, _| {
            format!(r#"{{"type":"call","session":"s","id":"c{n}","tool":"shell","input":{{}}}}"#)
        })
    }),
    ("one call id again and again", |length| {
        stream(length, |n, _| match n % 2 {
            0 => r#"{"type":"call","session":"s","id":"c","tool":"shell","input":{}}"#.to_owned(),
            _ => r#"{"type":"result","session":"s","id":"c","output":"done"}"#.to_owned(),
        })
    }),
    ("open permissions", |length| {
        stream(length, |n, _| {
            format!(r#"{{"type":"ask","session":"s","id":{n},"call":"c{n}","what":"run"}}"#)
        })
    }),
    ("open permissions of one call", |length| {
        stream(length, |n, _| format!(r#"{{"type":"ask","session":"s","id":{n},"call":"c","what":"run"}}"#))
    }),
    ("held questions of one call", |length| {
        stream(length, |n, _| {
            format!(r#"{{"type":"question","session":"s","id":{n},"call":"c","text":"?","later":true}}"#)
        })
    }),
    ("open permissions answered by their calls", |length| {
        stream(length, |n, length| match n < length / 2 {
            true => format!(r#"{{"type":"ask","session":"s","id":{n},"call":"c{n}","what":"run"}}"#),
            false => {
                format!(r#"{{"type":"answer","session":"s","call":"c{}","allow":true}}"#, n - length / 2)
            }
        })
    }),
    ("one request id again and again", |length| {
        stream(length, |n, _| match n % 2 {
            0 => r#"{"type":"ask","session":"s","id":"r","what":"run"}"#.to_owned(),
            _ => r#"{"type":"answer","session":"s","id":"r","allow":true}"#.to_owned(),
        })
    }),
    ("open turns with a request each", |length| {
        stream(length, |n, length| match (n < length / 2, n % 2) {
            (true, 0) => format!(r#"{{"type":"turn-start","session":"s","turn":"t{n}"}}"#),
            (true, _) => {
                format!(r#"{{"type":"ask","session":"s","turn":"t{}","id":{n},"what":"run"}}"#, n - 1)
            }
            (false, _) => format!(
                r#"{{"type":"turn-end","session":"s","turn":"t{}","outcome":"completed"}}"#,
                (n - length / 2) / 2 * 2
            ),
        })
    }),
    ("turns with an item each that outlives them", |length| {
        stream(length, |n, _| match n % 3 {
            0 => format!(r#"{{"type":"turn-start","session":"s","turn":"t{n}"}}"#),
            1 => format!(
                r#"{{"type":"open","session":"s","turn":"t{}","id":"m{n}","lasts":"after-turn"}}"#,
                n - 1
            ),
            _ => format!(r#"{{"type":"turn-end","session":"s","turn":"t{}","outcome":"completed"}}"#, n - 2),
        })
    }),
    ("parts of one message", |length| {
        stream(length, |n, _| {
            format!(r#"{{"type":"piece","session":"s","id":"m","at":{n},"delta":"words"}}"#)
        })
    }),
    ("parts of one message in turn", |length| {
        stream(length, |n, length| {
            format!(r#"{{"type":"piece","session":"s","id":"m","at":{},"delta":"words"}}"#, n % (length / 4))
        })
    }),
    ("texts that wait for their parts", |length| {
        stream(length, |n, _| format!(r#"{{"type":"more","session":"s","id":"m","at":{n},"delta":"words"}}"#))
    }),
    ("texts that find their parts", |length| {
        stream(length, |n, length| match n < length / 2 {
            true => format!(r#"{{"type":"more","session":"s","id":"m","at":{n},"delta":"words"}}"#),
            false => {
                format!(
                    r#"{{"type":"piece","session":"s","id":"m","at":{},"delta":"words"}}"#,
                    n - length / 2
                )
            }
        })
    }),
    ("a part that is given up again and again", |length| {
        stream(length, |n, _| match n % 2 {
            0 => r#"{"type":"piece","session":"s","id":"m","at":0,"delta":"words"}"#.to_owned(),
            _ => r#"{"type":"drop","session":"s","id":"m","at":0}"#.to_owned(),
        })
    }),
    ("a message that is given up again and again", |length| {
        stream(length, |n, _| match n % 4 {
            3 => r#"{"type":"drop","session":"s","id":"m"}"#.to_owned(),
            _ => format!(r#"{{"type":"piece","session":"s","id":"m","at":{n},"delta":"words"}}"#),
        })
    }),
    ("a part that is said again between its pieces", |length| {
        stream(length, |n, length| match (n < length / 2, n % 2) {
            (true, _) => {
                format!(r#"{{"type":"say","session":"s","id":"m{n}","role":"assistant","content":"text"}}"#)
            }
            (false, 0) => r#"{"type":"open","session":"s","id":"m","content":"x"}"#.to_owned(),
            (false, _) => r#"{"type":"piece","session":"s","id":"m","at":0,"delta":"y"}"#.to_owned(),
        })
    }),
    ("live output of one call", |length| {
        stream(length, |_, _| {
            r#"{"type":"output","session":"s","id":"c","delta":"a line of output "}"#.to_owned()
        })
    }),
    ("agents", |length| {
        stream(length, |n, _| {
            format!(
                r#"{{"type":"say","session":"s","agent":"c{n}","id":"m{n}","role":"assistant","content":"text"}}"#
            )
        })
    }),
    ("sessions", |length| {
        stream(length, |n, _| format!(r#"{{"type":"hello","session":"s{n}","model":"m","cwd":"/x"}}"#))
    }),
    ("sessions whose parent has not started", |length| {
        stream(length, |n, _| {
            format!(r#"{{"type":"hello","session":"s{n}","model":"m","parent_session":"parent{}"}}"#, n % 2)
        })
    }),
    ("a session that waits for one parent after the other", |length| {
        stream(length, |n, _| format!(r#"{{"type":"facts","session":"s","parent_session":"parent{n}"}}"#))
    }),
    ("reports of usage", |length| {
        stream(length, |n, _| format!(r#"{{"type":"usage","session":"s","key":"m{n}","input":1}}"#))
    }),
    ("one text in one message", |length| {
        message(
            length,
            r#"{"type":"say","session":"s","id":"m","role":"user","content":""#,
            |n| format!("word {n}"),
            "\"}",
        )
    }),
    ("parts in one message", |length| {
        message(
            length,
            r#"{"type":"say","session":"s","id":"m","role":"assistant","content":["#,
            |n| format!(r#"{{"type":"text","text":"words {n}"}}"#),
            "]}",
        )
    }),
    ("calls in one message", |length| {
        message(
            length,
            r#"{"type":"open","session":"s","id":"m","content":["#,
            |n| {
                format!(
                    r#"{{"type":"call","call":"c{n}","tool":"shell","input":{{}}}},{{"type":"text","text":"t"}}"#
                )
            },
            "]}",
        )
    }),
    ("members that nobody reads", |length| {
        message(length, r#"{"type":"hello","session":"s","#, |n| format!(r#""member{n}":{n}"#), "}")
    }),
    ("choices of one permission", |length| {
        message(
            length,
            r#"{"type":"ask","session":"s","id":"r","what":"run","choices":["#,
            |n| format!(r#"{{"id":"o{n}","allow":true}}"#),
            "]}",
        )
    }),
    ("a line that comes in small pieces", |length| {
        let mut translator = Translator::new(demo(), Options::new());
        translator.push(br#"{"type":"say","session":"s","id":"m","role":"user","content":""#).for_each(drop);
        for _ in 0..length * 20 {
            translator.push(b"word ").for_each(drop);
        }
        assert!(translator.push(b"\"}\n").count() > 0);
    }),
];
