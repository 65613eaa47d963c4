//! Both directions of one agent: native bytes and universal commands in, universal events and native messages out.
//!
//! Like the [`Translator`], a [`Session`] is a pure state machine: its owner does the input and output.

mod answers;
mod awaiting;
mod error;
mod facts;
mod replay;
mod reply;

use std::collections::{BTreeMap, VecDeque};

use interlingua_table::Table;

use self::answers::{Key, Unanswered, method_not_found};
use self::awaiting::{Awaiting, waits_its_turn};
pub use self::error::CommandError;
pub use self::facts::PendingRequests;
pub use self::replay::{HostCounts, HostMessage, Moment, Replay};
use self::reply::{chosen, fits};
use crate::engine::{
    Addressee, GivenCommand, NativeMessage, Options, Stats, Translator, WriteError, Writer, Written,
    json_text,
};
use crate::vocabulary::{
    Command, CommandContext, Degradation, Event, HostContext, Json, MessageSend, NativeSessionId,
    PendingRequest, SessionEnded, SessionFacts, SessionId, give_types, lacks_types,
};

/// How many commands may wait for something that is not known yet.
const WAITING: usize = 1024;

/// One agent, in both directions.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// # use interlingua_maps::provider;
/// use interlingua::vocabulary::{Command, PermissionOutcome, PermissionReply};
/// use interlingua::{NativeMessage, Options, Session};
///
/// let claude = provider("claude").expect("a bundled provider");
/// let mut session = Session::new(claude, Options::default());
/// let asked = concat!(
///     r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","#,
///     r#""tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}"#,
/// );
/// session.push_message(asked.as_bytes());
///
/// let allow = Command::from(PermissionReply::new("r1", PermissionOutcome::AllowOnce));
/// let step = session.command(&allow)?;
/// let [NativeMessage::Text(line)] = &step.messages[..] else { panic!("one line") };
/// assert!(line.get().contains(r#""behavior":"allow""#));
/// assert_eq!(step.events.len(), 1); // `permission.resolved`
///
/// // The same request cannot be answered twice.
/// assert_eq!(
///     session.command(&allow).unwrap_err().to_string(),
///     "the request `r1` was settled before, as `allow-once`"
/// );
/// # Ok::<(), interlingua::CommandError>(())
/// ```
#[derive(Debug)]
pub struct Session {
    translator: Translator,
    writer: Writer,
    pending: PendingRequests,
    waiting: VecDeque<(Option<SessionId>, Command)>,
    unanswered: Unanswered,
    /// The revision of the facts with which the waiting commands were tried last.
    tried: u64,
    /// What a command was written as beyond an `await`.
    awaiting: Option<Awaiting>,
    /// The earlier session that the host has asked to go on with.
    resumes: Option<NativeSessionId>,
    number: u64,
}

/// The output of one call.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct SessionOutput {
    /// Events, in their order.
    pub events: Vec<Event>,
    /// Messages for the agent, in the order in which the host must send them.
    pub messages: Vec<NativeMessage>,
    /// The parts of the commands that the agent does not support, in the order of the messages.
    pub degradations: Vec<Degradation>,
    /// Commands that failed, each with the reason: the agent refused them, or they waited and can no longer be sent.
    pub refused: Vec<(Command, CommandError)>,
}

/// A message of a host, read as a command.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct HostCommand {
    /// The command.
    pub command: Command,
    /// The session that it is for; `None` for the stream's first session, and for one that has not appeared yet.
    pub session: Option<SessionId>,
    /// The native id of the session that it names, if any.
    pub native_session_id: Option<NativeSessionId>,
}

impl SessionOutput {
    fn extend(&mut self, more: SessionOutput) {
        self.events.extend(more.events);
        self.messages.extend(more.messages);
        self.degradations.extend(more.degradations);
        self.refused.extend(more.refused);
    }
}

