//! From events to signals: where each event goes.

use std::collections::{HashMap, HashSet};

use interlingua_table::Table;

use super::state::{Key, Open, Session, Stream};
use crate::vocabulary::{
    Event, EventBody, Item, ItemId, ItemKind, Json, Origin, Parent, SessionEndReason, SessionEnded,
    SessionId, Signal, SignalContext, SignalEvent, SignalStream, TurnEndReason, TurnEnded, WholeEvent,
};

/// Turns events into signals.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::speak::Signals;
/// use interlingua::vocabulary::{Event, Origin, SessionStarted, TurnStarted};
/// let mut signals = Signals::all();
/// let started = Event::new("s1", 1, Origin::Agent, SessionStarted::default());
/// let turn = Event::new("s1", 2, Origin::Agent, TurnStarted::new("turn-1"));
/// signals.push(&started);
/// let names: Vec<_> = signals.push(&turn).iter().map(|said| said.signal.signal_type()).collect();
/// assert_eq!(names, ["run.started", "stream.started"]);
/// let names: Vec<_> = signals.finish().iter().map(|said| said.signal.signal_type()).collect();
/// assert_eq!(names, ["run.ended", "stream.ended"]);
/// ```
#[derive(Debug)]
pub struct Signals {
    /// The signals that somebody wants.
    wanted: HashSet<&'static str>,
    /// Nothing may stand outside of a run.
    pub(super) runs_required: bool,
    pub(super) sessions: HashMap<SessionId, Session>,
    pub(super) streams: HashMap<SessionId, Stream>,
    /// The streams in the order in which they began.
    order: Vec<SessionId>,
    pub(super) items: HashMap<Key, Open>,
    /// The calls of open requests.
    pub(super) requests: HashMap<(SessionId, String), ItemId>,
    pub(super) out: Vec<SignalContext>,
}

/// Where an event stands.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) session: SessionId,
    pub(super) stream: SessionId,
    pub(super) agent: Option<String>,
    pub(super) event: SignalEvent,
}

impl Signals {
    /// The signals that a target's map has rules for.
    #[must_use]
    pub fn new(table: &'static Table) -> Self {
        let wanted = table.writes.iter().map(|write| write.command).collect();
        let runs_required = table.target.is_some_and(|target| target.runs_required);
        Self::with(wanted, runs_required)
    }

    /// All signals, each in a run but for those of the stream itself.
    #[must_use]
    pub fn all() -> Self {
        let wanted = Signal::TYPES.iter().copied().filter(|name| *name != "event").collect();
        Self::with(wanted, true)
    }

    fn with(wanted: HashSet<&'static str>, runs_required: bool) -> Self {
        Self {
            wanted,
            runs_required,
            sessions: HashMap::new(),
            streams: HashMap::new(),
            order: Vec::new(),
            items: HashMap::new(),
            requests: HashMap::new(),
            out: Vec::new(),
        }
    }

    /// The signals that an event leads to.
    pub fn push(&mut self, event: &Event) -> Vec<SignalContext> {
        let at = self.place(event);
        if self.wanted.contains("event")
            && let Ok(whole) = Json::from_value(event)
        {
            let event_type = event.body.event_type().to_owned();
            self.say(&at, Signal::Event(WholeEvent { event_type, event: whole }));
        }
        if self.wanted.len() > 1 || !self.wanted.contains("event") {
            self.settle_awaited(&at, event);
            self.hear(&at, event);
        }
        std::mem::take(&mut self.out)
    }

    /// Ends what is open. Does nothing where all sessions have ended.
    pub fn finish(&mut self) -> Vec<SignalContext> {
        for id in self.order.clone() {
            let Some(stream) = self.streams.get(&id) else { continue };
            if stream.ended {
                continue;
            }
            let at = At {
                session: id.clone(),
                stream: id.clone(),
                agent: None,
                event: SignalEvent {
                    event_id: format!("{id}:end"),
                    time: None,
                    received_at: None,
                    session_id: id.clone(),
                    turn_id: None,
                    origin: Origin::Daemon,
                },
            };
            let turns = stream.run.iter().flat_map(|run| run.turns.iter().cloned()).collect::<Vec<_>>();
            for turn in turns {
                self.turn_ended(&at, &TurnEnded::new(turn, TurnEndReason::Interrupted));
            }
            self.stream_ended(&at, SessionEnded::new(SessionEndReason::Interrupted));
        }
        std::mem::take(&mut self.out)
    }

