//! What a map remembers from one message to a later one.

use interlingua_table::{Register, RegisterScope};

use super::eval::Stored;
use super::hash::hash_of;
use super::memory::Window;

/// The registers of a session and of its sub-agents; those of a turn lie with the turn.
#[derive(Debug)]
pub(super) struct Registers {
    session: Bank,
    main: Bank,
    agents: Window<Bank>,
}

/// The registers of one owner, by their number.
#[derive(Debug, Default)]
pub(super) struct Bank(Vec<Option<Stored>>);

impl Bank {
    #[inline]
    pub(super) fn get(&self, number: u16) -> Option<&Stored> {
        self.0.get(usize::from(number))?.as_ref()
    }

    pub(super) fn set(&mut self, number: u16, value: Option<Stored>) {
        let number = usize::from(number);
        if number >= self.0.len() {
            if value.is_none() {
                return;
            }
            self.0.resize(number + 1, None);
        }
        self.0[number] = value;
    }
}

impl Registers {
    pub(super) fn new(window: usize) -> Self {
        Self { session: Bank::default(), main: Bank::default(), agents: Window::new(window) }
    }

    /// Reads a register of the session or of an agent, which its call names.
    #[inline]
    pub(super) fn get(&self, number: u16, register: &Register, agent: Option<&str>) -> Option<&Stored> {
        match (register.scope, agent) {
            (RegisterScope::Session, _) => self.session.get(number),
            (RegisterScope::Agent, None) => self.main.get(number),
            (RegisterScope::Agent, Some(call)) => self.agents.get(hash_of(call))?.get(number),
            (RegisterScope::Turn | RegisterScope::Command, _) => None,
        }
    }

    pub(super) fn set(
        &mut self,
        number: u16,
        register: &Register,
        agent: Option<&str>,
        value: Option<Stored>,
    ) {
        match (register.scope, agent) {
            (RegisterScope::Session, _) => self.session.set(number, value),
            (RegisterScope::Agent, None) => self.main.set(number, value),
            (RegisterScope::Agent, Some(call)) => {
                let key = hash_of(call);
                self.agents.insert_new(key, Bank::default());
                if let Some(bank) = self.agents.get_mut(key) {
                    bank.set(number, value);
                }
            }
            (RegisterScope::Turn | RegisterScope::Command, _) => {}
        }
    }

    pub(super) fn len(&self) -> usize {
        self.agents.len()
    }
}
