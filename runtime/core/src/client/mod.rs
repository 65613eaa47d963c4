//! The consumer's side: a client's messages become commands for agents, and the agents' events become messages for it.
//!
//! It is the mirror of [`Session`](crate::Session). A target's map says with `from` what the client's messages mean, and
//! with `emit` what it is told. No target is named here, and nothing does input or output.

mod ids;
mod served;

use std::collections::BTreeMap;

use interlingua_table::Table;

use self::served::Served;
use crate::engine::{Writer, json_text};
use crate::speak::Speaker;
use crate::vocabulary::{
    ClientAnswer, ClientFailure, ClientRequest, Command, ErrorClass, ErrorData, Event, HostContext, Json,
    ListedSession, SessionStart, Signal, SignalClient,
};

/// One client of a protocol, in both directions. It may open several sessions, each with an agent of the same provider.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// # use interlingua_maps::{TARGETS, provider};
/// # let target = |name: &str| TARGETS.iter().copied().find(|table| table.provider == name);
/// use interlingua::vocabulary::Command;
/// use interlingua::{ClientSession, Options, Session};
///
/// let claude = provider("claude").expect("a bundled provider");
/// let acp = target("acp").expect("a bundled target");
/// let mut client = ClientSession::new(acp, claude, "demo");
/// let open = br#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}"#;
/// let said = client.push_message(open);
/// let [asked] = &said.commands[..] else { panic!("one command") };
/// assert!(matches!(asked.command, Command::SessionStart(_)));
///
/// let mut agent = Session::new(claude, Options::default());
/// let step = agent.command(&asked.command).expect("Claude Code starts");
/// assert_eq!(step.messages.len(), 1); // the program to start
/// let answers = client.given(asked, Ok(()));
/// assert_eq!(answers[0].get(), r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"demo-1"}}"#);
/// ```
#[derive(Debug)]
pub struct ClientSession {
    writer: Writer,
    agent: &'static Table,
    /// How sessions are called that the agent does not name when they start.
    name: String,
    greeting: Option<Json>,
    sessions: Vec<Served>,
    has_history: bool,
}

/// What a client's message leads to.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ClientOutput {
    /// Messages for the client, in their order.
    pub messages: Vec<Json>,
    /// Commands for the agents, in their order. Whoever gives one reports it to [`ClientSession::given`].
    pub commands: Vec<ClientCommand>,
}

/// A command of a client.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ClientCommand {
    /// Which of the client's sessions it is for, from 0. A `session.start` has the number of a new one, for which the
    /// owner makes a [`Session`](crate::Session).
    pub session: usize,
    /// The command.
    pub command: Command,
    /// The client's message.
    pub request: Json,
}

impl ClientSession {
    /// A client that has said nothing yet. `target` is the protocol that it speaks, `agent` the provider of the agents.
    /// Sessions that the agent does not name before the first message are called `NAME-1`, `NAME-2` and so on: a name
    /// that is not used twice lets clients keep it.
    #[must_use]
    pub fn new(target: &'static Table, agent: &'static Table, name: impl Into<String>) -> Self {
        Self {
            writer: Writer::new(target),
            agent,
            name: name.into(),
            greeting: None,
            sessions: Vec::new(),
            has_history: false,
        }
    }

    /// Says that the owner can list the agent's earlier sessions and read their history, so that the client is told so.
    #[must_use]
    pub fn with_history(mut self) -> Self {
        self.has_history = true;
        self
    }

