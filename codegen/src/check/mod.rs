//! Proves a map against its schema.
//!
//! Everything that can be wrong is reported at once. What the checks are is written down in
//! `docs/map-language.md`; each of them has a test of its own in `tests/errors`.

mod messages;
mod registers;
mod rules;
mod scope;
mod steps;
mod types;
mod values;

use std::collections::HashMap;

use self::messages::Messages;
use self::registers::{MapUse, RegisterUse};
use crate::ast::Map;
use crate::diagnostic::Fault;
use crate::schema::Schema;

pub(crate) use self::steps::spec_of;

/// Checks a map. An empty list means that it can be compiled.
pub(crate) fn check(map: &Map, schema: &Schema) -> Vec<Fault> {
    let mut faults = Vec::new();
    let messages = Messages::new(&map.provider, schema, &mut faults);
    if messages.all.is_empty() {
        return faults;
    }
    let mut checker = Checker {
        map,
        messages: &messages,
        faults,
        registers: HashMap::new(),
        maps: HashMap::new(),
        blocks: HashMap::new(),
        open_blocks: Vec::new(),
    };
    // What a register holds is known only when all rules have been seen, so they are gone through
    // twice, and only the second time counts.
    let before = checker.faults.clone();
    checker.rules();
    checker.faults = before;
    checker.maps.clear();
    checker.blocks.clear();
    checker.rules();
    checker.whole();
    let mut faults = checker.faults;
    messages::check(map, &messages, &mut faults);
    faults
}

struct Checker<'m, 's> {
    map: &'m Map,
    messages: &'m Messages<'s>,
    faults: Vec<Fault>,
    registers: HashMap<String, RegisterUse>,
    maps: HashMap<String, MapUse>,
    /// For each block, the faults of each of its uses.
    blocks: HashMap<String, Vec<Vec<Fault>>>,
    /// The blocks that are being checked, from the outside in.
    open_blocks: Vec<String>,
}

impl Checker<'_, '_> {
    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}
