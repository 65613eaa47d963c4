//! What is prepared once per table, so that rules are found by hash.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use interlingua_table::{Dispatch, Path, Shape, Table};

use super::unread::Reads;
use crate::engine::memory::hash::FastMap;
use crate::json::KeySet;

/// What is prepared from a table: once for all streams of the process.
#[derive(Debug)]
struct Programs {
    reading: Program,
    /// Prepared when the first command is written.
    writing: OnceLock<Program>,
}

impl Programs {
    fn of(table: &'static Table) -> Arc<Self> {
        let prepare = || Self { reading: Program::with_keys(table, table.keys), writing: OnceLock::new() };
        let prepared = table.prepared.get_or_prepare(prepare);
        // A copy of a table with other contents shares its place.
        if std::ptr::eq(prepared.reading.table, table) { prepared } else { Arc::new(prepare()) }
    }
}

/// The program that reads the messages of a table's provider.
#[derive(Debug, Clone)]
pub(crate) struct ReadProgram(Arc<Programs>);

impl ReadProgram {
    pub(crate) fn of(table: &'static Table) -> Self {
        Self(Programs::of(table))
    }
}

impl Deref for ReadProgram {
    type Target = Program;

    #[inline]
    fn deref(&self) -> &Program {
        &self.0.reading
    }
}

/// The program that writes messages of a table's provider, and reads those of its hosts.
#[derive(Debug, Clone)]
pub(crate) struct WriteProgram(Arc<Programs>);

impl WriteProgram {
    pub(crate) fn of(table: &'static Table) -> Self {
        Self(Programs::of(table))
    }
}

impl Deref for WriteProgram {
    type Target = Program;

    #[inline]
    fn deref(&self) -> &Program {
        let table = self.0.reading.table;
        // What is written has paths that lead into commands.
        self.0.writing.get_or_init(|| Program::with_keys(table, table.write_keys))
    }
}

/// A table, prepared for use.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) table: &'static Table,
    pub(crate) keys: KeySet,
    levels: Vec<Level>,
    /// What each rule reads, worked out with its first message.
    reads: Vec<OnceLock<Reads>>,
    values: Vec<FastMap<&'static str, Option<&'static str>>>,
}

/// One level of telling messages apart.
#[derive(Debug)]
struct Level {
    dispatch: &'static Dispatch,
    arms: FastMap<&'static str, Next>,
    present: Vec<(&'static Path, Next)>,
}

/// What follows from a tag's value.
#[derive(Debug, Clone, Copy)]
struct Next {
    level: Option<usize>,
    rules: &'static [u16],
}

/// Which rules may take a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// Try these in order.
    Rules(&'static [u16]),
    /// The tag at this path has a value without a rule.
    Unknown(&'static Path, String),
    /// There is no tag.
    Untagged,
}

impl Program {
    fn with_keys(table: &'static Table, keys: &'static [&'static str]) -> Self {
        let values = table.values.iter().map(|map| map.pairs.iter().copied().collect()).collect();
        let distinct = keys.len();
        let keys = KeySet::new(keys);
        debug_assert_eq!(keys.len(), distinct, "the keys of a table are distinct");
        let reads = table.rules.iter().map(|_| OnceLock::new()).collect();
        let mut program = Self { table, keys, levels: Vec::new(), reads, values };
        program.add_level(&table.dispatch);
        program
    }

    /// Levels nest as deep as the map writes them, not as messages do.
    fn add_level(&mut self, dispatch: &'static Dispatch) -> usize {
        let number = self.levels.len();
        self.levels.push(Level { dispatch, arms: FastMap::default(), present: Vec::new() });
        for (tag, shape) in dispatch.arms {
            let next = self.next(shape);
            self.levels[number].arms.entry(tag).or_insert(next);
        }
        for (path, shape) in dispatch.present {
            let next = self.next(shape);
            self.levels[number].present.push((path, next));
        }
        number
    }

    fn next(&mut self, shape: &'static Shape) -> Next {
        Next { level: shape.next.map(|next| self.add_level(next)), rules: shape.rules }
    }

    /// What the rule of this number reads of its messages.
    pub(crate) fn reads(&self, rule: usize) -> &Reads {
        self.reads[rule].get_or_init(|| Reads::of(self.table, &self.table.rules[rule]))
    }

    /// The universal value for a native one.
    pub(crate) fn mapped(&self, map: u16, native: &str) -> Option<&'static str> {
        let map = usize::from(map);
        match self.values.get(map)?.get(native) {
            Some(value) => *value,
            None => self.table.values[map].otherwise,
        }
    }

    /// Finds the rules for a message, of which `tag` reads a text and `present` the presence, of null as well if it is
    /// asked to.
    pub(crate) fn find<'v>(
        &self,
        mut tag: impl FnMut(&'static Path) -> Option<std::borrow::Cow<'v, str>>,
        mut present: impl FnMut(&'static Path, bool) -> bool,
    ) -> Found {
        let mut level = &self.levels[0];
        let mut rules: &'static [u16] = &[];
        loop {
            let mut value = None;
            for path in level.dispatch.tag {
                if let Some(text) = tag(path) {
                    value = Some((path, text));
                    break;
                }
            }
            let next = match value {
                Some((path, text)) => match level.arms.get(&*text) {
                    Some(next) => Some(*next),
                    None if level.dispatch.unknown.is_empty() => {
                        return Found::Unknown(path, text.into_owned());
                    }
                    None => return Found::Rules(level.dispatch.unknown),
                },
                None => {
                    // A member that is null is there as well, if no other one has a value: `"result": null` is an answer.
                    let with_value = level.present.iter().find(|(path, _)| present(path, false));
                    let found =
                        with_value.or_else(|| level.present.iter().find(|(path, _)| present(path, true)));
                    found.map(|(_, next)| *next)
                }
            };
            match next {
                None if rules.is_empty() => return Found::Untagged,
                None => return Found::Rules(rules),
                Some(Next { level: None, rules }) => return Found::Rules(rules),
                Some(Next { level: Some(number), rules: own }) => {
                    level = &self.levels[number];
                    rules = own;
                }
            }
        }
    }
}
