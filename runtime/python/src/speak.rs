//! From events to the messages of a target.

use pyo3::prelude::*;

use crate::error::{UnknownProviderError, poisoned};
use crate::event::{self, Locked};
use crate::json;
use crate::provider::{self, Map};

/// A target's map, or the name of a bundled target or of a map's file.
#[derive(FromPyObject)]
enum TargetOrName {
    Map(Map),
    Name(String),
}

/// Writes events as the messages of a target.
#[pyclass(frozen, module = "interlingua")]
pub struct Speaker(Locked<interlingua::Speaker>);

#[pymethods]
impl Speaker {
    #[new]
    fn new(target: TargetOrName) -> PyResult<Self> {
        let target = match target {
            TargetOrName::Map(map) => map,
            TargetOrName::Name(name) => provider::target(&name)?,
        };
        if target.table.target.is_none() {
            return Err(UnknownProviderError::new_err(format!(
                "`{}` is a provider, and no target\n  help: `targets()` lists the targets",
                target.table.provider
            )));
        }
        Ok(Self(Locked::new(interlingua::Speaker::new(target.table))))
    }

    /// The messages that an event leads to.
    fn push<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let event = event::any(event)?;
        let spoken = self.0.lock().map_err(poisoned)?.push(&event);
        spoken.iter().map(|spoken| json::loads(py, spoken.message.get())).collect()
    }

    /// The messages that end what is open.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let spoken = self.0.lock().map_err(poisoned)?.finish();
        spoken.iter().map(|spoken| json::loads(py, spoken.message.get())).collect()
    }
}
