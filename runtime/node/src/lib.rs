//! The native half of the Node package `interlingua`: thin wrappers around the library. Events cross the border as JSON, a
//! list for each call, which JavaScript parses at once. What reads files and iterates is in JavaScript, beside it.

// Not forbidden, since the macros of napi-rs allow it where they need it. There is none of our own.
#![deny(unsafe_code)]

mod error;
mod events;
mod machine;
mod map;
mod session;
mod tables;
