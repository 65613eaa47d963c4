//! Input that is made to hurt, for every provider: no panic, the laws hold, and the stream goes on after it.
//!
//! Here it is small enough to be tried with each change; `cargo run --release --example hostile` tries it large, with the
//! time and the memory that it takes.

use interlingua::table::Layer;
use interlingua::{Options, Translator};
use serde_json::Value;

use crate::hold::{hold_answer, hold_laws};
use crate::stream::{SOURCES, Source};

/// Everything that must hold for a stream of a provider.
fn hold(source: &Source, stream: &[u8]) {
    match source.table.layer {
        Layer::Agent => drop(hold_laws(source.table, &Options::new(), stream, &[4093])),
        Layer::Model => hold_answer(source.table, stream, &[4093]),
    }
}

/// Tries a change of each message of each provider's first streams, between the messages as they are.
fn with_each_message(change: impl Fn(&str) -> Option<Vec<u8>>) {
    let mut changed = 0;
    for source in SOURCES.iter() {
        for messages in source.streams.iter().step_by(1 + source.streams.len() / 6) {
            let mut stream = Vec::new();
            for message in messages.iter().take(40) {
                if let Some(other) = std::str::from_utf8(message).ok().and_then(&change) {
                    stream.extend_from_slice(&other);
                    changed += 1;
                }
                stream.extend_from_slice(message);
            }
            hold(source, &stream);
        }
    }
    assert!(changed > 100, "only {changed} messages were changed");
}

/// A message with its last `}` replaced, so that a member is added to it.
fn with_member(message: &str, member: &str) -> Option<Vec<u8>> {
    let end = message.rfind('}')?;
    Some(format!("{},\"extra\":{member}{}", &message[..end], &message[end..]).into_bytes())
}

#[test]
fn nesting_of_100_000_levels_is_one_unparsed_message() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    for source in SOURCES.iter() {
        let message = std::str::from_utf8(&source.streams[0][0]).expect("a recording");
        let mut input = Vec::new();
        for deep in [&deep, &objects] {
            input.extend(with_member(message, deep).expect("a message is an object"));
            input.extend_from_slice(format!("{deep}\n{}\ndata: {deep}\n\n", &deep[..90_000]).as_bytes());
        }
        input.extend_from_slice(message.as_bytes());
        hold(source, &input);
        if source.table.layer == Layer::Agent {
            let mut translator = Translator::new(source.table, Options::new());
            let first = with_member(message, &deep).expect("a message is an object");
            translator.push(&first).for_each(drop);
            translator.finish().for_each(drop);
            assert_eq!(translator.stats().unparsed, 1, "{}", source.table.provider);
        }
    }
}

#[test]
fn numbers_that_no_type_holds_keep_the_laws() {
    let numbers = [
        "1e999",
        "-1e999",
        "123456789012345678901234567890",
        "-9223372036854775809",
        "1e-999",
        "-0.0",
        "0.1e1",
    ];
    for number in numbers {
        with_each_message(|message| {
            let (before, json) =
                message.strip_prefix("data: ").map_or(("", message), |json| ("data: ", json));
            let mut value: Value = serde_json::from_str(json).ok()?;
            replace(&mut value, &|value| value.is_number());
            Some(format!("{before}{}\n\n", value.to_string().replace("\"<here>\"", number)).into_bytes())
        });
    }
}

/// Puts a mark in the place of all values that are chosen.
fn replace(value: &mut Value, chosen: &impl Fn(&Value) -> bool) {
    match value {
        value if chosen(value) => *value = "<here>".into(),
        Value::Array(elements) => elements.iter_mut().for_each(|inner| replace(inner, chosen)),
        Value::Object(members) => members.values_mut().for_each(|inner| replace(inner, chosen)),
        _ => {}
    }
}

