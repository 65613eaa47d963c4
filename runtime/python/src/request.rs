//! Conversations as request bodies of models' providers.

use interlingua::Writer;
use interlingua_cli::bindings;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{InterlinguaError, unreadable};
use crate::json;
use crate::provider::MapOrName;

/// A conversation as the request body of a provider: `path`, `body` and `degradations`.
#[pyfunction]
#[pyo3(signature = (conversation, to, model=None))]
pub fn request<'py>(
    py: Python<'py>,
    conversation: &Bound<'py, PyAny>,
    to: MapOrName,
    model: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let text = json::dumps(conversation)?;
    let mut request = bindings::conversation(text.as_bytes()).map_err(unreadable)?;
    if model.is_some() {
        request.model = model;
    }
    let written = Writer::new(to.map()?.table)
        .request(&request)
        .map_err(|error| InterlinguaError::new_err(error.to_string()))?;
    let degradations = serde_json::to_string(&written.degradations).map_err(json::unwritable)?;
    let result = PyDict::new(py);
    result.set_item("path", &*written.path)?;
    result.set_item("body", json::loads(py, written.body.get())?)?;
    result.set_item("degradations", json::loads(py, &degradations)?)?;
    Ok(result)
}
