//! Interlingua.

// What `term_map!` writes names this crate from outside, also where the bundled maps stand inside it.
#[cfg(feature = "providers")]
extern crate self as interlingua;

pub mod engine;
pub mod framing;
pub mod json;
pub mod laws;
pub mod registry;
pub mod vocabulary;

pub use engine::{Events, Options, Stats, Translator};
#[cfg(feature = "macros")]
pub use interlingua_macros::term_map;
pub use interlingua_table::{self as table, Table};
pub use registry::{detect, provider, providers};
pub use vocabulary::Event;

/// The examples of the repository's first page, so that they keep compiling and holding.
#[cfg(all(doctest, feature = "providers"))]
#[doc = include_str!("../../README.md")]
pub struct Readme;
