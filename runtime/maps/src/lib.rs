//! The bundled term maps, compiled and proven against their schemas while this crate is built.
//!
//! The tables are data and know nothing of the engine that applies them, so that each is built without the other. Users
//! have them through the crate `interlingua`: by name with `interlingua::provider`, all with `interlingua::providers`.
//!
//! ```
//! let names: Vec<&str> = interlingua_maps::PROVIDERS.iter().map(|table| table.provider).collect();
//! assert!(names.is_sorted() && names.contains(&"codex"));
//! ```

#![forbid(unsafe_code)]

// What `term_map!` writes names the tables' types as the crate `interlingua` has them.
extern crate self as interlingua;

#[doc(hidden)]
pub use interlingua_table as table;

#[path = "generated/providers.rs"]
mod bundled;

pub use bundled::*;
