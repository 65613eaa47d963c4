//! What a translation has seen so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::vocabulary::EventBody;

/// Counts of one stream. Every message is counted once in `messages` and once in one of
/// `translated`, `ignored` and `unparsed`; blank lines are no messages.
///
/// A message of which a part could not be translated, but which gave something, counts as
/// translated; the part still gives an `agent.unparsed` event.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// Members that translated messages hold, and that no rule reads and the map does not leave out: by the rule and the
    /// member's place, such as `message: content[].colour`. Empty values are not counted. Counted only with
    /// [`Options::count_unread`](super::Options::count_unread).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<String, u64>,
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

const SESSION_STARTED: usize = 0;
const SESSION_UPDATED: usize = 1;
const TURN_STARTED: usize = 3;

/// Events counted by type, without hashing a name for each.
#[derive(Debug, Default, Clone)]
pub(crate) struct EventCounts([u64; EventBody::TYPES.len()]);

impl EventCounts {
    #[inline]
    pub(crate) fn add(&mut self, body: &EventBody) {
        if let Some(place) = place(body) {
            self.0[place] += 1;
        }
    }

    /// How many sessions and turns have started, and how many updates of sessions were emitted.
    pub(crate) fn openings(&self) -> u64 {
        self.0[SESSION_STARTED] + self.0[SESSION_UPDATED] + self.0[TURN_STARTED]
    }

    pub(crate) fn by_type(&self) -> BTreeMap<String, u64> {
        let named = EventBody::TYPES.iter().zip(self.0);
        named.filter(|(_, count)| *count > 0).map(|(name, count)| ((*name).to_owned(), count)).collect()
    }
}

/// The place of a body's type in [`EventBody::TYPES`]. The engine makes no others.
#[inline]
fn place(body: &EventBody) -> Option<usize> {
    Some(match body {
        EventBody::SessionStarted(_) => SESSION_STARTED,
        EventBody::SessionUpdated(_) => SESSION_UPDATED,
        EventBody::SessionEnded(_) => 2,
        EventBody::TurnStarted(_) => TURN_STARTED,
        EventBody::TurnEnded(_) => 4,
        EventBody::ItemStarted(_) => 5,
        EventBody::ItemDelta(_) => 6,
        EventBody::ItemUpdated(_) => 7,
        EventBody::ItemCompleted(_) => 8,
        EventBody::PermissionRequested(_) => 9,
        EventBody::PermissionResolved(_) => 10,
        EventBody::QuestionRequested(_) => 11,
        EventBody::QuestionResolved(_) => 12,
        EventBody::HostCallRequested(_) => 13,
        EventBody::HostCallResolved(_) => 14,
        EventBody::UsageReported(_) => 15,
        EventBody::Error(_) => 16,
        EventBody::AgentUnparsed(_) => 17,
        EventBody::Other(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{ErrorClass, ErrorData, ItemDelta, TurnStarted};

    #[test]
    fn events_are_counted_under_their_own_type() {
        let mut counts = EventCounts::default();
        counts.add(&TurnStarted::new("t").into());
        counts.add(&ItemDelta::new("i", 0, crate::vocabulary::Channel::Text, "x").into());
        counts.add(&ErrorData::new(ErrorClass::Tool, "m").into());
        let names: Vec<String> = counts.by_type().into_keys().collect();
        assert_eq!(names, ["error", "item.delta", "turn.started"]);
    }
}
