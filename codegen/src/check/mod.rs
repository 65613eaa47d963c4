//! Proves a map against its schema.
//!
//! Everything that can be wrong is reported at once. What the checks are is written down in
//! `docs/map-language.md`; each of them has a test of its own in `tests/errors`.

mod built;
mod commands;
mod fits;
mod messages;
mod reads;
mod registers;
mod rules;
mod scope;
mod steps;
mod target;
mod tools;
mod types;
mod values;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use self::messages::Messages;
pub(crate) use self::reads::{Place, Read, Relation, Segment, Use};
use self::registers::{MapUse, RegisterUse};
use crate::ast::{Map, Path, Rule};
use crate::diagnostic::Fault;
use crate::schema::{Kinds, Schema};
use crate::sources::Span;

pub(crate) use self::messages::keys;
pub(crate) use self::steps::spec_of;
pub(crate) use self::types::Ty;

/// What the checker has found out about a map.
pub(crate) struct Checked<'s> {
    /// What is wrong. When there is nothing, the map can be compiled.
    pub faults: Vec<Fault>,
    /// What the map does with the fields of messages.
    pub reads: BTreeSet<Read>,
    /// By which tags it tells elements apart.
    pub splits: BTreeMap<Place, Vec<String>>,
    pub messages: Messages<'s>,
    /// For each rule that writes, the fields of its command that it reads.
    pub command_reads: Vec<BTreeSet<String>>,
    /// The commands whose rules read the open requests or the running calls of the session.
    pub open_readers: BTreeSet<String>,
    /// For each rule, whether its paths start from the member that the setting `body` names.
    pub bodied: Vec<bool>,
    /// Whether the messages of JSON-RPC that are written name the protocol.
    pub tells_jsonrpc: bool,
}

/// A member that the schema knows, and what it knows in its value.
#[derive(Debug)]
pub(crate) struct KnownMember {
    pub name: String,
    pub members: Vec<KnownMember>,
}

/// How many levels of a message's members the table has: enough for the body of an answer in its envelope.
const MEMBER_LEVELS: usize = 3;

impl Checked<'_> {
    /// The members that the schema knows in the messages of a rule.
    pub(crate) fn members(&self, rule: &Rule) -> Vec<KnownMember> {
        let mut messages = Ty::default();
        for pattern in &rule.patterns {
            for route in pattern.routes() {
                if let Ok(ty) = self.messages.route(&route, pattern) {
                    messages.join(ty);
                }
            }
        }
        known_members(&messages, MEMBER_LEVELS)
    }
}

fn known_members(ty: &Ty<'_>, levels: usize) -> Vec<KnownMember> {
    if levels == 0 {
        return Vec::new();
    }
    let member = |name: &str| {
        let value = ty.property(name).map(|value| value.only(Kinds::OBJECT));
        let members = value.map_or_else(Vec::new, |value| known_members(&value, levels - 1));
        KnownMember { name: name.to_owned(), members }
    };
    ty.property_names().into_iter().map(member).collect()
}

/// Checks a map.
///
/// `vocabulary` is the schema of the universal side, for maps that write.
pub(crate) fn check<'s>(map: &Map, schema: &'s Schema, vocabulary: Option<&'s Schema>) -> Checked<'s> {
    let mut faults = Vec::new();
    let messages = Messages::new(&map.provider, schema, &mut faults);
    let mut checker = Checker {
        map,
        messages: &messages,
        faults,
        registers: HashMap::new(),
        maps: HashMap::new(),
        blocks: HashMap::new(),
        unknown: HashSet::new(),
        open_blocks: Vec::new(),
        rule: None,
        reads: BTreeSet::new(),
        splits: BTreeMap::new(),
        schema,
        vocabulary,
        writing: None,
        lists: Vec::new(),
        command_reads: vec![BTreeSet::new(); map.writes.len()],
        open_readers: BTreeSet::new(),
        cannot_reads: vec![BTreeSet::new(); map.cannot.len()],
        read_places: Vec::new(),
        conditions: 0,
        dropped_places: Vec::new(),
    };
    if map.provider.target.is_some() {
        checker.target();
    } else if !messages.all.is_empty() {
        // Without a message there is nothing to check against, and each path would be a fault.
        // What a register holds is known only when all rules have been seen, so they are gone
        // through twice, and only the second time counts.
        let before = checker.faults.clone();
        checker.rules();
        checker.writes();
        checker.faults = before;
        checker.maps.clear();
        checker.blocks.clear();
        checker.dropped_places.clear();
        checker.read_places.clear();
        checker.rules();
        checker.writes();
        checker.whole();
        checker.dropped_and_read();
        messages::check(map, &messages, &mut checker.faults);
    }
    let bodied = map.rules.iter().map(|rule| checker.has_body(rule)).collect();
    let tells_jsonrpc = checker.tells_jsonrpc();
    let Checker { faults, reads, splits, command_reads, open_readers, .. } = checker;
    Checked { faults, reads, splits, messages, command_reads, open_readers, bodied, tells_jsonrpc }
}

