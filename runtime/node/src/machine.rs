//! The sessions of this machine. Reading them takes a while, so it happens on another thread.

use interlingua_cli::bindings::{self, Wanted};
use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;

/// Reads the sessions.
pub struct Sessions(Wanted);

impl Task for Sessions {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<String> {
        let lines = bindings::sessions(&self.0);
        let lines = lines.map_err(|failure| {
            let help = failure.help.map(|help| format!("\n  help: {help}")).unwrap_or_default();
            napi::Error::from_reason(format!("{}{help}", failure.message))
        })?;
        Ok(format!("[{}]", lines.join(",")))
    }

    fn resolve(&mut self, _: Env, output: String) -> napi::Result<String> {
        Ok(output)
    }
}

/// The sessions of this machine, newest first, as a list of JSON.
#[napi]
pub fn native_sessions(
    agent: Option<String>,
    since: Option<String>,
    cwd: Option<String>,
) -> AsyncTask<Sessions> {
    AsyncTask::new(Sessions(Wanted { agent, since, cwd: cwd.map(Into::into) }))
}
