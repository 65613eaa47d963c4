//! The life cycles of sessions, turns, items, parts and requests.
//!
//! Only this module knows when something starts and ends, and what the laws demand. It takes plain values: no JSON
//! paths, no expressions.

pub(crate) mod host;
pub(crate) mod item;
pub(crate) mod outbox;
pub(crate) mod part;
pub(crate) mod refs;
pub(crate) mod request;
pub(crate) mod session;
pub(crate) mod state;
pub(crate) mod store;
pub(crate) mod tool;
pub(crate) mod turn;
