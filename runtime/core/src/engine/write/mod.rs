//! The way back: a term map applied to universal commands gives native messages.
//!
//! It is as pure as the way in: a [`Writer`] keeps nothing between two commands.

mod build;
mod conform;
mod http_path;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;

use interlingua_table::{Action, Host, Path, REQUEST, Table, Write};
use serde::Serialize;

use self::build::Elements as Built;
use self::conform::conform;
use crate::engine::json_text::{object, quoted};
use crate::engine::memory::registers::Stored;
use crate::engine::read::eval::{Reading, Val};
use crate::engine::read::program::{Program, WriteProgram};
use crate::engine::read::scope::{Element, Scope};
use crate::engine::read::walk::{Arms, Elements};
use crate::json::Index;
use crate::vocabulary::{Degradation, Json, ModelRequest};

/// Writes universal commands in one provider's own terms.
pub struct Writer {
    program: WriteProgram,
}

/// A request to a language model in its provider's form, and its unsupported parts.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrittenRequest {
    /// The path of the HTTP request, which follows the provider's base address.
    pub path: String,
    /// The body, in the provider's own terms.
    pub body: Json,
    /// The parts of the request that are missing or changed, in the order of the request.
    pub degradations: Vec<Degradation>,
}

/// Something that the host does to reach the agent. A host must do all of it, so this set is matched as a whole: a new
/// way is a breaking change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeMessage {
    /// Start the agent's program.
    Spawn {
        /// The program and its arguments.
        args: Vec<String>,
        /// The working directory, where the command names one.
        cwd: Option<String>,
    },
    /// Give it one JSON text over its own channel.
    Text(Json),
    /// End the connection: close the agent's input, and see that its program ends.
    HangUp,
    /// Make a request of its HTTP interface.
    Http {
        /// The method, such as `POST`.
        method: &'static str,
        /// The path, with what the map has put into it, percent-encoded.
        path: String,
        /// The body, where there is one.
        body: Option<Json>,
    },
}

/// What one command became.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Written {
    pub(crate) messages: Vec<NativeMessage>,
    /// Places in `messages`: what stands there and after it is sent when the message before is answered.
    pub(crate) waits: Vec<usize>,
    /// The host's message becomes an event, with this native id if it has one.
    pub(crate) tell: Option<Option<String>>,
    pub(crate) degradations: Vec<Degradation>,
}

