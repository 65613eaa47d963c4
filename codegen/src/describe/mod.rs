//! A compiled table as people read it.
//!
//! `interlingua terms`, `interlingua explain` and the generated documents print the same rows, made
//! here from the table itself, so that no text about a map can say something else than the map does.

mod commands;
mod expr;
mod language;
mod rows;
mod said;
mod universal;

pub use commands::limit;
pub use expr::{condition, expression, path};
pub use language::{FieldEntry, TermEntry, fields, terms};
pub use rows::{Content, Line, Row, rows, value_map};
pub use universal::{Cell, Native, Need, Section, Source, Synthetic, UniversalRow, synthetics, universal};

#[cfg(test)]
mod tests;
