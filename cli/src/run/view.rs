//! How events are shown to whoever drives the agent.

use std::io::{self, BufWriter, Write};

use interlingua::vocabulary::Event;

use crate::failure::Failure;
use crate::input::CHUNK;
use crate::output::{self, StdoutJson};

/// Shows what happens.
pub trait View {
    /// Shows events, at once.
    fn show(&mut self, events: &[Event]) -> Result<(), Failure>;
    /// Asks a person.
    fn ask(&mut self, text: &str) -> Result<(), Failure>;
    /// Takes what the person said, which is on the screen already when it was typed there.
    fn said(&mut self, _text: &str, _is_typed: bool) -> Result<(), Failure> {
        Ok(())
    }
    /// Tells the person something about the run.
    fn note(&mut self, _text: &str) -> Result<(), Failure> {
        Ok(())
    }
    /// Shows that something is waited for. In the middle of a text that is only done after a `long` time; `false` when it
    /// was not done.
    fn wait(&mut self, _long: bool) -> bool {
        true
    }
    /// Shows it no more.
    fn rest(&mut self) {}
}

/// Events as JSON, one a line.
pub struct JsonLines {
    output: BufWriter<io::StdoutLock<'static>>,
    line: Vec<u8>,
    json: StdoutJson,
}

impl JsonLines {
    /// On standard output.
    pub fn new() -> Self {
        let output = BufWriter::with_capacity(CHUNK, io::stdout().lock());
        Self { output, line: Vec::new(), json: StdoutJson::new() }
    }

    fn write(&mut self, event: &Event) -> io::Result<()> {
        self.line.clear();
        event.write_json(&mut self.line)?;
        self.line.push(b'\n');
        self.json.prepare(&mut self.line);
        self.output.write_all(&self.line)
    }
}

impl View for JsonLines {
    fn show(&mut self, events: &[Event]) -> Result<(), Failure> {
        events
            .iter()
            .try_for_each(|event| self.write(event))
            .and_then(|()| self.output.flush())
            .map_err(|error| Failure::output(&error))
    }

    fn ask(&mut self, text: &str) -> Result<(), Failure> {
        // Standard output is for events alone.
        let mut to = output::people_stderr();
        let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
        Ok(())
    }
}
