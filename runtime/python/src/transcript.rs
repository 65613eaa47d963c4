//! The current state of the sessions of a stream.

use interlingua::transcript::Fold;
use pyo3::prelude::*;

use crate::error::poisoned;
use crate::event::{self, Locked};
use crate::json;

/// The current state of the sessions of a stream: turns, items, requests, changed files, tokens and cost.
#[pyclass(frozen, module = "interlingua")]
pub struct Transcript(Locked<Fold>);

#[pymethods]
impl Transcript {
    #[new]
    #[pyo3(signature = (keep_turns=None))]
    fn new(keep_turns: Option<usize>) -> Self {
        let fold = Fold::new();
        Self(Locked::new(match keep_turns {
            Some(count) => fold.keep_turns(count),
            None => fold,
        }))
    }

    /// Takes the next event.
    fn push(&self, event: &Bound<'_, PyAny>) -> PyResult<()> {
        let event = event::any(event)?;
        self.0.lock().map_err(poisoned)?.push(event);
        Ok(())
    }

    /// The transcript as a dict, as in `interlingua.types`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::loads(py, &self.to_json()?)
    }

    /// The transcript as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(self.0.lock().map_err(poisoned)?.transcript()).map_err(json::unwritable)
    }

    /// The sessions, as dicts.
    #[getter]
    fn sessions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item("sessions")
    }

    /// What all sessions used together; `None` when nothing is known.
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let usage = self.0.lock().map_err(poisoned)?.transcript().usage();
        let Some(usage) = usage else { return Ok(None) };
        json::loads(py, &serde_json::to_string(&usage).map_err(json::unwritable)?).map(Some)
    }
}
