//! `interlingua run`: drives an agent, whichever it is.
//!
//! The map says which program is started and how it is spoken to; here are only processes, pipes and words for people.

mod agent;
mod conversation;
mod dialog;
mod family;
mod history;
mod news;
mod outcome;
mod process;
mod program;
mod screen;
mod serve;
mod server;
mod signals;
#[cfg(unix)]
mod supervisor;
mod tail;
mod view;

use std::io::{self, IsTerminal};
use std::path::Path;

use interlingua::vocabulary::{Degradation, Json, SessionStart};
use serde_json::Value;

use self::conversation::Conversation;
use self::dialog::Dialog;
use self::screen::Screen;
use self::serve::Serve;
#[cfg(unix)]
pub use self::supervisor::supervise_if_asked;
use self::view::{JsonLines, View};
use crate::args::Run;
use crate::failure::{Failure, USAGE};
use crate::output;
use crate::provider;

/// Runs the command.
pub fn run(options: &Run) -> Result<u8, Failure> {
    let table = match (&options.map, &options.agent) {
        (Some(map), _) => provider::load(map, options.schema.as_deref())?,
        (None, Some(agent)) => provider::named(agent)?,
        (None, None) => return Err(Failure::new(USAGE, "give the agent to run with --agent")),
    };
    if let Some(target) = &options.speak {
        let target = provider::target(target)?;
        if target.hosts.is_empty() {
            let message = format!("`{}` is a stream: its clients send nothing on it", target.provider);
            return Err(Failure::new(USAGE, message)
                .help("--speak takes a target whose map has `from` rules, such as acp"));
        }
        return Serve::new(table, target, session_start(options)?, options)?.run();
    }
    let person = io::stdin().is_terminal();
    let view: Box<dyn View> = match (person, io::stdout().is_terminal() && !options.json) {
        (true, true) => Box::new(Screen::on_terminal(output::shared_people())),
        _ => Box::new(JsonLines::new()),
    };
    let dialog = person.then(Dialog::default);
    let start = session_start(options)?;
    Conversation::new(table, view, dialog, options)?.run(start)
}

/// What of a command the agent was not told, and why.
fn unsupported(lost: &Degradation) -> String {
    let at = if lost.at.is_empty() { String::new() } else { format!(" at {}", lost.at) };
    format!("{}{at} is not supported as given: {}", lost.what, lost.reason)
}

fn session_start(options: &Run) -> Result<SessionStart, Failure> {
    let mut start = SessionStart::default();
    start.prompt.clone_from(&options.prompt);
    start.model.clone_from(&options.model);
    start.permission_mode.clone_from(&options.permission_mode);
    start.resume = options.resume.as_deref().map(Into::into);
    start.cwd = Some(absolute(options.cwd.as_deref().unwrap_or(Path::new(".")))?);
    let mut native = options.native.clone().unwrap_or_default();
    if !options.args.is_empty() {
        native.insert("args".to_owned(), options.args.clone().into());
    }
    if !native.is_empty() {
        start.native = Json::parse(Value::Object(native).to_string()).ok();
    }
    Ok(start)
}

/// Agents do not start where we do, so they get the whole path.
fn absolute(path: &Path) -> Result<String, Failure> {
    let whole = std::path::absolute(path).map_err(|error| Failure::reading(path, &error))?;
    whole.into_os_string().into_string().map_err(|path| {
        Failure::new(USAGE, format!("--cwd {} is not Unicode", output::path(Path::new(&path))))
    })
}
