//! Library of the map compiler.

pub mod describe;
pub mod schema;
