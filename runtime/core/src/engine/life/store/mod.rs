//! What a session remembers: its open turns, items and requests, and the closed ones within a window.

pub(crate) mod closed;
pub(crate) mod items;
pub(crate) mod requests;
pub(crate) mod slots;
pub(crate) mod turns;
