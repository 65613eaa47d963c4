//! The bundled term maps as tables: compiled and proven against their schemas by `cargo xtask regen`, and checked in.
//!
//! The tables are data and know nothing of the engine that applies them, so that each is built without the other. Users
//! have them through the crate `interlingua`: by name with `interlingua::provider`, all with `interlingua::providers`.
//!
//! ```
//! let names: Vec<&str> = interlingua_maps::PROVIDERS.iter().map(|table| table.provider).collect();
//! assert!(names.is_sorted() && names.contains(&"codex"));
//! ```

#![forbid(unsafe_code)]

#[path = "generated/providers.rs"]
mod bundled;

pub use bundled::*;

#[path = "generated/targets.rs"]
pub mod targets;

pub use targets::TARGETS;

/// The bundled provider of that name.
///
/// ```
/// assert_eq!(interlingua_maps::provider("codex").map(|table| table.title), Some("Codex"));
/// ```
#[must_use]
pub fn provider(name: &str) -> Option<&'static interlingua_table::Table> {
    PROVIDERS.iter().copied().find(|table| table.provider == name)
}
