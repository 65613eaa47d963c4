//! Merges the two files of a recording, the agent's and the host's, into one order.
//!
//! Neither file records the position of its messages in the other. The order follows from these rules:
//!
//! - A host's message that answers a request of the agent comes directly after the request.
//! - A host's message that the agent answers comes directly before the first message that answers it.
//! - A prompt (`message.send`) without an answer comes where its session has no open turn and the prompt before it has
//!   its turn. A message that steers a turn, and any other command, comes as early as the rules allow.
//! - A prompt to an agent that answers only at the end of the turn comes after the answer to the prompt before it, as
//!   early as possible and before its own answer.
//! - A command that names its session comes after the first message that mentions the session.
//! - Otherwise the host's file keeps its order: a message without a position of its own comes before the next message
//!   that has one.
//! - Messages without any position come at the end.
//!
//! The map's `asks` and `answers` say which messages are requests and answers; an HTTP reply names its request in its
//! path.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use interlingua_table::Table;

use super::{CommandError, HostCommand, Session};
use crate::engine::{IdReader, NativeMessage, Options, Stats};
use crate::framing::Framer;
use crate::vocabulary::{Command, Delivery, Event, EventBody, Json, NativeSessionId, SessionId};

/// How many broken lines are remembered with their reasons.
const REASONS: usize = 16;

/// A recording of an agent with what its host has sent: the events of both, in one order.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// # use interlingua_maps::provider;
/// use interlingua::{Moment, Options, Replay};
///
/// let agent = concat!(
///     r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","#,
///     r#""tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}"#, "\n",
/// );
/// let host = concat!(
///     r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","#,
///     r#""response":{"behavior":"deny","message":"No."}}}"#, "\n",
/// );
/// let claude = provider("claude").expect("a bundled provider");
/// let replay = Replay::new(claude, Options::default(), agent.as_bytes(), host.as_bytes());
/// let kinds: Vec<String> =
///     replay.flat_map(Moment::into_events).map(|event| event.body.event_type().to_owned()).collect();
/// let asked = kinds.iter().position(|kind| kind == "permission.requested").expect("it asks");
/// assert_eq!(kinds[asked + 1], "permission.resolved"); // as `reject`, decided by the host
/// ```
#[derive(Debug)]
pub struct Replay<'r> {
    session: Session,
    agent: &'r [u8],
    /// Where each message of the agent begins.
    starts: Vec<usize>,
    /// How many of them were taken.
    position: usize,
    host: Vec<Option<HostLine<'r>>>,
    /// The first of the host's messages that was not taken.
    head: usize,
    /// Those that stand at the present position at the latest.
    due_now: BTreeSet<usize>,
    /// All others that were not taken, by where they stand at the latest.
    due_later: BTreeSet<(usize, usize)>,
    /// How many turns are open in each session.
    turns: BTreeMap<SessionId, usize>,
    /// A message was taken whose turn has not begun.
    awaiting_turn: bool,
    counts: HostCounts,
    finished: bool,
}

/// What happens next in a recording.
#[derive(Debug)]
#[non_exhaustive]
pub enum Moment<'r> {
    /// The agent sent something, or its stream has ended: the result.
    Agent(Vec<Event>),
    /// The host sent something.
    Host(Box<HostMessage<'r>>),
}

/// A message of the host, at its place in the agent's stream.
#[derive(Debug)]
#[non_exhaustive]
pub struct HostMessage<'r> {
    /// The line of its file, counted from 1.
    pub line: u64,
    /// The message, or the body of an HTTP request; empty for one without.
    pub message: Cow<'r, [u8]>,
    /// The method and the path of an HTTP request.
    pub http: Option<(String, String)>,
    /// Whether it is an HTTP request that the agent has refused.
    pub refused: bool,
    /// The command that it is, if it is one.
    pub command: Option<HostCommand>,
    /// What that command would be written as here.
    pub written: Option<Result<Vec<NativeMessage>, CommandError>>,
    /// The result.
    pub events: Vec<Event>,
}

impl Moment<'_> {
    /// The events that it gave.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        match self {
            Self::Agent(events) => events,
            Self::Host(message) => &message.events,
        }
    }

    /// The events that it gave, taken out of it.
    #[must_use]
    pub fn into_events(self) -> Vec<Event> {
        match self {
            Self::Agent(events) => events,
            Self::Host(message) => message.events,
        }
    }
}

/// What was found in the host's file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct HostCounts {
    /// Its messages.
    pub messages: u64,
    /// Those that were read as commands.
    pub commands: u64,
    /// HTTP requests that the agent has refused, with a status of 400 and more: they did nothing.
    pub refused: u64,
    /// Lines that are no JSON object.
    pub broken: u64,
    /// The first of those, each with its line, counted from 1, and what is wrong with it.
    pub broken_lines: Vec<(u64, String)>,
}

