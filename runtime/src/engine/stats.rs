//! What a translation has seen so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counts of one stream. Every message is counted once in `messages` and once in one of
/// `translated`, `ignored` and `unparsed`; blank lines are no messages.
///
/// A message of which a part could not be translated, but which gave something, counts as
/// translated; the part still gives an `agent.unparsed` event.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Messages of the stream.
    pub messages: u64,
    /// Messages that a rule took.
    pub translated: u64,
    /// Those of the translated messages that gave no event.
    pub silent: u64,
    /// Messages that the map ignores, by its reason.
    pub ignored: BTreeMap<String, u64>,
    /// Messages that gave nothing but `agent.unparsed`.
    pub unparsed: u64,
    /// Bytes of the stream.
    pub bytes: u64,
    /// Events by their type.
    pub events: BTreeMap<String, u64>,
}

impl Stats {
    /// The messages that the map ignores, for whatever reason.
    #[must_use]
    pub fn ignored_total(&self) -> u64 {
        self.ignored.values().sum()
    }
}
