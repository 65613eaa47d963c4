//! The fold from events to a [`Transcript`], and what consumers ask a transcript.
//!
//! A [`Fold`] takes events one by one, from a live stream or from a stored one, and keeps the transcript up to date.
//! Folding live events and folding the stored events later give equal transcripts.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! # use interlingua_maps::provider;
//! use interlingua::transcript::Fold;
//! use interlingua::{Options, Translator};
//!
//! let claude = provider("claude").expect("a bundled provider");
//! let mut translator = Translator::new(claude, Options::default());
//! let mut fold = Fold::new();
//! let line = br#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Hello!"}]},"session_id":"n1"}
//! "#;
//! fold.extend(translator.push(line));
//! let session = &fold.transcript().sessions[0];
//! assert_eq!(session.items[0].item.text(), "Hello!");
//! assert!(session.turns[0].is_running());
//! ```
//!
//! # What the fold does with events that do not fit
//!
//! An event whose sequence number has been seen is ignored. A gap in the sequence numbers is counted as
//! `missing_events`; text for an item that is not known is dropped, and the item appears with its next
//! `item.updated` or `item.completed`. Nothing is invented for what is missing: an item whose end never came keeps
//! its status, and [`TranscriptSession::open_items`](crate::vocabulary::TranscriptSession::open_items) leaves it out
//! once its turn is over.
//!
//! # Memory
//!
//! A fold keeps everything by default. [`Fold::keep_turns`] bounds it: of the turns that have ended only the last
//! ones are kept, with their items, requests, errors and reports; the totals still include the others.
//! [`Fold::totals_only`] keeps no items at all.

mod agents;
mod apply;
mod items;
mod queries;
mod requests;
mod usage;

use std::collections::HashMap;

use self::apply::SessionFold;
use crate::vocabulary::{Event, SessionId, Transcript, TranscriptSession};

pub use self::agents::Agent;
pub use self::queries::{ChangedFile, OpenRequest};

/// Keeps a [`Transcript`] up to date, event by event.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::transcript::Fold;
/// use interlingua::vocabulary::{Event, Origin, SessionStarted, TurnStarted};
/// let mut fold = Fold::new();
/// fold.push(Event::new("s1", 1, Origin::Agent, SessionStarted::default()));
/// fold.push(Event::new("s1", 2, Origin::Agent, TurnStarted::new("t1")));
/// assert_eq!(fold.transcript().sessions[0].turns.len(), 1);
/// ```
#[derive(Debug, Default)]
pub struct Fold {
    transcript: Transcript,
    /// One for each session of the transcript, in the same order.
    sessions: Vec<SessionFold>,
    by_id: HashMap<SessionId, usize>,
    repeated: u64,
    keep: Keep,
}

/// What is kept.
#[derive(Clone, Copy, Debug)]
struct Keep {
    /// The most turns that have ended.
    turns: usize,
    /// Whether items, requests, errors and reports are kept.
    items: bool,
}

impl Default for Keep {
    fn default() -> Self {
        Self { turns: usize::MAX, items: true }
    }
}

impl Fold {
    /// A fold that has seen nothing and keeps everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps, of the turns that have ended, only the last `count` of each session. A turn with open items or
    /// requests is kept until they are closed.
    #[must_use]
    pub fn keep_turns(mut self, count: usize) -> Self {
        self.keep.turns = count;
        self
    }

    /// Keeps what a session is, its turns, totals, counts and changed files, but no items, requests, errors and
    /// reports. Together with [`keep_turns`](Self::keep_turns) the turns are bounded, too.
    #[must_use]
    pub fn totals_only(mut self) -> Self {
        self.keep.items = false;
        self
    }

    /// Takes the next event.
    pub fn push(&mut self, event: Event) {
        let place = self.session(&event.session_id);
        let session = &mut self.transcript.sessions[place];
        if event.sequence <= session.last_sequence {
            self.repeated += 1;
            return;
        }
        let had_parent = session.parent.is_some();
        self.sessions[place].apply(session, event, self.keep);
        let has_parent = session.parent.is_some();
        if had_parent != has_parent {
            self.share_process();
        }
    }

    /// The current transcript.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The transcript, at the end.
    #[must_use]
    pub fn into_transcript(self) -> Transcript {
        self.transcript
    }

    /// How many events were ignored, because an event with their sequence number or a later one was there before.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The place of a session, which is new the first time.
    fn session(&mut self, id: &SessionId) -> usize {
        if let Some(place) = self.by_id.get(id) {
            return *place;
        }
        let place = self.transcript.sessions.len();
        self.transcript.sessions.push(TranscriptSession::new(id.clone()));
        self.sessions.push(SessionFold::default());
        self.by_id.insert(id.clone(), place);
        self.share_process();
        place
    }

    /// What is counted for the whole process counts for its session only when that is the only one, beside those of
    /// its sub-agents.
    fn share_process(&mut self) {
        let roots = self.transcript.sessions.iter().filter(|session| session.parent.is_none()).count();
        for (session, fold) in self.transcript.sessions.iter_mut().zip(&mut self.sessions) {
            fold.set_alone(session, roots == 1 && session.parent.is_none());
        }
    }
}

impl Extend<Event> for Fold {
    fn extend<I: IntoIterator<Item = Event>>(&mut self, events: I) {
        events.into_iter().for_each(|event| self.push(event));
    }
}

impl FromIterator<Event> for Transcript {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        let mut fold = Fold::new();
        fold.extend(events);
        fold.into_transcript()
    }
}

/// Continues a stored transcript. What was dropped from it is no longer known: a late report of usage
/// for a dropped turn counts as a new one.
impl From<Transcript> for Fold {
    fn from(transcript: Transcript) -> Self {
        let sessions = transcript.sessions.iter().map(SessionFold::resume).collect();
        let ids = transcript.sessions.iter().enumerate();
        let by_id = ids.map(|(place, session)| (session.session_id.clone(), place)).collect();
        let mut fold = Self { sessions, by_id, transcript, ..Self::default() };
        fold.share_process();
        fold
    }
}