/// Why a command cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The provider's map does not support it.
    Unknown {
        /// The provider.
        provider: &'static str,
        /// The command.
        command: String,
        /// The supported commands.
        possible: Vec<&'static str>,
    },
    /// The provider cannot express the command, or this field of it.
    Impossible {
        /// The provider.
        provider: &'static str,
        /// The command.
        command: String,
        /// The field; empty for the command as it is given.
        field: &'static str,
        /// Why.
        reason: &'static str,
        /// What is supported: the fields of the command, or the commands if the whole command is not.
        possible: Vec<&'static str>,
    },
    /// Something must be known first: its path in what the session knows.
    Needs {
        /// The command.
        command: String,
        /// What is not known yet.
        what: String,
    },
    /// The map gave no message for this command.
    Nothing {
        /// The command.
        command: String,
    },
    /// The command could not be read as JSON.
    NotJson(String),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::Unknown { provider, command, possible } if possible.is_empty() => {
                write!(f, "`{provider}` takes no commands, so `{command}` cannot be said to it")
            }
            Self::Unknown { provider, command, possible } => {
                write!(f, "`{provider}` has no way to say `{command}`; it takes {}", list(possible))
            }
            Self::Impossible { provider, command, field, reason, possible } => {
                match *field {
                    "" => write!(f, "`{provider}` cannot do this `{command}`: {reason}")?,
                    field => write!(f, "`{provider}` cannot express `{field}` of `{command}`: {reason}")?,
                }
                if possible.is_empty() { Ok(()) } else { write!(f, "; it takes {}", list(possible)) }
            }
            Self::Needs { command, what } => write!(f, "`{command}` needs `{what}`, which is not known yet"),
            Self::Nothing { command } => write!(f, "this `{command}` gives no message"),
            Self::NotJson(error) => write!(f, "not JSON: {error}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl Writer {
    /// A writer for the table's provider.
    #[must_use]
    pub fn new(table: &'static Table) -> Self {
        Self { program: WriteProgram::of(table) }
    }

    /// The table that is applied.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.program.table
    }

    /// The commands that the provider takes, sorted: `request` for a language model.
    #[must_use]
    pub fn commands(&self) -> Vec<&'static str> {
        let mut commands: Vec<&str> = self.program.table.writes.iter().map(|write| write.command).collect();
        commands.sort_unstable();
        commands.dedup();
        commands
    }

    /// The HTTP request to a language model, a `POST`. What the provider cannot be told is listed beside it, and what was
    /// repaired to meet its demands: the ids of calls, missing and lone results, blank texts. A picture without a media
    /// type gets the one that its bytes tell.
    ///
    /// # Errors
    ///
    /// When the provider is none that takes such requests.
    pub fn request(&self, request: &ModelRequest) -> Result<WrittenRequest, WriteError> {
        let conformed = conform(request, &self.program.table.demands);
        let mut written = self.write(REQUEST, &json_text(&conformed.request)?, None)?;
        match written.messages.pop() {
            Some(NativeMessage::Http { path, body: Some(body), .. }) => {
                let degradations = conformed.with(written.degradations);
                Ok(WrittenRequest { path, body, degradations })
            }
            _ => Err(WriteError::Nothing { command: REQUEST.to_owned() }),
        }
    }

    /// Writes a command. `context` is the JSON text of all that is known; the command is its member `inside`, or
    /// the whole of it.
    pub(crate) fn write(
        &self,
        command: &str,
        context: &str,
        inside: Option<&str>,
    ) -> Result<Written, WriteError> {
        let mut index = Index::new();
        let document = index
            .parse_str(context, &self.program.keys)
            .map_err(|error| WriteError::NotJson(error.to_string()))?;
        let root = document.root();
        let run = Writing::new(&self.program);
        let outer = Scope::message(root);
        let value = inside.and_then(|key| root.get_str(key));
        let scope = match value {
            Some(value) => Scope::element(&outer, &THIS, Element::Itself, value, 0),
            None => outer,
        };
        self.refuse(&run, command, &scope)?;
        let mut rules = self.program.table.writes.iter().filter(|write| write.command == command);
        let write = loop {
            match rules.next() {
                Some(Write { condition: Some(condition), .. }) if !run.holds(condition, &scope) => {}
                Some(write) => break write,
                None => {
                    return Err(WriteError::Unknown {
                        provider: self.program.table.provider,
                        command: command.to_owned(),
                        possible: self.commands(),
                    });
                }
            }
        };
        if let Some(missing) = write.needs.iter().find(|path| run.value(path, &scope).is_none()) {
            let what = scope.locate(missing, self.program.table.write_keys);
            return Err(WriteError::Needs { command: command.to_owned(), what });
        }
        let mut messages = Vec::new();
        run.steps(write.actions, &scope, &mut Sink::Messages(&mut messages));
        if messages.is_empty() {
            return Err(WriteError::Nothing { command: command.to_owned() });
        }
        let (tell, degradations) = (run.tell.into_inner(), run.degradations.into_inner().all);
        Ok(Written { messages, waits: run.waits.into_inner(), tell, degradations })
    }

    /// The messages that a signal becomes, by the map of a target. `context` is the JSON text of all that is known, with
    /// the signal as its member `signal`.
    pub(crate) fn emit(&self, signal: &str, context: &str) -> Vec<Json> {
        let mut index = Index::new();
        let Ok(document) = index.parse_str(context, &self.program.keys) else { return Vec::new() };
        let run = Writing::new(&self.program);
        let outer = Scope::message(document.root());
        let Some(value) = document.root().get_str("signal") else { return Vec::new() };
        let scope = Scope::element(&outer, &THIS, Element::Itself, value, 0);
        let mut messages = Vec::new();
        for write in self.program.table.writes.iter().filter(|write| write.command == signal) {
            if write.condition.as_ref().is_none_or(|condition| run.holds(condition, &scope)) {
                run.steps(write.actions, &scope, &mut Sink::Messages(&mut messages));
                break;
            }
        }
        let text = |message| match message {
            NativeMessage::Text(json) => Some(json),
            _ => None,
        };
        messages.into_iter().filter_map(text).collect()
    }

    /// What the map declares impossible: for the request of a language model a degradation, for all else an error.
    fn refuse(&self, run: &Writing<'_>, command: &str, scope: &Scope<'_, '_>) -> Result<(), WriteError> {
        let table = self.program.table;
        for cannot in table.cannot.iter().filter(|cannot| cannot.command == command) {
            let is_given = cannot.field.as_ref().is_none_or(|(_, path)| run.value(path, scope).is_some());
            if !is_given || cannot.case.as_ref().is_some_and(|case| !run.holds(case, scope)) {
                continue;
            }
            if command == REQUEST {
                run.degrade(cannot.field_name(), cannot.reason, scope);
                continue;
            }
            let possible = if cannot.is_whole() { self.commands() } else { table.capability(command).fields };
            return Err(WriteError::Impossible {
                provider: table.provider,
                command: command.to_owned(),
                field: cannot.field_name(),
                reason: cannot.reason,
                possible,
            });
        }
        Ok(())
    }
}

