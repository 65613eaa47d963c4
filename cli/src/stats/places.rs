//! Where the sessions of this machine lie, as the maps say.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use interlingua::table::{Framing, Table};

/// The folders of session files on this machine, with the provider of each.
pub fn folders() -> Vec<(&'static Table, PathBuf)> {
    let keeps = interlingua::providers().iter().filter(|table| !table.files.is_empty());
    let found = keeps.filter_map(|table| Some((*table, expanded(table.files, &|name| env::var_os(name))?)));
    found.filter(|(_, folder)| folder.is_dir()).collect()
}

/// The endings of a provider's session files: files of one document end otherwise than those of a line a message.
pub fn endings(table: &Table) -> &'static [&'static str] {
    if table.framing.contains(&Framing::Json) { &["json", "jsonl"] } else { &["jsonl"] }
}

/// A folder as a shell writes it: `${VARIABLE:-~/folder}/below`. `None` where the variables that it needs are not set.
fn expanded(written: &str, variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(inside) = written.strip_prefix("${") {
        let (inside, below) = inside.split_once('}')?;
        let (name, otherwise) = inside.split_once(":-")?;
        let folder = match variable(name).filter(|value| !value.is_empty()) {
            Some(value) => PathBuf::from(value),
            None => expanded(otherwise, variable)?,
        };
        return Some(folder.join(below.trim_start_matches('/')));
    }
    match written.strip_prefix("~/") {
        Some(below) => Some(PathBuf::from(variable("HOME")?).join(below)),
        None => Some(PathBuf::from(written)),
    }
}

/// The files below a folder with one of these endings, sorted. Links to folders are not followed. A folder that cannot
/// be read is an error only when it is the first.
pub fn files_below(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut entries = vec![fs::read_dir(folder)?];
    while let Some(last) = entries.last_mut() {
        let Some(entry) = last.next() else {
            entries.pop();
            continue;
        };
        let Ok(entry) = entry else { continue };
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => entries.extend(fs::read_dir(path)),
            Ok(kind)
                if !kind.is_dir()
                    && path.extension().is_some_and(|end| endings.iter().any(|one| end == *one)) =>
            {
                found.push(path);
            }
            _ => {}
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_by_its_variable_or_below_the_home() {
        let of = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            }
        };
        let written = "${DEMO_HOME:-~/.demo}/sessions";
        assert_eq!(expanded(written, &of(&[("HOME", "/h")])), Some("/h/.demo/sessions".into()));
        assert_eq!(
            expanded(written, &of(&[("HOME", "/h"), ("DEMO_HOME", "/d")])),
            Some("/d/sessions".into())
        );
        assert_eq!(
            expanded(written, &of(&[("HOME", "/h"), ("DEMO_HOME", "")])),
            Some("/h/.demo/sessions".into())
        );
        assert_eq!(expanded(written, &of(&[])), None);
    }
}
