//! What must hold for any bytes at all. The tests and the fuzz targets share it.

#![allow(dead_code, reason = "each test program uses a part")]

use std::collections::BTreeSet;

use interlingua::laws::Checker;
use interlingua::model::{self, ModelStream};
use interlingua::table::Table;
use interlingua::vocabulary::{Event, Message, StreamChunk};
use interlingua::{Options, Translator};

/// The events of a stream, without those at its end.
pub fn unfinished(table: &'static Table, options: &Options, stream: &[u8]) -> Vec<Event> {
    Translator::new(table, options.clone()).push(stream).collect()
}

/// The events of a whole stream that comes in slices of this length. Every message must be accounted for.
pub fn translated(table: &'static Table, options: &Options, stream: &[u8], slice: usize) -> Vec<Event> {
    let mut translator = Translator::new(table, options.clone());
    let mut events = Vec::new();
    for piece in stream.chunks(slice.max(1)) {
        events.extend(translator.push(piece));
    }
    events.extend(translator.finish());
    let stats = translator.stats();
    let accounted = stats.translated + stats.ignored_total() + stats.unparsed;
    assert_eq!(accounted, stats.messages, "every message is accounted for");
    assert_eq!(stats.events.values().sum::<u64>(), events.len() as u64);
    assert_eq!(stats.bytes, stream.len() as u64);
    events
}

/// What breaks the laws in a stream of events.
pub fn faults(events: &[Event], finished: bool) -> Vec<String> {
    let mut checker = Checker::new();
    let mut faults: Vec<String> = Vec::new();
    for event in events {
        faults.extend(checker.feed(event).iter().map(ToString::to_string));
    }
    if finished {
        faults.extend(checker.finish().iter().map(ToString::to_string));
    }
    faults
}

/// The events of a stream, which keep the laws, are the same for each of these lengths of slices, and can be written
/// and read.
pub fn hold_laws(table: &'static Table, options: &Options, stream: &[u8], slices: &[usize]) -> Vec<Event> {
    let events = translated(table, options, stream, usize::MAX);
    let shown = || String::from_utf8_lossy(stream).into_owned();
    assert_eq!(faults(&events, true), [""; 0], "{}:\n{}", table.provider, shown());
    for slice in slices {
        assert!(
            translated(table, options, stream, *slice) == events,
            "{}: slices of {slice} bytes change the events:\n{}",
            table.provider,
            shown()
        );
    }
    for event in &events {
        let json = serde_json::to_string(event).expect("an event can be written");
        let read: Event = serde_json::from_str(&json).expect("an event can be read");
        assert!(read == *event, "an event changes when it is written and read:\n{json}");
    }
    events
}

/// The chunks of a model's stream that comes in slices of this length, and its message. Every message must be accounted
/// for.
fn answer(table: &'static Table, stream: &[u8], slice: usize) -> (Vec<StreamChunk>, Message) {
    let options = model::Options::new().message_limit(4096).depth_limit(32);
    let mut answer = ModelStream::new(table, options);
    let mut chunks = Vec::new();
    for piece in stream.chunks(slice.max(1)) {
        chunks.extend(answer.push(piece));
    }
    chunks.extend(answer.finish());
    let stats = answer.stats();
    assert_eq!(
        stats.translated + stats.ignored_total() + stats.unparsed,
        stats.messages,
        "every message is accounted for"
    );
    assert_eq!(stats.chunks.values().sum::<u64>(), chunks.len() as u64);
    assert!(answer.finish_reason().is_some(), "an answer that is over has a reason");
    (chunks, answer.message())
}

/// The chunks of a model's stream follow the protocol, are the same for each of these lengths of slices, can be written
/// and read, and give the message that the stream gives.
pub fn hold_answer(table: &'static Table, stream: &[u8], slices: &[usize]) {
    let (chunks, message) = answer(table, stream, usize::MAX);
    let shown = || String::from_utf8_lossy(stream).into_owned();
    for slice in slices {
        assert!(
            answer(table, stream, *slice) == (chunks.clone(), message.clone()),
            "{}: slices of {slice} bytes change the chunks:\n{}",
            table.provider,
            shown()
        );
    }
    let mut open = BTreeSet::new();
    let mut known = BTreeSet::new();
    for (place, chunk) in chunks.iter().enumerate() {
        let fault = match chunk {
            StreamChunk::BlockStart { index, .. } => {
                open.insert(*index);
                (!known.insert(*index)).then_some("a block begins twice")
            }
            StreamChunk::TextDelta { index, .. }
            | StreamChunk::ReasoningDelta { index, .. }
            | StreamChunk::ToolCallDelta { index, .. } => {
                (!open.contains(index)).then_some("a delta of a block that is not open")
            }
            StreamChunk::BlockEnd { index, .. } => {
                (!open.remove(index)).then_some("the end of a block that is not open")
            }
            StreamChunk::Usage { .. } => {
                (place + 2 != chunks.len()).then_some("usage does not come right before the end")
            }
            StreamChunk::Finish { .. } => (place + 1 != chunks.len()).then_some("something follows the end"),
            _ => Some("a chunk that this test does not know"),
        };
        assert!(
            fault.is_none(),
            "{}: {}: {chunk:?} in {chunks:?}\n{}",
            table.provider,
            fault.unwrap_or_default(),
            shown()
        );
        let json = serde_json::to_string(chunk).expect("a chunk can be written");
        let read: StreamChunk = serde_json::from_str(&json).expect("a chunk can be read");
        assert!(read == *chunk, "a chunk changes when it is written and read:\n{json}");
    }
    let json = serde_json::to_string(&message).expect("a message can be written");
    let read: Message = serde_json::from_str(&json).expect("a message can be read");
    assert!(read == message, "a message changes when it is written and read:\n{json}");
}
