//! Requests: asked once, settled once, at the latest by the end of their turn (law 6).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::hash::FastMap;
use super::memory::UsedIds;
use super::outbox::Outbox;
use super::session::Session;
use super::turn::{AgentRef, TurnRef};
use crate::vocabulary::{
    Decider, EventBody, HostCallOutcome, HostCallRequested, HostCallResolved, Json, Origin,
    PermissionOutcome, PermissionRequested, PermissionResolved, QuestionOutcome, QuestionRequested,
    QuestionResolved, RequestId,
};

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Permission,
    Question,
    HostCall,
}

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

/// The open requests of a session.
#[derive(Debug)]
pub(super) struct Requests {
    open: BTreeMap<u64, Request>,
    by_key: FastMap<(Sort, Arc<str>), u64>,
    ids: [UsedIds; 3],
    next: u64,
}

/// How a request is settled.
#[derive(Debug)]
pub(super) enum Answer {
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
pub(super) enum Asked {
    Permission(PermissionRequested),
    Question(QuestionRequested),
    HostCall(HostCallRequested),
}

impl Requests {
    pub(super) fn new(window: usize) -> Self {
        let ids = || UsedIds::new(window);
        Self { open: BTreeMap::new(), by_key: FastMap::default(), ids: [ids(), ids(), ids()], next: 0 }
    }

    fn remove(&mut self, serial: u64) -> Option<Request> {
        let request = self.open.remove(&serial)?;
        self.by_key.remove(&(request.sort, Arc::clone(&request.key)));
        Some(request)
    }

    /// The open request of this universal id that was asked and is not held.
    fn with_id(&self, sort: Sort, id: &str) -> Option<u64> {
        let asked = |request: &Request| request.sort == sort && &*request.id == id && request.held.is_none();
        self.open.iter().find(|(_, request)| asked(request)).map(|(serial, _)| *serial)
    }

    /// Whether such a request is open.
    pub(super) fn is_open(&self, sort: Sort, id: &str) -> bool {
        self.with_id(sort, id).is_some()
    }

    fn of_call(&self, call: &str) -> impl Iterator<Item = (u64, &Request)> {
        let requests = self.open.iter().map(|(serial, request)| (*serial, request));
        requests.filter(move |(_, request)| request.call.as_deref() == Some(call))
    }

    pub(super) fn len(&self) -> usize {
        self.open.len() + self.ids.iter().map(UsedIds::len).sum::<usize>()
    }
}

impl Session {
    /// Asks, unless the same request is open. `key` is the exact JSON text of the native id.
    pub(super) fn ask(
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
        let key: Arc<str> = key.into();
        if self.requests.by_key.contains_key(&(sort, Arc::clone(&key))) {
            return;
        }
        if let Some(call) = &call {
            // This request is what a question of the same call was held back for.
            let superseded: Vec<u64> = self
                .requests
                .of_call(call)
                .filter(|(_, request)| request.held.is_some())
                .map(|(serial, _)| serial)
                .collect();
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
        let serial = requests.next;
        requests.next += 1;
        requests.by_key.insert((sort, Arc::clone(&key)), serial);
        let mut request = Request { sort, key, id, call, turn, agent, held: None };
        if held {
            request.held = Some(body);
            self.requests.open.insert(serial, request);
            return;
        }
        let (turn, agent) = (request.turn.clone(), request.agent.clone());
        self.requests.open.insert(serial, request);
        self.emit(out, turn.map(|turn| turn.id), &agent, Origin::Agent, body);
    }

    /// Settles a request by its id, or the open one of a call.
    pub(super) fn answer(
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
        let by_key = key.and_then(|key| self.requests.by_key.get(&(sort, key.into())).copied());
        let by_call = || {
            let mut requests = self.requests.of_call(call?);
            requests.find(|(_, request)| request.sort == sort).map(|(serial, _)| serial)
        };
        if let Some(serial) = by_key.or_else(by_call) {
            self.settle(out, serial, answer, origin, None);
        }
    }

    /// Settles a request as the host has answered it.
    pub(super) fn settle_for_host(&mut self, out: &mut Outbox, sort: Sort, id: &str, answer: Answer) {
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
    pub(super) fn settle_call(&mut self, out: &mut Outbox, call: &str, failed: bool) {
        if self.requests.open.is_empty() {
            return;
        }
        let of_call: Vec<(u64, Sort)> =
            self.requests.of_call(call).map(|(serial, request)| (serial, request.sort)).collect();
        for (serial, sort) in of_call {
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
    pub(super) fn settle_requests(&mut self, out: &mut Outbox, turn: Option<&TurnRef>, interrupted: bool) {
        if self.requests.open.is_empty() {
            return;
        }
        let open: Vec<(u64, Sort)> = self
            .requests
            .open
            .iter()
            .filter(|(_, request)| match turn {
                Some(turn) => request.turn.as_ref().is_some_and(|of| of.serial == turn.serial),
                None => true,
            })
            .map(|(serial, request)| (*serial, request.sort))
            .collect();
        let how = if interrupted { Unsettled::Cancelled } else { Unsettled::Expired };
        for (serial, sort) in open {
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
