//! Turns: how they are named, opened and ended.

use super::outbox::Outbox;
use super::refs::{Course, TurnRef};
use super::session::Session;
use super::store::turns::{HeldEnd, Turn};
use crate::engine::memory::hash::hash_of;
use crate::engine::memory::registers::Bank;
use crate::vocabulary::{
    Origin, SessionEndReason, TurnEndReason, TurnEnded, TurnId, TurnStarted, TurnTrigger,
};

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

    /// Ends the open turns with another native name; their outcome is unknown.
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
        // When a turn starts, a turn with an expected end is over.
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
    pub(crate) fn hold_end(&mut self, out: &mut Outbox, turn: TurnRef, ended: TurnEnded) {
        let held = HeldEnd { turn, ended, time: out.time, native: out.native.clone() };
        if self.turns.held.replace(Box::new(held)).is_none() {
            out.held_ends += 1;
        }
    }

    /// Ends the turn whose end was held, if there is one.
    pub(crate) fn settle_held_end(&mut self, out: &mut Outbox) {
        let Some(held) = self.turns.held.take() else {
            return;
        };
        out.held_ends -= 1;
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