    /// Finds the session and stream of an event.
    fn place(&mut self, event: &Event) -> At {
        let session = &event.session_id;
        let parent = match &event.body {
            EventBody::SessionStarted(started) => started.parent.as_ref(),
            EventBody::SessionUpdated(updated) => updated.parent.as_ref(),
            _ => None,
        };
        if !self.sessions.contains_key(session) {
            let info = Session { stream: session.clone(), agent: None, awaiting: None };
            self.sessions.insert(session.clone(), info);
        }
        if let Some(parent) = parent {
            self.adopt(session, parent);
        }
        let info = &self.sessions[session];
        let (stream, session_agent) = (info.stream.clone(), info.agent.clone());
        if !self.streams.contains_key(&stream) {
            self.streams.insert(stream.clone(), Stream::default());
            self.order.push(stream.clone());
        }
        if stream == *session
            && event.native_session_id.is_some()
            && let Some(state) = self.streams.get_mut(&stream)
        {
            state.native.clone_from(&event.native_session_id);
        }
        let agent = event.agent_path.last().map(|call| self.name(session, call)).or(session_agent);
        let event_id = event.event_id().to_string();
        let event = SignalEvent {
            event_id,
            time: event.time,
            received_at: event.received_at,
            session_id: session.clone(),
            turn_id: event.turn_id.clone(),
            origin: event.origin,
        };
        At { session: session.clone(), stream, agent, event }
    }

    /// A session turns out to be that of a sub-agent.
    fn adopt(&mut self, session: &SessionId, parent: &Parent) {
        let Some(stream) = self.sessions.get(&parent.session_id).map(|parent| parent.stream.clone()) else {
            return;
        };
        if stream == *session {
            return;
        }
        let agent = parent.item_id.as_ref().map(|item| self.name(&parent.session_id, item));
        if let Some(info) = self.sessions.get_mut(session) {
            info.agent = agent;
            // What was begun as a stream of its own ends as one.
            if info.stream == *session && !self.streams.contains_key(session) {
                info.stream = stream;
            }
        }
    }

    /// Whether a stream is the first one.
    pub(super) fn is_first(&self, stream: &SessionId) -> bool {
        self.order.first() == Some(stream)
    }

    /// An item's name in signals: its id, with its session where that is a sub-agent's.
    pub(super) fn name(&self, session: &SessionId, item: &ItemId) -> String {
        match self.sessions.get(session) {
            Some(info) if info.stream != *session => format!("{session}/{item}"),
            _ => item.to_string(),
        }
    }

    /// Gives a signal, if somebody wants it.
    pub(super) fn say(&mut self, at: &At, signal: Signal) {
        if let Some(context) = self.context(at, signal) {
            self.out.push(context);
        }
    }

    /// The same for a signal of an item, whose agent it is of.
    pub(super) fn say_of(&mut self, at: &At, key: &Key, signal: Signal) {
        let agent = self.items.get(key).map_or_else(|| at.agent.clone(), |open| open.agent.clone());
        self.say(&At { agent, ..at.clone() }, signal);
    }

    /// The same for what may wait for a run to stand in. Where none comes, it is left out: it is told in passing.
    pub(super) fn say_in_run(&mut self, at: &At, signal: Signal) {
        let is_outside = self.streams.get(&at.stream).is_some_and(|stream| stream.run.is_none());
        if !(self.runs_required && is_outside) {
            return self.say(at, signal);
        }
        let Some(context) = self.context(at, signal) else { return };
        let Some(stream) = self.streams.get_mut(&at.stream) else { return };
        stream.waiting.push(context);
        if stream.waiting.len() > MOST_WAITING {
            stream.waiting.remove(0);
        }
    }

    fn context(&self, at: &At, signal: Signal) -> Option<SignalContext> {
        if !self.wanted.contains(signal.signal_type()) {
            return None;
        }
        let stream = self.streams.get(&at.stream)?;
        Some(SignalContext {
            signal,
            stream: SignalStream { session_id: at.stream.clone(), native_session_id: stream.native.clone() },
            run: stream.run.as_ref().map(|run| run.id.clone()),
            agent: at.agent.clone(),
            event: at.event.clone(),
            client: None,
        })
    }

