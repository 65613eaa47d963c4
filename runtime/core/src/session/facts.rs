//! What a reply needs to know from earlier events: the open requests, and the facts of each session.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

use crate::vocabulary::{
    CallId, Event, EventBody, ItemKind, NativeSessionId, Origin, PendingRequest, SessionFacts, SessionId,
    TurnId,
};

/// How many settled requests are remembered, so that a late reply gets a better answer than "unknown".
const SETTLED: usize = 1024;

/// The requests of an agent that are open, and what is known of its sessions, gathered from events alone: from a
/// recorded stream it comes out the same as from a live one.
///
/// ```
/// # extern crate interlingua_core as interlingua;
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
    /// In the order of asking.
    open: BTreeMap<u64, (SessionId, PendingRequest)>,
    by_id: HashMap<String, BTreeSet<u64>>,
    asked: u64,
    settled: VecDeque<(String, &'static str)>,
    /// In the order of their first events.
    sessions: Vec<(SessionId, SessionFacts)>,
    by_session: HashMap<SessionId, usize>,
    by_native: HashMap<NativeSessionId, BTreeSet<usize>>,
    things: HashMap<SessionId, OpenThings>,
    /// How often the known facts have changed.
    changes: u64,
}

/// What is open in a session.
#[derive(Clone, Debug, Default)]
struct OpenThings {
    /// The turns that the agent has started.
    turns: Open<TurnId>,
    /// The turns that were started for it: they have no native id.
    own_turns: Open<TurnId>,
    calls: Open<CallId>,
}

/// Open things of one kind, in the order of their starts.
#[derive(Clone, Debug)]
struct Open<I> {
    ids: BTreeMap<u64, I>,
    places: HashMap<I, u64>,
    started: u64,
}

impl<I> Default for Open<I> {
    fn default() -> Self {
        Self { ids: BTreeMap::new(), places: HashMap::new(), started: 0 }
    }
}

impl<I: Clone + Eq + Hash> Open<I> {
    fn start(&mut self, id: &I) {
        self.end(id);
        self.started += 1;
        self.ids.insert(self.started, id.clone());
        self.places.insert(id.clone(), self.started);
    }

    fn end(&mut self, id: &I) {
        if let Some(place) = self.places.remove(id) {
            self.ids.remove(&place);
        }
    }
}

impl PendingRequests {
    /// Applies an event.
    pub fn observe(&mut self, event: &Event) {
        let session = &event.session_id;
        match &event.body {
            EventBody::PermissionRequested(data) => {
                self.ask(session, PendingRequest::Permission((**data).clone()));
            }
            EventBody::QuestionRequested(data) => {
                self.ask(session, PendingRequest::Question((**data).clone()));
            }
            EventBody::HostCallRequested(data) => {
                self.ask(session, PendingRequest::HostCall((**data).clone()));
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
                if let Some(native) = &data.native_session_id {
                    self.name(session, native);
                }
            }
            EventBody::TurnStarted(data) => {
                let things = self.things.entry(session.clone()).or_default();
                let turns =
                    if event.origin == Origin::Agent { &mut things.turns } else { &mut things.own_turns };
                turns.start(&data.turn_id);
                self.running(session);
            }
            EventBody::TurnEnded(data) => {
                if let Some(things) = self.things.get_mut(session) {
                    things.turns.end(&data.turn_id);
                    things.own_turns.end(&data.turn_id);
                }
                self.running(session);
            }
            EventBody::ItemStarted(data) if data.item.kind == ItemKind::ToolCall => {
                if let Some(call) = &data.item.call_id {
                    self.things.entry(session.clone()).or_default().calls.start(call);
                }
            }
            EventBody::ItemCompleted(data) if data.item.kind == ItemKind::ToolCall => {
                if let (Some(call), Some(things)) = (&data.item.call_id, self.things.get_mut(session)) {
                    things.calls.end(call);
                }
            }
            _ => {}
        }
        if let Some(native) = &event.native_session_id {
            self.name(session, native);
        }
    }

