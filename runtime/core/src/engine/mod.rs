//! The engine: applies a compiled term map to native bytes and yields universal events.
//!
//! A [`Translator`] is a pure state machine for one stream: it does no input or output, reads no
//! clock, and gives the same events for the same bytes, however they are cut. Its memory grows
//! with what is open in the stream, not with its length.
//!
//! One message takes this way: the framing finds it, `json` indexes it, `read` finds the rule for its tags and
//! evaluates paths and expressions, `say` applies the steps of the rule, and `life` tracks sessions, turns, items and
//! requests and emits the events. `write` goes the other way, from commands to native messages. `model` translates
//! the streams of language models.

mod json_text;
mod life;
mod memory;
pub mod model;
mod options;
mod piece;
mod read;
mod say;
mod stats;
mod translate;
mod write;

use std::fmt;

use interlingua_table::{Rule, Table};

pub(crate) use life::host::GivenCommand;
pub(crate) use life::state::Addressee;
pub use options::Options;
pub(crate) use read::pairing::{Answered, IdReader};
pub use stats::Stats;
pub use write::{NativeMessage, WriteError, Writer, WrittenRequest};
pub(crate) use write::{Written, json_text};

use self::translate::Core;
use crate::framing::{self, Frame, Framer};
use crate::vocabulary::{Event, SessionEnded};

/// Translates one native stream into universal events.
///
/// One translator belongs to one stream; all sessions of the stream live in it. Several streams
/// side by side have a translator each, which share nothing but the table.
pub struct Translator {
    framer: Framer,
    core: Core,
    /// Bytes that came as whole messages, and how many those were.
    unframed: u64,
    finished: bool,
}

impl Translator {
    /// A translator for one stream of the table's provider.
    #[must_use]
    pub fn new(table: &'static Table, options: Options) -> Self {
        Self {
            framer: Framer::for_table(table, options.message_limit),
            core: Core::new(table, options),
            unframed: 0,
            finished: false,
        }
    }

