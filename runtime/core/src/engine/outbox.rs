//! Where finished events go, and what all events of one native message share.

use std::collections::VecDeque;

use super::stats::EventCounts;
use crate::vocabulary::{Event, NativeRef, Timestamp};

/// The events that are ready, and the message that is being translated.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub(super) events: VecDeque<Event>,
    pub(super) counts: EventCounts,
    /// How many events were ever given.
    pub(super) total: u64,
    /// The message's own time.
    pub(super) time: Option<Timestamp>,
    /// The host's messages are translated, too.
    pub(super) sees_host: bool,
    /// The message's place; none at the end of the input.
    pub(super) native: Option<NativeRef>,
}

impl Outbox {
    #[inline]
    pub(super) fn push(&mut self, event: Event) {
        self.total += 1;
        self.counts.add(&event.body);
        self.events.push_back(event);
    }
}
