//! What the tests share.

use std::sync::OnceLock;

use interlingua::laws::Checker;
use interlingua::table::Table;
use interlingua::vocabulary::Event;
use interlingua::{Options, Translator};
use interlingua_codegen::{SchemaText, compile};

/// The table of the invented provider.
pub fn demo() -> &'static Table {
    static TABLE: OnceLock<&Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let schema = include_str!("demo.json");
        match compile(include_str!("demo.map"), "demo.map", |_| Ok(SchemaText::new(schema))) {
            Ok(compiled) => compiled.table,
            Err(faults) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                panic!("{}", faults.join("\n"))
            }
        }
    })
}

/// The events of a stream, without those at its end.
pub fn unfinished(stream: &[u8]) -> Vec<Event> {
    Translator::new(demo(), Options::new()).push(stream).collect()
}

/// The events of a whole stream that comes in slices of this length.
pub fn translated(stream: &[u8], slice: usize) -> Vec<Event> {
    let mut translator = Translator::new(demo(), Options::new());
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

/// Everything that must hold for the events of any stream at all.
pub fn hold_laws(stream: &[u8]) -> Vec<Event> {
    let events = translated(stream, usize::MAX);
    let shown = || String::from_utf8_lossy(stream).into_owned();
    assert_eq!(faults(&events, true), [""; 0], "{}", shown());
    for slice in [1, 7, 64] {
        assert!(
            translated(stream, slice) == events,
            "slices of {slice} bytes change the events:\n{}",
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

/// The events of every prefix of whole lines are a prefix of all events.
pub fn hold_prefixes(stream: &[u8]) {
    let all = unfinished(stream);
    for (end, _) in stream.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let some = unfinished(&stream[..=end]);
        assert!(all.starts_with(&some), "the events of the first {end} bytes are no prefix");
        assert_eq!(faults(&some, false), [""; 0]);
    }
}
