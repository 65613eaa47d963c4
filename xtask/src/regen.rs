//! `cargo xtask regen`: write what is generated, or check that it is fresh.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::generator::{COMMAND, Generator};
use crate::{
    book, cases, coverage, foreign, language, laws, mapping, prices, providers, registry, tables, targets,
    tools, types, vocabulary,
};

/// All generators, in the order in which they run.
///
/// To add one, write a function of the type [`Generator`] in a module of its
/// own and name it here.
pub const GENERATORS: &[(&str, Generator)] = &[
    ("schema of the vocabulary", vocabulary::generate),
    ("types for other languages", foreign::generate),
    ("laws", laws::generate),
    ("native types", types::generate),
    ("tables of the maps", tables::generate),
    ("registry of providers", registry::generate),
    ("term mapping", mapping::generate),
    ("pages of the providers", providers::generate),
    ("coverage of the schemas", coverage::generate),
    ("targets", targets::generate),
    ("tools", tools::generate),
    ("prices", prices::generate),
    ("bug cases", cases::generate),
    ("reference of the map language", language::generate),
    ("reference of the vocabulary", book::generate),
];

/// What a run did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that are as they should be.
    pub fresh: Vec<PathBuf>,
    /// Files that were written anew.
    pub written: Vec<PathBuf>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for path in &self.written {
            writeln!(f, "wrote {}", path.display())?;
        }
        write!(f, "{} written, {} already fresh", self.written.len(), self.fresh.len())
    }
}

/// Runs all generators below `root` and writes what they make, or with `check`
/// only compares.
///
/// # Errors
///
/// When a generator fails; with `check` also when a file is stale or missing.
/// Every stale file is named, not only the first.
pub fn regen(root: &Path, check: bool) -> Result<Report, String> {
    regen_with(root, check, GENERATORS)
}

/// [`regen`] with a list of generators of one's own.
///
/// # Errors
///
/// As [`regen`].
pub fn regen_with(root: &Path, check: bool, generators: &[(&str, Generator)]) -> Result<Report, String> {
    let mut report = Report::default();
    let mut stale = Vec::new();
    for (name, generator) in generators {
        let files = generator(root).map_err(|error| format!("{name}: {error}"))?;
        if files.is_empty() {
            return Err(format!("{name}: made no files, which is never right"));
        }
        for (path, text) in files {
            let target = root.join(&path);
            // Line ends may differ in a checkout on Windows.
            let current = fs::read_to_string(&target).map(|text| text.replace("\r\n", "\n"));
            if current.is_ok_and(|current| current == text) {
                report.fresh.push(path);
            } else if check {
                stale.push(path.display().to_string());
            } else {
                write(&target, &text)?;
                report.written.push(path);
            }
        }
    }
    if stale.is_empty() {
        return Ok(report);
    }
    Err(format!("stale: {}\nrun `{COMMAND}` and commit what it writes", stale.join(", ")))
}

fn write(target: &Path, text: &str) -> Result<(), String> {
    let folder = target.parent().unwrap_or(target);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(target, text))
        .map_err(|error| format!("cannot write {}: {error}", target.display()))
}
