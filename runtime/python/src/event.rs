//! Events.

use std::sync::Mutex;

use interlingua::vocabulary::{Event as Universal, EventBody};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::error::UnreadableError;
use crate::json;

/// A universal event. Its members are read when they are asked for: an event of which only the type is looked at costs
/// little.
#[pyclass(frozen, module = "interlingua")]
pub struct Event {
    pub event: Universal,
    data: PyOnceLock<Py<PyAny>>,
}

impl From<Universal> for Event {
    fn from(event: Universal) -> Self {
        Self { event, data: PyOnceLock::new() }
    }
}

impl Event {
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.event).map_err(json::unwritable)
    }
}

/// Reads an event from its JSON.
pub fn read(json: &str) -> PyResult<Universal> {
    serde_json::from_str(json)
        .map_err(|error| UnreadableError::new_err(format!("this is no universal event: {error}")))
}

/// An event from an `Event`, or from what it is as JSON or as a dict.
pub fn any(value: &Bound<'_, PyAny>) -> PyResult<Universal> {
    match value.cast::<Event>() {
        Ok(event) => Ok(event.get().event.clone()),
        Err(_) => read(&json::dumps(value)?),
    }
}

#[pymethods]
impl Event {
    /// The event's type, such as `item.completed`.
    #[getter]
    fn r#type(&self) -> &str {
        self.event.body.event_type()
    }

    /// The event's name, `{session_id}:{sequence}`.
    #[getter]
    fn event_id(&self) -> String {
        self.event.event_id().to_string()
    }

    /// The event's place in its session, from 1.
    #[getter]
    fn sequence(&self) -> u64 {
        self.event.sequence
    }

    /// The session.
    #[getter]
    fn session_id(&self) -> &str {
        self.event.session_id.as_str()
    }

    /// The provider's own name of the session.
    #[getter]
    fn native_session_id(&self) -> Option<&str> {
        self.event.native_session_id.as_ref().map(|id| id.as_str())
    }

    /// The turn that the event lies in.
    #[getter]
    fn turn_id(&self) -> Option<&str> {
        self.event.turn_id.as_ref().map(|id| id.as_str())
    }

    /// The tool calls that lead to the sub-agent that acted; empty for the main agent.
    #[getter]
    fn agent_path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.event.agent_path.iter().map(|id| id.as_str()))
    }

    /// `agent`, or `daemon` for what the translation concluded.
    #[getter]
    fn origin(&self) -> &str {
        self.event.origin.as_str()
    }

    /// When it happened, as RFC 3339 text in UTC, if the native message says so.
    #[getter]
    fn time(&self) -> Option<String> {
        self.event.time.map(|time| time.to_string())
    }

    /// The line of the native message, from 1.
    #[getter]
    fn line(&self) -> Option<u64> {
        self.event.native.as_ref().map(|native| native.line)
    }

    /// The exact bytes of the native message, if they were asked for with `raw`.
    #[getter]
    fn raw(&self) -> Option<&[u8]> {
        self.event.native.as_ref()?.raw.as_ref().map(|raw| raw.as_bytes())
    }

    /// The item that the event is about, by its id.
    #[getter]
    fn item_id(&self) -> Option<&str> {
        match &self.event.body {
            EventBody::ItemStarted(state)
            | EventBody::ItemUpdated(state)
            | EventBody::ItemCompleted(state) => Some(state.item.item_id.as_str()),
            EventBody::ItemDelta(delta) => Some(delta.item_id.as_str()),
            _ => None,
        }
    }

    /// The text of a delta, or of the item that was started, updated or completed.
    #[getter]
    fn text(&self) -> Option<String> {
        match &self.event.body {
            EventBody::ItemStarted(state)
            | EventBody::ItemUpdated(state)
            | EventBody::ItemCompleted(state) => Some(state.item.text()),
            EventBody::ItemDelta(delta) => Some(delta.delta.clone()),
            _ => None,
        }
    }

    /// What happened: the event's `data` as a dict.
    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let data = self.data.get_or_try_init(py, || {
            let text = self.event.body.data_json().map_err(json::unwritable)?;
            Ok::<_, PyErr>(json::loads(py, &text)?.unbind())
        })?;
        Ok(data.clone_ref(py))
    }

    /// The whole event as a dict, as in `interlingua.types`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::loads(py, &self.json()?)
    }

    /// The whole event as JSON, as the command writes it.
    fn to_json(&self) -> PyResult<String> {
        self.json()
    }

    /// An event from its JSON.
    #[staticmethod]
    fn from_json(json: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(read(&json::dumps(json)?)?.into())
    }

    fn __repr__(&self) -> String {
        format!("<Event {} {}>", self.event.event_id(), self.event.body.event_type())
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> Py<PyAny> {
        let py = other.py();
        let equal = other.cast::<Event>().map(|other| other.get().event == self.event);
        match (equal, op) {
            (Ok(equal), CompareOp::Eq) => equal
                .into_pyobject(py)
                .map_or_else(|_| py.NotImplemented(), |b| b.to_owned().into_any().unbind()),
            (Ok(equal), CompareOp::Ne) => (!equal)
                .into_pyobject(py)
                .map_or_else(|_| py.NotImplemented(), |b| b.to_owned().into_any().unbind()),
            _ => py.NotImplemented(),
        }
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.event.session_id.as_str(), self.event.sequence).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let read = py.get_type::<Event>().getattr("from_json")?;
        Ok((read, (self.json()?,)))
    }
}

/// Something that one thread uses at a time.
pub type Locked<T> = Mutex<T>;
