//! The laws of the universal stream, as code.

use std::fmt;

use crate::vocabulary::Event;

/// A law that a stream breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The law's number, from 1 to 12.
    pub law: u8,
    /// The event that breaks it, as `{session_id}:{sequence}`; at the end of the input,
    /// `{session_id}:end`.
    pub event: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law {}: event {}: {}", self.law, self.event, self.message)
    }
}

/// Checks a universal stream against the laws, event by event.
#[derive(Debug, Default)]
pub struct Checker {
    faults: Vec<Fault>,
}

impl Checker {
    /// A checker that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event and gives back the faults that it shows.
    pub fn feed(&mut self, _event: &Event) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    /// The faults that show at the end of the input: what was never closed.
    pub fn finish(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }
}
