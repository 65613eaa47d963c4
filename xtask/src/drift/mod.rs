//! `cargo xtask drift OLD NEW`: what differs between two versions of a schema, and what that touches.

mod compare;
mod locate;
mod page;
mod shape;
mod touched;

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::schema;
use interlingua_codegen::{Beside, Load, SchemaFiles, SchemaText, compile, coverage};
use serde_json::Value;

use crate::maps;

pub use compare::{Change, What, compare};
pub use shape::definitions;

/// What was found out.
#[derive(Debug)]
pub struct Drift {
    /// What differs and what that touches.
    pub text: String,
    /// Whether the map compiles against the new schema, and all additions apply to it.
    pub fits: bool,
}

/// A map's text and where it is.
struct MapFile {
    path: PathBuf,
    /// As messages name it.
    name: String,
    text: String,
}

/// Runs the command with the arguments behind the two schemas.
///
/// # Errors
///
/// When a file cannot be read or is no schema, and when no map uses the schema.
pub fn command(root: &Path, old: &Path, new: &Path, more: &[&str]) -> Result<Drift, String> {
    let map = match more {
        [] => map_of(root, old, new)?,
        ["--map", file] => map_file(PathBuf::from(file), (*file).to_owned())?,
        other => return Err(format!("`{}` is no option of `drift`", other.join(" "))),
    };
    report(root, &map, old, new)
}

/// The bundled map whose schema has the name of one of the two files.
fn map_of(root: &Path, old: &Path, new: &Path) -> Result<MapFile, String> {
    let names = maps::names(root)?;
    let stems = [old, new].map(|file| file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    let Some(name) = stems.iter().find(|stem| names.contains(stem)) else {
        return Err(format!(
            "neither file is called like a schema of a bundled map ({}): name the map with `--map FILE`",
            names.join(", ")
        ));
    };
    let name = format!("{}/{name}.map", maps::FOLDER);
    map_file(root.join(&name), name)
}

fn map_file(path: PathBuf, name: String) -> Result<MapFile, String> {
    let text = read(&path)?;
    Ok(MapFile { path, name, text })
}

fn report(root: &Path, map: &MapFile, old: &Path, new: &Path) -> Result<Drift, String> {
    let (old_schema, new_schema) = (json(old)?, json(new)?);
    let changes = compare(&definitions(&old_schema), &definitions(&new_schema));
    let additions = additions(map);
    let mut page = page::Page::default();

    let (with_old, _) = with_additions(old_schema, &additions);
    let from_old = Replaced::new(map, &with_old);
    let known = match compile(&map.text, &map.name, from_old.clone()) {
        Ok(compiled) => {
            let ledger = coverage(&map.text, &map.name, from_old).unwrap_or_default();
            Some(touched::Known::new(compiled, ledger, with_old))
        }
        Err(faults) => {
            page.note("The map does not fit the old schema, so nothing is said about its rules:");
            faults.iter().for_each(|fault| page.note(&fault.to_string()));
            None
        }
    };
    let (with_new, refused) = with_additions(new_schema, &additions);
    page.changes(&changes, |change| known.as_ref().map(|known| known.touched(change)).unwrap_or_default());
    if let Some(known) = &known {
        page.messages(&known.messages(&with_new));
        page.touched(&known.all(root, &changes)?);
    }
    let faults = match compile(&map.text, &map.name, Replaced::new(map, &with_new)) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    };
    page.tasks(&refused, &faults);
    Ok(Drift { text: page.text(), fits: refused.is_empty() && faults.is_empty() })
}

/// The files of a map, with another schema.
#[derive(Clone)]
struct Replaced {
    files: Beside,
    schema: SchemaText,
}

impl Replaced {
    fn new(map: &MapFile, schema: &Value) -> Self {
        Self { files: Beside::new(&map.path), schema: SchemaText::new(schema.to_string()) }
    }
}

impl Load for Replaced {
    fn schema(&mut self, _: &str) -> Result<SchemaText, String> {
        Ok(self.schema.clone())
    }

    fn include(&mut self, named: &str) -> Result<String, String> {
        self.files.include(named)
    }
}

/// The declared additions to the map's schema; none when it has none.
fn additions(map: &MapFile) -> Vec<Value> {
    let mut found = String::new();
    let _ = compile(&map.text, &map.name, |named: &str| {
        found = SchemaFiles::beside(&map.path, named).read().map(|text| text.additions).unwrap_or_default();
        Err("only the additions are wanted".to_owned())
    });
    serde_json::from_str(&found).unwrap_or_default()
}

/// A schema with the additions that apply to it, and what is said about those that do not.
fn with_additions(mut schema: Value, additions: &[Value]) -> (Value, Vec<String>) {
    let mut refused = Vec::new();
    for addition in additions {
        match schema::with_additions(&schema, &Value::Array(vec![addition.clone()])) {
            Ok(changed) => schema = changed,
            Err(error) => refused.push(error.to_string()),
        }
    }
    (schema, refused)
}

fn json(path: &Path) -> Result<Value, String> {
    let loaded = schema::load(&read(path)?, "").map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(loaded.document())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
