//! Interlingua.

pub mod framing;
pub mod json;