    fn hear(&mut self, at: &At, event: &Event) {
        let is_main = at.session == at.stream;
        match &event.body {
            EventBody::SessionStarted(started) if is_main => {
                self.say_in_run(at, Signal::StreamStarted(started.clone()));
            }
            EventBody::SessionUpdated(updated) if is_main => {
                self.say_in_run(at, Signal::SessionUpdated(updated.clone()));
            }
            EventBody::SessionEnded(ended) if is_main => self.stream_ended(at, (**ended).clone()),
            EventBody::TurnStarted(started) => self.turn_started(at, started),
            EventBody::TurnEnded(ended) => self.turn_ended(at, ended),
            EventBody::ItemStarted(state) => self.item_started(at, &state.item),
            EventBody::ItemUpdated(state) => self.item_updated(at, &state.item),
            EventBody::ItemDelta(delta) => self.item_delta(at, delta),
            EventBody::ItemCompleted(state) => self.item_completed(at, &state.item),
            EventBody::PermissionRequested(request) => self.permission_requested(at, request),
            EventBody::PermissionResolved(resolved) => self.permission_resolved(at, resolved),
            EventBody::QuestionRequested(request) => self.question_requested(at, request),
            EventBody::QuestionResolved(resolved) => self.question_resolved(at, resolved),
            EventBody::HostCallRequested(request) => {
                self.say_in_run(at, Signal::HostCallRequested(request.clone()));
            }
            EventBody::HostCallResolved(resolved) => {
                self.say_in_run(at, Signal::HostCallResolved(resolved.clone()));
            }
            EventBody::UsageReported(usage) => self.say_in_run(at, Signal::UsageReported(usage.clone())),
            EventBody::Error(error) => self.say_in_run(at, Signal::Error(error.clone())),
            EventBody::AgentUnparsed(unparsed) => {
                self.say_in_run(at, Signal::AgentUnparsed(unparsed.clone()));
            }
            EventBody::SessionStarted(_)
            | EventBody::SessionUpdated(_)
            | EventBody::SessionEnded(_)
            | EventBody::Other(_) => {}
        }
    }

    fn item_started(&mut self, at: &At, item: &Item) {
        let key = (at.session.clone(), item.item_id.clone());
        let open = Open {
            stream: at.stream.clone(),
            id: self.name(&at.session, &item.item_id),
            kind: item.kind.clone(),
            role: item.role,
            parent: item.parent_id.as_ref().map(|parent| self.name(&at.session, parent)),
            status: item.status,
            run: None,
            agent: at.agent.clone(),
            of_sub_agent: at.agent.is_some() || at.session != at.stream,
            parts: Vec::new(),
            call: None,
            result_of: None,
        };
        self.items.insert(key.clone(), open);
        match &item.kind {
            ItemKind::ToolCall => self.call_started(at, &key, item),
            ItemKind::ToolResult => self.result_started(at, &key, item),
            ItemKind::Message => {
                self.message_started(at, &key, item);
                self.reconcile(at, &key, item);
            }
            _ => self.reconcile(at, &key, item),
        }
    }

    fn item_updated(&mut self, at: &At, item: &Item) {
        let key = (at.session.clone(), item.item_id.clone());
        let parent = item.parent_id.as_ref().map(|parent| self.name(&at.session, parent));
        let Some(open) = self.items.get_mut(&key) else { return };
        // A text that has begun keeps its voice.
        if !open.parts.iter().any(|part| part.open) {
            open.role = item.role;
        }
        open.status = item.status;
        open.parent = parent;
        match &item.kind {
            ItemKind::ToolCall => self.call_updated(at, &key, item),
            ItemKind::ToolResult => {}
            _ => self.reconcile(at, &key, item),
        }
    }

    fn item_completed(&mut self, at: &At, item: &Item) {
        let key = (at.session.clone(), item.item_id.clone());
        if !self.items.contains_key(&key) {
            return;
        }
        self.item_updated(at, item);
        match &item.kind {
            ItemKind::ToolCall => self.call_completed(at, &key, item),
            ItemKind::ToolResult => self.result_completed(at, &key, item),
            ItemKind::Message => self.message_completed(at, &key, item),
            _ => {
                self.close_parts(at, &key, Some(item));
                self.forget(&key);
            }
        }
    }

    /// Forgets an item that has ended.
    pub(super) fn forget(&mut self, key: &Key) {
        let Some(open) = self.items.remove(key) else { return };
        if let Some(run) = self.streams.get_mut(&open.stream).and_then(|stream| stream.run.as_mut()) {
            run.open.retain(|known| known != key);
        }
    }
}

/// How many signals may wait for a run; of more, the oldest are left out.
const MOST_WAITING: usize = 256;
