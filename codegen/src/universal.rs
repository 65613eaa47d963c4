//! The schema of the universal side, against which the rules that write are proven.

use std::sync::OnceLock;

use crate::schema::Schema;

/// The schema of the vocabulary, which `cargo xtask regen` writes.
const TEXT: &str = include_str!("../../docs/vocabulary.schema.json");

/// The vocabulary's own schema.
pub(crate) fn vocabulary() -> Result<&'static Schema, String> {
    static SCHEMA: OnceLock<Result<Schema, String>> = OnceLock::new();
    let loaded = SCHEMA.get_or_init(|| crate::schema::load(TEXT, "").map_err(|error| error.to_string()));
    loaded.as_ref().map_err(Clone::clone)
}
