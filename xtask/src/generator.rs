//! What a generator is, and the command that runs all of them.

use std::path::{Path, PathBuf};

/// The command that makes stale files fresh, for every message about them.
pub const COMMAND: &str = "cargo xtask regen";

/// A generated file: its path below the repository's root, and its text.
pub type Generated = (PathBuf, String);

/// A generator makes files from what the repository holds. It gets the
/// repository's root, and must not read anything else: no clock, no network,
/// no environment.
pub type Generator = fn(&Path) -> Result<Vec<Generated>, String>;
