//! Requests: asked once, settled once, at the latest by the end of their turn (law 6).

use std::sync::Arc;

use super::outbox::Outbox;
use super::refs::{AgentRef, TurnRef};
use super::session::Session;
use super::store::items::Located;
use super::store::requests::{Request, RequestKind};
use crate::vocabulary::{
    Decider, EventBody, HostCallOutcome, HostCallRequested, HostCallResolved, Json, Origin,
    PermissionOutcome, PermissionRequested, PermissionResolved, QuestionOutcome, QuestionRequested,
    QuestionResolved, RequestId,
};

/// How a request is settled.
#[derive(Debug)]
pub(crate) enum Settlement {
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
pub(crate) enum NewRequest {
    Permission(PermissionRequested),
    Question(QuestionRequested),
    HostCall(HostCallRequested),
}

impl Session {
    /// Asks, unless the same request is open. `key` is the exact JSON text of the native id.
    pub(crate) fn ask(
        &mut self,
        out: &mut Outbox,
        key: &str,
        mut asked: NewRequest,
        held: bool,
        turn: Option<TurnRef>,
        agent: AgentRef,
    ) {
        let (kind, call) = match &asked {
            NewRequest::Permission(asked) => (RequestKind::Permission, asked.call_id.as_ref()),
            NewRequest::Question(asked) => (RequestKind::Question, asked.call_id.as_ref()),
            NewRequest::HostCall(asked) => (RequestKind::HostCall, asked.call_id.as_ref()),
        };
        let call = call.map(|call| call.shared());
        if self.requests.with_key(kind, key).is_some() {
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
        let ids = &mut requests.ids[kind as usize];
        let bare = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(&key);
        // A number and a text of the same digits are different ids.
        let id = if ids.contains(bare) { ids.take(&key) } else { ids.take(&bare.into()) };
        let body: EventBody = match &mut asked {
            NewRequest::Permission(asked) => {
                asked.permission_id = Arc::clone(&id).into();
                asked.clone().into()
            }
            NewRequest::Question(asked) => {
                asked.question_id = Arc::clone(&id).into();
                asked.clone().into()
            }
            NewRequest::HostCall(asked) => {
                asked.request_id = Arc::clone(&id).into();
                asked.clone().into()
            }
        };
        let mut request = Request { kind, key, id, call, turn, agent, held: None };
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
        answer: Settlement,
        origin: Origin,
    ) {
        let kind = match &answer {
            Settlement::Permission { .. } => RequestKind::Permission,
            Settlement::Question { .. } => RequestKind::Question,
            Settlement::HostCall { .. } => RequestKind::HostCall,
        };
        let by_key = key.and_then(|key| self.requests.with_key(kind, key));
        if let Some(serial) = by_key.or_else(|| self.requests.of_call(kind, call?)) {
            self.settle(out, serial, answer, origin, None);
        }
    }

    /// Settles a request as the host has answered it.
    pub(crate) fn settle_for_host(
        &mut self,
        out: &mut Outbox,
        kind: RequestKind,
        id: &str,
        answer: Settlement,
    ) {
        if let Some(serial) = self.requests.with_id(kind, id) {
            self.settle(out, serial, answer, Origin::Daemon, Some(Decider::Host));
        }
    }

    /// Settles one open request. One that was held is asked first.
    fn settle(
        &mut self,
        out: &mut Outbox,
        serial: u64,
        answer: Settlement,
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
        if let (Settlement::Permission { outcome, .. }, Some(call)) = (&answer, &request.call)
            && is_refusal(*outcome)
            && let Located::Open(serial) = self.items.locate_call(call)
            && let Some(open) = self.items.get_mut(serial)
        {
            open.refused = true;
        }
        let id = request.id;
        let body: EventBody = match answer {
            Settlement::Permission { outcome, message, updated_input } => {
                PermissionResolved { permission_id: id.into(), outcome, message, updated_input, decided_by }
                    .into()
            }
            Settlement::Question { outcome, answers, content, message } => {
                QuestionResolved { question_id: id.into(), outcome, answers, content, message, decided_by }
                    .into()
            }
            Settlement::HostCall { outcome, payload } => {
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
            let Some(kind) = self.requests.open.get(&serial).map(|request| request.kind) else {
                continue;
            };
            let answer = match kind {
                RequestKind::Permission if failed => plain(kind, Unsettled::Unknown),
                RequestKind::Permission => Settlement::Permission {
                    outcome: PermissionOutcome::Allowed,
                    message: None,
                    updated_input: None,
                },
                RequestKind::Question => plain(kind, Unsettled::Unknown),
                RequestKind::HostCall => Settlement::HostCall {
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
            // Without the host's side it is unknown whether the host answered.
            false if out.sees_host => Unsettled::Expired,
            false => Unsettled::Unknown,
        };
        for serial in self.requests.all_of_turn(turn) {
            let Some(kind) = self.requests.open.get(&serial).map(|request| request.kind) else {
                continue;
            };
            self.settle(out, serial, plain(kind, how), Origin::Daemon, None);
        }
    }
}

/// Whether a permission was settled against the call. One that was cancelled says nothing about it.
fn is_refusal(outcome: PermissionOutcome) -> bool {
    matches!(outcome, PermissionOutcome::Reject | PermissionOutcome::RejectAlways)
}

/// How a request ends without an answer.
#[derive(Debug, Clone, Copy)]
enum Unsettled {
    Cancelled,
    Expired,
    Unknown,
}

fn plain(kind: RequestKind, how: Unsettled) -> Settlement {
    match kind {
        RequestKind::Permission => Settlement::Permission {
            outcome: match how {
                Unsettled::Cancelled => PermissionOutcome::Cancelled,
                Unsettled::Expired => PermissionOutcome::Expired,
                Unsettled::Unknown => PermissionOutcome::Unknown,
            },
            message: None,
            updated_input: None,
        },
        RequestKind::Question => Settlement::Question {
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
        RequestKind::HostCall => Settlement::HostCall {
            outcome: match how {
                Unsettled::Cancelled | Unsettled::Expired => HostCallOutcome::Cancelled,
                Unsettled::Unknown => HostCallOutcome::Unknown,
            },
            payload: None,
        },
    }
}
