//! One session: its name, its facts, its start and its end.

use super::outbox::Outbox;
use super::refs::{AgentRef, Course, TurnRef, path_of};
use super::store::items::Items;
use super::store::requests::Requests;
use super::store::turns::Turns;
use crate::engine::memory::Window;
use crate::engine::memory::hash::{FastMap, hash_of};
use crate::engine::memory::registers::Registers;
use crate::engine::options::Options;
use crate::vocabulary::{
    ErrorData, Event, EventBody, Extra, NativeSessionId, Origin, SessionEndReason, SessionEnded, SessionId,
    SessionStarted, SessionUpdated, TurnEndReason, TurnEnded, TurnId, VERSION,
};

/// A session of the stream, started or only spoken of.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) native: Option<NativeSessionId>,
    pub(crate) started: bool,
    pub(crate) ended: bool,
    sequence: u64,
    /// The last known value of each fact.
    pub(crate) facts: SessionUpdated,
    pub(crate) turns: Turns,
    pub(crate) items: Items,
    pub(crate) requests: Requests,
    pub(crate) registers: Registers,
    pub(crate) agents: Window<AgentRef>,
    seen: Window<()>,
    usage: FastMap<u64, u64>,
    unnamed_reports: u64,
    /// An empty buffer for the next joined output.
    pub(crate) spare_output: String,
    pub(crate) course: Course,
}

impl Session {
    /// A session that has not started; its id is given at its start.
    pub(crate) fn new(native: Option<NativeSessionId>, options: &Options) -> Self {
        let window = options.closed_window;
        Self {
            id: options.session_id.clone(),
            native,
            started: false,
            ended: false,
            sequence: 0,
            facts: SessionUpdated::default(),
            turns: Turns::new(window),
            items: Items::new(window),
            requests: Requests::new(window),
            registers: Registers::new(window),
            agents: Window::new(window),
            seen: Window::new(window),
            usage: FastMap::default(),
            unnamed_reports: 0,
            spare_output: String::new(),
            course: Course::Idle,
        }
    }

    /// Gives one event of this session.
    #[inline]
    pub(crate) fn emit(
        &mut self,
        out: &mut Outbox,
        turn: Option<TurnId>,
        agent: &AgentRef,
        origin: Origin,
        body: impl Into<EventBody>,
    ) {
        debug_assert!(self.started && !self.ended, "events lie between a session's start and end");
        self.sequence += 1;
        out.push(Event {
            sequence: self.sequence,
            time: out.time,
            received_at: None,
            session_id: self.id.clone(),
            native_session_id: self.native.clone(),
            turn_id: turn,
            agent_path: path_of(agent),
            origin,
            native: out.native.clone(),
            body: body.into(),
            extra: Extra::default(),
        });
    }

    /// Starts the session. Facts that were learnt before become part of the start.
    pub(crate) fn start(&mut self, out: &mut Outbox, id: SessionId, origin: Origin) {
        self.id = id;
        self.started = true;
        let facts = &self.facts;
        let started = SessionStarted {
            vocabulary_version: Some(VERSION.to_owned()),
            model: facts.model.clone(),
            cwd: facts.cwd.clone(),
            agent_version: facts.agent_version.clone(),
            permission_mode: facts.permission_mode.clone(),
            tools: facts.tools.clone(),
            parent: facts.parent.clone(),
            resumed_from: facts.resumed_from.clone(),
            metadata: facts.metadata.clone(),
        };
        self.emit(out, None, &None, origin, started);
        if self.facts.title.is_some() || self.facts.state.is_some() {
            let rest = SessionUpdated {
                title: self.facts.title.clone(),
                state: self.facts.state.clone(),
                ..SessionUpdated::default()
            };
            self.emit(out, None, &None, origin, rest);
        }
    }

