//! Streams with their events as snapshots.

use std::fmt::Write as _;

use interlingua::vocabulary::{Event, EventBody};
use serde_json::Value;

use super::support::{hold_laws, hold_prefixes};

/// One line for each event: what a reader wants to compare, without the envelope's repetitions.
fn line(event: &Event) -> String {
    let mut line = String::new();
    let number = event.native.as_ref().map_or("end".to_owned(), |native| native.line.to_string());
    let origin = event.origin;
    let _ = write!(line, "{number:>3} {} {origin} {}", event.event_id(), event.body.event_type());
    if let Some(turn) = &event.turn_id {
        let _ = write!(line, " [{turn}]");
    }
    for step in &event.agent_path {
        let _ = write!(line, " in {step}");
    }
    let Value::Object(whole) = serde_json::to_value(event).expect("an event can be written") else {
        unreachable!("an event is an object")
    };
    let data = match &event.body {
        EventBody::ItemStarted(_) | EventBody::ItemUpdated(_) | EventBody::ItemCompleted(_) => {
            whole["data"]["item"].clone()
        }
        _ => whole["data"].clone(),
    };
    let _ = write!(line, " {data}");
    line
}

#[test]
fn events_are_as_recorded() {
    insta::glob!("streams/*.jsonl", |path| {
        let stream = std::fs::read(path).expect("a stream can be read");
        let events = hold_laws(&stream);
        hold_prefixes(&stream);
        let lines: Vec<String> = events.iter().map(line).collect();
        insta::assert_snapshot!(lines.join("\n"));
    });
}
