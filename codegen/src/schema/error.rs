//! What can be wrong with a schema.

use std::fmt;

/// A fault in a schema or in an addition to it: where, and what.
///
/// The caller knows the file and says so; this error knows the place inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    place: String,
    fault: String,
}

impl SchemaError {
    /// An error at `place` (a definition, a JSON pointer, an addition).
    pub fn new(place: impl Into<String>, fault: impl Into<String>) -> Self {
        Self { place: place.into(), fault: fault.into() }
    }

    /// Where in the document the fault is.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// What is wrong there.
    pub fn fault(&self) -> &str {
        &self.fault
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for SchemaError {}
