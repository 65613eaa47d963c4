//! The earlier sessions of an agent, for clients that list, show and resume them. They are read from where the agent keeps
//! its session files, as its maps say.

use std::cmp::Reverse;
use std::path::PathBuf;

use interlingua::Options;
use interlingua::table::Table;
use interlingua::vocabulary::{Event, ListedSession};

use crate::args::Source;
use crate::events;
use crate::failure::{Failure, USAGE};
use crate::output;
use crate::sessions::find;
use crate::stats::collect::{Counting, Wanted};
use crate::stats::places;

/// How the sessions of files are called, so that their ids are not those of sessions that run.
const NAME: &str = "history";

/// How many characters of a title are told.
const TITLE: usize = 200;

/// Whether the agent keeps session files that a map can read.
pub fn is_kept(agent: &Table) -> bool {
    interlingua::providers()
        .iter()
        .any(|table| places::is_of(table, agent.provider) && !table.files.is_empty())
}

/// The agent's sessions, newest first: those of one folder, if it is named.
pub fn list(agent: &Table, cwd: Option<&str>) -> Result<Vec<ListedSession>, Failure> {
    let counting = Counting::default();
    let wanted = Wanted::of_machine(Some(agent.provider)).quiet();
    let (mut records, _) = wanted.read(&Source::default(), &counting, &counting.books()?);
    records.sort_by_key(|record| Reverse(record.summary.ended.map(|ended| ended.unix_millis())));
    let listed = records.iter().filter_map(|record| {
        let folder = record.summary.cwd.as_deref()?;
        let is_wanted = cwd.is_none_or(|cwd| cwd == folder) && record.summary.parent.is_none();
        let mut session = ListedSession::new(record.native().filter(|_| is_wanted)?, folder);
        session.title = record.title().map(|title| output::line(title, TITLE));
        session.updated_at = record.summary.ended;
        Some(session)
    });
    Ok(listed.collect())
}

/// The events of an earlier session.
pub fn events(agent: &Table, id: &str) -> Result<Vec<Event>, Failure> {
    let files: Vec<(&'static Table, PathBuf)> = find::files_of(agent.provider, id)?;
    if files.is_empty() {
        let message =
            format!("there is no session `{}` of {} on this machine", output::name(id), agent.title);
        return Err(Failure::new(USAGE, message));
    }
    let mut all = Vec::new();
    for (table, path) in files {
        events::read_as(table, &path, Options::default().session_id(NAME), |event| all.push(event))?;
    }
    Ok(all)
}