#[derive(Debug)]
struct HostLine<'r> {
    line: u64,
    http: Option<(String, String)>,
    message: Cow<'r, [u8]>,
    /// After how many of the agent's messages it stands at the latest.
    due: usize,
    /// Whether it stands there and not before.
    fixed: bool,
    /// A message to the agent that begins a turn.
    begins: bool,
    /// One that is answered only when its turn ends: it stands behind this many of the agent's messages, with which the
    /// turn before it has ended.
    after: Option<usize>,
    /// The native id of the session that it is for.
    session: Option<NativeSessionId>,
    refused: bool,
}

impl<'r> Replay<'r> {
    /// A recording: all that the agent has written, and the lines of its host. Such a line is a message, or describes an
    /// HTTP request as an object with `method`, `path` and `body`, and `status` if the answer's is known.
    #[must_use]
    pub fn new(table: &'static Table, options: Options, agent: &'r [u8], host: &'r [u8]) -> Self {
        let mut ids = IdReader::new(table);
        let (mut starts, mut asked, mut answered) = (Vec::new(), Places::default(), Places::default());
        let mut framer = Framer::for_table(table, options.message_limit);
        let mut take = |frame: crate::framing::Frame<'_>| {
            let found = ids.ids(frame.bytes);
            asked.add(found.asks, starts.len());
            answered.add(found.answers, starts.len());
            starts.push(usize::try_from(frame.offset).unwrap_or(usize::MAX).min(agent.len()));
        };
        framer.push(agent, &mut take);
        framer.finish(&mut take);

