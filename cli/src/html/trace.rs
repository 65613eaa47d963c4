//! Where everything on a page comes from: the native lines and rules of each item and turn, and what happened between
//! the items.

use std::collections::{BTreeMap, HashMap};

use interlingua::vocabulary::{
    ErrorData, Event, EventBody, ItemId, PermissionId, QuestionId, RequestId, RuleName, SessionId, TurnId,
};

/// Where an entry comes from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The sequence number of its first event.
    pub first: u64,
    /// The rules that made its events, with the native lines of each.
    pub runs: Vec<Run>,
}

/// Events that one rule made from adjacent lines.
#[derive(Clone, Debug)]
pub struct Run {
    /// The rule.
    pub rule: RuleName,
    /// The first line.
    pub from: u64,
    /// The last line.
    pub to: u64,
}

/// Something between the items of a session.
#[derive(Clone, Debug)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// The calls that lead to the sub-agent in which it happened.
    pub agent_path: Vec<ItemId>,
    /// The turn in which it happened.
    pub turn_id: Option<TurnId>,
    /// Where it comes from.
    pub source: Source,
}

/// What a mark is.
#[derive(Clone, Debug)]
pub enum MarkKind {
    /// An error, or an attempt that is tried again.
    Error(ErrorData),
    /// A permission request.
    Permission(PermissionId),
    /// A question to the user.
    Question(QuestionId),
    /// A request to the host.
    HostCall(RequestId),
    /// Another model is used from here.
    Model(String),
    /// A message that could not be parsed: the reason.
    Unparsed(String),
}

/// What is known of one session.
#[derive(Debug, Default)]
pub struct SessionTrace {
    /// The session's place among all sessions, from 1.
    pub number: usize,
    /// What is said of the session as a whole.
    pub about: Source,
    /// What happened between the items, in order.
    pub marks: Vec<Mark>,
    /// How full the context of the main agent was at each model call: sequence number and tokens.
    pub contexts: Vec<(u64, u64)>,
    items: HashMap<ItemId, Source>,
    turns: HashMap<TurnId, Source>,
    model: Option<String>,
}

impl SessionTrace {
    /// Where an item comes from.
    pub fn item(&self, id: &ItemId) -> Source {
        self.items.get(id).cloned().unwrap_or_default()
    }

    /// Where a turn comes from.
    pub fn turn(&self, id: &TurnId) -> Source {
        self.turns.get(id).cloned().unwrap_or_default()
    }

    /// The tokens in the context just before an event.
    pub fn context_before(&self, sequence: u64) -> Option<u64> {
        self.contexts.iter().rev().find(|(at, _)| *at < sequence).map(|(_, tokens)| *tokens)
    }
}

/// Where everything comes from.
#[derive(Debug, Default)]
pub struct Trace {
    sessions: HashMap<SessionId, SessionTrace>,
    /// The place of each native line that gave an event: offset and length.
    pub places: BTreeMap<u64, (u64, u64)>,
    /// The native lines that a stored stream holds.
    pub raw: BTreeMap<u64, Vec<u8>>,
}

impl Trace {
    /// Takes an event before it is folded.
    pub fn observe(&mut self, event: &Event) {
        if let Some(native) = &event.native {
            self.places.entry(native.line).or_insert((native.offset, native.length));
            if let Some(raw) = &native.raw {
                self.raw.entry(native.line).or_insert_with(|| raw.as_bytes().to_vec());
            }
        }
        let number = self.sessions.len() + 1;
        let session = self.sessions.entry(event.session_id.clone()).or_default();
        if session.number == 0 {
            session.number = number;
        }
        let source = match &event.body {
            EventBody::ItemStarted(state)
            | EventBody::ItemUpdated(state)
            | EventBody::ItemCompleted(state) => session.items.entry(state.item.item_id.clone()).or_default(),
            EventBody::ItemDelta(delta) => session.items.entry(delta.item_id.clone()).or_default(),
            EventBody::TurnStarted(turn) => session.turns.entry(turn.turn_id.clone()).or_default(),
            EventBody::TurnEnded(turn) => session.turns.entry(turn.turn_id.clone()).or_default(),
            EventBody::UsageReported(report) => {
                if event.agent_path.is_empty()
                    && let Some(used) = report.context()
                {
                    session.contexts.push((event.sequence, used));
                }
                match &event.turn_id {
                    Some(turn) => session.turns.entry(turn.clone()).or_default(),
                    None => &mut session.about,
                }
            }
            body => match session.mark(body) {
                Some(kind) => {
                    session.marks.push(Mark {
                        kind,
                        agent_path: event.agent_path.clone(),
                        turn_id: event.turn_id.clone(),
                        source: Source::default(),
                    });
                    match session.marks.last_mut() {
                        Some(mark) => &mut mark.source,
                        None => &mut session.about,
                    }
                }
                None => &mut session.about,
            },
        };
        source.add(event);
    }

    /// What is known of a session.
    pub fn session(&self, id: &SessionId) -> Option<&SessionTrace> {
        self.sessions.get(id)
    }
}

impl SessionTrace {
    fn mark(&mut self, body: &EventBody) -> Option<MarkKind> {
        match body {
            EventBody::Error(error) => Some(MarkKind::Error((**error).clone())),
            EventBody::PermissionRequested(asked) => Some(MarkKind::Permission(asked.permission_id.clone())),
            EventBody::QuestionRequested(asked) => Some(MarkKind::Question(asked.question_id.clone())),
            EventBody::HostCallRequested(asked) => Some(MarkKind::HostCall(asked.request_id.clone())),
            EventBody::AgentUnparsed(unparsed) => Some(MarkKind::Unparsed(unparsed.error.clone())),
            EventBody::SessionStarted(started) => self.model(started.model.as_ref()),
            EventBody::SessionUpdated(updated) => self.model(updated.model.as_ref()),
            _ => None,
        }
    }

    /// Tells a change of the model, but not the first model.
    fn model(&mut self, model: Option<&String>) -> Option<MarkKind> {
        let before = self.model.clone();
        self.model = model.cloned().or(before.clone());
        (before.is_some() && before != self.model)
            .then(|| MarkKind::Model(model.cloned().unwrap_or_default()))
    }
}

impl Source {
    fn add(&mut self, event: &Event) {
        if self.first == 0 {
            self.first = event.sequence;
        }
        let Some(native) = &event.native else { return };
        match self.runs.last_mut() {
            Some(run) if run.rule == native.rule => run.to = run.to.max(native.line),
            _ => self.runs.push(Run { rule: native.rule.clone(), from: native.line, to: native.line }),
        }
    }
}

impl Trace {
    /// All marks, to change what they say.
    pub fn marks_mut(&mut self) -> impl Iterator<Item = &mut Mark> {
        self.sessions.values_mut().flat_map(|session| session.marks.iter_mut())
    }
}
