//! One message under translation: its context, and what it reads.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use interlingua_table::{Action, Expr, Field, Path, RegisterScope, Rule};

use super::unparsed::unparsed;
use crate::engine::life::refs::AgentRef;
use crate::engine::life::session::Session;
use crate::engine::life::state::State;
use crate::engine::memory::registers::Stored;
use crate::engine::read::eval::{Reading, Val};
use crate::engine::read::fields::Fields;
use crate::engine::read::program::Program;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::{Arms, Setting, Walking};
use crate::json::Value;
use crate::vocabulary::{ItemId, Origin, Timestamp};

/// The item that contains the current steps.
#[derive(Debug, Clone)]
pub(crate) enum Inside {
    Nothing,
    /// The body of an open message.
    Item(u64),
    /// Steps about the item of this native id.
    Named(Arc<str>),
    /// The body of a message that has closed: its parts are not taken any more.
    Past(ItemId),
}

/// How much of its context a message knows while it is worked out: each part may use
/// registers whose owner is known already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    Nothing,
    Session,
    Agent,
    All,
}

/// A part of the message that no rule takes.
#[derive(Debug)]
struct Lost {
    error: String,
    location: String,
    json: String,
}

/// The translation of one message by one rule.
pub(crate) struct Run<'s, 'v> {
    pub(crate) program: &'s Program,
    pub(crate) state: &'s mut State,
    pub(crate) rule: &'static Rule,
    pub(crate) message: Scope<'v, 's>,
    session_name: OnceCell<Option<Cow<'v, str>>>,
    agent_name: OnceCell<Option<Cow<'v, str>>>,
    turn_name: OnceCell<Option<Cow<'v, str>>>,
    known: Cell<Known>,
    /// The session that the message belongs to, once it was looked up.
    found: Option<usize>,
    /// The agent that speaks, once it was looked up.
    agent: Option<AgentRef>,
    lost: RefCell<Vec<Lost>>,
    /// Registers that steps within a term write.
    later: RefCell<Vec<Setting>>,
    /// Registers of a turn that is not open yet.
    for_turn: Vec<Setting>,
    /// Whether elements that no arm takes are left to another pass.
    quiet: Cell<bool>,
    /// A required field that was absent, and where.
    pub(crate) missing: Option<(String, String)>,
}

impl<'s, 'v> Run<'s, 'v> {
    pub(crate) fn new(
        program: &'s Program,
        state: &'s mut State,
        rule: &'static Rule,
        message: Scope<'v, 's>,
    ) -> Self {
        Self {
            program,
            state,
            rule,
            message,
            session_name: OnceCell::new(),
            agent_name: OnceCell::new(),
            turn_name: OnceCell::new(),
            known: Cell::new(Known::All),
            found: None,
            agent: None,
            lost: RefCell::new(Vec::new()),
            later: RefCell::new(Vec::new()),
            for_turn: Vec::new(),
            quiet: Cell::new(false),
            missing: None,
        }
    }

    /// Tries another rule.
    pub(crate) fn try_rule(&mut self, rule: &'static Rule) {
        let same_context = self.rule.context.is_empty() && rule.context.is_empty();
        self.rule = rule;
        if !same_context {
            self.session_name = OnceCell::new();
            self.agent_name = OnceCell::new();
            self.turn_name = OnceCell::new();
            self.found = None;
        }
    }

    /// One part of the context: the rule's setting, else the map's.
    fn context(&self, field: Field, paths: &'static [Path], known: Known) -> Option<Cow<'v, str>> {
        let before = self.known.replace(known);
        let own = self.rule.context.iter().find(|(own, _)| *own == field);
        let found = match own {
            Some((_, expr)) => self.eval_text(expr, &self.message),
            None => paths.iter().find_map(|path| self.value(path, &self.message)?.scalar_text()),
        };
        self.known.set(before);
        found
    }

    /// The time of the message.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        let before = self.known.replace(Known::Session);
        let time = match self.rule.context.iter().find(|(own, _)| *own == Field::Time) {
            Some((_, expr)) => {
                self.eval_text(expr, &self.message).and_then(|text| Timestamp::from_rfc3339(&text))
            }
            None => self.program.table.context.time.iter().find_map(|time| {
                crate::engine::read::eval::timestamp(self.value(&time.path, &self.message)?, time.unit)
            }),
        };
        self.known.set(before);
        time
    }

    /// The native id of the session that the message belongs to.
    fn session_name(&self) -> Option<&str> {
        let context = self.program.table.context.session;
        self.session_name.get_or_init(|| self.context(Field::Session, context, Known::Nothing)).as_deref()
    }

