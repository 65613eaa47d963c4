//! Counts of a model's stream.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How many problems are kept in words.
const SHOWN: usize = 16;

/// How much of a message that could not be read is shown, in bytes.
const EXCERPT: usize = 120;

/// Counts of one answer. Every message is counted once in `messages` and once in one of `translated`, `ignored` and
/// `unparsed`; blank lines and comments are no messages.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stats {
    /// Messages of the stream.
    pub messages: u64,
    /// Messages that a rule took, and end markers.
    pub translated: u64,
    /// Those of the translated messages that gave no chunk.
    pub silent: u64,
    /// Messages that the map ignores, by its reason.
    pub ignored: BTreeMap<String, u64>,
    /// Messages that are no JSON, or that no rule takes.
    pub unparsed: u64,
    /// Bytes of the stream.
    pub bytes: u64,
    /// Members that translated messages hold, and that no rule reads and the map does not leave out: by the rule and the
    /// member's place, such as `message: content[].colour`. Empty values are not counted. Counted only with
    /// [`Options::count_unread`](super::Options::count_unread).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<String, u64>,
    /// Chunks by their type.
    pub chunks: BTreeMap<String, u64>,
    /// Things that were said of a block that had ended, or of another kind of block than stands there, or after the end.
    pub late: u64,
    /// What the map counts and leaves out, such as other choices than the first.
    pub left_out: BTreeMap<String, u64>,
    /// The first problems in words: messages that could not be read, and parts of messages that no rule takes.
    pub problems: Vec<String>,
}

impl Stats {
    /// The messages that the map ignores, for whatever reason.
    #[must_use]
    pub fn ignored_total(&self) -> u64 {
        self.ignored.values().sum()
    }

    pub(super) fn problem(&mut self, line: u64, error: &str, bytes: &[u8]) {
        if self.problems.len() < SHOWN {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]);
            self.problems.push(format!("line {line}: {error}: {text}"));
        }
    }
}
