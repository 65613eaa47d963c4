//! Speaking other protocols: universal events in, a target's messages out.
//!
//! It has two steps. `signals` turns events into [signals](crate::vocabulary::Signal): everything that starts ends,
//! children end before their parents, no text comes twice. Then the target's map says with its `emit` rules what each
//! signal becomes. No target is named here.
//!
//! It is pure, as the engine is: the same events give the same messages, and its memory grows with what is open.

mod calls;
mod edits;
mod parts;
mod requests;
mod runs;
mod signals;
mod state;

use std::fmt;

use interlingua_table::Table;

pub use self::signals::Signals;
use crate::engine::Writer;
use crate::vocabulary::{Event, Json, SessionId, SignalContext};

/// Writes universal events as the messages of a target.
///
/// One speaker belongs to one stream of events, which may hold several sessions.
pub struct Speaker {
    writer: Writer,
    signals: Signals,
}

/// A message in the target's own terms.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Spoken {
    /// The main session of the stream that it belongs to. Targets whose messages name no session want each stream for
    /// itself.
    pub stream: SessionId,
    /// The message.
    pub message: Json,
}

impl Speaker {
    /// A speaker for one stream of events. The table is that of a target's map.
    #[must_use]
    pub fn new(table: &'static Table) -> Self {
        Self { writer: Writer::new(table), signals: Signals::new(table) }
    }

    /// The table that is applied.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.writer.table()
    }

    /// The messages that an event leads to.
    pub fn push(&mut self, event: &Event) -> Vec<Spoken> {
        let signals = self.signals.push(event);
        self.write(signals)
    }

    /// Ends what is open, where the events end before their sessions do.
    pub fn finish(&mut self) -> Vec<Spoken> {
        let signals = self.signals.finish();
        self.write(signals)
    }

    /// The messages of an event, with what is known besides in the contexts of its signals.
    pub(crate) fn push_for(&mut self, event: &Event, known: impl FnMut(&mut SignalContext)) -> Vec<Spoken> {
        let mut signals = self.signals.push(event);
        signals.iter_mut().for_each(known);
        self.write(signals)
    }

    /// The same for the end.
    pub(crate) fn finish_for(&mut self, known: impl FnMut(&mut SignalContext)) -> Vec<Spoken> {
        let mut signals = self.signals.finish();
        signals.iter_mut().for_each(known);
        self.write(signals)
    }

    /// The messages of one signal.
    pub(crate) fn say(writer: &Writer, context: &SignalContext) -> Vec<Json> {
        let Ok(json) = serde_json::to_string(context) else { return Vec::new() };
        writer.emit(context.signal.signal_type(), &json)
    }

    fn write(&self, signals: Vec<SignalContext>) -> Vec<Spoken> {
        let mut spoken = Vec::new();
        for context in signals {
            let messages = Self::say(&self.writer, &context);
            spoken.extend(
                messages
                    .into_iter()
                    .map(|message| Spoken { stream: context.stream.session_id.clone(), message }),
            );
        }
        spoken
    }
}

impl fmt::Debug for Speaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Speaker").field("target", &self.table().provider).finish_non_exhaustive()
    }
}