/// Where something stands in the files of the map.
fn place_of(span: Span) -> (u16, u32) {
    (span.file, span.start)
}

/// What was found in one use of a block.
struct BlockUse {
    faults: Vec<Fault>,
    /// The places of steps of paths about which the schema says nothing here.
    unknown: HashSet<(u16, u32)>,
}

/// A rule of the way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// The `to` with this number.
    To(usize),
    /// A `from`.
    From,
    /// The `cannot` with this number.
    Cannot(usize),
    /// `asks` and `answers`, which read what either side sends.
    Pairing,
}

impl std::fmt::Display for Writing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::To(_) => "a `to`",
            Self::From => "a `from`",
            Self::Cannot(_) => "a `cannot`",
            Self::Pairing => "`asks` and `answers`",
        })
    }
}

struct Checker<'m, 's> {
    map: &'m Map,
    messages: &'m Messages<'s>,
    faults: Vec<Fault>,
    registers: HashMap<String, RegisterUse>,
    maps: HashMap<String, MapUse>,
    /// For each block, what was found in each of its uses.
    blocks: HashMap<String, Vec<BlockUse>>,
    /// The places of steps of paths about which the schema says nothing, in the use that is being checked.
    unknown: HashSet<(u16, u32)>,
    /// The blocks that are being checked, from the outside in.
    open_blocks: Vec<String>,
    /// The number of the rule that is being checked.
    rule: Option<usize>,
    reads: BTreeSet<Read>,
    splits: BTreeMap<Place, Vec<String>>,
    schema: &'s Schema,
    vocabulary: Option<&'s Schema>,
    /// What is being checked, if it is the way back.
    writing: Option<Writing>,
    /// What the elements of the lists are that are being built, from the outside in; `None` for anything.
    lists: Vec<Option<Ty<'s>>>,
    command_reads: Vec<BTreeSet<String>>,
    open_readers: BTreeSet<String>,
    /// For each `cannot`, the fields of its command that its condition reads.
    cannot_reads: Vec<BTreeSet<String>>,
    /// What the rules read, with the number of the rule.
    read_places: Vec<(usize, Place, Span)>,
    /// How many conditions are around, on which a value is read or not.
    conditions: usize,
    dropped_places: Vec<Dropped>,
}

/// A field that is dropped.
struct Dropped {
    /// The number of the rule whose messages the `drop` is about; none for all.
    rule: Option<usize>,
    path: Path,
    place: Place,
}

impl Checker<'_, '_> {
    /// Checks what is only read on a condition.
    fn perhaps<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.conditions += 1;
        let checked = check(self);
        self.conditions -= 1;
        checked
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn note(&mut self, place: Place, what: Use) {
        match self.writing {
            Some(Writing::To(rule)) => {
                let command = &self.map.writes[rule].command.text;
                self.note_open(command, &place);
                writes::note_command_field(command, &mut self.command_reads[rule], &place, what);
            }
            Some(Writing::Cannot(declared)) => {
                let command = &self.map.cannot[declared].command.text;
                self.note_open(command, &place);
                writes::note_command_field(command, &mut self.cannot_reads[declared], &place, what);
            }
            Some(Writing::From | Writing::Pairing) => {}
            None => {
                self.reads.insert(Read { rule: self.rule, place, what });
            }
        }
    }
}