impl Session {
    /// A session with an agent of the table's provider, before any output.
    #[must_use]
    pub fn new(table: &'static Table, options: Options) -> Self {
        Self {
            translator: Translator::new(table, options).with_host(),
            writer: Writer::new(table),
            pending: PendingRequests::default(),
            waiting: VecDeque::new(),
            unanswered: Unanswered::new(table),
            awaiting: None,
            tried: 0,
            resumes: None,
            number: 0,
        }
    }

    /// The table that is applied.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.translator.table()
    }

    /// The open requests, and the known facts of the sessions.
    #[must_use]
    pub fn pending(&self) -> &PendingRequests {
        &self.pending
    }

    /// The counts of the translation so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.translator.stats()
    }

    /// How many things are remembered of the agent's stream and of the host's messages. Memory grows with this number.
    #[must_use]
    pub fn state_len(&self) -> usize {
        self.translator.state_len()
    }

    /// Processes the agent's next bytes, split anywhere, and sends waiting commands that now have what they need. A JSON-RPC
    /// request that the map does not know is answered with "method not found", because the agent waits for an answer.
    pub fn push(&mut self, bytes: &[u8]) -> SessionOutput {
        let events = self.translator.push(bytes).collect();
        self.step(events)
    }

    /// Processes one whole message of the agent.
    pub fn push_message(&mut self, bytes: &[u8]) -> SessionOutput {
        let events = self.translator.push_message(bytes).collect();
        self.step(events)
    }

    /// Reports that the agent has been silent for a while: a held turn end is emitted now, as
    /// [`Translator::idle`](crate::Translator::idle) does.
    pub fn idle(&mut self) -> SessionOutput {
        let events = self.translator.idle().collect();
        self.step(events)
    }

    /// Whether a turn end is held until the agent's next message, or [`idle`](Self::idle).
    pub fn holds_end(&self) -> bool {
        self.translator.holds_end()
    }

    /// Ends the agent's stream: closes everything that is open and refuses waiting commands.
    pub fn finish(&mut self) -> SessionOutput {
        let events = self.translator.finish().collect();
        self.finished(events)
    }

    /// The same, for a host that knows how the agent ended, as
    /// [`Translator::finish_with`](crate::Translator::finish_with) does.
    pub fn finish_with(&mut self, ended: &SessionEnded) -> SessionOutput {
        let events = self.translator.finish_with(ended).collect();
        self.finished(events)
    }

    fn finished(&mut self, events: Vec<Event>) -> SessionOutput {
        let waiting = std::mem::take(&mut self.waiting);
        let mut step = self.step(events);
        let awaiting = self.awaiting.take().filter(|awaiting| !awaiting.messages.is_empty());
        step.refused.extend(awaiting.map(|awaiting| (awaiting.command, CommandError::Ended)));
        step.refused.extend(waiting.into_iter().map(|(_, command)| (command, CommandError::Ended)));
        step
    }

    /// Notes that the agent has answered an HTTP request; `refusal` is the reason if it refused.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// # use interlingua_maps::provider;
    /// use interlingua::vocabulary::{Command, SessionStart};
    /// use interlingua::{CommandError, Options, Session};
    ///
    /// let opencode = provider("opencode").expect("a bundled provider");
    /// let mut session = Session::new(opencode, Options::default());
    /// session.command(&SessionStart::default().into())?;
    /// let step = session.http_answered("POST", "/session", Some("503 Service Unavailable"));
    /// let [(Command::SessionStart(_), CommandError::Refused(reason))] = &step.refused[..] else {
    ///     panic!("the session was refused")
    /// };
    /// assert_eq!(reason, "503 Service Unavailable");
    /// # Ok::<(), interlingua::CommandError>(())
    /// ```
    pub fn http_answered(&mut self, method: &str, path: &str, refusal: Option<&str>) -> SessionOutput {
        let mut step = SessionOutput::default();
        let key = Key::http(method, path);
        self.settle(&mut step, &key, refusal);
        self.release(&mut step, &key, refusal);
        self.retry(&mut step);
        step
    }

    /// Sends a command to the stream's first session, or to the session that it replies to. If it needs something that is
    /// not known yet, it waits, and this call gives no output.
    ///
    /// # Errors
    ///
    /// When the provider cannot express it, or it answers no open request. Nothing has happened then.
    pub fn command(&mut self, command: &Command) -> Result<SessionOutput, CommandError> {
        self.give(None, command)
    }

    /// Gives a command to one of the stream's sessions.
    ///
    /// # Errors
    ///
    /// As [`Session::command`], and when there is no such session.
    pub fn command_for(
        &mut self,
        session: &SessionId,
        command: &Command,
    ) -> Result<SessionOutput, CommandError> {
        if self.pending.facts(session).is_none() {
            return Err(CommandError::UnknownSession(session.to_string()));
        }
        self.give(Some(session.clone()), command)
    }

    /// Reads a message that some host has sent to the agent: a recorded line of its input.
    #[must_use]
    pub fn read_host(&self, message: &[u8]) -> Option<HostCommand> {
        self.read(message, None)
    }

    /// Reads an HTTP request that some host has made.
    #[must_use]
    pub fn read_http(&self, method: &str, path: &str, body: &[u8]) -> Option<HostCommand> {
        self.read(body, Some((method, path)))
    }

    /// Notes a message that a host has already sent, so that the agent's answer can be matched with it.
    pub fn note_host_message(&mut self, message: &[u8]) {
        self.translator.note_host_message(message);
    }

    /// The native messages for a command that a host has given, without sending them: the state does not change.
    ///
    /// # Errors
    ///
    /// As [`Session::command`]; and when something must be known first.
    pub fn preview(&self, host: &HostCommand) -> Result<Vec<NativeMessage>, CommandError> {
        let (context, _) = self.context(host.session.clone(), &host.command)?;
        Ok(self.write(&context)?.messages)
    }

    /// Notes a command that a host has already sent: a reply settles its request, and a message becomes events if the
    /// agent does not repeat it. Nothing is sent.
    pub fn note_host_command(&mut self, host: &HostCommand) -> SessionOutput {
        let events = self.told(host);
        self.step(events)
    }

    fn told(&mut self, host: &HostCommand) -> Vec<Event> {
        let (context, session) = match self.context(host.session.clone(), &host.command) {
            Ok(known) => known,
            // Whoever answers by itself need not take an offered option: what the answer means still settles the request.
            Err(CommandError::NoSuchOption { .. }) => (self.bare_context(&host.command), None),
            // A recorded reply may answer a request that is not in this stream; then it gives no event.
            Err(_) => return Vec::new(),
        };
        let tell = self.write(&context).ok().and_then(|written| written.tell);
        // Whoever names a session does not mean another one, though this stream has not shown it.
        let unseen = host.native_session_id.as_ref().filter(|_| host.session.is_none());
        let session = session.filter(|_| unseen.is_none());
        self.tell(&context, session.as_ref(), unseen, tell)
    }

    /// Gives a command. The prompt of a start is a message by itself, which waits where it has to.
    fn give(&mut self, session: Option<SessionId>, command: &Command) -> Result<SessionOutput, CommandError> {
        let Command::SessionStart(start) = command else { return self.give_one(session, command) };
        let mut begin = start.clone();
        let Some(prompt) = begin.prompt.take() else { return self.give_one(session, command) };
        let said = Command::from(MessageSend::text(prompt));
        // An unsupported message is an error before the session starts.
        match self.context(session.clone(), &said).and_then(|(context, _)| Ok(self.write(&context)?)) {
            Ok(_) | Err(CommandError::Write(WriteError::Needs { .. })) => {}
            Err(error) => return Err(error),
        }
        let mut step = self.give_one(session.clone(), &begin.into())?;
        step.extend(self.give_one(session, &said)?);
        Ok(step)
    }

    fn give_one(
        &mut self,
        session: Option<SessionId>,
        command: &Command,
    ) -> Result<SessionOutput, CommandError> {
        let (context, target) = self.context(session.clone(), command)?;
        let written = match self.write(&context) {
            Err(WriteError::Needs { .. }) if self.waiting.len() < WAITING => {
                self.waiting.push_back((session, command.clone()));
                return Ok(SessionOutput::default());
            }
            Err(WriteError::Needs { .. }) => return Err(CommandError::TooManyWaiting),
            written => written?,
        };
        if self.awaiting.is_some() && waits_its_turn(command) {
            if self.waiting.len() == WAITING {
                return Err(CommandError::TooManyWaiting);
            }
            self.waiting.push_back((session, command.clone()));
            return Ok(SessionOutput::default());
        }
        self.number += 1;
        self.unanswered.note(&written.messages, command);
        let messages = self.send(written.messages, written.waits, command);
        if let Command::SessionStart(start) = command {
            self.resumes = start.resume.clone();
        }
        let mut events = self.tell(&context, target.as_ref(), None, written.tell);
        events.extend(self.replies_among(&messages, command));
        let mut step = self.step(events);
        step.messages.splice(0..0, messages);
        step.degradations.splice(0..0, written.degradations);
        Ok(step)
    }

    /// What a command has answered besides, as the protocol wants it: an interrupt cancels open permissions.
    fn replies_among(&mut self, messages: &[NativeMessage], command: &Command) -> Vec<Event> {
        if command.answers().is_some() || self.pending.iter().next().is_none() {
            return Vec::new();
        }
        let mut events = Vec::new();
        for message in messages {
            let NativeMessage::Text(message) = message else { continue };
            let reply = self.read_host(message.get().as_bytes());
            let reply = reply.filter(|reply| reply.command.answers().is_some());
            events.extend(reply.map(|reply| self.told(&reply)).unwrap_or_default());
        }
        events
    }

    fn write(&self, context: &CommandContext) -> Result<Written, WriteError> {
        let text = match &context.command {
            Command::MessageSend(said) if lacks_types(&said.content) => {
                let mut said = said.clone();
                give_types(&mut said.content);
                json_text(&CommandContext { command: said.into(), ..context.clone() })?
            }
            _ => json_text(context)?,
        };
        self.writer.write(context.command.command_type(), &text, Some("command"))
    }

    /// Has the engine tell what the host has said to a session; to one that the stream has not shown yet by its native
    /// id, which waits until it does.
    fn tell(
        &mut self,
        context: &CommandContext,
        session: Option<&SessionId>,
        unseen: Option<&NativeSessionId>,
        tell: Option<Option<String>>,
    ) -> Vec<Event> {
        let facts = session.and_then(|session| self.pending.facts(session));
        let asked_in = context.command.answers().and_then(|id| {
            let asked = || {
                let asked = self.pending.named(id).filter(|(_, request)| fits(&context.command, request));
                asked.map(|(session, _)| session)
            };
            asked().find(|asked_in| Some(*asked_in) == session).or_else(|| asked().next())
        });
        let session = match (facts.and_then(|facts| facts.native_session_id.as_ref()), unseen, session) {
            (Some(native), _, _) => Addressee::Native(native.to_string()),
            (None, Some(unseen), _) => Addressee::Native(unseen.to_string()),
            (None, None, Some(session)) => Addressee::Known(session.clone()),
            (None, None, None) => Addressee::First,
        };
        let command = &context.command;
        let given = GivenCommand { command, session, asked_in, option: context.option.as_ref(), tell };
        self.translator.note_command(given).collect()
    }

    /// Looks at events, and gives the commands that they let go.
    fn step(&mut self, events: Vec<Event>) -> SessionOutput {
        for event in &events {
            self.pending.observe(event);
        }
        let mut step = SessionOutput { events, ..SessionOutput::default() };
        let table = self.translator.table();
        step.messages.extend(step.events.iter().filter_map(|event| method_not_found(table, event)));
        for answered in self.translator.answered() {
            let key = Key::Id(answered.id);
            self.settle(&mut step, &key, answered.refusal.as_deref());
            self.release(&mut step, &key, answered.refusal.as_deref());
        }
        self.retry(&mut step);
        step
    }

    /// Gives the commands that wait, unless nothing has become known: then they would wait again.
    fn retry(&mut self, step: &mut SessionOutput) {
        if self.tried == self.pending.changes() {
            return;
        }
        self.tried = self.pending.changes();
        for (session, command) in std::mem::take(&mut self.waiting) {
            match self.give(session, &command) {
                Ok(more) => step.extend(more),
                Err(error) => step.refused.push((command, error)),
            }
        }
    }

    /// Applies the agent's answer to a command. Commands that wait for a refused session are refused with it.
    fn settle(&mut self, step: &mut SessionOutput, key: &Key, refusal: Option<&str>) {
        let Some(command) = self.unanswered.take(key) else { return };
        let Some(reason) = refusal else { return };
        let starts = matches!(command, Command::SessionStart(_));
        step.refused.push((command, CommandError::Refused(reason.to_owned())));
        if starts {
            let waiting = std::mem::take(&mut self.waiting);
            step.refused.extend(waiting.into_iter().map(|(_, command)| (command, CommandError::NotStarted)));
        }
    }

    /// All that is known when a command is written, and the session that it is for.
    fn context(
        &self,
        session: Option<SessionId>,
        command: &Command,
    ) -> Result<(CommandContext, Option<SessionId>), CommandError> {
        let request = match command.answers() {
            Some(id) => Some(self.request(id, session.as_ref(), command)?),
            None => None,
        };
        let option = match (command, &request) {
            (Command::PermissionReply(reply), Some((_, PendingRequest::Permission(asked)))) => {
                chosen(asked, reply.option_id.as_deref(), reply.outcome)?
            }
            _ => None,
        };
        let target = session
            .or_else(|| request.as_ref().map(|(session, _)| session.clone()))
            .or_else(|| self.pending.first_session().cloned());
        let facts = target.as_ref().and_then(|session| self.pending.facts(session)).cloned();
        let mut facts = facts.unwrap_or_default();
        if facts.native_session_id.is_none() {
            facts.resumes = self.resumes.clone();
        }
        let mut requests = Vec::new();
        let reads_open = self.writer.table().open_readers.contains(&command.command_type());
        if let (None, Some(target), true) = (&request, &target, reads_open) {
            facts.calls = self.pending.open_calls(target);
            let open = self.pending.iter().filter(|(session, _)| *session == target);
            requests.extend(open.map(|(_, request)| request.clone()));
        }
        let context = CommandContext {
            command: command.clone(),
            session: facts,
            request: request.map(|(_, request)| request),
            option,
            requests,
            number: self.number + 1,
        };
        Ok((context, target))
    }

    /// The command, and nothing that is known besides.
    fn bare_context(&self, command: &Command) -> CommandContext {
        CommandContext {
            command: command.clone(),
            session: SessionFacts::default(),
            request: None,
            option: None,
            requests: Vec::new(),
            number: self.number + 1,
        }
    }

    fn read(&self, message: &[u8], http: Option<(&str, &str)>) -> Option<HostCommand> {
        let text = std::str::from_utf8(message).ok()?.trim();
        let text = if text.is_empty() { "null" } else { text };
        let mut context = HostContext {
            message: Json::parse(text.to_owned()).ok()?,
            path: BTreeMap::new(),
            requests: BTreeMap::new(),
        };
        // Only the requests that the rules ask for are written out: others may be open by the thousand.
        let (command, native) = loop {
            let read = self.writer.read_host(&json_text(&context).ok()?, http);
            let known = context.requests.len();
            for id in read.missed {
                if let Some((_, request)) = self.pending.newest(&id) {
                    context.requests.insert(id, request.clone());
                }
            }
            if context.requests.len() == known {
                break read.command?;
            }
        };
        let session = native.as_ref().and_then(|native| self.pending.session_of(native).cloned());
        let native_session_id = native.map(NativeSessionId::from);
        Some(HostCommand { command: command.to().ok()?, session, native_session_id })
    }
}
