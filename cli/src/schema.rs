//! `interlingua schema`: the JSON Schema of the universal events.

use std::io::{self, Write};

use crate::failure::{FINE, Failure};

/// Runs the command.
pub fn run() -> Result<u8, Failure> {
    let text = serde_json::to_string_pretty(&interlingua::vocabulary::json_schema()).unwrap_or_default();
    writeln!(io::stdout().lock(), "{text}").map_err(|error| Failure::output(&error))?;
    Ok(FINE)
}