    /// The call id of the sub-agent that speaks.
    pub(crate) fn agent_name(&self) -> Option<&str> {
        let context = self.program.table.context.agent;
        self.agent_name.get_or_init(|| self.context(Field::Agent, context, Known::Session)).as_deref()
    }

    /// The native name of the turn that the message belongs to.
    pub(crate) fn turn_name(&self) -> Option<&str> {
        let context = self.program.table.context.turn;
        self.turn_name.get_or_init(|| self.context(Field::Turn, context, Known::Agent)).as_deref()
    }

    /// The sessions, and the native name of the turn that the message belongs to.
    pub(crate) fn state_and_turn(&mut self) -> (&mut State, Option<&str>) {
        self.turn_name();
        (self.state, self.turn_name.get().and_then(|name| name.as_deref()))
    }

    /// The session of the message, where it is known and has not ended.
    pub(crate) fn known_session(&mut self) -> Option<usize> {
        if let Some(found) = self.found.filter(|found| !self.state.sessions[*found].ended) {
            return Some(found);
        }
        self.session_name();
        let name = self.session_name.get().and_then(|name| name.as_deref());
        self.found = self.state.find(name);
        self.found
    }

    /// The session of the message, started if need be: nothing when it has not started, and
    /// the message brings nothing that starts one.
    pub(crate) fn session(&mut self, starts: bool) -> Option<usize> {
        let number = match self.known_session() {
            Some(number) => number,
            None if starts || self.session_name().is_none() || self.state.adopts() => {
                self.unstarted_session()?
            }
            None => return None,
        };
        if !self.state.sessions[number].started {
            if !starts && self.session_name().is_some() {
                return None;
            }
            self.state.start(number, Origin::Daemon);
        }
        Some(number)
    }

    /// From here on the message speaks of another session.
    pub(crate) fn speak_of(&mut self, native: Option<String>) {
        self.session_name = OnceCell::from(native.map(Cow::Owned));
        self.found = None;
    }

    /// The session of the message, which need not have started.
    pub(crate) fn unstarted_session(&mut self) -> Option<usize> {
        if let Some(number) = self.known_session() {
            return Some(number);
        }
        let name = self.session_name.get().and_then(|name| name.as_deref());
        self.found = self.state.obtain(name);
        self.found
    }

    /// What a session is called may have changed.
    pub(crate) fn look_up_again(&mut self) {
        self.found = None;
    }

    /// The sub-agent that speaks. A call that was never seen gets a stub.
    pub(crate) fn agent(&mut self, session: usize) -> AgentRef {
        if let Some(agent) = &self.agent {
            return agent.clone();
        }
        let agent = match self.agent_name().map(str::to_owned) {
            None => None,
            Some(call) => self.with_turn(session, |session, out, turn| session.agent_of(out, &call, turn)),
        };
        self.agent = Some(agent.clone());
        agent
    }

    fn register_session(&self) -> Option<&Session> {
        // `find` wants to remember its result; a look-up without that is enough here.
        match self.found {
            Some(found) => self.state.sessions.get(found).filter(|session| !session.ended),
            None => self.state.peek(self.session_name()),
        }
    }

    /// Writes a register. One of a turn that is not open yet waits for the turn, which this rule may open.
    pub(crate) fn set_register(&mut self, set: Setting) {
        let Some(register) = self.program.table.registers.get(usize::from(set.register)) else {
            return;
        };
        if set.value.is_none() && self.register_session().is_none() {
            return;
        }
        let Some(session) = self.unstarted_session() else {
            return;
        };
        if register.scope == RegisterScope::Turn {
            let (state, name) = self.state_and_turn();
            let turns = &mut state.sessions[session].turns;
            let turn = match name {
                Some(name) => turns.named(name),
                None => turns.newest(),
            };
            match turn.and_then(|turn| turns.registers_mut(&turn)) {
                Some(bank) => bank.set(set.register, set.key.as_deref(), set.value),
                None => self.for_turn.push(set),
            }
            return;
        }
        let agent = self.agent_name().map(str::to_owned);
        let registers = &mut self.state.sessions[session].registers;
        if let Some(bank) = registers.bank_mut(register, agent.as_deref()) {
            bank.set(set.register, set.key.as_deref(), set.value);
        }
    }

    /// Writes the registers that steps within a term have set, and those that waited for their turn.
    pub(crate) fn write_registers(&mut self) {
        if !self.for_turn.is_empty() {
            for set in std::mem::take(&mut self.for_turn) {
                self.set_register(set);
            }
        }
        if !self.later.get_mut().is_empty() {
            for set in self.later.take() {
                self.set_register(set);
            }
        }
    }

