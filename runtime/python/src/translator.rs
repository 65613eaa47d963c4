//! From native bytes to events.

use interlingua::{Detection, Options};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::error::{InterlinguaError, poisoned};
use crate::event::{Event, Locked};
use crate::provider::{Map, MapOrName};

/// The options of a translation.
pub fn options(session_id: &str, raw: bool) -> Options {
    Options::default().session_id(session_id).raw(raw)
}

/// The events of a call, as Python has them.
pub fn wrapped(events: Vec<interlingua::Event>) -> Vec<Event> {
    events.into_iter().map(Event::from).collect()
}

/// Translates the native bytes of one stream, pushed in slices of any size.
#[pyclass(frozen, module = "interlingua")]
pub struct Translator(Locked<interlingua::Translator>);

#[pymethods]
impl Translator {
    #[new]
    #[pyo3(signature = (map, session_id="s1", raw=false))]
    fn new(map: MapOrName, session_id: &str, raw: bool) -> PyResult<Self> {
        let map = agent(map)?;
        Ok(Self(Locked::new(interlingua::Translator::new(map.table, options(session_id, raw)))))
    }

    /// The events that the next bytes complete.
    fn push(&self, py: Python<'_>, bytes: PyBackedBytes) -> PyResult<Vec<Event>> {
        let events = py.detach(|| Ok::<_, PyErr>(self.0.lock().map_err(poisoned)?.push(&bytes).collect()));
        Ok(wrapped(events?))
    }

    /// The events of one whole message.
    fn push_message(&self, py: Python<'_>, message: PyBackedBytes) -> PyResult<Vec<Event>> {
        let events =
            py.detach(|| Ok::<_, PyErr>(self.0.lock().map_err(poisoned)?.push_message(&message).collect()));
        Ok(wrapped(events?))
    }

    /// The agent has been silent for a while: a turn end that is held comes now.
    fn idle(&self) -> PyResult<Vec<Event>> {
        Ok(wrapped(self.0.lock().map_err(poisoned)?.idle().collect()))
    }

    /// The end of the stream: everything that is open ends.
    fn finish(&self) -> PyResult<Vec<Event>> {
        Ok(wrapped(self.0.lock().map_err(poisoned)?.finish().collect()))
    }

    /// What was translated so far.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.0.lock().map_err(poisoned)?.stats();
        let counts = PyDict::new(py);
        counts.set_item("messages", stats.messages)?;
        counts.set_item("translated", stats.translated)?;
        counts.set_item("ignored", stats.ignored_total())?;
        counts.set_item("unparsed", stats.unparsed)?;
        counts.set_item("events", stats.events)?;
        Ok(counts)
    }
}

/// The map of an agent, since a model's stream has no events.
pub fn agent(map: MapOrName) -> PyResult<Map> {
    let map = map.map()?;
    if map.table.layer == interlingua::table::Layer::Model {
        return Err(InterlinguaError::new_err(format!(
            "`{}` is the stream of a model, which has no events\n  help: `interlingua translate` writes its chunks",
            map.table.provider
        )));
    }
    Ok(map)
}

/// Finds out who wrote a stream, while it arrives.
#[pyclass(frozen, module = "interlingua")]
pub struct Detector(Locked<interlingua::Detector>);

#[pymethods]
impl Detector {
    #[new]
    fn new() -> Self {
        Self(Locked::new(interlingua::Detector::new()))
    }

    /// Takes the next bytes: `None` while it is undecided; else the provider's name, `universal`, or `unknown`.
    fn push(&self, py: Python<'_>, bytes: PyBackedBytes) -> PyResult<Option<&'static str>> {
        py.detach(|| Ok(name(self.0.lock().map_err(poisoned)?.push(&bytes))))
    }

    /// Decides, since nothing more comes.
    fn finish(&self) -> PyResult<Option<&'static str>> {
        Ok(name(self.0.lock().map_err(poisoned)?.finish()))
    }

    /// The providers that fit the stream so far, the best first.
    fn candidates(&self) -> PyResult<Vec<&'static str>> {
        Ok(self.0.lock().map_err(poisoned)?.scores().iter().map(|score| score.table.provider).collect())
    }
}

fn name(detection: Detection) -> Option<&'static str> {
    match detection {
        Detection::NeedMore => None,
        Detection::Known(table) => Some(table.provider),
        Detection::Universal => Some("universal"),
        _ => Some("unknown"),
    }
}
