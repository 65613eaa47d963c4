//! What must hold for the events of any bytes at all. The tests and the fuzz targets share it.

use interlingua::laws::Checker;
use interlingua::table::Table;
use interlingua::vocabulary::Event;
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
