//! Where finished events go, and what all events of one native message share.

use std::collections::VecDeque;

use crate::engine::stats::EventCounts;
use crate::vocabulary::{Event, NativeRef, Timestamp};

/// The events that are ready, and the message that is being translated.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) events: VecDeque<Event>,
    pub(crate) counts: EventCounts,
    /// How many events were ever given.
    pub(crate) total: u64,
    /// The message's own time.
    pub(crate) time: Option<Timestamp>,
    /// The host's messages are translated, too.
    pub(crate) sees_host: bool,
    /// The message's place; none at the end of the input.
    pub(crate) native: Option<NativeRef>,
    /// How many sessions hold the end of a turn, so that nobody has to look for them.
    pub(crate) held_ends: usize,
}

impl Outbox {
    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        self.total += 1;
        self.counts.add(&event.body);
        self.events.push_back(event);
    }
}