impl Writer {
    /// Reads what a host has sent as a command. `context` is the JSON text of all that is known, with the message as its
    /// member `message`; `http` tells the request's method and path.
    pub(crate) fn read_host(&self, context: &str, http: Option<(&str, &str)>) -> ReadHost {
        let mut read = ReadHost::default();
        read.command = self.program.table.hosts.iter().find_map(|host| {
            let captured = match (host.http, http) {
                (None, None) => None,
                (Some((method, pattern)), Some((sent, path))) if method == sent => {
                    Some(http_path::captures(pattern, path)?)
                }
                _ => return None,
            };
            let context = with_path(context, captured)?;
            let mut index = Index::new();
            let document = index.parse_str(&context, &self.program.keys).ok()?;
            let outer = Scope::message(document.root());
            let scope =
                Scope::element(&outer, &THIS, Element::Itself, document.root().get_str("message")?, 0);
            let run = Writing { missed: Some(RefCell::default()), ..Writing::new(&self.program) };
            let command = self.read_by(host, &run, &scope);
            read.missed.extend(run.missed.map(RefCell::into_inner).unwrap_or_default());
            command
        });
        read
    }

    fn read_by(&self, host: &'static Host, run: &Writing<'_>, scope: &Scope<'_, '_>) -> Option<HostSaid> {
        if host.condition.as_ref().is_some_and(|condition| !run.holds(condition, scope)) {
            return None;
        }
        let mut messages = Vec::new();
        run.steps(host.actions, scope, &mut Sink::Messages(&mut messages));
        let session = host.session.as_ref().and_then(|session| run.eval(session, scope)).and_then(Val::text);
        match messages.into_iter().next() {
            Some(NativeMessage::Text(command)) => Some((command, session.map(Cow::into_owned))),
            _ => None,
        }
    }
}

/// A command that a host has given: its JSON, and the native id of the session that it is for.
type HostSaid = (Json, Option<String>);

/// What was read of a host's message.
#[derive(Debug, Default)]
pub(crate) struct ReadHost {
    /// The command; nothing when no rule takes the message.
    pub(crate) command: Option<HostSaid>,
    /// The keys under which the rules have found nothing in what is known.
    pub(crate) missed: Vec<String>,
}

