//! The term maps that are bundled: every `.map` file of one folder.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::SchemaFiles;
use interlingua_table::Table;

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
            && name.chars().all(|other| other.is_ascii_lowercase() || other.is_ascii_digit() || other == '_');
        if !is_word {
            return Err(format!(
                "{FOLDER}/{name}.map: a map's name must be a lower-case word, like `claude`, since it names a module"
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

/// Compiles all bundled maps.
///
/// # Errors
///
/// When a map is not right, or is named otherwise than its file; all faults of a map are named, with
/// line and column.
pub fn compile(root: &Path) -> Result<Vec<&'static Table>, String> {
    names(root)?.iter().map(|name| compile_one(root, name)).collect()
}

fn compile_one(root: &Path, name: &str) -> Result<&'static Table, String> {
    let file = format!("{FOLDER}/{name}.map");
    let text = fs::read_to_string(root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
    let load_schema = |named: &str| SchemaFiles::beside(&root.join(&file), named).read();
    let table = match interlingua_codegen::compile(&text, &file, load_schema) {
        Ok(compiled) => compiled.table,
        Err(diagnostics) => {
            let lines: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            return Err(lines.join("\n"));
        }
    };
    if table.provider != name {
        return Err(format!("{file}: the provider is called `{}`, so the file must be too", table.provider));
    }
    Ok(table)
}

/// The relative path from the folder `docs` to a map.
pub fn from_docs(table: &Table) -> PathBuf {
    Path::new("..").join(FOLDER).join(format!("{}.map", table.provider))
}
