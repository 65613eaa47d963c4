//! `cargo xtask drift OLD NEW`: what differs between two versions of a schema, and what that touches.

mod compare;
mod locate;
mod page;
mod shape;
mod touched;

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::schema;
use interlingua_codegen::{Beside, Load, SchemaText, compile, coverage};
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

/// What `cargo xtask drift --help` prints.
pub const HELP: &str = "\
cargo xtask drift: what differs between two versions of a schema

USAGE
    cargo xtask drift OLD NEW [--map FILE] [--all]

    OLD, NEW      the two schemas, as published; the additions that are declared for the map's schema are
                  applied to both
    --map FILE    the map; without it, the bundled map that is named like one of the two files
    --all         list every addition, not only how many there are

It writes nothing. It prints, each section only where there is something in it:

    changes of what the map reads    with the rules that read it
    other changes                    removed, renamed or retyped, and read by no rule
    additions                        of many, how many of each kind
    message types                    that came and went
    touched                          rules, recordings, documents and generated files
    additions that no longer apply   delete them from resources/*-schemas/additions
    what does not compile            what the map must decide before it fits the new schema

EXAMPLE
    cargo xtask drift resources/agent-schemas/codex.json ~/Downloads/codex.json

EXIT CODES
    0  the map fits the new schema        1  it does not, or a file cannot be read        2  usage
";

/// The options behind the two schemas.
#[derive(Default)]
struct Options<'a> {
    map: Option<&'a str>,
    all: bool,
}

impl<'a> Options<'a> {
    fn read(mut more: &[&'a str]) -> Result<Self, String> {
        let mut options = Self::default();
        while !more.is_empty() {
            more = match more {
                ["--all", rest @ ..] => {
                    options.all = true;
                    rest
                }
                ["--map", file, rest @ ..] => {
                    options.map = Some(file);
                    rest
                }
                ["--map"] => return Err("`--map` needs a file".to_owned()),
                [other, ..] => {
                    return Err(format!(
                        "`{other}` is no option of `drift`; it takes `--map FILE` and `--all`"
                    ));
                }
                [] => more,
            };
        }
        Ok(options)
    }
}

/// Runs the command with the arguments behind the two schemas.
///
/// # Errors
///
/// When a file cannot be read or is no schema, and when no map uses the schema.
pub fn command(root: &Path, old: &Path, new: &Path, more: &[&str]) -> Result<Drift, String> {
    let options = Options::read(more)?;
    let map = match options.map {
        None => map_of(root, old, new)?,
        Some(file) => map_file(PathBuf::from(file), file.to_owned())?,
    };
    report(root, &map, old, new, options.all)
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

fn report(root: &Path, map: &MapFile, old: &Path, new: &Path, all: bool) -> Result<Drift, String> {
    let (old_schema, new_schema) = (json(old)?, json(new)?);
    let changes = compare(&definitions(&old_schema), &definitions(&new_schema));
    let additions = additions(map);
    let mut page = page::Page::default();

    let known = if changes.is_empty() { None } else { known(map, old_schema, &additions, &mut page) };
    let (with_new, refused) = with_additions(new_schema, &additions);
    page.changes(&changes, all, |change| {
        known.as_ref().map(|known| known.touched(change)).unwrap_or_default()
    });
    if let Some(known) = &known {
        page.messages(&known.messages(&with_new));
        page.touched(&known.all(root, &changes)?);
    }
    let faults = match compile(&map.text, &map.name, Replaced::new(map, &with_new)) {
        Ok(_) => Vec::new(),
        Err(faults) => faults,
    };
    page.tasks(&refused, &faults);
    Ok(Drift { text: page.text(), fits: refused.is_empty() && faults.is_empty() })
}

/// What is known of the map under the old schema; nothing when it does not fit that.
fn known(
    map: &MapFile,
    old_schema: Value,
    additions: &[Value],
    page: &mut page::Page,
) -> Option<touched::Known> {
    let (with_old, _) = with_additions(old_schema, additions);
    let from_old = Replaced::new(map, &with_old);
    match compile(&map.text, &map.name, from_old.clone()) {
        Ok(compiled) => {
            let ledger = coverage(&map.text, &map.name, from_old).unwrap_or_default();
            Some(touched::Known::new(compiled, ledger, with_old))
        }
        Err(faults) => {
            page.note("The map does not fit the old schema, so nothing is said about its rules:");
            faults.iter().for_each(|fault| page.note(&fault.to_string()));
            None
        }
    }
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
    let mut wanted = OnlyAdditions { files: Beside::new(&map.path), found: String::new() };
    // The schema is what was wanted, so the map is not compiled any further.
    let _ = compile(&map.text, &map.name, &mut wanted);
    serde_json::from_str(&wanted.found).unwrap_or_default()
}

/// Takes the additions to the schema that the map names. What the map includes is read first.
struct OnlyAdditions {
    files: Beside,
    found: String,
}

impl Load for &mut OnlyAdditions {
    fn schema(&mut self, named: &str) -> Result<SchemaText, String> {
        self.found = self.files.schema(named)?.additions;
        Err("only the additions are wanted".to_owned())
    }

    fn include(&mut self, named: &str) -> Result<String, String> {
        self.files.include(named)
    }
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