    /// The table that is applied.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.core.table()
    }

    /// Takes the stream's next bytes, cut anywhere, and yields the events that they complete.
    ///
    /// The bytes are translated while the events are taken, a piece at a time, so that a large slice does not fill the
    /// memory with events; what is not asked for is translated when the iterator is dropped.
    pub fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Events<'a> {
        let bytes = if self.finished { &[] } else { bytes };
        self.core.stats.bytes += bytes.len() as u64;
        self.events(bytes)
    }

    /// Takes one whole message, which some other framing has found. Each counts as one line of
    /// the stream.
    pub fn push_message(&mut self, bytes: &[u8]) -> Events<'_> {
        if !self.finished {
            self.core.stats.bytes += bytes.len() as u64;
            let line = self.core.stats.messages + 1;
            let frame = Frame {
                bytes,
                line,
                offset: self.unframed,
                length: bytes.len() as u64,
                event: None,
                id: None,
                problem: None,
            };
            self.unframed += bytes.len() as u64;
            self.core.frame(&frame);
        }
        self.events(&[])
    }

    /// Ends the stream: a message that it cut is translated if it is whole, and what is open is
    /// closed. Afterwards, nothing gives events any more.
    pub fn finish(&mut self) -> Events<'_> {
        self.end(None)
    }

    /// Ends the stream of an agent of which the host knows how it has ended: its program has died, say. What is open
    /// ends as the sessions do, with their error; the events say `origin: daemon`.
    ///
    /// ```
    /// # #[cfg(feature = "providers")] {
    /// use interlingua::vocabulary::{ErrorClass, ErrorData, EventBody, SessionEndReason, SessionEnded};
    /// use interlingua::{Options, Translator};
    ///
    /// let claude = interlingua::provider("claude").expect("a bundled provider");
    /// let mut translator = Translator::new(claude, Options::default());
    /// translator.push(b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"n1\"}\n").for_each(drop);
    /// let why = ErrorData::new(ErrorClass::Unknown, "the program ended with exit code 1");
    /// let died = SessionEnded::new(SessionEndReason::Failed).with_error(why).with_exit_code(1);
    /// let events: Vec<_> = translator.finish_with(&died).collect();
    /// let EventBody::TurnEnded(turn) = &events[0].body else { panic!("the turn was running") };
    /// assert!(turn.error.as_ref().is_some_and(|error| error.message.ends_with("exit code 1")));
    /// # }
    /// ```
    pub fn finish_with(&mut self, ended: &SessionEnded) -> Events<'_> {
        self.end(Some(ended))
    }

    /// The host says that nothing has come for a while: the end of a turn that the next message could have revoked
    /// happens now. How long to wait is the host's choice; a second is plenty for an agent that retries.
    ///
    /// ```
    /// # #[cfg(feature = "providers")] {
    /// use interlingua::{Options, Translator};
    ///
    /// let claude = interlingua::provider("claude").expect("a bundled provider");
    /// let mut translator = Translator::new(claude, Options::default());
    /// assert!(!translator.holds_end());
    /// assert_eq!(translator.idle().count(), 0);
    /// # }
    /// ```
    pub fn idle(&mut self) -> Events<'_> {
        if !self.finished {
            self.core.idle();
        }
        self.events(&[])
    }

    /// Whether the end of a turn waits for the next message, or for [`idle`](Self::idle).
    pub fn holds_end(&self) -> bool {
        self.core.holds()
    }

    fn end(&mut self, ended: Option<&SessionEnded>) -> Events<'_> {
        if !self.finished {
            self.finished = true;
            let core = &mut self.core;
            self.framer.finish(|frame| core.frame(&frame));
            core.finish(ended);
        }
        self.events(&[])
    }

    /// Says that the host's messages will be given, too.
    pub(crate) fn with_host(mut self) -> Self {
        self.core.state_mut().out.sees_host = true;
        self
    }

    /// Takes up a command that the host has given.
    pub(crate) fn hear(&mut self, heard: GivenCommand<'_>) -> Events<'_> {
        if !self.finished {
            self.core.state_mut().apply_command(heard);
        }
        self.events(&[])
    }

    /// Notes a message that the host has sent, so that the agent's answer is read by what it answers.
    pub(crate) fn note_host_message(&mut self, message: &[u8]) {
        self.core.note_host_message(message);
    }

    /// The answers to requests of the host that have come since the last call.
    pub(crate) fn answered(&mut self) -> Vec<Answered> {
        std::mem::take(&mut self.core.answered)
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats()
    }

    /// The rule that took the last message, be it an `ignore`; none when that message gave
    /// nothing but `agent.unparsed`.
    #[must_use]
    pub fn last_rule(&self) -> Option<&'static Rule> {
        self.core.last_rule
    }

    /// How many things the translator remembers: open items and their parts, open turns and
    /// requests, and the closed ones within the window. Its memory is bounded by a multiple of
    /// this and by the longest message.
    #[must_use]
    pub fn state_len(&self) -> usize {
        self.core.state_len()
    }

    fn events<'a>(&'a mut self, bytes: &'a [u8]) -> Events<'a> {
        Events { framer: &mut self.framer, core: &mut self.core, pieces: bytes.chunks(framing::PIECE) }
    }
}

impl fmt::Debug for Translator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translator")
            .field("provider", &self.table().provider)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// Events that are ready. Those that are not taken come with the next call.
pub struct Events<'a> {
    framer: &'a mut Framer,
    core: &'a mut Core,
    /// What was pushed and is not translated yet.
    pieces: std::slice::Chunks<'a, u8>,
}

impl Events<'_> {
    /// How many messages a piece has as a rule.
    const USUAL_MESSAGES: usize = 32;

    /// Translates the next piece, if there is one.
    fn translate_piece(&mut self) -> bool {
        let Some(piece) = self.pieces.next() else {
            return false;
        };
        let core = &mut *self.core;
        let mut waiting = Vec::with_capacity(Self::USUAL_MESSAGES);
        self.framer.push(piece, |frame| core.take(&frame, piece, &mut waiting));
        core.translate_all(&mut waiting);
        true
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    #[inline]
    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.core.events().pop_front() {
                return Some(event);
            }
            if !self.translate_piece() {
                return None;
            }
        }
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        while self.translate_piece() {}
    }
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("untranslated_pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}
