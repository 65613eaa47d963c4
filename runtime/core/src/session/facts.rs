//! What the events tell that a reply needs: the open requests, and what is known of each session.

use std::collections::{BTreeMap, VecDeque};

use crate::vocabulary::{Event, EventBody, Origin, PendingRequest, SessionFacts, SessionId};

/// How many settled requests are remembered, so that a late reply gets a better answer than "unknown".
const SETTLED: usize = 1024;

/// The requests of an agent that are open, and what is known of its sessions, gathered from events alone: from a
/// recorded stream it comes out the same as from a live one.
///
/// ```
/// use interlingua::{PendingRequests, Event};
///
/// let asked = r#"{"event_id":"s1:3","sequence":3,"session_id":"s1","agent_path":[],"origin":"agent",
///     "type":"permission.requested","data":{"permission_id":"0","action":{"name":"Bash"},"options":[]}}"#;
/// let mut pending = PendingRequests::default();
/// pending.observe(&serde_json::from_str::<Event>(asked)?);
/// assert_eq!(pending.iter().map(|(_, request)| request.id()).collect::<Vec<_>>(), ["0"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PendingRequests {
    open: Vec<(SessionId, PendingRequest)>,
    settled: VecDeque<(String, &'static str)>,
    sessions: Vec<(SessionId, SessionFacts)>,
    /// The native ids of the open turns of each session, the oldest first.
    turns: BTreeMap<SessionId, Vec<crate::vocabulary::TurnId>>,
}

impl PendingRequests {
    /// Takes up an event.
    pub fn observe(&mut self, event: &Event) {
        let session = &event.session_id;
        match &event.body {
            EventBody::PermissionRequested(data) => {
                self.open.push((session.clone(), PendingRequest::Permission((**data).clone())));
            }
            EventBody::QuestionRequested(data) => {
                self.open.push((session.clone(), PendingRequest::Question((**data).clone())));
            }
            EventBody::HostCallRequested(data) => {
                self.open.push((session.clone(), PendingRequest::HostCall((**data).clone())));
            }
            EventBody::PermissionResolved(data) => {
                let is_kind = |request: &PendingRequest| matches!(request, PendingRequest::Permission(_));
                self.settle(session, data.permission_id.as_str(), is_kind, data.outcome.as_str());
            }
            EventBody::QuestionResolved(data) => {
                let is_kind = |request: &PendingRequest| matches!(request, PendingRequest::Question(_));
                self.settle(session, data.question_id.as_str(), is_kind, data.outcome.as_str());
            }
            EventBody::HostCallResolved(data) => {
                let is_kind = |request: &PendingRequest| matches!(request, PendingRequest::HostCall(_));
                self.settle(session, data.request_id.as_str(), is_kind, data.outcome.as_str());
            }
            EventBody::SessionStarted(data) => {
                let facts = self.facts_mut(session);
                facts.model = data.model.clone().or(facts.model.take());
                facts.cwd = data.cwd.clone().or(facts.cwd.take());
            }
            EventBody::SessionUpdated(data) => {
                let facts = self.facts_mut(session);
                facts.model = data.model.clone().or(facts.model.take());
                facts.cwd = data.cwd.clone().or(facts.cwd.take());
                if data.native_session_id.is_some() {
                    facts.native_session_id = data.native_session_id.clone();
                }
            }
            EventBody::TurnStarted(data) if event.origin == Origin::Agent => {
                self.turns.entry(session.clone()).or_default().push(data.turn_id.clone());
                self.running(session);
            }
            EventBody::TurnEnded(data) => {
                if let Some(turns) = self.turns.get_mut(session) {
                    turns.retain(|turn| *turn != data.turn_id);
                }
                self.running(session);
            }
            _ => {}
        }
        if let Some(native) = &event.native_session_id {
            let facts = self.facts_mut(session);
            if facts.native_session_id.as_ref() != Some(native) {
                facts.native_session_id = Some(native.clone());
            }
        }
    }

    /// The open requests, each with its session, in the order in which they were asked.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &PendingRequest)> {
        self.open.iter().map(|(session, request)| (session, request))
    }

    /// The open request of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<(&SessionId, &PendingRequest)> {
        self.iter().find(|(_, request)| request.id() == id)
    }

    /// How a request of this id was settled, if that was not long ago.
    #[must_use]
    pub fn settled(&self, id: &str) -> Option<&'static str> {
        self.settled.iter().rev().find(|(known, _)| known == id).map(|(_, outcome)| *outcome)
    }

    /// What is known of a session.
    #[must_use]
    pub fn facts(&self, session: &SessionId) -> Option<&SessionFacts> {
        self.sessions.iter().find(|(known, _)| known == session).map(|(_, facts)| facts)
    }

    /// The stream's first session.
    #[must_use]
    pub fn first_session(&self) -> Option<&SessionId> {
        self.sessions.first().map(|(session, _)| session)
    }

    /// The session of a native id.
    #[must_use]
    pub fn session_of(&self, native: &str) -> Option<&SessionId> {
        let named =
            |facts: &SessionFacts| facts.native_session_id.as_ref().is_some_and(|known| known == native);
        self.sessions.iter().find(|(_, facts)| named(facts)).map(|(session, _)| session)
    }

    fn settle(
        &mut self,
        session: &SessionId,
        id: &str,
        is_kind: fn(&PendingRequest) -> bool,
        outcome: &'static str,
    ) {
        self.open
            .retain(|(asked_in, request)| asked_in != session || request.id() != id || !is_kind(request));
        if self.settled.len() == SETTLED {
            self.settled.pop_front();
        }
        self.settled.push_back((id.to_owned(), outcome));
    }

    fn running(&mut self, session: &SessionId) {
        let turn = self.turns.get(session).and_then(|turns| turns.last()).cloned();
        self.facts_mut(session).turn_id = turn;
    }

    fn facts_mut(&mut self, session: &SessionId) -> &mut SessionFacts {
        let place = match self.sessions.iter().position(|(known, _)| known == session) {
            Some(place) => place,
            None => {
                self.sessions.push((session.clone(), SessionFacts::default()));
                self.sessions.len() - 1
            }
        };
        &mut self.sessions[place].1
    }
}
