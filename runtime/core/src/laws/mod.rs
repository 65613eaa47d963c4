//! The laws of the universal stream, as code.
//!
//! The [laws](Law) hold for the events of every agent and for every input. `docs/laws.md` explains each with its reason
//! and an input that breaks it.
//!
//! A [`Checker`] reads events, from the engine or from a file, and reports the laws that they break. Laws 7 to 9, 11
//! and 12 compare a stream with its input or with another stream: [`totality`], [`determinism`], [`prefix`],
//! [`bounds`] and [`nothing_lost`] check them.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! use interlingua::laws::{Checker, Law};
//! use interlingua::vocabulary::{Event, Origin, SessionStarted, TurnStarted};
//!
//! let mut checker = Checker::new();
//! let start = Event::new("s1", 1, Origin::Agent, SessionStarted::default());
//! assert!(checker.feed(&start).is_empty());
//!
//! let mut turn = Event::new("s1", 3, Origin::Agent, TurnStarted::new("t1"));
//! turn.turn_id = Some("t1".into());
//! let broken = checker.feed(&turn);
//! assert_eq!(broken[0].to_string(), "law 1 (order): event s1:3: the sequence is 3, and 2 was due");
//!
//! let at_the_end: Vec<Law> = checker.finish().iter().map(|violation| violation.law).collect();
//! assert_eq!(at_the_end, [Law::Turns, Law::Order], "the turn and the session never ended");
//! ```

mod chunks;
mod compare;
mod content;
mod law;
mod session;

use std::collections::BTreeMap;
use std::fmt;

pub use self::chunks::ChunkChecker;
pub use self::compare::{bounds, determinism, nothing_lost, prefix, totality};
pub use self::law::{Example, Law};

use self::session::Session;
use crate::vocabulary::{Event, EventBody, SessionId};

/// A law that a stream breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// The event that breaks it, as `{session_id}:{sequence}`; `{session_id}:end` for an event that is missing at the
    /// end, and `end` for what concerns the whole stream.
    pub event: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: event {}: {}", self.law, self.event, self.message)
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

    /// Takes the next event and gives back the violations that it shows.
    pub fn feed(&mut self, event: &Event) -> Vec<Violation> {
        let mut violations = Vec::new();
        if let Some((law, message)) = self.parent_error(event) {
            violations.push(Violation { law, event: event.event_id().to_string(), message });
        }
        let session = self.sessions.entry(event.session_id.clone()).or_default();
        for (law, message) in session.feed(event) {
            violations.push(Violation { law, event: event.event_id().to_string(), message });
        }
        violations
    }

    /// Ends the stream and gives back what it left open. Without this call, a stream may end anywhere.
    pub fn finish(&mut self) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (id, session) in std::mem::take(&mut self.sessions) {
            for (law, message) in session.finish() {
                violations.push(Violation { law, event: format!("{id}:end"), message });
            }
        }
        violations
    }

    /// A parent must have been started before its child says so.
    fn parent_error(&self, event: &Event) -> Option<(Law, String)> {
        let parent = match &event.body {
            EventBody::SessionStarted(started) => started.parent.as_ref()?,
            EventBody::SessionUpdated(updated) => updated.parent.as_ref()?,
            _ => return None,
        };
        let Some(session) = self.sessions.get(&parent.session_id) else {
            return Some((
                Law::Links,
                format!("the parent session `{}` was never started", parent.session_id),
            ));
        };
        let item = parent.item_id.as_ref()?;
        let unknown = !session.has_item(item);
        unknown.then(|| (Law::Links, format!("the parent item `{item}` was never started")))
    }
}
