//! What a map remembers from one message to a later one.

use std::sync::Arc;

use interlingua_table::{Register, RegisterScope};

use super::Window;
use super::hash::hash_of;

/// The content of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Whether the text is that of a JSON value.
    pub(crate) json: bool,
    pub(crate) text: Arc<str>,
}

/// How many keys of its registers an owner remembers; beyond that, the oldest are forgotten.
const KEYS: usize = 4096;

/// The registers of a session and of its sub-agents; those of a turn lie with the turn.
#[derive(Debug)]
pub(crate) struct Registers {
    session: Bank,
    main: Bank,
    agents: Window<Bank>,
}

/// The registers of one owner.
#[derive(Debug, Default)]
pub(crate) struct Bank {
    /// By their number.
    plain: Vec<Option<Stored>>,
    /// Of those with keys, by number and key.
    keyed: Option<Box<Window<Option<Stored>>>>,
}

impl Bank {
    #[inline]
    pub(crate) fn get(&self, number: u16, key: Option<&str>) -> Option<&Stored> {
        match key {
            None => self.plain.get(usize::from(number))?.as_ref(),
            Some(key) => self.keyed.as_ref()?.get(hash_of(&(number, key)))?.as_ref(),
        }
    }

    pub(crate) fn set(&mut self, number: u16, key: Option<&str>, value: Option<Stored>) {
        if let Some(key) = key {
            let keyed = self.keyed.get_or_insert_with(|| Box::new(Window::new(KEYS)));
            return keyed.insert(hash_of(&(number, key)), value);
        }
        let number = usize::from(number);
        if number >= self.plain.len() {
            if value.is_none() {
                return;
            }
            self.plain.resize(number + 1, None);
        }
        self.plain[number] = value;
    }

    fn len(&self) -> usize {
        self.keyed.as_ref().map_or(0, |keyed| keyed.len())
    }
}

impl Registers {
    pub(crate) fn new(window: usize) -> Self {
        Self { session: Bank::default(), main: Bank::default(), agents: Window::new(window) }
    }

    /// The registers of a register's owner, be that the session or an agent, which its call names.
    #[inline]
    pub(crate) fn bank(&self, register: &Register, agent: Option<&str>) -> Option<&Bank> {
        match (register.scope, agent) {
            (RegisterScope::Session, _) => Some(&self.session),
            (RegisterScope::Agent, None) => Some(&self.main),
            (RegisterScope::Agent, Some(call)) => self.agents.get(hash_of(call)),
            (RegisterScope::Turn | RegisterScope::Command, _) => None,
        }
    }

    /// The same, to be written.
    pub(crate) fn bank_mut(&mut self, register: &Register, agent: Option<&str>) -> Option<&mut Bank> {
        match (register.scope, agent) {
            (RegisterScope::Session, _) => Some(&mut self.session),
            (RegisterScope::Agent, None) => Some(&mut self.main),
            (RegisterScope::Agent, Some(call)) => {
                let key = hash_of(call);
                self.agents.insert_new(key, Bank::default());
                self.agents.get_mut(key)
            }
            (RegisterScope::Turn | RegisterScope::Command, _) => None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.agents.len() + self.session.len() + self.main.len()
    }
}