    /// The table of the client's protocol.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.writer.table()
    }

    /// Reads one whole message of the client.
    ///
    /// Two commands are for the owner of the agents as well: a `session.start` with `replay` wants [`replay`](Self::replay)
    /// before it is given to the agent, and a `session.list` is answered with [`listed`](Self::listed).
    pub fn push_message(&mut self, message: &[u8]) -> ClientOutput {
        let mut output = ClientOutput::default();
        let request = std::str::from_utf8(message).ok().map(str::trim).map(str::to_owned);
        let Some(request) = request.and_then(|text| Json::parse(text).ok()) else { return output };
        let Some((mut command, native)) = self.read(&request) else {
            self.greeting.get_or_insert_with(|| request.clone());
            output.messages = self.say(None, Signal::ClientRequested(ClientRequest { request }));
            return output;
        };
        if let Command::SessionStart(start) = &command
            && let Some(resume) = &start.resume
            && self.find(&command, Some(resume.as_str())).is_some()
        {
            let why = format!("the session `{resume}` is open already");
            output.messages = self.fail(None, &command, request, why);
            return output;
        }
        let session = match &command {
            Command::SessionStart(start) => {
                let resume = start.resume.as_ref().map(ToString::to_string);
                self.sessions.push(Served::new(self.writer.table(), resume, request.clone()));
                Some(self.sessions.len() - 1)
            }
            Command::SessionList(_) => Some(self.sessions.len()),
            _ => self.find(&command, native.as_deref()),
        };
        let Some(session) = session else {
            let why = match native {
                Some(native) => format!("there is no session `{native}`"),
                None => "the message belongs to no session".to_owned(),
            };
            output.messages = self.fail(None, &command, request, why);
            return output;
        };
        if let Command::MessageSend(_) = &command {
            self.sessions[session].prompts.push_back(request.clone());
            self.sessions[session].is_prompted = true;
        }
        ids::inward(&mut command, session);
        output.commands.push(ClientCommand { session, command, request });
        output
    }

    /// Notes that a command was given to the agent, or why it was not. Gives the messages for the client.
    pub fn given(&mut self, given: &ClientCommand, result: Result<(), String>) -> Vec<Json> {
        let ClientCommand { session, command, request } = given;
        match (result, command) {
            (Err(why), _) => {
                self.forget(*session, command, request);
                self.fail(Some(*session), command, request.clone(), why)
            }
            (Ok(()), Command::SessionStart(start)) => match chosen_id(self.agent, start) {
                Some(id) => self.started(*session, &id),
                None if names_itself(self.agent, start) => Vec::new(),
                None => {
                    let name = format!("{}-{}", self.name, session + 1);
                    self.started(*session, &name)
                }
            },
            (Ok(()), Command::MessageSend(_)) => Vec::new(),
            (Ok(()), Command::TurnInterrupt(_)) => {
                // Without a prompt there is nothing to interrupt, and the next one starts afresh.
                if let Some(served) = self.sessions.get_mut(*session) {
                    served.is_cancelled = !served.prompts.is_empty();
                }
                self.done(Some(*session), command, request.clone())
            }
            (Ok(()), _) => self.done(Some(*session), command, request.clone()),
        }
    }

    /// The messages that show an earlier session again, for a `session.start` with `replay`. The events are those of the
    /// session's files; requests among them are left out, since nobody waits for their answers.
    pub fn replay(&self, given: &ClientCommand, events: impl IntoIterator<Item = Event>) -> Vec<Json> {
        let known = self.known();
        self.sessions.get(given.session).map(|served| served.replay(events, &known)).unwrap_or_default()
    }

    /// Answers a `session.list` with the sessions, newest first.
    pub fn listed(&self, given: &ClientCommand, sessions: Vec<ListedSession>) -> Vec<Json> {
        let command = given.command.command_type().to_owned();
        let answer = ClientAnswer { command, request: given.request.clone(), sessions: Some(sessions) };
        self.say(None, Signal::ClientDone(answer))
    }

    /// Notes that an agent has refused a command after it was given. Gives the messages for the client.
    pub fn refused(&mut self, session: usize, command: &Command, why: &str) -> Vec<Json> {
        let Some(served) = self.sessions.get_mut(session) else { return Vec::new() };
        let request = match command {
            Command::SessionStart(_) => {
                served.ended = true;
                served.start.take()
            }
            Command::MessageSend(_) => served.prompts.pop_back(),
            _ => None,
        };
        request.map(|request| self.fail(Some(session), command, request, why.to_owned())).unwrap_or_default()
    }

    /// Translates an event of a session's agent.
    pub fn event(&mut self, session: usize, event: &Event) -> Vec<Json> {
        let mut messages = Vec::new();
        let event = &*ids::outward(event, session);
        let Some(served) = self.sessions.get_mut(session) else { return messages };
        served.pending.observe(event);
        if served.start.is_some()
            && let Some(native) = event.native_session_id.as_ref().map(ToString::to_string)
        {
            messages = self.started(session, &native);
        }
        let known = self.known();
        if let Some(served) = self.sessions.get_mut(session) {
            messages.extend(served.event(event, &known));
        }
        messages
    }

    /// Notes that the agent has handled the oldest message without a turn, as it does with some commands.
    pub fn handled(&mut self, session: usize) -> Vec<Json> {
        let request = self.sessions.get_mut(session).and_then(|served| served.prompts.pop_front());
        let Some(request) = request else { return Vec::new() };
        let answer = ClientAnswer { command: "message.send".to_owned(), request, sessions: None };
        self.say(Some(session), Signal::ClientDone(answer))
    }

    /// Ends a session whose agent has ended: what is open ends, and what waits for an answer fails for this reason.
    pub fn ended(&mut self, session: usize, why: &str) -> Vec<Json> {
        let known = self.known();
        let Some(served) = self.sessions.get_mut(session) else { return Vec::new() };
        let mut messages = served.finish(&known);
        let start = served.start.take();
        let prompts: Vec<Json> = served.prompts.drain(..).collect();
        served.ended = true;
        for (command, request) in start
            .into_iter()
            .map(|request| ("session.start", request))
            .chain(prompts.into_iter().map(|request| ("message.send", request)))
        {
            messages.extend(self.fail_as(Some(session), command, request, why.to_owned()));
        }
        messages
    }

    /// The sessions are known by this name from now on, and the client may be told about them.
    fn started(&mut self, session: usize, name: &str) -> Vec<Json> {
        let Some(served) = self.sessions.get_mut(session) else { return Vec::new() };
        let name = served.name.get_or_insert_with(|| name.to_owned()).clone();
        served.speaks_as(&name);
        let Some(request) = served.start.take() else { return Vec::new() };
        let held = std::mem::take(&mut served.held);
        let answer = ClientAnswer { command: "session.start".to_owned(), request, sessions: None };
        let mut messages = self.say(Some(session), Signal::ClientDone(answer));
        let known = self.known();
        if let Some(served) = self.sessions.get_mut(session) {
            messages.extend(held.iter().flat_map(|event| served.event(event, &known)));
        }
        messages
    }

    fn known(&self) -> SignalClient {
        SignalClient {
            greeting: self.greeting.clone(),
            prompt: None,
            is_cancelled: false,
            agent: self.agent.title.to_owned(),
            has_history: self.has_history,
        }
    }

    fn forget(&mut self, session: usize, command: &Command, request: &Json) {
        let Some(served) = self.sessions.get_mut(session) else { return };
        match command {
            Command::SessionStart(_) => {
                served.start = None;
                served.ended = true;
            }
            Command::MessageSend(_) => served.prompts.retain(|prompt| prompt != request),
            _ => {}
        }
    }

    /// The session that a command is for: the named one, the one that has asked, or the only one.
    fn find(&self, command: &Command, native: Option<&str>) -> Option<usize> {
        let mut open = self.sessions.iter().enumerate().filter(|(_, served)| !served.ended);
        if let Some(native) = native {
            return open.find(|(_, served)| served.name.as_deref() == Some(native)).map(|(place, _)| place);
        }
        if let Some(id) = command.answers() {
            return open.find(|(_, served)| served.pending.newest(id).is_some()).map(|(place, _)| place);
        }
        open.next().map(|(place, _)| place).filter(|_| open.next().is_none())
    }

    fn done(&self, session: Option<usize>, command: &Command, request: Json) -> Vec<Json> {
        let command = command.command_type().to_owned();
        self.say(session, Signal::ClientDone(ClientAnswer { command, request, sessions: None }))
    }

    fn fail(&self, session: Option<usize>, command: &Command, request: Json, why: String) -> Vec<Json> {
        self.fail_as(session, command.command_type(), request, why)
    }

    fn fail_as(&self, session: Option<usize>, command: &str, request: Json, why: String) -> Vec<Json> {
        let error = ErrorData::new(ErrorClass::InvalidRequest, why);
        let failure = ClientFailure { command: command.to_owned(), request, error };
        self.say(session, Signal::ClientFailed(Box::new(failure)))
    }

    fn say(&self, session: Option<usize>, signal: Signal) -> Vec<Json> {
        let served = session.and_then(|session| self.sessions.get(session));
        let name = served.and_then(|served| served.name.as_deref()).unwrap_or_default();
        Speaker::say(&self.writer, &served::context(name, signal, self.known()))
    }

    /// Reads a message as a command, with the name of the session that it is for.
    fn read(&self, message: &Json) -> Option<(Command, Option<String>)> {
        let mut context =
            HostContext { message: message.clone(), path: BTreeMap::new(), requests: BTreeMap::new() };
        let (command, native) = loop {
            let read = self.writer.read_host(&json_text(&context).ok()?, None);
            let known = context.requests.len();
            for id in read.missed {
                let open = self.sessions.iter().filter(|served| !served.ended);
                let newest = open.filter_map(|served| served.pending.newest(&id)).next();
                if let Some((_, request)) = newest {
                    context.requests.insert(id, request.clone());
                }
            }
            if context.requests.len() == known {
                break read.command?;
            }
        };
        Some((command.to().ok()?, native))
    }
}

/// The id of a session that is known before the agent says it: the host has chosen it, or it is resumed and the agent
/// says nothing before the first message.
fn chosen_id(agent: &Table, start: &SessionStart) -> Option<String> {
    let chosen = match &start.resume {
        Some(resume) => (!names_itself(agent, start)).then_some(resume),
        None => start.session_id.as_ref().filter(|_| takes_id(agent)),
    };
    chosen.map(ToString::to_string)
}

/// Whether the host may choose the ids of an agent's sessions.
fn takes_id(agent: &Table) -> bool {
    agent.capability("session.start").fields.contains(&"session_id")
}

/// Whether an agent tells the id of a session before the first message: then that message needs it.
fn names_itself(agent: &Table, start: &SessionStart) -> bool {
    let mut messages = agent.writes.iter().filter(|write| write.command == "message.send");
    match start.resume {
        // There may be a rule of its own for the first message of a resumed session.
        Some(_) => messages.all(|write| !write.needs.is_empty()),
        None => messages.any(|write| !write.needs.is_empty()),
    }
}
