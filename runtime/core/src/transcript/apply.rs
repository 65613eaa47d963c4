//! What each event does to its session.

use std::collections::{HashMap, HashSet};

use super::Keep;
use super::items::Items;
use super::requests::Requests;
use super::usage::Book;
use crate::vocabulary::{
    ErrorData, Event, EventBody, ItemId, SessionStarted, SessionUpdated, Timestamp, TranscriptError,
    TranscriptSession, TranscriptTurn, TurnEnded, TurnId, TurnStarted,
};

/// What the fold remembers of a session besides its transcript.
#[derive(Debug, Default)]
pub(super) struct SessionFold {
    items: Items,
    requests: Requests,
    book: Book,
    turns: HashMap<TurnId, usize>,
    /// How many of the turns that are kept have ended.
    ended: usize,
}

/// An event's circumstances, which what it tells is stored with.
pub(super) struct Scene {
    pub(super) turn_id: Option<TurnId>,
    pub(super) agent_path: Vec<ItemId>,
    pub(super) at: Option<Timestamp>,
    /// Whether items, requests, errors and reports are kept.
    pub(super) whole: bool,
}

impl SessionFold {
    /// Continues a stored session.
    pub(super) fn resume(session: &TranscriptSession) -> Self {
        let mut fold = Self {
            items: Items::resume(session),
            requests: Requests::resume(session),
            book: Book::resume(session),
            ..Self::default()
        };
        fold.index_turns(session);
        fold
    }

    fn index_turns(&mut self, session: &TranscriptSession) {
        let turns = session.turns.iter().enumerate();
        self.turns = turns.map(|(place, turn)| (turn.turn_id.clone(), place)).collect();
        self.ended = session.turns.iter().filter(|turn| !turn.is_running()).count();
    }

    /// Says whether reports about the process are about this session alone.
    pub(super) fn set_alone(&mut self, session: &mut TranscriptSession, alone: bool) {
        if self.book.set_alone(alone) {
            self.book.total_up(&mut session.usage);
        }
    }

    /// Takes an event that is newer than the last one.
    pub(super) fn apply(&mut self, session: &mut TranscriptSession, event: Event, keep: Keep) {
        session.counts.missing_events += event.sequence - session.last_sequence - 1;
        session.last_sequence = event.sequence;
        if event.native_session_id.is_some() && event.native_session_id != session.native_session_id {
            session.native_session_id = event.native_session_id;
        }
        let at = event.time.or(event.received_at);
        if let Some(at) = at {
            session.started_at.get_or_insert(at);
            // Times of several agents may come in any order.
            session.updated_at = session.updated_at.max(Some(at));
        }
        let whole = keep.items;
        let scene = Scene { turn_id: event.turn_id, agent_path: event.agent_path, at, whole };
        match event.body {
            EventBody::SessionStarted(started) => started_as(session, *started),
            EventBody::SessionUpdated(updated) => update(session, *updated),
            EventBody::SessionEnded(ended) => {
                if let Some(error) = &ended.error {
                    add_error(session, error, scene);
                }
                session.end = Some(*ended);
            }
            EventBody::TurnStarted(turn) => self.turn_started(session, turn, at),
            EventBody::TurnEnded(turn) => {
                self.turn_ended(session, *turn, scene);
                self.drop_turns(session, keep.turns);
            }
            EventBody::ItemStarted(state) => self.items.started(session, *state.item, scene),
            EventBody::ItemDelta(delta) => self.items.delta(session, &delta),
            EventBody::ItemUpdated(state) => self.items.updated(session, *state.item, scene),
            EventBody::ItemCompleted(state) => self.items.completed(session, *state.item, scene),
            EventBody::PermissionRequested(asked) => self.requests.permission(session, *asked, scene),
            EventBody::PermissionResolved(told) => self.requests.permission_resolved(session, *told, at),
            EventBody::QuestionRequested(asked) => self.requests.question(session, *asked, scene),
            EventBody::QuestionResolved(told) => self.requests.question_resolved(session, *told, at),
            EventBody::HostCallRequested(asked) => self.requests.host_call(session, *asked, scene),
            EventBody::HostCallResolved(told) => self.requests.host_call_resolved(session, *told, at),
            EventBody::UsageReported(report) => self.book.report(session, &self.turns, *report, scene),
            EventBody::Error(error) => {
                session.counts.errors += 1;
                add_error(session, &error, scene);
            }
            EventBody::AgentUnparsed(_) => session.counts.unparsed += 1,
            // Event types of later versions have no effect.
            EventBody::Other(_) => {}
        }
    }

