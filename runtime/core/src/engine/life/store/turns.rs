//! The turns of a session, by all that a message can name them by.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::life::refs::TurnRef;
use crate::engine::memory::hash::{FastMap, hash_of};
use crate::engine::memory::registers::Bank;
use crate::engine::memory::{UsedIds, Window};
use crate::vocabulary::{NativeRef, Timestamp, TurnEnded, TurnId};

/// An open turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) id: TurnId,
    /// Native names by which messages name it.
    pub(crate) names: Vec<Arc<str>>,
    /// Items that were opened in it; may hold closed ones.
    pub(crate) items: Vec<u64>,
    pub(crate) registers: Bank,
    /// How the turn ends if no message ends it.
    pub(crate) expected: Option<TurnEnded>,
}

/// The turns of a session.
#[derive(Debug)]
pub(crate) struct Turns {
    pub(crate) open: BTreeMap<u64, Turn>,
    pub(crate) by_name: FastMap<Arc<str>, u64>,
    /// Turns that have ended, by their native names.
    pub(crate) ended: Window<TurnId>,
    /// Names of turns that are not open yet, by the other name of each.
    pub(crate) aliases: Window<Arc<str>>,
    pub(crate) ids: UsedIds,
    /// The open turn without a native name: there is one at most, since nothing opens another
    /// while any turn is open.
    pub(crate) unnamed: Option<u64>,
    /// The end of a turn that waits for what follows.
    pub(crate) held: Option<Box<HeldEnd>>,
    pub(crate) next: u64,
    pub(crate) made: u64,
}

/// The end of a turn that the next message may revoke, with the time and place of its message.
#[derive(Debug)]
pub(crate) struct HeldEnd {
    pub(crate) turn: TurnRef,
    pub(crate) ended: TurnEnded,
    pub(crate) time: Option<Timestamp>,
    pub(crate) native: Option<NativeRef>,
}

/// How many aliases of turns that have not started are kept.
pub(crate) const WAITING_ALIASES: usize = 64;

impl Turns {
    pub(crate) fn new(window: usize) -> Self {
        Self {
            open: BTreeMap::new(),
            by_name: FastMap::default(),
            ended: Window::new(window.min(1024)),
            aliases: Window::new(WAITING_ALIASES),
            ids: UsedIds::new(window),
            unnamed: None,
            held: None,
            next: 0,
            made: 0,
        }
    }

    /// Revokes the held end, if there is one.
    pub(crate) fn resume(&mut self) -> bool {
        self.held.take().is_some()
    }

    pub(crate) fn refer(&self, serial: u64) -> Option<TurnRef> {
        self.open.get(&serial).map(|turn| TurnRef { serial, id: turn.id.clone() })
    }

    /// The open turn that was opened first.
    pub(crate) fn oldest(&self) -> Option<TurnRef> {
        self.open.first_key_value().map(|(serial, turn)| TurnRef { serial: *serial, id: turn.id.clone() })
    }

    /// The open turn that was opened last.
    pub(crate) fn newest(&self) -> Option<TurnRef> {
        self.open.last_key_value().map(|(serial, turn)| TurnRef { serial: *serial, id: turn.id.clone() })
    }

    /// Sets how a turn ends if no message ends it.
    pub(crate) fn expect_end(&mut self, turn: &TurnRef, ended: TurnEnded) {
        if let Some(turn) = self.open.get_mut(&turn.serial) {
            turn.expected = Some(ended);
        }
    }

    /// Takes the expected end of a turn.
    pub(crate) fn expected_end(&mut self, turn: &TurnRef) -> Option<TurnEnded> {
        self.open.get_mut(&turn.serial)?.expected.take()
    }

    /// The open turn of this native name.
    pub(crate) fn named(&self, name: &str) -> Option<TurnRef> {
        self.refer(*self.by_name.get(name)?)
    }

    /// The turn of this native name that has ended.
    pub(crate) fn ended_id(&self, name: &str) -> Option<&TurnId> {
        self.ended.get(hash_of(name))
    }

    pub(crate) fn is_open(&self, turn: &TurnRef) -> bool {
        self.open.contains_key(&turn.serial)
    }

    pub(crate) fn name(&mut self, serial: u64, name: &str) {
        if self.unnamed == Some(serial) {
            self.unnamed = None;
        }
        if let Some(turn) = self.open.get_mut(&serial) {
            let name: Arc<str> = name.into();
            turn.names.push(Arc::clone(&name));
            self.by_name.insert(name, serial);
        }
    }

    /// Adds a second native name for a turn.
    pub(crate) fn alias(&mut self, turn: &str, alias: &str) {
        if self.by_name.contains_key(alias) {
            return;
        }
        if let Some(serial) = self.by_name.get(turn).copied() {
            self.name(serial, alias);
        } else if let Some(id) = self.ended_id(turn).cloned() {
            self.ended.insert(hash_of(alias), id);
        } else {
            self.aliases.insert(hash_of(alias), turn.into());
        }
    }

    /// What a native name is called by those who named the turn first.
    pub(crate) fn resolved<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(hash_of(name)).map_or(name, |turn| turn)
    }

    /// Remembers that an item was opened in a turn. Closed ones are forgotten now and then.
    pub(crate) fn add_item(&mut self, turn: &TurnRef, item: u64, is_open: impl Fn(u64) -> bool) {
        if let Some(turn) = self.open.get_mut(&turn.serial) {
            if turn.items.len() >= 64 && turn.items.len() == turn.items.capacity() {
                turn.items.retain(|item| is_open(*item));
                if turn.items.len() * 2 > turn.items.capacity() {
                    turn.items.reserve(turn.items.len());
                }
            }
            turn.items.push(item);
        }
    }

    pub(crate) fn registers(&self, turn: &TurnRef) -> Option<&Bank> {
        self.open.get(&turn.serial).map(|turn| &turn.registers)
    }

    pub(crate) fn registers_mut(&mut self, turn: &TurnRef) -> Option<&mut Bank> {
        self.open.get_mut(&turn.serial).map(|turn| &mut turn.registers)
    }

    pub(crate) fn len(&self) -> usize {
        self.open.values().map(|turn| 1 + turn.items.len()).sum::<usize>() + self.ids.len() + self.ended.len()
    }
}
