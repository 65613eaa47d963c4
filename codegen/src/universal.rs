//! The schema of the universal side, against which the rules that write are proven.

use std::sync::OnceLock;

use crate::check::Ty;
use crate::schema::Schema;

/// The schema of the vocabulary, which `cargo xtask regen` writes.
const TEXT: &str = include_str!("../../docs/vocabulary.schema.json");

/// The vocabulary's own schema.
pub(crate) fn vocabulary() -> Result<&'static Schema, String> {
    static SCHEMA: OnceLock<Result<Schema, String>> = OnceLock::new();
    let loaded = SCHEMA.get_or_init(|| crate::schema::load(TEXT, "").map_err(|error| error.to_string()));
    loaded.as_ref().map_err(Clone::clone)
}

/// Whether a command of the vocabulary has this name.
pub(crate) fn is_command(name: &str) -> bool {
    let commands = vocabulary().ok().and_then(|schema| schema.definition("Command"));
    commands.is_some_and(|commands| Ty::of(commands).split(&[vec!["type".to_owned()]]).value(name).is_some())
}