    fn turn_started(&mut self, session: &mut TranscriptSession, started: TurnStarted, at: Option<Timestamp>) {
        let place = self.turn(session, &started.turn_id);
        let turn = &mut session.turns[place];
        turn.trigger = started.trigger.or(turn.trigger.take());
        turn.started_at = turn.started_at.or(at);
    }

    /// The place of a turn. One that is named for the first time is new, also when its start is missing.
    fn turn(&mut self, session: &mut TranscriptSession, id: &TurnId) -> usize {
        if let Some(place) = self.turns.get(id) {
            return *place;
        }
        session.counts.turns += 1;
        session.turns.push(TranscriptTurn::new(id.clone()));
        self.turns.insert(id.clone(), session.turns.len() - 1);
        session.turns.len() - 1
    }

    fn turn_ended(&mut self, session: &mut TranscriptSession, ended: TurnEnded, scene: Scene) {
        let place = self.turn(session, &ended.turn_id);
        if let Some(usage) = &ended.usage {
            self.book.turn_ended(session, &ended.turn_id, usage);
        }
        if let Some(error) = &ended.error {
            add_error(session, error, Scene { turn_id: Some(ended.turn_id.clone()), ..scene });
        }
        let turn = &mut session.turns[place];
        self.ended += usize::from(turn.is_running());
        turn.ended_at = scene.at;
        turn.trigger = ended.trigger.or(turn.trigger.take());
        turn.reason = Some(ended.reason);
        turn.error = ended.error;
        turn.usage = ended.usage.or(turn.usage.take());
    }

    /// Drops the oldest turns that have ended, above the number that is kept.
    fn drop_turns(&mut self, session: &mut TranscriptSession, most: usize) {
        if self.ended <= most {
            return;
        }
        let mut surplus = self.ended - most;
        let busy: HashSet<TurnId> = busy_turns(session);
        let mut dropped: HashSet<TurnId> = HashSet::new();
        session.turns.retain(|turn| {
            let goes = surplus > 0 && !turn.is_running() && !busy.contains(&turn.turn_id);
            if goes {
                surplus -= 1;
                dropped.insert(turn.turn_id.clone());
            }
            !goes
        });
        if dropped.is_empty() {
            return;
        }
        session.counts.dropped_turns += dropped.len() as u64;
        self.index_turns(session);
        let goes = |turn: &Option<TurnId>| turn.as_ref().is_some_and(|turn| dropped.contains(turn));
        self.items.drop_turns(session, &goes);
        self.requests.drop_turns(session, &goes);
        self.book.drop_turns(session, &goes);
        session.errors.retain(|error| !goes(&error.turn_id));
    }
}

/// The turns with something open, which are kept until it is closed.
fn busy_turns(session: &TranscriptSession) -> HashSet<TurnId> {
    let items = session.open_items().filter_map(|entry| entry.turn_id.clone());
    let requests = session.open_requests().filter_map(|request| request.turn_id().cloned());
    items.chain(requests).collect()
}

/// Applies the facts of a session's start.
fn started_as(session: &mut TranscriptSession, started: SessionStarted) {
    session.vocabulary_version = started.vocabulary_version;
    let about = SessionUpdated {
        model: started.model,
        cwd: started.cwd,
        agent_version: started.agent_version,
        permission_mode: started.permission_mode,
        tools: started.tools,
        parent: started.parent,
        resumed_from: started.resumed_from,
        metadata: started.metadata,
        ..SessionUpdated::default()
    };
    update(session, about);
}

/// Applies an update; an absent field is unchanged.
fn update(session: &mut TranscriptSession, updated: SessionUpdated) {
    fn set<T>(field: &mut Option<T>, value: Option<T>) {
        if value.is_some() {
            *field = value;
        }
    }
    set(&mut session.model, updated.model);
    set(&mut session.cwd, updated.cwd);
    set(&mut session.agent_version, updated.agent_version);
    set(&mut session.permission_mode, updated.permission_mode);
    set(&mut session.tools, updated.tools);
    set(&mut session.parent, updated.parent);
    set(&mut session.resumed_from, updated.resumed_from);
    set(&mut session.metadata, updated.metadata);
    set(&mut session.native_session_id, updated.native_session_id);
    set(&mut session.title, updated.title);
    set(&mut session.state, updated.state);
}

/// Keeps an error. The one that ends a turn or a session often repeats the last one.
fn add_error(session: &mut TranscriptSession, error: &ErrorData, scene: Scene) {
    if !scene.whole {
        return;
    }
    let is_last = session.errors.last().is_some_and(|last| {
        last.turn_id == scene.turn_id
            && last.error.message == error.message
            && last.error.class == error.class
    });
    if !is_last {
        let Scene { turn_id, agent_path, at, .. } = scene;
        session.errors.push(TranscriptError { error: error.clone(), turn_id, agent_path, at });
    }
}
