//! Applies the steps of a rule: reads the fields of each term and calls `life` with their values.

pub(crate) mod apply;
pub(crate) mod blocks;
mod content;
mod item;
mod notice;
mod part;
mod request;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod unparsed;
