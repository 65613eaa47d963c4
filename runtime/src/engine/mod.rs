//! The engine: applies a compiled term map to native bytes and yields universal events.

mod options;
mod stats;

use std::collections::VecDeque;

use interlingua_table::Table;

pub use options::Options;
pub use stats::Stats;

use crate::vocabulary::Event;

/// Translates one native stream into universal events.
#[derive(Debug)]
pub struct Translator {
    table: &'static Table,
    #[expect(dead_code)]
    options: Options,
    stats: Stats,
    out: VecDeque<Event>,
    last_rule: Option<&'static interlingua_table::Rule>,
}

impl Translator {
    /// A translator for one stream of the table's provider.
    #[must_use]
    pub fn new(table: &'static Table, options: Options) -> Self {
        Self { table, options, stats: Stats::default(), out: VecDeque::new(), last_rule: None }
    }

    /// The table that is applied.
    #[must_use]
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Takes the stream's next bytes, cut anywhere, and yields the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Events<'_> {
        self.stats.bytes += bytes.len() as u64;
        Events(&mut self.out)
    }

    /// Takes one whole message, without framing.
    pub fn message(&mut self, bytes: &[u8]) -> Events<'_> {
        self.stats.bytes += bytes.len() as u64;
        Events(&mut self.out)
    }

    /// Ends the stream: what is open is closed.
    pub fn finish(&mut self) -> Events<'_> {
        Events(&mut self.out)
    }

    /// The rule that took the last message: for `explain`, which must name it even when the message gave
    /// no event. `None` before the first message, and when no rule took the last one.
    #[must_use]
    pub fn last_rule(&self) -> Option<&'static interlingua_table::Rule> {
        self.last_rule
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

/// Events that are ready. Those that are not taken come with the next call.
#[derive(Debug)]
pub struct Events<'a>(&'a mut VecDeque<Event>);

impl Iterator for Events<'_> {
    type Item = Event;

    #[inline]
    fn next(&mut self) -> Option<Event> {
        self.0.pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Events<'_> {}
