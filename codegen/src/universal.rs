//! The schema of the universal side, against which the rules that write are proven.

use std::sync::OnceLock;

use crate::check::Ty;
use crate::schema::Schema;

/// The vocabulary's own schema, as the vocabulary's types say it.
pub(crate) fn vocabulary() -> Result<&'static Schema, String> {
    static SCHEMA: OnceLock<Result<Schema, String>> = OnceLock::new();
    let loaded = SCHEMA.get_or_init(|| {
        let text = interlingua_core::vocabulary::json_schema().to_string();
        crate::schema::load(&text, "").map_err(|error| error.to_string())
    });
    loaded.as_ref().map_err(Clone::clone)
}

/// Whether a command of the vocabulary has this name.
pub(crate) fn is_command(name: &str) -> bool {
    let commands = vocabulary().ok().and_then(|schema| schema.definition("Command"));
    commands.is_some_and(|commands| Ty::of(commands).split(&[vec!["type".to_owned()]]).value(name).is_some())
}
