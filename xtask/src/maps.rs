//! The term maps that are bundled: every `.map` file of one folder.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::{Beside, Diagnostic, FieldUse};
use interlingua_table::{Place, Table};

/// Where the maps lie, below the repository's root.
pub const FOLDER: &str = "resources/term-maps";

/// The names of the bundled maps, sorted: their files without `.map`.
///
/// # Errors
///
/// When the folder cannot be read, or when a file's name cannot be a module's.
pub fn names(root: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(root.join(FOLDER)).map_err(|error| format!("{FOLDER}: {error}"))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{FOLDER}: {error}"))?.path();
        if path.extension().is_none_or(|extension| extension != "map") {
            continue;
        }
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|other| {
                other.is_ascii_lowercase() || other.is_ascii_digit() || matches!(other, '_' | '-')
            });
        if !is_word {
            return Err(format!(
                "{FOLDER}/{name}.map: a map's name is made of lower-case words with `-` between them, like `claude`, since it names a module"
            ));
        }
        names.push(name);
    }
    names.sort();
    if names.is_empty() {
        return Err(format!("{FOLDER}: holds no .map file"));
    }
    Ok(names)
}

/// A bundled map.
pub struct Map {
    /// What it compiles to.
    pub table: &'static Table,
    text: String,
}

/// Compiles all bundled maps.
///
/// # Errors
///
/// When a map is not right, or is named otherwise than its file; all faults of a map are named, with
/// line and column.
pub fn compile(root: &Path) -> Result<Vec<Map>, String> {
    names(root)?.iter().map(|name| compile_one(root, name)).collect()
}

fn compile_one(root: &Path, name: &str) -> Result<Map, String> {
    let file = format!("{FOLDER}/{name}.map");
    let text = fs::read_to_string(root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
    let files = Beside::new(root.join(&file));
    let table = interlingua_codegen::compile(&text, &file, files).map_err(lines)?.table;
    if table.provider != name {
        return Err(format!("{file}: the provider is called `{}`, so the file must be too", table.provider));
    }
    Ok(Map { table, text })
}

fn lines(diagnostics: Vec<Diagnostic>) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Map {
    /// Its file, below the repository's root.
    pub fn file(&self) -> PathBuf {
        Path::new(FOLDER).join(format!("{}.map", self.table.provider))
    }

    /// The file of a place in it, below the repository's root.
    pub fn file_of(&self, place: Place) -> PathBuf {
        PathBuf::from(self.table.file_of(place))
    }

    /// The line of a setting of the provider, from 1; the first line when it is not set.
    pub fn line_of_setting(&self, name: &str) -> usize {
        let is_setting =
            |line: &str| line.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        self.text.lines().position(is_setting).map_or(1, |place| place + 1)
    }

    /// What it does with each field of each message.
    ///
    /// # Errors
    ///
    /// As [`compile`].
    pub fn coverage(&self, root: &Path) -> Result<Vec<FieldUse>, String> {
        let file = self.file();
        let files = Beside::new(root.join(&file));
        interlingua_codegen::coverage(&self.text, &file.to_string_lossy(), files).map_err(lines)
    }
}
