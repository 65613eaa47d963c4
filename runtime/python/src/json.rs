//! Between JSON and Python's own objects, by Python's own `json`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::error::UnreadableError;

/// A function of the module `json`.
fn function<'py>(
    py: Python<'py>,
    lock: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let function = lock.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr(name)?.unbind()))?;
    Ok(function.bind(py).clone())
}

/// Python objects from JSON.
pub fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    function(py, &LOADS, "loads")?.call1((text,))
}

/// JSON from Python objects. A text or bytes are JSON already.
pub fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(String::from_utf8_lossy(bytes.as_bytes()).into_owned());
    }
    let dumps = function(value.py(), &DUMPS, "dumps")?;
    let options = PyDict::new(value.py());
    // As short as the command writes it, since what is kept as JSON is kept as it is written.
    options.set_item("separators", (",", ":"))?;
    options.set_item("ensure_ascii", false)?;
    let text = dumps.call((value,), Some(&options))?;
    text.extract().or_else(|_| {
        // Half of a surrogate pair is no character, but may be escaped.
        options.set_item("ensure_ascii", true)?;
        dumps.call((value,), Some(&options))?.extract()
    })
}

/// What cannot be written as JSON, such as a number that is not finite.
pub fn unwritable(error: serde_json::Error) -> PyErr {
    UnreadableError::new_err(format!("this cannot be written as JSON: {error}"))
}