        let session = Session::new(table, options);
        let mut counts = HostCounts::default();
        let mut lines = Vec::new();
        for (number, line) in host.split(|byte| *byte == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match read_line(number as u64 + 1, line) {
                Ok(line) => lines.push(line),
                Err(reason) => {
                    counts.broken += 1;
                    if counts.broken_lines.len() < REASONS {
                        counts.broken_lines.push((number as u64 + 1, reason));
                    }
                }
            }
        }
        counts.messages = lines.len() as u64;
        let mut turn_ended: HashMap<Option<NativeSessionId>, usize> = HashMap::new();
        for line in &mut lines {
            let found = if line.http.is_some() { Default::default() } else { ids.ids(&line.message) };
            let command = read(&session, line);
            let answers = found.answers.or_else(|| command.as_ref()?.command.answers().map(str::to_owned));
            let place = match answers {
                Some(id) => asked.take(&id).map(|place| place + 1),
                None => found.asks.and_then(|id| answered.take(&id)),
            };
            if let Some(place) = place {
                (line.due, line.fixed) = (place, true);
                if table.pairing.turn_answered_at_end
                    && let Some(HostCommand { command: Command::MessageSend(_), native_session_id, .. }) =
                        &command
                {
                    line.fixed = false;
                    line.after = turn_ended.insert(native_session_id.clone(), place + 1).or(Some(0));
                }
            }
            if !line.fixed
                && let Some(HostCommand { command, native_session_id, .. }) = command
            {
                line.session = native_session_id;
                line.begins = !line.refused
                    && matches!(
                        command,
                        Command::MessageSend(said) if said.delivery != Some(Delivery::Steer)
                    );
            }
        }
        // What has no place of its own stands before the first later message that has one.
        let mut latest = usize::MAX;
        for line in lines.iter_mut().rev() {
            latest = if line.fixed { latest.min(line.due) } else { latest };
            line.due = if line.fixed { line.due } else { line.due.min(latest) };
        }
        let mut replay = Self {
            session,
            agent,
            starts,
            position: 0,
            due_now: BTreeSet::new(),
            due_later: lines.iter().enumerate().map(|(place, line)| (line.due, place)).collect(),
            host: lines.into_iter().map(Some).collect(),
            head: 0,
            turns: BTreeMap::new(),
            awaiting_turn: false,
            counts,
            finished: false,
        };
        replay.look_ahead();
        replay
    }

    /// The session so far.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The counts of the translation so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.session.stats()
    }

    /// What was found in the host's file so far.
    #[must_use]
    pub fn host_counts(&self) -> &HostCounts {
        &self.counts
    }

    /// Finds what stands at the present position at the latest, and the first message that was not taken.
    fn look_ahead(&mut self) {
        while self.host.get(self.head).is_some_and(Option::is_none) {
            self.head += 1;
        }
        while let Some(&(due, place)) = self.due_later.first()
            && due <= self.position
        {
            self.due_later.pop_first();
            self.due_now.insert(place);
        }
    }

    /// The host's message that stands here, if one does.
    fn here(&self) -> Option<usize> {
        if let Some(place) = self.due_now.first() {
            return Some(*place);
        }
        let line = self.host.get(self.head)?.as_ref()?;
        let ended = self.position == self.starts.len();
        let pending = self.session.pending();
        let session = match &line.session {
            // Whoever names a session has heard of it.
            Some(native) => pending.session_of(native.as_str()),
            None => pending.first_session(),
        };
        let is_known = session.is_some() || line.session.is_none();
        let rests = || session.and_then(|session| self.turns.get(session)).is_none_or(|open| *open == 0);
        let free = match line.after {
            Some(after) => after <= self.position,
            None => !line.begins || (rests() && !self.awaiting_turn),
        };
        let ready = !line.fixed && is_known && free;
        (ready || ended).then_some(self.head)
    }

    fn host_moment(&mut self, place: usize) -> Option<Moment<'r>> {
        let line = self.host[place].take()?;
        self.due_now.remove(&place);
        self.due_later.remove(&(line.due, place));
        self.look_ahead();
        let command = if line.refused { None } else { read(&self.session, &line) };
        self.counts.commands += u64::from(command.is_some());
        self.counts.refused += u64::from(line.refused);
        let written = command.as_ref().map(|command| self.session.preview(command));
        if line.http.is_none() {
            self.session.note_host_message(&line.message);
        }
        let events = command
            .as_ref()
            .map(|command| self.session.note_host_command(command).events)
            .unwrap_or_default();
        if line.begins {
            self.awaiting_turn = true;
        }
        self.observe(&events);
        Some(Moment::Host(Box::new(HostMessage {
            line: line.line,
            message: line.message,
            http: line.http,
            refused: line.refused,
            command,
            written,
            events,
        })))
    }

    fn agent_moment(&mut self) -> Moment<'r> {
        let place = |number: usize| self.starts.get(number).copied().unwrap_or(self.agent.len());
        let start = if self.position == 0 { 0 } else { place(self.position) };
        let piece = &self.agent[start..place(self.position + 1)];
        self.position += 1;
        self.look_ahead();
        let events = self.session.push(piece).events;
        self.observe(&events);
        Moment::Agent(events)
    }

    fn observe(&mut self, events: &[Event]) {
        for event in events {
            match event.body {
                EventBody::TurnStarted(_) => {
                    *self.turns.entry(event.session_id.clone()).or_default() += 1;
                    self.awaiting_turn = false;
                }
                EventBody::TurnEnded(_) => {
                    if let Some(open) = self.turns.get_mut(&event.session_id) {
                        *open = open.saturating_sub(1);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'r> Iterator for Replay<'r> {
    type Item = Moment<'r>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(place) = self.here() {
            return self.host_moment(place);
        }
        if self.position < self.starts.len() {
            return Some(self.agent_moment());
        }
        if self.finished {
            return None;
        }
        self.finished = true;
        let events = self.session.finish().events;
        Some(Moment::Agent(events))
    }
}

/// Reads one line of the host's file.
fn read_line(line: u64, bytes: &[u8]) -> Result<HostLine<'_>, String> {
    /// An HTTP request; of a message, nothing is looked at.
    #[derive(serde::Deserialize)]
    struct Recorded {
        method: Option<serde_json::Value>,
        path: Option<serde_json::Value>,
        body: Option<Json>,
        status: Option<serde_json::Value>,
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?.trim();
    if !text.starts_with('{') {
        return Err("no JSON object".to_owned());
    }
    let recorded: Recorded = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let plain = HostLine {
        line,
        http: None,
        message: Cow::Borrowed(text.as_bytes()),
        due: usize::MAX,
        fixed: false,
        begins: false,
        after: None,
        session: None,
        refused: false,
    };
    let (Some(method), Some(path)) = (&recorded.method, &recorded.path) else { return Ok(plain) };
    let (Some(method), Some(path)) = (method.as_str(), path.as_str()) else { return Ok(plain) };
    let body = recorded.body;
    Ok(HostLine {
        http: Some((method.to_owned(), path.to_owned())),
        message: Cow::Owned(body.map(|body| body.get().as_bytes().to_vec()).unwrap_or_default()),
        refused: recorded.status.and_then(|status| status.as_u64()).is_some_and(|status| status >= 400),
        ..plain
    })
}

fn read(session: &Session, line: &HostLine<'_>) -> Option<HostCommand> {
    match &line.http {
        Some((method, path)) => session.read_http(method, path, &line.message),
        None => session.read_host(&line.message),
    }
}

/// At which of the agent's messages an id stands.
#[derive(Default)]
struct Places(HashMap<String, VecDeque<usize>>);

impl Places {
    fn add(&mut self, id: Option<String>, place: usize) {
        if let Some(id) = id {
            self.0.entry(id).or_default().push_back(place);
        }
    }

    /// The first place of an id that nothing else has taken.
    fn take(&mut self, id: &str) -> Option<usize> {
        self.0.get_mut(id)?.pop_front()
    }
}
