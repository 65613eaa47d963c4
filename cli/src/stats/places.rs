//! Where the sessions of this machine are, as the maps say.

use std::collections::HashSet;
use std::env;
use std::io;
use std::path::{Path, PathBuf};

use interlingua::table::Table;

use super::pattern;

/// The session files of this machine with the provider of each, sorted by path for each provider. A folder that cannot
/// be read is given to `fail`.
pub fn session_files(mut fail: impl FnMut(&Path, io::Error)) -> Vec<(&'static Table, PathBuf)> {
    let mut known = HashSet::new();
    let mut all = Vec::new();
    for table in interlingua::providers() {
        let patterns =
            table.files.iter().filter_map(|text| pattern::expanded(text, &|name| env::var_os(name)));
        let mut files: Vec<PathBuf> =
            patterns.flat_map(|pattern| pattern::files(&pattern, &mut fail)).collect();
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        all.extend(files.into_iter().filter(|path| known.insert(path.clone())).map(|path| (*table, path)));
    }
    all
}

/// Whether a provider's session files are those of this agent.
pub fn is_of(table: &Table, agent: &str) -> bool {
    table.written_by == agent || table.provider == agent
}

/// The files below a folder with one of these endings, sorted. Links to folders are not followed.
pub fn files_below(folder: &Path, endings: &[&str], mut fail: impl FnMut(&Path, io::Error)) -> Vec<PathBuf> {
    let mut found = pattern::files(&folder.join("**/*"), &mut fail);
    found.retain(|path| path.extension().is_some_and(|end| endings.iter().any(|one| end == *one)));
    found.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    found
}
