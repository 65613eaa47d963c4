//! The crate `interlingua` without its bundled providers: the vocabulary, and the engine that applies a
//! compiled term map, whichever it is. Nothing in here knows a provider.
//!
//! Use the crate `interlingua`, which has all of this under the same names.

#![forbid(unsafe_code)]

pub mod client;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod engine;
pub mod framing;
#[doc(hidden)]
pub mod json;
pub mod laws;
pub mod session;
pub mod speak;
pub mod transcript;
pub mod vocabulary;

pub use client::{ClientCommand, ClientOutput, ClientSession};
pub use engine::{
    Events, NativeMessage, Options, Stats, Translator, WriteError, Writer, WrittenRequest, model,
};
pub use session::{
    CommandError, HostCommand, HostCounts, HostMessage, Moment, PendingRequests, Replay, Session,
    SessionOutput,
};
pub use speak::{Speaker, Spoken};
pub use vocabulary::Event;
