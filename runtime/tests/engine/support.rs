//! What the tests share.

use std::sync::OnceLock;

use interlingua::Options;
use interlingua::table::Table;
use interlingua::vocabulary::Event;
use interlingua_codegen::{SchemaText, compile};

use crate::hold::{self, faults};

/// The table of the invented provider.
pub fn demo() -> &'static Table {
    static TABLE: OnceLock<&Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let schema = include_str!("demo.json");
        match compile(include_str!("demo.map"), "demo.map", |_: &str| Ok(SchemaText::new(schema))) {
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
    hold::unfinished(demo(), &Options::new(), stream)
}

/// The events of a whole stream that comes in slices of this length.
pub fn translated(stream: &[u8], slice: usize) -> Vec<Event> {
    hold::translated(demo(), &Options::new(), stream, slice)
}

/// Everything that must hold for the events of any stream at all.
pub fn hold_laws(stream: &[u8]) -> Vec<Event> {
    hold::hold_laws(demo(), &Options::new(), stream, &[1, 7, 64])
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
