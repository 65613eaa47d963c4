//! Interlingua.

pub mod engine;
pub mod framing;
pub mod json;
pub mod laws;
pub mod registry;
pub mod vocabulary;

pub use engine::{Events, Options, Stats, Translator};
pub use interlingua_table::{self as table, Table};
pub use registry::{detect, provider, providers};
