//! Requests: asked once, settled once, at the latest by the end of their turn (law 6).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::outbox::Outbox;
use super::session::Session;
use super::turn::{AgentRef, TurnRef};
use crate::engine::memory::UsedIds;
use crate::engine::memory::hash::FastMap;
use crate::vocabulary::{
    Decider, EventBody, HostCallOutcome, HostCallRequested, HostCallResolved, Json, Origin,
    PermissionOutcome, PermissionRequested, PermissionResolved, QuestionOutcome, QuestionRequested,
    QuestionResolved, RequestId,
};

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Permission,
    Question,
    HostCall,
}

/// How many sorts there are.
const SORTS: usize = Sort::HostCall as usize + 1;

/// The turn under which requests without one are found.
const NO_TURN: u64 = u64::MAX;

/// A request that was not settled yet.
#[derive(Debug)]
struct Request {
    sort: Sort,
    /// The exact JSON text of the native id.
    key: Arc<str>,
    /// The universal id.
    id: Arc<str>,
    call: Option<Arc<str>>,
    turn: Option<TurnRef>,
    agent: AgentRef,
    /// A question that is not asked yet.
    held: Option<EventBody>,
}

/// The open requests of a session, by all that a message can name them by.
#[derive(Debug)]
pub(crate) struct Requests {
    open: FastMap<u64, Request>,
    /// By the exact JSON text of the native id, for each sort.
    by_key: [FastMap<Arc<str>, u64>; SORTS],
    /// Those that were asked and are not held, by universal id.
    by_id: [FastMap<Arc<str>, u64>; SORTS],
    by_call: FastMap<Arc<str>, OfCall>,
    /// By the turn's serial number, in the order of asking.
    by_turn: BTreeSet<(u64, u64)>,
    ids: [UsedIds; SORTS],
    next: u64,
}

/// The open requests of one call, in the order of asking.
#[derive(Debug, Default)]
struct OfCall {
    by_sort: [BTreeSet<u64>; SORTS],
    /// Those among them that are not asked yet.
    held: BTreeSet<u64>,
}

/// How a request is settled.
#[derive(Debug)]
pub(crate) enum Answer {
    Permission {
        outcome: PermissionOutcome,
        message: Option<String>,
        updated_input: Option<Json>,
    },
    Question {
        outcome: QuestionOutcome,
        answers: Option<Vec<Vec<String>>>,
        content: Option<Json>,
        message: Option<String>,
    },
    HostCall {
        outcome: HostCallOutcome,
        payload: Option<Json>,
    },
}

/// What is asked for, without the id that it gets.
#[derive(Debug)]
pub(crate) enum Asked {
    Permission(PermissionRequested),
    Question(QuestionRequested),
    HostCall(HostCallRequested),
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

    fn insert(&mut self, request: Request) {
        let (serial, sort) = (self.next, request.sort as usize);
        self.next += 1;
        self.by_key[sort].insert(Arc::clone(&request.key), serial);
        if request.held.is_none() {
            self.by_id[sort].insert(Arc::clone(&request.id), serial);
        }
        if let Some(call) = &request.call {
            let of_call = self.by_call.entry(Arc::clone(call)).or_default();
            of_call.by_sort[sort].insert(serial);
            if request.held.is_some() {
                of_call.held.insert(serial);
            }
        }
        self.by_turn.insert((request.turn_number(), serial));
        self.open.insert(serial, request);
    }

    fn remove(&mut self, serial: u64) -> Option<Request> {
        let request = self.open.remove(&serial)?;
        let sort = request.sort as usize;
        self.by_key[sort].remove(&request.key);
        if request.held.is_none() {
            self.by_id[sort].remove(&request.id);
        }
        if let Some(call) = &request.call
            && let Some(of_call) = self.by_call.get_mut(call)
        {
            of_call.by_sort[sort].remove(&serial);
            of_call.held.remove(&serial);
            if of_call.by_sort.iter().all(BTreeSet::is_empty) {
                self.by_call.remove(call);
            }
        }
        self.by_turn.remove(&(request.turn_number(), serial));
        Some(request)
    }

