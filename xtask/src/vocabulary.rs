//! The vocabulary's own JSON Schema, as a file for users who do not write Rust.

use std::path::{Path, PathBuf};

use crate::generator::Generated;

/// The file, below the repository's root.
pub const FILE: &str = "docs/vocabulary.schema.json";

/// Makes `docs/vocabulary.schema.json`.
///
/// # Errors
///
/// When the schema cannot be written as JSON, which does not happen.
pub fn generate(_root: &Path) -> Result<Vec<Generated>, String> {
    let schema = interlingua::vocabulary::json_schema();
    let text = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?;
    Ok(vec![(PathBuf::from(FILE), text + "\n")])
}
