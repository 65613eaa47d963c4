//! Providers, targets and maps, and the sessions of this machine.

use std::path::PathBuf;

use interlingua::Table;
use interlingua_cli::bindings;
use pyo3::prelude::*;

use crate::error::{MapError, UnknownProviderError, text, unreadable};
use crate::json;

/// A compiled term map: a bundled provider's, or one from a file.
#[pyclass(frozen, module = "interlingua", from_py_object)]
#[derive(Clone, Copy)]
pub struct Map {
    pub table: &'static Table,
}

/// A map, or the name of a bundled provider.
#[derive(FromPyObject)]
pub enum MapOrName {
    Map(Map),
    Name(String),
}

impl MapOrName {
    /// The map.
    pub fn map(self) -> PyResult<Map> {
        match self {
            Self::Map(map) => Ok(map),
            Self::Name(name) => Map::bundled(&name),
        }
    }
}

#[pymethods]
impl Map {
    /// The map of a bundled provider.
    #[staticmethod]
    fn bundled(name: &str) -> PyResult<Self> {
        let table = bindings::provider(name).map_err(|error| UnknownProviderError::new_err(text(error)))?;
        Ok(Self { table })
    }

    /// A map from a file. It stays in memory until the process ends.
    #[staticmethod]
    #[pyo3(signature = (path, schema=None))]
    fn load(py: Python<'_>, path: PathBuf, schema: Option<PathBuf>) -> PyResult<Self> {
        let table = py.detach(|| bindings::load(&path, schema.as_deref()));
        Ok(Self { table: table.map_err(|error| MapError::new_err(text(error)))? })
    }

    /// The provider's name.
    #[getter]
    fn name(&self) -> &str {
        self.table.provider
    }

    /// The provider's name for people.
    #[getter]
    fn title(&self) -> &str {
        self.table.title
    }

    fn __repr__(&self) -> String {
        format!("<Map {}>", self.table.provider)
    }
}

/// The names of the bundled providers.
#[pyfunction]
pub fn providers() -> Vec<&'static str> {
    interlingua::providers().iter().map(|table| table.provider).collect()
}

/// The names of the bundled targets.
#[pyfunction]
pub fn targets() -> Vec<&'static str> {
    interlingua::targets().iter().map(|table| table.provider).collect()
}

/// A bundled target, or one from a map's file.
#[pyfunction]
pub fn target(name: &str) -> PyResult<Map> {
    let table = bindings::target(name).map_err(|error| match interlingua::target(name) {
        None if name.ends_with(".map") => MapError::new_err(text(error)),
        _ => UnknownProviderError::new_err(text(error)),
    })?;
    Ok(Map { table })
}

/// The sessions of this machine, newest first.
#[pyfunction]
#[pyo3(signature = (agent=None, since=None, cwd=None))]
pub fn sessions<'py>(
    py: Python<'py>,
    agent: Option<String>,
    since: Option<String>,
    cwd: Option<PathBuf>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let wanted = bindings::Wanted { agent, since, cwd };
    let lines = py.detach(|| bindings::sessions(&wanted)).map_err(unreadable)?;
    lines.iter().map(|line| json::loads(py, line)).collect()
}

/// The JSON Schema of the vocabulary, as text.
#[pyfunction]
pub fn vocabulary_schema() -> String {
    interlingua::vocabulary::json_schema().to_string()
}
