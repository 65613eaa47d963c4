//! Reading JSON strings into shared text, without serde's `rc` feature.

use std::fmt;
use std::sync::Arc;

use serde::Deserializer;
use serde::de::{Error, Visitor};

struct SharedText;

impl Visitor<'_> for SharedText {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Arc<str>, E> {
        Ok(text.into())
    }
}

/// Reads a string.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    deserializer.deserialize_str(SharedText)
}