    /// What a register holds, or what it holds under a key.
    fn stored(&self, number: u16, key: Option<&str>) -> Option<Stored> {
        let register = self.program.table.registers.get(usize::from(number))?;
        let needs = match register.scope {
            RegisterScope::Session | RegisterScope::Command => Known::Session,
            RegisterScope::Agent => Known::Agent,
            RegisterScope::Turn => Known::All,
        };
        if self.known.get() < needs {
            return None;
        }
        let session = self.register_session()?;
        if register.scope == RegisterScope::Turn {
            let waits = |set: &&Setting| set.register == number && set.key.as_deref() == key;
            if let Some(set) = self.for_turn.iter().rev().find(waits) {
                return set.value.clone();
            }
            let turn = match self.turn_name() {
                Some(name) => session.turns.named(name)?,
                None => session.turns.newest()?,
            };
            return session.turns.registers(&turn)?.get(number, key).cloned();
        }
        let agent = match register.scope {
            RegisterScope::Agent => self.agent_name(),
            _ => None,
        };
        session.registers.bank(register, agent)?.get(number, key).cloned()
    }

    /// Notes that a required field is absent, for the case that the message gives nothing.
    pub(crate) fn lacks(&mut self, term: &Term, field: Field, scope: &Scope<'_, '_>) {
        self.lacks_value(term.field(field), field.name(), scope);
    }

    /// The same for any value that is needed.
    pub(crate) fn lacks_value(&mut self, expr: Option<&Expr>, name: &str, scope: &Scope<'_, '_>) {
        if self.missing.is_some() {
            return;
        }
        let keys = self.program.table.keys;
        let location = match expr {
            Some(Expr::Path(path)) => scope.locate(path, keys),
            _ => scope.location(keys),
        };
        self.missing = Some((format!("`{name}` is absent"), location));
    }

    /// Does something that leaves elements that no arm takes to another pass.
    pub(crate) fn quietly<T>(&self, work: impl FnOnce(&Self) -> T) -> T {
        let before = self.quiet.replace(true);
        let result = work(self);
        self.quiet.set(before);
        result
    }

    /// Emits pending updates of items at the end of the message.
    pub(crate) fn say_changes(&mut self) {
        if let Some(number) = self.known_session() {
            let State { sessions, out, .. } = &mut *self.state;
            sessions[number].say_changes(out, Origin::Agent);
        }
    }

    /// Gives an event for each part of the message that no rule took, and says whether there
    /// was one.
    pub(crate) fn tell_lost(&mut self) -> bool {
        if self.lost.get_mut().is_empty() {
            return false;
        }
        let lost = self.lost.take();
        let Some(session) = self.session(true) else {
            return false;
        };
        let State { sessions, out, .. } = &mut *self.state;
        for Lost { error, location, json } in lost {
            let body = unparsed(error, Some(location), json.as_bytes(), None, Some(&json));
            sessions[session].emit(out, None, &None, Origin::Daemon, body);
        }
        true
    }
}

impl Reading for Run<'_, '_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn register(&self, number: u16) -> Option<Stored> {
        self.stored(number, None)
    }

    fn recall(&self, number: u16, key: &str) -> Option<Stored> {
        self.stored(number, Some(key))
    }

    fn build<'v>(&self, steps: &'static [Action], scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        self.collect(steps, scope)
    }
}

impl Walking for Run<'_, '_> {
    /// Sets a register when the enclosing term is done.
    fn set_later(&self, set: Setting) {
        if !self.quiet.get() {
            self.later.borrow_mut().push(set);
        }
    }
}

impl Arms for Run<'_, '_> {
    /// Notes an element that cannot be translated.
    fn lose(&self, error: &str, scope: &Scope<'_, '_>) {
        if self.quiet.get() {
            return;
        }
        self.lost.borrow_mut().push(Lost {
            error: error.to_owned(),
            location: scope.location(self.program.table.keys),
            json: scope.here.raw().to_owned(),
        });
    }
}

impl Fields for Run<'_, '_> {
    /// Notes a value that should be a text and is none.
    fn lose_text(&self, expr: &Expr, value: Value<'_>, scope: &Scope<'_, '_>) {
        if self.quiet.get() {
            return;
        }
        let keys = self.program.table.keys;
        let location = match expr {
            Expr::Path(path) => scope.locate(path, keys),
            _ => scope.location(keys),
        };
        let json = value.raw().to_owned();
        self.lost.borrow_mut().push(Lost { error: "this is not a text".to_owned(), location, json });
    }
}
