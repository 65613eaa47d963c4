//! The engine: applies a compiled term map to native bytes and yields universal events.
//!
//! A [`Translator`] is a pure state machine for one stream: it does no I/O, reads no clock, and gives the same events for
//! the same bytes, however they are split. Its memory grows with what is open in the stream, not with its length.
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
/// One translator handles one stream, with all its sessions. Use a separate translator for each stream; they share only
/// the table.
pub struct Translator {
    framer: Framer,
    core: Core,
    /// How many bytes came as whole messages.
    unframed: u64,
    finished: bool,
}

impl Translator {
    /// Creates a translator for one stream of the table's provider.
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

    /// Translates the stream's next bytes, split anywhere, and returns the events that they complete.
    ///
    /// The iterator translates a piece at a time, so that a large slice does not fill the memory with events. Dropping it
    /// translates the rest.
    pub fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Events<'a> {
        let bytes = if self.finished { &[] } else { bytes };
        self.core.stats.bytes += bytes.len() as u64;
        self.events(bytes)
    }

    /// Translates one whole message that the caller has framed. Each message counts as one line of the stream.
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

    /// Ends the stream: translates a last message without a line end, if it is complete, and closes everything that is
    /// open. Later calls give no events.
    pub fn finish(&mut self) -> Events<'_> {
        self.end(None)
    }

    /// Ends the stream when the host knows how the agent ended, for example that its program crashed. Everything that is
    /// open ends with this reason and error; these events have `origin: daemon`.
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

    /// Reports that no message has arrived for a while: a held turn end, which the next message could have revoked, is
    /// emitted now. The host chooses how long to wait; one second is enough for an agent that retries.
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

    /// Whether a turn end is held until the next message, or [`idle`](Self::idle).
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

    /// Announces that the host's messages will be passed in as well.
    pub(crate) fn with_host(mut self) -> Self {
        self.core.state_mut().out.sees_host = true;
        self
    }

    /// Applies a command that the host has given.
    pub(crate) fn note_command(&mut self, given: GivenCommand<'_>) -> Events<'_> {
        if !self.finished {
            self.core.state_mut().apply_command(given);
        }
        self.events(&[])
    }

    /// Notes a message that the host has sent, so that the agent's answer can be matched with it.
    pub(crate) fn note_host_message(&mut self, message: &[u8]) {
        self.core.note_host_message(message);
    }

    /// The answers to the host's requests that have arrived since the last call.
    pub(crate) fn answered(&mut self) -> Vec<Answered> {
        std::mem::take(&mut self.core.answered)
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats()
    }

    /// The rule that handled the last message, including `ignore` rules; `None` if the message became `agent.unparsed`.
    #[must_use]
    pub fn last_rule(&self) -> Option<&'static Rule> {
        self.core.last_rule
    }

    /// How many things the translator remembers: open items with their parts, open turns and requests, and the closed
    /// ones within the window. Its memory is bounded by a multiple of this number and by the longest message.
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

/// Events that are ready. Events that are not read come with the next call.
pub struct Events<'a> {
    framer: &'a mut Framer,
    core: &'a mut Core,
    /// The pushed bytes that are not translated yet.
    pieces: std::slice::Chunks<'a, u8>,
}

impl Events<'_> {
    /// How many messages a piece usually has.
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