/// The context with the parameters of the path.
fn with_path(context: &str, captured: Option<Vec<(String, String)>>) -> Option<Cow<'_, str>> {
    let Some(captured) = captured else { return Some(Cow::Borrowed(context)) };
    let path = object(captured.iter().map(|(name, value)| (name, quoted(value))));
    let rest = context.strip_prefix('{')?;
    Some(Cow::Owned(format!("{{\"path\":{path},{rest}")))
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("provider", &self.program.table.provider).finish_non_exhaustive()
    }
}

/// A value as JSON text.
pub(crate) fn json_text<T: Serialize>(value: &T) -> Result<String, WriteError> {
    serde_json::to_string(value).map_err(|error| WriteError::NotJson(error.to_string()))
}

/// The path of the value itself.
static THIS: Path = Path { scope: interlingua_table::PathStart::Here, steps: &[] };

/// One command that is being written.
struct Writing<'p> {
    program: &'p Program,
    /// What registers hold, those with keys under their key.
    registers: RefCell<HashMap<(u16, String), Stored>>,
    degradations: RefCell<Degradations>,
    tell: RefCell<Option<Option<String>>>,
    waits: RefCell<Vec<usize>>,
    /// The keys under which nothing was found, where somebody wants to know them.
    missed: Option<RefCell<Vec<String>>>,
}

/// The unsupported parts, each once.
#[derive(Default)]
struct Degradations {
    all: Vec<Degradation>,
    known: HashSet<Degradation>,
}

/// Where steps put what they give.
enum Sink<'o> {
    Messages(&'o mut Vec<NativeMessage>),
    List(&'o mut Built),
    Map(&'o mut Vec<(String, String)>),
}

impl<'p> Writing<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            registers: RefCell::default(),
            degradations: RefCell::default(),
            tell: RefCell::default(),
            waits: RefCell::default(),
            missed: None,
        }
    }

    /// Notes an unsupported part. A value that is read twice is noted once.
    fn degrade(&self, what: &str, reason: &str, scope: &Scope<'_, '_>) {
        let at = scope.location(self.program.table.write_keys);
        let degradation = Degradation { what: what.to_owned(), at, reason: reason.to_owned() };
        let Degradations { all, known } = &mut *self.degradations.borrow_mut();
        if known.insert(degradation.clone()) {
            all.push(degradation);
        }
    }

    /// Goes through steps. They nest as deep as the map writes them, not as commands do.
    fn steps(&self, actions: &'static [Action], scope: &Scope<'_, '_>, sink: &mut Sink<'_>) {
        for action in actions {
            match action {
                Action::Add { value, merge } => {
                    if let (Sink::List(list), Some(value)) = (&mut *sink, self.eval(value, scope)) {
                        list.add(value.json().into_owned(), *merge);
                    }
                }
                Action::Put { key, value } => {
                    let key = self.eval(key, scope).and_then(Val::text);
                    if let (Sink::Map(map), Some(key), Some(value)) =
                        (&mut *sink, key, self.eval(value, scope))
                    {
                        map.push((key.into_owned(), value.json().into_owned()));
                    }
                }
                Action::HangUp => {
                    if let Sink::Messages(messages) = &mut *sink {
                        messages.push(NativeMessage::HangUp);
                    }
                }
                Action::Await => {
                    if let Sink::Messages(messages) = &*sink {
                        self.waits.borrow_mut().push(messages.len());
                    }
                }
                Action::Send { value, http } => self.send(value, http.as_ref(), scope, sink),
                Action::Spawn { args, cwd } => self.spawn(args, cwd, scope, sink),
                Action::Tell { id } => {
                    let id = self.eval(id, scope).and_then(Val::text).map(Cow::into_owned);
                    self.tell.replace(Some(id));
                }
                Action::Degrade { what, reason } => self.degrade(what, reason, scope),
                Action::Each { over, arms } => self.steps_each(self.each(over, arms, scope), scope, sink),
                Action::One { over, arms } => self.steps_each(self.one(over, arms, scope), scope, sink),
                Action::When { arms } => {
                    if let Some(steps) = self.branch(arms, scope) {
                        self.steps(steps, scope, sink);
                    }
                }
                Action::Set { register, key, value } => {
                    let key = key.as_ref().map(|key| self.eval(key, scope).and_then(Val::text));
                    let place = match key {
                        None => (*register, String::new()),
                        Some(Some(key)) => (*register, key.into_owned()),
                        Some(None) => continue,
                    };
                    match self.eval(value, scope).map(Val::stored) {
                        Some(value) => self.registers.borrow_mut().insert(place, value),
                        None => self.registers.borrow_mut().remove(&place),
                    };
                }
                // The compiler allows none of these in a rule that writes.
                Action::Emit { .. } | Action::Once { .. } | Action::Candidate { .. } | Action::In { .. } => {}
            }
        }
    }

    fn spawn(
        &self,
        args: &'static interlingua_table::Expr,
        cwd: &'static interlingua_table::Expr,
        scope: &Scope<'_, '_>,
        sink: &mut Sink<'_>,
    ) {
        let Sink::Messages(messages) = sink else { return };
        let list = self.eval(args, scope).map(|list| list.json().into_owned()).unwrap_or_default();
        // The compiler has seen that it is a list; a number in it is written out.
        let list: Vec<serde_json::Value> = serde_json::from_str(&list).unwrap_or_default();
        let args = list.into_iter().map(|arg| match arg {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        });
        let cwd = self.eval(cwd, scope).and_then(Val::text).map(Cow::into_owned);
        messages.push(NativeMessage::Spawn { args: args.collect(), cwd });
    }

    fn send(
        &self,
        value: &'static interlingua_table::Expr,
        http: Option<&'static (&'static str, interlingua_table::Expr)>,
        scope: &Scope<'_, '_>,
        sink: &mut Sink<'_>,
    ) {
        let body = self.eval(value, scope).map(|value| Json::checked(value.json().into_owned()));
        let Sink::Messages(messages) = sink else { return };
        match (http, body) {
            (Some((method, path)), body) => {
                if let Some(path) = http_path::written(self, path, scope) {
                    messages.push(NativeMessage::Http { method, path, body });
                }
            }
            (None, Some(body)) => messages.push(NativeMessage::Text(body)),
            (None, None) => {}
        }
    }

    fn steps_each<'x>(&self, mut elements: Elements<'x>, scope: &Scope<'x, '_>, sink: &mut Sink<'_>) {
        while let Some((element, arm)) = elements.next(self, scope) {
            self.steps(arm.actions, &element, sink);
        }
    }
}

