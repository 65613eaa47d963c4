//! The laws of the vocabulary.

use interlingua::laws::{self, Violation};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::poisoned;
use crate::event::{self, Locked};

/// Checks a stream of events against the laws.
#[pyclass(frozen, module = "interlingua")]
pub struct Checker(Locked<laws::Checker>);

#[pymethods]
impl Checker {
    #[new]
    fn new() -> Self {
        Self(Locked::new(laws::Checker::new()))
    }

    /// The laws that the next event breaks.
    fn push<'py>(&self, py: Python<'py>, event: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let event = event::any(event)?;
        let found = self.0.lock().map_err(poisoned)?.feed(&event);
        found.into_iter().map(|violation| told(py, violation)).collect()
    }

    /// What the stream left open.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let found = self.0.lock().map_err(poisoned)?.finish();
        found.into_iter().map(|violation| told(py, violation)).collect()
    }
}

fn told(py: Python<'_>, violation: Violation) -> PyResult<Bound<'_, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("law", violation.law.to_string())?;
    told.set_item("event", violation.event)?;
    told.set_item("message", violation.message)?;
    Ok(told)
}