    /// How often the known facts have changed: a command that waits for one is retried only when this number changes.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The open requests, each with its session, in the order in which they were asked.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &PendingRequest)> {
        self.open.values().map(|(session, request)| (session, request))
    }

    /// The open request with this id; the oldest, if there are several.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<(&SessionId, &PendingRequest)> {
        self.named(id).next()
    }

    /// The open requests of this id in the order of asking: sessions, and sorts of requests, count apart.
    pub(crate) fn named(&self, id: &str) -> impl DoubleEndedIterator<Item = (&SessionId, &PendingRequest)> {
        let numbers = self.by_id.get(id).into_iter().flatten();
        numbers.filter_map(|number| self.open.get(number)).map(|(session, request)| (session, request))
    }

    /// The open request of this id that was asked last.
    pub(crate) fn newest(&self, id: &str) -> Option<(&SessionId, &PendingRequest)> {
        self.by_id
            .get(id)?
            .last()
            .and_then(|number| self.open.get(number))
            .map(|(session, request)| (session, request))
    }

    /// How a request of this id was settled, if that was not long ago.
    #[must_use]
    pub fn settled(&self, id: &str) -> Option<&'static str> {
        self.settled.iter().rev().find(|(known, _)| known == id).map(|(_, outcome)| *outcome)
    }

    /// The known facts of a session.
    #[must_use]
    pub fn facts(&self, session: &SessionId) -> Option<&SessionFacts> {
        self.by_session.get(session).map(|place| &self.sessions[*place].1)
    }

    /// The stream's first session.
    #[must_use]
    pub fn first_session(&self) -> Option<&SessionId> {
        self.sessions.first().map(|(session, _)| session)
    }

    /// The session of a native id.
    #[must_use]
    pub fn session_of(&self, native: &str) -> Option<&SessionId> {
        let place = self.by_native.get(native)?.first()?;
        Some(&self.sessions[*place].0)
    }

    fn ask(&mut self, session: &SessionId, request: PendingRequest) {
        self.changes += 1;
        self.asked += 1;
        self.by_id.entry(request.id().to_owned()).or_default().insert(self.asked);
        self.open.insert(self.asked, (session.clone(), request));
    }

    fn settle(
        &mut self,
        session: &SessionId,
        id: &str,
        is_kind: fn(&PendingRequest) -> bool,
        outcome: &'static str,
    ) {
        self.changes += 1;
        if let Some(numbers) = self.by_id.get_mut(id) {
            let open = &mut self.open;
            numbers.retain(|number| {
                let is_it = open.get(number).is_some_and(|(of, request)| of == session && is_kind(request));
                if is_it {
                    open.remove(number);
                }
                !is_it
            });
            if numbers.is_empty() {
                self.by_id.remove(id);
            }
        }
        if self.settled.len() == SETTLED {
            self.settled.pop_front();
        }
        self.settled.push_back((id.to_owned(), outcome));
    }

    fn running(&mut self, session: &SessionId) {
        let things = self.things.get(session);
        let turn = things.and_then(|things| things.turns.ids.last_key_value()).map(|(_, turn)| turn.clone());
        let is_open = turn.is_some() || things.is_some_and(|things| !things.own_turns.ids.is_empty());
        let facts = self.facts_mut(session);
        facts.turn_id = turn;
        facts.turn_open = is_open;
    }

    /// The calls of a session that are running, in the order of their starts.
    pub(crate) fn open_calls(&self, session: &SessionId) -> Vec<CallId> {
        self.things.get(session).map_or_else(Vec::new, |things| things.calls.ids.values().cloned().collect())
    }

    /// A session has this native id from now on.
    fn name(&mut self, session: &SessionId, native: &NativeSessionId) {
        let place = self.place(session);
        let known = &mut self.sessions[place].1.native_session_id;
        if known.as_ref() == Some(native) {
            return;
        }
        if let Some(before) = known.replace(native.clone())
            && let Some(places) = self.by_native.get_mut(&before)
        {
            places.remove(&place);
        }
        self.by_native.entry(native.clone()).or_default().insert(place);
        self.changes += 1;
    }

    fn facts_mut(&mut self, session: &SessionId) -> &mut SessionFacts {
        self.changes += 1;
        let place = self.place(session);
        &mut self.sessions[place].1
    }

    fn place(&mut self, session: &SessionId) -> usize {
        if let Some(place) = self.by_session.get(session) {
            return *place;
        }
        let place = self.sessions.len();
        self.sessions.push((session.clone(), SessionFacts::default()));
        self.by_session.insert(session.clone(), place);
        place
    }
}