impl Reading for Writing<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn missed(&self, key: &str) {
        if let Some(missed) = &self.missed {
            missed.borrow_mut().push(key.to_owned());
        }
    }

    fn register(&self, number: u16) -> Option<Stored> {
        self.recall(number, "")
    }

    fn recall(&self, number: u16, key: &str) -> Option<Stored> {
        self.registers.borrow().get(&(number, key.to_owned())).cloned()
    }

    fn build<'v>(&self, steps: &'static [Action], scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        let mut list = Built::default();
        self.steps(steps, scope, &mut Sink::List(&mut list));
        list.into_json().map(|json| Val::Json(json.into()))
    }

    fn build_map<'v>(&self, steps: &'static [Action], scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        let mut members = Vec::new();
        self.steps(steps, scope, &mut Sink::Map(&mut members));
        Self::object_of(members).map(|json| Val::Json(json.into()))
    }
}

impl Writing<'_> {
    /// An object of these members; of several with one key the first one counts.
    fn object_of(members: Vec<(String, String)>) -> Option<String> {
        let mut known = HashSet::new();
        let kept: Vec<(&str, &str)> = members
            .iter()
            .filter(|(key, _)| known.insert(key.as_str()))
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        (!kept.is_empty()).then(|| object(kept))
    }
}

impl Arms for Writing<'_> {
    fn lose(&self, error: &str, scope: &Scope<'_, '_>) {
        self.degrade("unknown", error, scope);
    }

    fn no_arm(&self) -> &'static str {
        "no rule of the map takes this, so it is left out"
    }
}
