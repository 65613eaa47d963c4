//! Turns: how they are named, opened and ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::outbox::Outbox;
use super::session::{Course, Session};
use crate::engine::memory::hash::{FastMap, hash_of};
use crate::engine::memory::registers::Bank;
use crate::engine::memory::{UsedIds, Window};
use crate::vocabulary::{
    ItemId, NativeRef, Origin, SessionEndReason, Timestamp, TurnEndReason, TurnEnded, TurnId, TurnStarted,
    TurnTrigger,
};

/// A sub-agent within its session; nothing for the main agent.
pub(crate) type AgentRef = Option<Arc<Agent>>;

/// A sub-agent that shares its parent's session.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The tool calls that lead to it.
    pub(crate) path: Vec<ItemId>,
    /// The turn of the call that started it.
    pub(crate) turn: Option<TurnRef>,
}

/// The path that events of an agent carry.
#[inline]
pub(crate) fn path_of(agent: &AgentRef) -> Vec<ItemId> {
    match agent {
        None => Vec::new(),
        Some(agent) => agent.path.clone(),
    }
}

/// A turn that was started, open or not.
#[derive(Debug, Clone)]
pub(crate) struct TurnRef {
    pub(crate) serial: u64,
    pub(crate) id: TurnId,
}

/// An open turn.
#[derive(Debug)]
struct Turn {
    id: TurnId,
    /// Native names by which messages name it.
    names: Vec<Arc<str>>,
    /// Items that were opened in it; may hold closed ones.
    items: Vec<u64>,
    registers: Bank,
    /// How it ends if its end is not said.
    expected: Option<TurnEnded>,
}

/// The turns of a session.
#[derive(Debug)]
pub(crate) struct Turns {
    open: BTreeMap<u64, Turn>,
    by_name: FastMap<Arc<str>, u64>,
    /// Turns that have ended, by their native names.
    ended: Window<TurnId>,
    /// Names of turns that are not open yet, by the other name of each.
    aliases: Window<Arc<str>>,
    ids: UsedIds,
    /// The open turn without a native name: there is one at most, since nothing opens another
    /// while any turn is open.
    unnamed: Option<u64>,
    /// The end of a turn that waits for what follows.
    held: Option<Box<HeldEnd>>,
    next: u64,
    made: u64,
}

/// The end of a turn that the next message may revoke, with what its event says about the message that told it.
#[derive(Debug)]
struct HeldEnd {
    turn: TurnRef,
    ended: TurnEnded,
    time: Option<Timestamp>,
    native: Option<NativeRef>,
}

