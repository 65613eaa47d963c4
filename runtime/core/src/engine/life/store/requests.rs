//! The open requests of a session, by all that a message can name them by.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::life::refs::{AgentRef, TurnRef};
use crate::engine::memory::UsedIds;
use crate::engine::memory::hash::FastMap;
use crate::vocabulary::EventBody;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RequestKind {
    Permission,
    Question,
    HostCall,
}

/// How many kinds there are.
pub(crate) const REQUEST_KINDS: usize = RequestKind::HostCall as usize + 1;

/// The turn under which requests without one are found.
pub(crate) const NO_TURN: u64 = u64::MAX;

/// A request that was not settled yet.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) kind: RequestKind,
    /// The exact JSON text of the native id.
    pub(crate) key: Arc<str>,
    /// The universal id.
    pub(crate) id: Arc<str>,
    pub(crate) call: Option<Arc<str>>,
    pub(crate) turn: Option<TurnRef>,
    pub(crate) agent: AgentRef,
    /// A question that is not asked yet.
    pub(crate) held: Option<EventBody>,
}

/// The open requests of a session, by all that a message can name them by.
#[derive(Debug)]
pub(crate) struct Requests {
    pub(crate) open: FastMap<u64, Request>,
    /// By the exact JSON text of the native id, for each kind.
    pub(crate) by_key: [FastMap<Arc<str>, u64>; REQUEST_KINDS],
    /// Those that were asked and are not held, by universal id.
    pub(crate) by_id: [FastMap<Arc<str>, u64>; REQUEST_KINDS],
    pub(crate) by_call: FastMap<Arc<str>, OfCall>,
    /// By the turn's serial number, in the order of asking.
    pub(crate) by_turn: BTreeSet<(u64, u64)>,
    pub(crate) ids: [UsedIds; REQUEST_KINDS],
    pub(crate) next: u64,
}

/// The open requests of one call, in the order of asking.
#[derive(Debug, Default)]
pub(crate) struct OfCall {
    pub(crate) by_kind: [BTreeSet<u64>; REQUEST_KINDS],
    /// Those among them that are not asked yet.
    pub(crate) held: BTreeSet<u64>,
}

impl Requests {
    pub(crate) fn new(window: usize) -> Self {
        Self {
            open: FastMap::default(),
            by_key: Default::default(),
            by_id: Default::default(),
            by_call: FastMap::default(),
            by_turn: BTreeSet::new(),
            ids: std::array::from_fn(|_| UsedIds::new(window)),
            next: 0,
        }
    }

    pub(crate) fn insert(&mut self, request: Request) {
        let (serial, kind) = (self.next, request.kind as usize);
        self.next += 1;
        self.by_key[kind].insert(Arc::clone(&request.key), serial);
        if request.held.is_none() {
            self.by_id[kind].insert(Arc::clone(&request.id), serial);
        }
        if let Some(call) = &request.call {
            let of_call = self.by_call.entry(Arc::clone(call)).or_default();
            of_call.by_kind[kind].insert(serial);
            if request.held.is_some() {
                of_call.held.insert(serial);
            }
        }
        self.by_turn.insert((request.turn_number(), serial));
        self.open.insert(serial, request);
    }

    pub(crate) fn remove(&mut self, serial: u64) -> Option<Request> {
        let request = self.open.remove(&serial)?;
        let kind = request.kind as usize;
        self.by_key[kind].remove(&request.key);
        if request.held.is_none() {
            self.by_id[kind].remove(&request.id);
        }
        if let Some(call) = &request.call
            && let Some(of_call) = self.by_call.get_mut(call)
        {
            of_call.by_kind[kind].remove(&serial);
            of_call.held.remove(&serial);
            if of_call.by_kind.iter().all(BTreeSet::is_empty) {
                self.by_call.remove(call);
            }
        }
        self.by_turn.remove(&(request.turn_number(), serial));
        Some(request)
    }

    /// The open request of this native id.
    pub(crate) fn with_key(&self, kind: RequestKind, key: &str) -> Option<u64> {
        self.by_key[kind as usize].get(key).copied()
    }

    /// The open request of this universal id that was asked and is not held.
    pub(crate) fn with_id(&self, kind: RequestKind, id: &str) -> Option<u64> {
        self.by_id[kind as usize].get(id).copied()
    }

    /// The open request of a call that was asked first.
    pub(crate) fn of_call(&self, kind: RequestKind, call: &str) -> Option<u64> {
        self.by_call.get(call)?.by_kind[kind as usize].first().copied()
    }

    /// The open requests of a call that are held, or all of them, in the order of asking.
    pub(crate) fn all_of_call(&self, call: &str, held: bool) -> Vec<u64> {
        let Some(of_call) = self.by_call.get(call) else {
            return Vec::new();
        };
        if held {
            return of_call.held.iter().copied().collect();
        }
        let mut all: Vec<u64> = of_call.by_kind.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// The open requests of a turn, or, without one, all of them, in the order of asking.
    pub(crate) fn all_of_turn(&self, turn: Option<&TurnRef>) -> Vec<u64> {
        let of_turn =
            |number| self.by_turn.range((number, 0)..=(number, u64::MAX)).map(|(_, serial)| *serial);
        match turn {
            Some(turn) => of_turn(turn.serial).collect(),
            None => {
                let mut all: Vec<u64> = self.open.keys().copied().collect();
                all.sort_unstable();
                all
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len() + self.ids.iter().map(UsedIds::len).sum::<usize>()
    }
}

impl Request {
    pub(crate) fn turn_number(&self) -> u64 {
        self.turn.as_ref().map_or(NO_TURN, |turn| turn.serial)
    }
}
