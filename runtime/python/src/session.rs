//! Both directions of one agent.

use interlingua::vocabulary::Command;
use interlingua::{NativeMessage, SessionOutput};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::error::{CommandError, poisoned};
use crate::event::Locked;
use crate::json;
use crate::provider::MapOrName;
use crate::translator::{agent, options, wrapped};

/// One agent in both directions: native bytes and commands in, events and native messages out.
#[pyclass(frozen, module = "interlingua")]
pub struct Session(Locked<interlingua::Session>);

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (map, session_id="s1", raw=false))]
    fn new(map: MapOrName, session_id: &str, raw: bool) -> PyResult<Self> {
        let map = agent(map)?;
        Ok(Self(Locked::new(interlingua::Session::new(map.table, options(session_id, raw)))))
    }

    /// Takes the agent's next bytes.
    fn push<'py>(&self, py: Python<'py>, bytes: PyBackedBytes) -> PyResult<Bound<'py, PyDict>> {
        let step = py.detach(|| Ok::<_, PyErr>(self.0.lock().map_err(poisoned)?.push(&bytes)))?;
        output(py, step)
    }

    /// Takes one whole message of the agent.
    fn push_message<'py>(&self, py: Python<'py>, message: PyBackedBytes) -> PyResult<Bound<'py, PyDict>> {
        let step = py.detach(|| Ok::<_, PyErr>(self.0.lock().map_err(poisoned)?.push_message(&message)))?;
        output(py, step)
    }

    /// Gives the agent a command.
    fn command<'py>(&self, py: Python<'py>, command: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let text = json::dumps(command)?;
        let command: Command = serde_json::from_str(&text)
            .map_err(|error| CommandError::new_err(format!("this is no command: {error}")))?;
        let step = self.0.lock().map_err(poisoned)?.command(&command);
        output(py, step.map_err(|error| CommandError::new_err(error.to_string()))?)
    }

    /// The agent has been silent for a while.
    fn idle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let step = self.0.lock().map_err(poisoned)?.idle();
        output(py, step)
    }

    /// The end of the agent's output.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let step = self.0.lock().map_err(poisoned)?.finish();
        output(py, step)
    }

    /// How many requests of the agent wait for an answer.
    #[getter]
    fn open_requests(&self) -> PyResult<usize> {
        Ok(self.0.lock().map_err(poisoned)?.pending().iter().count())
    }
}

fn output(py: Python<'_>, step: SessionOutput) -> PyResult<Bound<'_, PyDict>> {
    let messages: Vec<Bound<'_, PyAny>> =
        step.messages.iter().map(|message| native(py, message)).collect::<PyResult<_>>()?;
    let degradations = serde_json::to_string(&step.degradations).map_err(json::unwritable)?;
    let refused: Vec<(Bound<'_, PyAny>, String)> = step
        .refused
        .iter()
        .map(|(command, error)| {
            let text = serde_json::to_string(command).map_err(json::unwritable)?;
            Ok((json::loads(py, &text)?, error.to_string()))
        })
        .collect::<PyResult<_>>()?;
    let output = PyDict::new(py);
    output.set_item("events", wrapped(step.events))?;
    output.set_item("messages", messages)?;
    output.set_item("degradations", json::loads(py, &degradations)?)?;
    output.set_item("refused", refused)?;
    Ok(output)
}

/// A message for the agent as a dict, tagged `kind`.
fn native<'py>(py: Python<'py>, message: &NativeMessage) -> PyResult<Bound<'py, PyAny>> {
    let told = PyDict::new(py);
    match message {
        NativeMessage::Spawn { args, cwd } => {
            told.set_item("kind", "spawn")?;
            told.set_item("args", args)?;
            told.set_item("cwd", cwd)?;
        }
        NativeMessage::Text(line) => {
            told.set_item("kind", "text")?;
            told.set_item("text", format!("{}\n", line.get()))?;
        }
        NativeMessage::HangUp => told.set_item("kind", "hang-up")?,
        NativeMessage::Http { method, path, body } => {
            told.set_item("kind", "http")?;
            told.set_item("method", method)?;
            told.set_item("path", path)?;
            told.set_item("body", body.as_ref().map(|body| body.get()))?;
        }
    }
    Ok(told.into_any())
}