/// How many aliases of turns that have not started are kept.
const WAITING_ALIASES: usize = 64;

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

    /// Whether the end of a turn waits for what follows.
    pub(crate) fn has_held_end(&self) -> bool {
        self.held.is_some()
    }

    /// Revokes the held end.
    pub(crate) fn resume(&mut self) {
        self.held = None;
    }

    fn refer(&self, serial: u64) -> Option<TurnRef> {
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

    /// Notes how a turn ends if its end is not said.
    pub(crate) fn expect_end(&mut self, turn: &TurnRef, ended: TurnEnded) {
        if let Some(turn) = self.open.get_mut(&turn.serial) {
            turn.expected = Some(ended);
        }
    }

    /// How a turn ends of which the end was not said, if that is expected.
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

    fn name(&mut self, serial: u64, name: &str) {
        if self.unnamed == Some(serial) {
            self.unnamed = None;
        }
        if let Some(turn) = self.open.get_mut(&serial) {
            let name: Arc<str> = name.into();
            turn.names.push(Arc::clone(&name));
            self.by_name.insert(name, serial);
        }
    }

    /// Says that a second native name means the same turn.
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
    fn resolved<'n>(&'n self, name: &'n str) -> &'n str {
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

impl Session {
    /// Opens a turn: under its native name, or under one of ours.
    pub(crate) fn open_turn(
        &mut self,
        out: &mut Outbox,
        name: Option<&str>,
        trigger: Option<TurnTrigger>,
        origin: Origin,
    ) -> TurnRef {
        let turns = &mut self.turns;
        let id = match name {
            Some(name) => turns.ids.take(&turns.resolved(name).into()),
            None => {
                turns.made += 1;
                turns.ids.take(&format!("turn-{}", turns.made).into())
            }
        };
        let id = TurnId::from(id);
        let serial = turns.next;
        turns.next += 1;
        let turn = Turn {
            id: id.clone(),
            names: Vec::new(),
            items: Vec::new(),
            registers: Bank::default(),
            expected: None,
        };
        turns.open.insert(serial, turn);
        if name.is_none() {
            turns.unnamed = Some(serial);
        }
        if let Some(name) = name {
            let first = turns.resolved(name).to_owned();
            if first != name {
                turns.name(serial, &first);
            }
            turns.name(serial, name);
        }
        let mut started = TurnStarted::new(id.clone());
        started.trigger = trigger;
        self.emit(out, Some(id.clone()), &None, origin, started);
        TurnRef { serial, id }
    }

    /// The open turn that a native name means, if any. A name that is new is given to the
    /// turn that has none.
    pub(crate) fn known_turn(&mut self, name: &str) -> Option<TurnRef> {
        if let Some(turn) = self.turns.named(name) {
            return Some(turn);
        }
        let first = self.turns.resolved(name);
        let turn = match self.turns.named(first) {
            Some(turn) => turn,
            None if self.turns.ended_id(first).is_some() => return None,
            None => self.turns.refer(self.turns.unnamed?)?,
        };
        self.turns.name(turn.serial, name);
        Some(turn)
    }

    /// The turn of something that needs one: the named one, else the newest open one, else a
    /// new one.
    pub(crate) fn turn_for(&mut self, out: &mut Outbox, name: Option<&str>) -> TurnRef {
        let known = match name {
            Some(name) => self.known_turn(name),
            None => self.turns.newest(),
        };
        known.unwrap_or_else(|| self.open_turn(out, name, None, Origin::Daemon))
    }

    /// The turn of something that may lie outside of turns: none is opened for it, and none
    /// that was never started is named.
    pub(crate) fn turn_of_note(&mut self, name: Option<&str>) -> Option<TurnRef> {
        match name {
            None => self.turns.newest(),
            Some(name) => self.turns.named(name).or_else(|| {
                let first = self.turns.resolved(name);
                let ended =
                    || self.turns.ended_id(first).map(|id| TurnRef { serial: u64::MAX, id: id.clone() });
                self.turns.named(first).or_else(ended)
            }),
        }
    }

    /// Ends the open turns that have another native name: nobody has said how they went.
    pub(crate) fn end_other_turns(&mut self, out: &mut Outbox, name: Option<&str>) {
        let own = name.and_then(|name| self.known_turn(name)).map(|turn| turn.serial);
        let others = self.turns.open.keys().filter(|serial| Some(**serial) != own);
        let others: Vec<TurnRef> = others.filter_map(|serial| self.turns.refer(*serial)).collect();
        for turn in others {
            let unknown = || TurnEnded::new(turn.id.clone(), TurnEndReason::Unknown);
            let ended = self.turns.expected_end(&turn).unwrap_or_else(unknown);
            self.end_turn(out, &turn, ended, Origin::Daemon);
        }
    }

    /// Starts a turn that the provider declares, unless it is open.
    pub(crate) fn declare_turn(
        &mut self,
        out: &mut Outbox,
        name: Option<&str>,
        trigger: Option<TurnTrigger>,
    ) {
        // A turn that begins leaves no more to be said of one whose end is expected.
        if let Some(turn) = self.turns.newest()
            && let Some(ended) = self.turns.expected_end(&turn)
        {
            self.end_turn(out, &turn, ended, Origin::Daemon);
        }
        let known = match name {
            Some(name) => self.known_turn(name),
            None => self.turns.newest(),
        };
        if known.is_none() {
            self.open_turn(out, name, trigger, Origin::Agent);
        }
    }

    /// The turn that an end is about; one is opened when there is none to end. Nothing when
    /// the named turn has ended before.
    pub(crate) fn turn_to_end(&mut self, out: &mut Outbox, name: Option<&str>) -> Option<TurnRef> {
        let known = match name {
            Some(name) => match self.known_turn(name) {
                None if self.turns.ended_id(self.turns.resolved(name)).is_some() => return None,
                known => known,
            },
            None => self.turns.oldest(),
        };
        Some(known.unwrap_or_else(|| self.open_turn(out, name, None, Origin::Daemon)))
    }

    /// Keeps the end of a turn until it is known what follows.
    pub(crate) fn hold_end(&mut self, out: &Outbox, turn: TurnRef, ended: TurnEnded) {
        let held = HeldEnd { turn, ended, time: out.time, native: out.native.clone() };
        self.turns.held = Some(Box::new(held));
    }

    /// Ends the turn whose end was held, if there is one.
    pub(crate) fn settle_held_end(&mut self, out: &mut Outbox) {
        let Some(held) = self.turns.held.take() else {
            return;
        };
        let now =
            (std::mem::replace(&mut out.time, held.time), std::mem::replace(&mut out.native, held.native));
        self.end_turn(out, &held.turn, held.ended, Origin::Agent);
        (out.time, out.native) = now;
    }

    /// Ends an open turn: first what is open in it, then itself.
    pub(crate) fn end_turn(
        &mut self,
        out: &mut Outbox,
        turn: &TurnRef,
        mut ended: TurnEnded,
        origin: Origin,
    ) {
        let Some(open) = self.turns.open.get_mut(&turn.serial) else {
            return;
        };
        let items = std::mem::take(&mut open.items);
        if ended.error.is_some() && ended.reason == TurnEndReason::Completed {
            ended.reason = TurnEndReason::Failed;
        }
        let interrupted = ended.reason == TurnEndReason::Interrupted;
        let ended_well =
            !interrupted && !matches!(ended.reason, TurnEndReason::Failed | TurnEndReason::Unknown);
        self.close_items_of_turn(out, &items, ended_well);
        self.settle_requests(out, Some(turn), interrupted);
        self.course = Course::Ended(match ended.reason {
            TurnEndReason::Failed => SessionEndReason::Failed,
            TurnEndReason::Interrupted => SessionEndReason::Interrupted,
            TurnEndReason::Unknown => SessionEndReason::Closed,
            _ => SessionEndReason::Completed,
        });
        self.emit(out, Some(turn.id.clone()), &None, origin, ended);
        if self.turns.unnamed == Some(turn.serial) {
            self.turns.unnamed = None;
        }
        if let Some(over) = self.turns.open.remove(&turn.serial) {
            for name in over.names {
                self.turns.by_name.remove(&name);
                self.turns.ended.insert(hash_of(&*name), over.id.clone());
            }
        }
    }
}
