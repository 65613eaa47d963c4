//! Library of the map compiler.

pub mod schema;
