//! Interlingua.

pub mod framing;
pub mod json;
pub mod vocabulary;
