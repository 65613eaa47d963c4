//! The laws within one session.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Law;
use super::content::{Texts, block_errors, final_errors};
use crate::vocabulary::{
    CallId, Event, EventBody, Item, ItemDelta, ItemId, ItemStatus, TurnEndReason, TurnEnded, TurnId,
};

/// The laws that are broken, each with what is wrong.
pub(super) type Broken = Vec<(Law, String)>;

/// What a session has told so far.
#[derive(Debug, Default)]
pub(super) struct Session {
    last: u64,
    started: bool,
    ended: bool,
    has_native_id: bool,
    items: HashMap<ItemId, Known>,
    open: BTreeMap<ItemId, Open>,
    calls: HashMap<CallId, ItemId>,
    /// Whether each turn is open.
    turns: BTreeMap<TurnId, bool>,
    requests: HashSet<(&'static str, String)>,
    pending: BTreeMap<(&'static str, String), Option<TurnId>>,
    /// The open items and requests of each turn.
    in_turns: HashMap<TurnId, InTurn>,
    broken: Broken,
}

/// What is open in a turn.
#[derive(Debug, Default)]
struct InTurn {
    items: BTreeSet<ItemId>,
    requests: BTreeSet<(&'static str, String)>,
}

/// What is remembered of every item.
#[derive(Debug)]
struct Known {
    kind: String,
    is_open: bool,
}

/// An item that was started and not completed.
#[derive(Debug)]
struct Open {
    texts: Texts,
    turn: Option<TurnId>,
    agent: Vec<ItemId>,
    native: Option<String>,
    outlives: bool,
}

/// The kinds that lie in a turn always.
const IN_TURNS: [&str; 4] = ["message", "tool-call", "tool-result", "plan"];

impl Session {
    pub(super) fn has_item(&self, item: &ItemId) -> bool {
        self.items.contains_key(item)
    }

    fn violate(&mut self, law: Law, message: impl Into<String>) {
        self.broken.push((law, message.into()));
    }

    /// Takes the session's next event.
    pub(super) fn feed(&mut self, event: &Event) -> Broken {
        self.envelope(event);
        match &event.body {
            EventBody::SessionStarted(_) => {}
            EventBody::SessionUpdated(updated) => {
                if **updated == Default::default() && event.extra.is_empty() {
                    self.violate(Law::Text, "an update without news");
                }
            }
            EventBody::SessionEnded(_) => self.ended = true,
            EventBody::TurnStarted(turn) => {
                if event.turn_id.as_ref() != Some(&turn.turn_id) {
                    self.violate(Law::Turns, "a turn's start does not lie in its turn");
                }
                if self.turns.insert(turn.turn_id.clone(), true).is_some() {
                    self.violate(Law::Turns, format!("the turn `{}` was started before", turn.turn_id));
                }
            }
            EventBody::TurnEnded(turn) => self.turn_ended(turn),
            EventBody::ItemStarted(state) => self.item_started(event, &state.item),
            EventBody::ItemDelta(delta) => self.item_delta(event, delta),
            EventBody::ItemUpdated(state) => self.item_updated(event, &state.item),
            EventBody::ItemCompleted(state) => self.item_completed(event, &state.item),
            EventBody::PermissionRequested(asked) => {
                let id = asked.permission_id.as_str();
                self.requested(event, "permission", id, asked.item_id.as_ref());
            }
            EventBody::QuestionRequested(asked) => {
                self.requested(event, "question", asked.question_id.as_str(), asked.item_id.as_ref());
            }
            EventBody::HostCallRequested(asked) => {
                self.requested(event, "host-call", asked.request_id.as_str(), None);
            }
            EventBody::PermissionResolved(settled) => {
                self.resolved("permission", settled.permission_id.as_str());
            }
            EventBody::QuestionResolved(settled) => self.resolved("question", settled.question_id.as_str()),
            EventBody::HostCallResolved(settled) => self.resolved("host-call", settled.request_id.as_str()),
            EventBody::UsageReported(report) => {
                if report.usage.is_empty() && report.context_window.is_none() && report.context_used.is_none()
                {
                    self.violate(Law::Truth, "a report of usage that reports nothing");
                }
            }
            EventBody::Error(error) => {
                if error.message.is_empty() {
                    self.violate(Law::Truth, "an error without a message");
                }
            }
            EventBody::AgentUnparsed(unparsed) => {
                if unparsed.error.is_empty() || unparsed.sha256.len() != 64 {
                    self.violate(Law::Totality, "what could not be parsed is not described");
                }
            }
            // No law speaks of what a newer vocabulary adds.
            EventBody::Other(_) => {}
        }
        std::mem::take(&mut self.broken)
    }

    /// What holds for every event.
    fn envelope(&mut self, event: &Event) {
        let due = self.last + 1;
        if event.sequence != due {
            self.violate(Law::Order, format!("the sequence is {}, and {due} was due", event.sequence));
        }
        self.last = event.sequence;
        if self.ended {
            self.violate(Law::Order, "an event after the session's end");
        }
        match (matches!(event.body, EventBody::SessionStarted(_)), self.started) {
            (true, true) => self.violate(Law::Order, "the session was started before"),
            (false, false) => self.violate(Law::Order, "the session was not started"),
            _ => {}
        }
        self.started = true;
        if self.has_native_id && event.native_session_id.is_none() {
            self.violate(Law::Truth, "the session's native id is missing, though it is known");
        }
        self.has_native_id |= event.native_session_id.is_some();
        for step in &event.agent_path {
            match self.items.get(step).map(|item| item.kind.as_str()) {
                Some("tool-call") => {}
                Some(kind) => {
                    self.violate(Law::Links, format!("agent_path names `{step}`, which is a {kind}"))
                }
                None => {
                    self.violate(Law::Links, format!("agent_path names `{step}`, which was never started"))
                }
            }
        }
        if let Some(turn) = &event.turn_id
            && !matches!(event.body, EventBody::TurnStarted(_))
            && !self.turns.contains_key(turn)
        {
            self.violate(Law::Turns, format!("the turn `{turn}` was never started"));
        }
    }

    fn turn_ended(&mut self, ended: &TurnEnded) {
        let turn = &ended.turn_id;
        match self.turns.insert(turn.clone(), false) {
            Some(true) => {}
            Some(false) => self.violate(Law::Turns, format!("the turn `{turn}` ended before")),
            None => self.violate(Law::Turns, format!("the turn `{turn}` was never started")),
        }
        if ended.error.is_some() && ended.reason == TurnEndReason::Completed {
            self.violate(Law::Turns, "a turn that failed is called completed");
        }
        let Some(left) = self.in_turns.get(turn) else {
            return;
        };
        let outlives = |id: &ItemId| self.open.get(id).is_some_and(|item| item.outlives);
        let items: Vec<String> = left
            .items
            .iter()
            .filter(|id| !outlives(id))
            .map(|id| format!("the item `{id}` is open at its turn's end"))
            .collect();
        let requests = left.requests.iter();
        let requests: Vec<String> =
            requests.map(|(what, id)| format!("the {what} `{id}` is open at its turn's end")).collect();
        items.into_iter().for_each(|message| self.violate(Law::ItemLife, message));
        requests.into_iter().for_each(|message| self.violate(Law::Requests, message));
    }

    fn item_started(&mut self, event: &Event, item: &Item) {
        let (id, kind) = (&item.item_id, item.kind.as_str());
        if self.items.contains_key(id) {
            return self.violate(Law::ItemLife, format!("the item `{id}` was started before"));
        }
        if let Some(parent) = &item.parent_id
            && !self.items.contains_key(parent)
        {
            self.violate(Law::Links, format!("the parent `{parent}` was never started"));
        }
        if item.status != ItemStatus::InProgress {
            self.violate(Law::ItemLife, format!("an item starts as {}", item.status));
        }
        let outlives = item.outlives_turn || !event.agent_path.is_empty();
        match event.turn_id.as_ref().map(|turn| self.turns.get(turn)) {
            None if IN_TURNS.contains(&kind) => {
                self.violate(Law::Turns, format!("a {kind} outside of turns"))
            }
            Some(Some(false)) if IN_TURNS.contains(&kind) && !outlives => {
                self.violate(Law::Turns, format!("a {kind} starts after its turn's end"));
            }
            _ => {}
        }
        self.links(item);
        self.broken.extend(block_errors(kind, &item.content));
        let known = Known { kind: kind.to_owned(), is_open: true };
        self.items.insert(id.clone(), known);
        let open = Open {
            texts: Texts::of(&item.content),
            turn: event.turn_id.clone(),
            agent: event.agent_path.clone(),
            native: item.native_item_id.as_ref().map(|id| id.as_str().to_owned()),
            outlives,
        };
        if let Some(turn) = &open.turn {
            self.in_turns.entry(turn.clone()).or_default().items.insert(id.clone());
        }
        self.open.insert(id.clone(), open);
    }

    /// Calls and results name each other.
    fn links(&mut self, item: &Item) {
        match (item.kind.as_str(), &item.call_id) {
            ("tool-call", None) => self.violate(Law::Links, "a tool call without call id"),
            ("tool-call", Some(call)) => {
                self.calls.insert(call.clone(), item.item_id.clone());
            }
            ("tool-result", Some(call)) if self.calls.contains_key(call) => {
                let is_parent = item.parent_id.as_ref() == self.calls.get(call);
                if !is_parent {
                    self.violate(Law::Links, format!("the parent of a result is not its call `{call}`"));
                }
            }
            ("tool-result", call) => {
                let call = call.as_ref().map_or("", CallId::as_str);
                self.violate(Law::Links, format!("a result of the call `{call}`, which was never started"));
            }
            _ => {}
        }
    }

    /// The open item that an event is about; it stays in its turn and with its agent.
    fn live(&mut self, event: &Event, id: &ItemId) -> bool {
        let Some(open) = self.open.get(id) else {
            let message = match self.items.contains_key(id) {
                true => format!("the item `{id}` was completed before"),
                false => format!("the item `{id}` was never started"),
            };
            self.violate(Law::ItemLife, message);
            return false;
        };
        let (same_turn, same_agent) = (open.turn == event.turn_id, open.agent == event.agent_path);
        if !same_turn {
            self.violate(Law::Turns, format!("the item `{id}` has moved to another turn"));
        }
        if !same_agent {
            self.violate(Law::Links, format!("the item `{id}` has moved to another agent"));
        }
        true
    }

    fn item_delta(&mut self, event: &Event, delta: &ItemDelta) {
        if !self.live(event, &delta.item_id) {
            return;
        }
        let Some(open) = self.open.get_mut(&delta.item_id) else {
            return;
        };
        open.texts.append(delta);
        if open.native.as_deref() != delta.native_item_id.as_ref().map(|id| id.as_str()) {
            self.violate(Law::Truth, "the delta and its item have different native ids");
        }
        if delta.delta.is_empty() {
            self.violate(Law::Text, "a delta without text");
        }
    }

    fn item_updated(&mut self, event: &Event, item: &Item) {
        if !self.live(event, &item.item_id) {
            return;
        }
        self.restated(item);
        if item.status != ItemStatus::InProgress {
            self.violate(Law::ItemLife, format!("an open item is {}", item.status));
        }
        self.broken.extend(block_errors(item.kind.as_str(), &item.content));
        if let Some(open) = self.open.get_mut(&item.item_id) {
            open.texts = Texts::of(&item.content);
            open.outlives |= item.outlives_turn;
        }
    }

    /// An item keeps its kind, and what it is linked to must exist.
    fn restated(&mut self, item: &Item) {
        if self.items.get(&item.item_id).is_some_and(|known| known.kind != item.kind.as_str()) {
            self.violate(Law::ItemLife, format!("the item `{}` has changed its kind", item.item_id));
        }
        if let Some(parent) = &item.parent_id
            && !self.items.contains_key(parent)
        {
            self.violate(Law::Links, format!("the parent `{parent}` was never started"));
        }
    }

    fn item_completed(&mut self, event: &Event, item: &Item) {
        let id = &item.item_id;
        if !self.live(event, id) {
            return;
        }
        self.restated(item);
        if item.status == ItemStatus::InProgress {
            self.violate(Law::ItemLife, format!("the item `{id}` is completed and in progress"));
        }
        let kind = item.kind.as_str();
        self.broken.extend(final_errors(kind, &item.content));
        if let Some(open) = self.open.remove(id) {
            if let Some(left) = open.turn.as_ref().and_then(|turn| self.in_turns.get_mut(turn)) {
                left.items.remove(id);
            }
            for difference in open.texts.differences(&Texts::of(&item.content)) {
                self.violate(Law::Text, format!("item `{id}`: {difference}"));
            }
        }
        if let Some(known) = self.items.get_mut(id) {
            known.is_open = false;
        }
        let call_is_open = item.parent_id.as_ref().and_then(|call| self.items.get(call));
        if kind == "tool-result"
            && item.status != ItemStatus::Interrupted
            && call_is_open.is_some_and(|call| call.is_open)
        {
            self.violate(Law::ItemLife, format!("the result `{id}` is completed before its call"));
        }
    }

    fn requested(&mut self, event: &Event, what: &'static str, id: &str, item: Option<&ItemId>) {
        let key = (what, id.to_owned());
        if !self.requests.insert(key.clone()) {
            self.violate(Law::Requests, format!("the {what} `{id}` was requested before"));
        }
        if let Some(turn) = &event.turn_id {
            self.in_turns.entry(turn.clone()).or_default().requests.insert(key.clone());
        }
        let before = self.pending.insert(key.clone(), event.turn_id.clone()).flatten();
        if before != event.turn_id {
            self.leave(before.as_ref(), &key);
        }
        if let Some(item) = item
            && !self.items.contains_key(item)
        {
            self.violate(Law::Links, format!("the {what} names the item `{item}`, which was never started"));
        }
    }

    fn resolved(&mut self, what: &'static str, id: &str) {
        let key = (what, id.to_owned());
        match self.pending.remove(&key) {
            Some(turn) => self.leave(turn.as_ref(), &key),
            None => {
                let how =
                    if self.requests.contains(&key) { "was resolved before" } else { "was never requested" };
                self.violate(Law::Requests, format!("the {what} `{id}` {how}"));
            }
        }
    }

    /// A request is not open in a turn any more.
    fn leave(&mut self, turn: Option<&TurnId>, key: &(&'static str, String)) {
        if let Some(left) = turn.and_then(|turn| self.in_turns.get_mut(turn)) {
            left.requests.remove(key);
        }
    }

    /// What shows at the end of the input.
    pub(super) fn finish(self) -> Broken {
        let items: BTreeSet<&ItemId> = self.open.keys().collect();
        let mut broken: Broken = items
            .into_iter()
            .map(|id| (Law::ItemLife, format!("the item `{id}` was never completed")))
            .collect();
        let turns = self.turns.iter().filter(|(_, is_open)| **is_open);
        broken.extend(turns.map(|(id, _)| (Law::Turns, format!("the turn `{id}` never ended"))));
        let requests = self.pending.keys();
        broken.extend(
            requests.map(|(what, id)| (Law::Requests, format!("the {what} `{id}` was never resolved"))),
        );
        if !self.ended {
            broken.push((Law::Order, "the session never ended".to_owned()));
        }
        broken
    }
}