    /// Updates the facts of the session and emits those that are new. Before the
    /// start, it is only kept.
    pub(crate) fn learn(&mut self, out: &mut Outbox, said: SessionUpdated, origin: Origin) {
        let mut news = said;
        keep_news(&mut news.model, &mut self.facts.model);
        keep_news(&mut news.cwd, &mut self.facts.cwd);
        keep_news(&mut news.agent_version, &mut self.facts.agent_version);
        keep_news(&mut news.permission_mode, &mut self.facts.permission_mode);
        keep_news(&mut news.tools, &mut self.facts.tools);
        // Not every message repeats the call that started it.
        if let (Some(parent), Some(known)) = (&mut news.parent, &self.facts.parent)
            && parent.session_id == known.session_id
            && parent.item_id.is_none()
        {
            parent.item_id.clone_from(&known.item_id);
        }
        keep_news(&mut news.parent, &mut self.facts.parent);
        keep_news(&mut news.resumed_from, &mut self.facts.resumed_from);
        keep_news(&mut news.metadata, &mut self.facts.metadata);
        keep_news(&mut news.title, &mut self.facts.title);
        keep_news(&mut news.state, &mut self.facts.state);
        if news.native_session_id == self.native {
            news.native_session_id = None;
        } else if let Some(native) = &news.native_session_id {
            self.native = Some(native.clone());
        }
        if self.started && !self.ended && news != SessionUpdated::default() {
            self.emit(out, None, &None, origin, news);
        }
    }

    /// Whether this value is new to the session's `once` steps.
    pub(crate) fn first_time(&mut self, value: &str) -> bool {
        self.seen.insert_new(hash_of(value), ())
    }

    /// The key of a usage report that the agent did not name.
    pub(crate) fn free_report_key(&mut self) -> String {
        self.unnamed_reports += 1;
        format!("usage-{}", self.unnamed_reports)
    }

    /// Whether a report differs from the last one with the same key and scope.
    pub(crate) fn is_new_report(&mut self, name: u64, content: u64) -> bool {
        // Only the latest keys matter: a repetition follows its original closely.
        if self.usage.len() > 256 {
            self.usage.clear();
        }
        self.usage.insert(name, content) != Some(content)
    }

    /// Ends the session: first everything that is open in it, then itself. Without a stated reason, it is inferred.
    pub(crate) fn end(&mut self, out: &mut Outbox, ended: Option<SessionEnded>, origin: Origin) {
        if !self.started || self.ended {
            return;
        }
        self.settle_held_end(out);
        while let Some(turn) = self.turns.oldest() {
            let said = ended.as_ref().map(|ended| ended.reason);
            self.cut_turn(out, &turn, said, ended.as_ref().and_then(|ended| ended.error.clone()));
        }
        let ended = ended.unwrap_or_else(|| SessionEnded::new(self.inferred_end()));
        self.close_all_items(out, ended.reason == SessionEndReason::Completed);
        self.settle_requests(out, None, true);
        self.emit(out, None, &None, origin, ended);
        self.ended = true;
        let ended = Session::new(None, &Options::default().closed_window(0));
        (self.turns, self.items, self.requests) = (ended.turns, ended.items, ended.requests);
        (self.registers, self.agents, self.seen) = (ended.registers, ended.agents, ended.seen);
    }

    /// Ends a turn that the end of its session or of the input cuts off.
    fn cut_turn(
        &mut self,
        out: &mut Outbox,
        turn: &TurnRef,
        said: Option<SessionEndReason>,
        error: Option<ErrorData>,
    ) {
        let reason = match said {
            Some(SessionEndReason::Completed) => TurnEndReason::Completed,
            Some(SessionEndReason::Failed) => TurnEndReason::Failed,
            _ => TurnEndReason::Interrupted,
        };
        let mut ended = TurnEnded::new(turn.id.clone(), reason);
        ended.error = error.filter(|_| ended.reason == TurnEndReason::Failed);
        if said.is_none()
            && let Some(expected) = self.turns.expected_end(turn)
        {
            ended = expected;
        }
        self.end_turn(out, turn, ended, Origin::Daemon);
    }

    fn inferred_end(&self) -> SessionEndReason {
        match self.course {
            Course::Idle => SessionEndReason::Closed,
            Course::Ended(reason) => reason,
            Course::Broken => SessionEndReason::Failed,
        }
    }
}

/// Keeps `said` only if it differs from `known`, and updates `known`.
fn keep_news<T: Clone + PartialEq>(said: &mut Option<T>, known: &mut Option<T>) {
    if said == known {
        *said = None;
    } else if said.is_some() {
        known.clone_from(said);
    }
}
