//! The laws of the universal stream, as code.
//!
//! A [`Checker`] reads events, from the engine or from a file, and says which law each one breaks.
//! It judges the stream alone: whether everything of the native input is in it (laws 7 to 9, 11
//! and 12) shows only when the two are compared.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! use interlingua::laws::Checker;
//! use interlingua::vocabulary::{Event, Origin, SessionStarted, TurnStarted};
//!
//! let mut checker = Checker::new();
//! let start = Event::new("s1", 1, Origin::Agent, SessionStarted::default());
//! assert!(checker.feed(&start).is_empty());
//!
//! let mut turn = Event::new("s1", 3, Origin::Agent, TurnStarted::new("t1"));
//! turn.turn_id = Some("t1".into());
//! let faults = checker.feed(&turn);
//! assert_eq!(faults[0].to_string(), "law 1: event s1:3: the sequence is 3, and 2 was due");
//!
//! let at_the_end: Vec<u8> = checker.finish().iter().map(|fault| fault.law).collect();
//! assert_eq!(at_the_end, [5, 1], "the turn and the session never ended");
//! ```

mod chunks;
mod content;
mod session;

use std::collections::BTreeMap;
use std::fmt;

pub use self::chunks::ChunkChecker;

use self::session::Session;
use crate::vocabulary::{Event, EventBody, SessionId};

/// A law that a stream breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The law's number, from 1 to 12.
    pub law: u8,
    /// The event that breaks it, as `{session_id}:{sequence}`; `{session_id}:end` for what never
    /// came.
    pub event: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law {}: event {}: {}", self.law, self.event, self.message)
    }
}

/// Checks a universal stream of any number of sessions against the laws, event by event.
///
/// It remembers the ids of everything that was started, so its memory grows with the stream.
#[derive(Debug, Default)]
pub struct Checker {
    sessions: BTreeMap<SessionId, Session>,
}

impl Checker {
    /// A checker that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event and gives back the faults that it shows.
    pub fn feed(&mut self, event: &Event) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some((law, message)) = self.parent_fault(event) {
            faults.push(Fault { law, event: event.event_id().to_string(), message });
        }
        let session = self.sessions.entry(event.session_id.clone()).or_default();
        for (law, message) in session.feed(event) {
            faults.push(Fault { law, event: event.event_id().to_string(), message });
        }
        faults
    }

    /// The faults that show at the end of the input: what was never closed. Without this call,
    /// a stream may end anywhere.
    pub fn finish(&mut self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (id, session) in std::mem::take(&mut self.sessions) {
            for (law, message) in session.finish() {
                faults.push(Fault { law, event: format!("{id}:end"), message });
            }
        }
        faults
    }

    /// A parent must have been started before its child says so.
    fn parent_fault(&self, event: &Event) -> Option<(u8, String)> {
        let parent = match &event.body {
            EventBody::SessionStarted(started) => started.parent.as_ref()?,
            EventBody::SessionUpdated(updated) => updated.parent.as_ref()?,
            _ => return None,
        };
        let Some(session) = self.sessions.get(&parent.session_id) else {
            return Some((4, format!("the parent session `{}` was never started", parent.session_id)));
        };
        let item = parent.item_id.as_ref()?;
        let unknown = !session.has_item(item);
        unknown.then(|| (4, format!("the parent item `{item}` was never started")))
    }
}
