//! Term maps: those of bundled providers and targets, and maps from files.

use std::path::Path;

use interlingua::Table;
use interlingua::table::Layer;
use interlingua_cli::bindings;
use napi_derive::napi;

use crate::error::{Code, Result, error, of};

/// A compiled term map.
#[napi]
pub struct NativeMap {
    pub(crate) table: &'static Table,
}

#[napi]
impl NativeMap {
    /// The map of a bundled provider.
    #[napi(factory)]
    pub fn bundled(name: String) -> Result<Self> {
        Ok(Self { table: bindings::provider(&name).map_err(of(Code::UnknownProvider))? })
    }

    /// A map from a file.
    #[napi(factory)]
    pub fn load(path: String, schema: Option<String>) -> Result<Self> {
        let table = bindings::load(Path::new(&path), schema.as_deref().map(Path::new));
        Ok(Self { table: table.map_err(of(Code::Map))? })
    }

    /// A bundled target, or one from a map's file.
    #[napi(factory)]
    pub fn target(name: String) -> Result<Self> {
        let code = if name.ends_with(".map") { Code::Map } else { Code::UnknownProvider };
        Ok(Self { table: bindings::target(&name).map_err(of(code))? })
    }

    /// The provider's name.
    #[napi(getter)]
    pub fn name(&self) -> &str {
        self.table.provider
    }

    /// The provider's name for people.
    #[napi(getter)]
    pub fn title(&self) -> &str {
        self.table.title
    }

    /// Whether it is a target's.
    #[napi(getter)]
    pub fn is_target(&self) -> bool {
        self.table.target.is_some()
    }
}

impl NativeMap {
    /// The table of an agent: a model's stream has no events.
    pub(crate) fn agent(&self) -> Result<&'static Table> {
        if self.table.layer == Layer::Model {
            return Err(error(
                Code::Unreadable,
                format!(
                    "`{}` is the stream of a model, which has no events\n  help: `interlingua translate` writes its chunks",
                    self.table.provider
                ),
            ));
        }
        Ok(self.table)
    }
}

/// The names of the bundled providers.
#[napi]
pub fn providers() -> Vec<&'static str> {
    interlingua::providers().iter().map(|table| table.provider).collect()
}

/// The names of the bundled targets.
#[napi]
pub fn targets() -> Vec<&'static str> {
    interlingua::targets().iter().map(|table| table.provider).collect()
}
