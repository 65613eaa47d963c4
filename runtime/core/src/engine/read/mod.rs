//! Reads one message by a table: which rule takes it, its paths and expressions, and the fields of a term.
//!
//! Nothing here knows sessions, turns or items.

pub(crate) mod diff;
pub(crate) mod dispatch;
pub(crate) mod eval;
pub(crate) mod fields;
pub(crate) mod list;
pub(crate) mod pairing;
pub(crate) mod program;
pub(crate) mod scope;
pub(crate) mod term;
pub(crate) mod unread;
pub(crate) mod walk;
