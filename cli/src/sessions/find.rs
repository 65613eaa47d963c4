//! A session file by the id of its session.

use std::path::{Path, PathBuf};

use interlingua::table::Table;

use crate::args::Source;
use crate::failure::{Failure, USAGE};
use crate::output;
use crate::stats::collect::{Counting, Wanted};
use crate::stats::places;
use crate::stats::record::Record;

/// How many characters of an id are enough, if no other session's id begins with them.
const SHORTEST: usize = 4;

/// How many sessions are named when an id fits several.
const NAMED: usize = 5;

/// Whether a FILE that does not exist may be the id of a session: a single name without an ending.
pub fn may_be_id(path: &Path) -> bool {
    let mut parts = path.components();
    let text = path.as_os_str().as_encoded_bytes();
    parts.next().is_some() && parts.next().is_none() && text.len() >= SHORTEST && !text.contains(&b'.')
}

/// The file of the session with this id, or whose id alone begins so. `None` where there is none.
pub fn file(id: &str) -> Result<Option<PathBuf>, Failure> {
    // Most agents name the file by the session; of an id that is whole, the file name says enough.
    let files = places::session_files(|_, _| {});
    let mut named = files.iter().filter(|(_, path)| is_named(path, id));
    if let (Some((_, path)), None) = (named.next(), named.next()) {
        return Ok(Some(path.clone()));
    }
    let counting = Counting::default();
    let source = Source::default();
    let (records, _) = Wanted::of_machine(None).quiet().read(&source, &counting, &counting.books()?);
    let fits = |exactly: bool| {
        let fits = move |record: &&Record| {
            record.native().is_some_and(|native| if exactly { native == id } else { native.starts_with(id) })
        };
        records.iter().filter(fits).collect::<Vec<_>>()
    };
    let mut found = fits(true);
    if found.is_empty() {
        found = fits(false);
    }
    match found.as_slice() {
        [] => Ok(None),
        [record] => Ok(record.files.first().cloned()),
        several => {
            let names: Vec<String> = several
                .iter()
                .take(NAMED)
                .filter_map(|record| {
                    Some(format!("{} ({})", output::name(record.native()?), record.agent()?))
                })
                .collect();
            let message = format!("{} sessions have the id `{}`", several.len(), output::name(id));
            Err(Failure::new(USAGE, message).help(format!("name one of them: {}", names.join(", "))))
        }
    }
}

/// The files of an agent's session with exactly this id; none where there is no such session.
pub fn files_of(agent: &str, id: &str) -> Result<Vec<(&'static Table, PathBuf)>, Failure> {
    let files = places::session_files(|_, _| {});
    let mut named = files.iter().filter(|(table, path)| places::is_of(table, agent) && is_named(path, id));
    if let (Some(file), None) = (named.next(), named.next()) {
        return Ok(vec![file.clone()]);
    }
    let counting = Counting::default();
    let wanted = Wanted::of_machine(Some(agent)).quiet();
    let (records, _) = wanted.read(&Source::default(), &counting, &counting.books()?);
    let found = records.into_iter().find(|record| record.native() == Some(id));
    let Some((record, table)) = found.and_then(|record| record.table.map(|table| (record, table))) else {
        return Ok(Vec::new());
    };
    Ok(record.files.into_iter().map(|file| (table, file)).collect())
}

/// Whether a file is named by a session: by its id alone, or with the id at the end.
fn is_named(path: &Path, id: &str) -> bool {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { return false };
    match stem.strip_suffix(id) {
        Some(before) => before.is_empty() || (id.len() >= 32 && before.ends_with(['-', '_', '.'])),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_no_id() {
        for name in ["5e55", "019ff000-0000-7000-8000-000000000001", "ses_12345"] {
            assert!(may_be_id(Path::new(name)), "{name}");
        }
        for path in ["a/b", "/a", "-", "x", ".hidden", "..", "session.jsonl"] {
            assert!(!may_be_id(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_file_is_named_by_its_session() {
        let id = "019ff000-0000-7000-8000-000000000001";
        assert!(is_named(Path::new(&format!("/x/{id}.jsonl")), id));
        assert!(is_named(Path::new(&format!("/x/rollout-2026-11-30T09-00-00-{id}.jsonl")), id));
        assert!(!is_named(Path::new("/x/agent-1234.jsonl"), "1234"));
        assert!(!is_named(Path::new(&format!("/x/{id}.jsonl")), "0001"));
    }
}