#[test]
fn bytes_that_are_no_utf_8_and_nuls_keep_the_laws() {
    for bytes in [&b"\xff"[..], b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\0", b"\\u0000", b"\xc3"] {
        with_each_message(|message| {
            // Into every text and between all members.
            let mut changed = Vec::new();
            for byte in message.trim_end().bytes() {
                changed.push(byte);
                if byte == b'"' && changed.len() % 3 == 0 {
                    changed.extend_from_slice(bytes);
                }
            }
            changed.extend_from_slice(b"\n\n");
            Some(changed)
        });
        with_each_message(|message| Some([bytes, message.as_bytes(), bytes].concat()));
    }
}

#[test]
fn long_ids_keep_the_laws() {
    let long = "x".repeat(40_000);
    for source in SOURCES.iter() {
        let messages = &source.streams[0];
        let mut stream = Vec::new();
        for message in messages.iter().take(8) {
            let text = std::str::from_utf8(message).expect("a recording");
            let (before, json) = text.strip_prefix("data: ").map_or(("", text), |json| ("data: ", json));
            let Ok(mut value) = serde_json::from_str::<Value>(json) else { continue };
            long_ids(&mut value, &long);
            stream.extend_from_slice(format!("{before}{value}\n\n").as_bytes());
        }
        hold(source, &stream);
    }
}

fn long_ids(value: &mut Value, long: &str) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|inner| long_ids(inner, long)),
        Value::Object(members) => {
            for (name, inner) in members {
                match inner {
                    Value::String(text) if name.to_ascii_lowercase().ends_with("id") => text.push_str(long),
                    _ => long_ids(inner, long),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_message_over_the_limit_is_told_and_the_stream_goes_on() {
    for source in SOURCES.iter().filter(|source| source.table.layer == Layer::Agent) {
        let message = &source.streams[0][0];
        let limit = message.len() + 100;
        let long = with_member(
            std::str::from_utf8(message).expect("a recording"),
            &format!("{:?}", "x".repeat(limit)),
        );
        let stream = [&long.expect("a message is an object")[..], message].concat();
        let options = Options::new().message_limit(limit);
        let events = hold_laws(source.table, &options, &stream, &[1000]);
        let unparsed: Vec<_> =
            events.iter().filter(|event| event.body.event_type() == "agent.unparsed").collect();
        assert_eq!(unparsed.len(), 1, "{}", source.table.provider);
        let told = serde_json::to_string(unparsed[0]).expect("an event");
        assert!(told.contains("longer than") && told.len() < 6000, "{told}");
        let alone = hold_laws(source.table, &options, message, &[]);
        assert!(events.len() > alone.len(), "{}: the next message is translated", source.table.provider);
    }
}

#[test]
fn what_stays_open_is_all_that_is_remembered() {
    let source =
        SOURCES.iter().find(|source| source.table.provider == "demo").expect("the invented provider");
    let mut stream = String::new();
    for number in 0..5_000 {
        stream.push_str(&format!(
            "{{\"type\":\"call\",\"session\":\"s\",\"id\":\"c{number}\",\"tool\":\"shell\"}}\n"
        ));
    }
    let mut translator = Translator::new(source.table, Options::new());
    translator.push(stream.as_bytes()).for_each(drop);
    let open = translator.state_len();
    assert!((5_000..50_000).contains(&open), "{open} things are remembered");
    let closed = translator.finish().filter(|event| event.body.event_type() == "item.completed").count();
    assert!(closed >= 5_000, "{closed} items are closed");
}

#[test]
fn the_limits_are_as_the_page_about_security_says() {
    let page = include_str!("../../../SECURITY.md");
    let limit = interlingua::framing::DEFAULT_LIMIT;
    let depth = interlingua::json::DEFAULT_MAX_DEPTH;
    let options = format!("{:?}", Options::default());
    assert!(options.contains(&format!("message_limit: {limit}")), "{options}");
    assert!(options.contains("closed_window: 65536") && page.contains("| 65,536 |"), "{options}");
    assert!(options.contains(&format!("depth_limit: {depth}")), "{options}");
    assert!(
        page.contains(&format!("| {} MiB |", limit >> 20)) && page.contains(&format!("| {depth} levels |"))
    );
}