    /// The open request of this native id.
    fn with_key(&self, sort: Sort, key: &str) -> Option<u64> {
        self.by_key[sort as usize].get(key).copied()
    }

    /// The open request of this universal id that was asked and is not held.
    fn with_id(&self, sort: Sort, id: &str) -> Option<u64> {
        self.by_id[sort as usize].get(id).copied()
    }

    /// The open request of a call that was asked first.
    fn of_call(&self, sort: Sort, call: &str) -> Option<u64> {
        self.by_call.get(call)?.by_sort[sort as usize].first().copied()
    }

    /// The open requests of a call that are held, or all of them, in the order of asking.
    fn all_of_call(&self, call: &str, held: bool) -> Vec<u64> {
        let Some(of_call) = self.by_call.get(call) else {
            return Vec::new();
        };
        if held {
            return of_call.held.iter().copied().collect();
        }
        let mut all: Vec<u64> = of_call.by_sort.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// The open requests of a turn, or, without one, all of them, in the order of asking.
    fn all_of_turn(&self, turn: Option<&TurnRef>) -> Vec<u64> {
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
    fn turn_number(&self) -> u64 {
        self.turn.as_ref().map_or(NO_TURN, |turn| turn.serial)
    }
}

impl Session {
    /// Asks, unless the same request is open. `key` is the exact JSON text of the native id.
    pub(crate) fn ask(
        &mut self,
        out: &mut Outbox,
        key: &str,
        mut asked: Asked,
        held: bool,
        turn: Option<TurnRef>,
        agent: AgentRef,
    ) {
        let (sort, call) = match &asked {
            Asked::Permission(asked) => (Sort::Permission, asked.call_id.as_ref()),
            Asked::Question(asked) => (Sort::Question, asked.call_id.as_ref()),
            Asked::HostCall(asked) => (Sort::HostCall, asked.call_id.as_ref()),
        };
        let call = call.map(|call| call.shared());
        if self.requests.with_key(sort, key).is_some() {
            return;
        }
        let key: Arc<str> = key.into();
        if let Some(call) = &call {
            // This request is what a question of the same call was held back for.
            let superseded = self.requests.all_of_call(call, true);
            for serial in superseded {
                self.requests.remove(serial);
            }
        }
        let requests = &mut self.requests;
        let ids = &mut requests.ids[sort as usize];
        let bare = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(&key);
        // A number and a text of the same digits are different ids.
        let id = if ids.contains(bare) { ids.take(&key) } else { ids.take(&bare.into()) };
        let body: EventBody = match &mut asked {
            Asked::Permission(asked) => {
                asked.permission_id = Arc::clone(&id).into();
                asked.clone().into()
            }
            Asked::Question(asked) => {
                asked.question_id = Arc::clone(&id).into();
                asked.clone().into()
            }
            Asked::HostCall(asked) => {
                asked.request_id = Arc::clone(&id).into();
                asked.clone().into()
            }
        };
        let mut request = Request { sort, key, id, call, turn, agent, held: None };
        if held {
            request.held = Some(body);
            return requests.insert(request);
        }
        let (turn, agent) = (request.turn.clone(), request.agent.clone());
        requests.insert(request);
        self.emit(out, turn.map(|turn| turn.id), &agent, Origin::Agent, body);
    }

    /// Settles a request by its id, or the open one of a call.
    pub(crate) fn answer(
        &mut self,
        out: &mut Outbox,
        key: Option<&str>,
        call: Option<&str>,
        answer: Answer,
        origin: Origin,
    ) {
        let sort = match &answer {
            Answer::Permission { .. } => Sort::Permission,
            Answer::Question { .. } => Sort::Question,
            Answer::HostCall { .. } => Sort::HostCall,
        };
        let by_key = key.and_then(|key| self.requests.with_key(sort, key));
        if let Some(serial) = by_key.or_else(|| self.requests.of_call(sort, call?)) {
            self.settle(out, serial, answer, origin, None);
        }
    }

    /// Settles a request as the host has answered it.
    pub(crate) fn settle_for_host(&mut self, out: &mut Outbox, sort: Sort, id: &str, answer: Answer) {
        if let Some(serial) = self.requests.with_id(sort, id) {
            self.settle(out, serial, answer, Origin::Daemon, Some(Decider::Host));
        }
    }

    /// Settles one open request. One that was held is asked first.
    fn settle(
        &mut self,
        out: &mut Outbox,
        serial: u64,
        answer: Answer,
        origin: Origin,
        decided_by: Option<Decider>,
    ) {
        let Some(request) = self.requests.remove(serial) else {
            return;
        };
        let turn = request.turn.map(|turn| turn.id);
        if let Some(asked) = request.held {
            self.emit(out, turn.clone(), &request.agent, Origin::Agent, asked);
        }
        let id = request.id;
        let body: EventBody = match answer {
            Answer::Permission { outcome, message, updated_input } => {
                PermissionResolved { permission_id: id.into(), outcome, message, updated_input, decided_by }
                    .into()
            }
            Answer::Question { outcome, answers, content, message } => {
                QuestionResolved { question_id: id.into(), outcome, answers, content, message, decided_by }
                    .into()
            }
            Answer::HostCall { outcome, payload } => {
                HostCallResolved { request_id: RequestId::from(id), outcome, payload, decided_by }.into()
            }
        };
        self.emit(out, turn, &request.agent, origin, body);
    }

    /// Settles the open requests of a call whose result has come.
    pub(crate) fn settle_call(&mut self, out: &mut Outbox, call: &str, failed: bool) {
        if self.requests.open.is_empty() {
            return;
        }
        for serial in self.requests.all_of_call(call, false) {
            let Some(sort) = self.requests.open.get(&serial).map(|request| request.sort) else {
                continue;
            };
            let answer = match sort {
                Sort::Permission if failed => plain(sort, Unsettled::Unknown),
                Sort::Permission => Answer::Permission {
                    outcome: PermissionOutcome::Allowed,
                    message: None,
                    updated_input: None,
                },
                Sort::Question => plain(sort, Unsettled::Unknown),
                Sort::HostCall => Answer::HostCall {
                    outcome: if failed { HostCallOutcome::Failed } else { HostCallOutcome::Done },
                    payload: None,
                },
            };
            self.settle(out, serial, answer, Origin::Daemon, None);
        }
    }

    /// Settles what is still open at the end of a turn, or, without one, of the session.
    pub(crate) fn settle_requests(&mut self, out: &mut Outbox, turn: Option<&TurnRef>, interrupted: bool) {
        if self.requests.open.is_empty() {
            return;
        }
        let how = match interrupted {
            true => Unsettled::Cancelled,
            // Whoever does not see the host's side cannot know that it gave no answer.
            false if out.sees_host => Unsettled::Expired,
            false => Unsettled::Unknown,
        };
        for serial in self.requests.all_of_turn(turn) {
            let Some(sort) = self.requests.open.get(&serial).map(|request| request.sort) else {
                continue;
            };
            self.settle(out, serial, plain(sort, how), Origin::Daemon, None);
        }
    }
}

/// How a request ends without an answer.
#[derive(Debug, Clone, Copy)]
enum Unsettled {
    Cancelled,
    Expired,
    Unknown,
}

fn plain(sort: Sort, how: Unsettled) -> Answer {
    match sort {
        Sort::Permission => Answer::Permission {
            outcome: match how {
                Unsettled::Cancelled => PermissionOutcome::Cancelled,
                Unsettled::Expired => PermissionOutcome::Expired,
                Unsettled::Unknown => PermissionOutcome::Unknown,
            },
            message: None,
            updated_input: None,
        },
        Sort::Question => Answer::Question {
            outcome: match how {
                Unsettled::Cancelled => QuestionOutcome::Cancelled,
                Unsettled::Expired => QuestionOutcome::Expired,
                Unsettled::Unknown => QuestionOutcome::Unknown,
            },
            answers: None,
            content: None,
            message: None,
        },
        // Work for the host knows no expiry: what its turn's end drops is cancelled.
        Sort::HostCall => Answer::HostCall {
            outcome: match how {
                Unsettled::Cancelled | Unsettled::Expired => HostCallOutcome::Cancelled,
                Unsettled::Unknown => HostCallOutcome::Unknown,
            },
            payload: None,
        },
    }
}
