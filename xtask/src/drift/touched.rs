//! What changes of a schema touch: rules of the map, recordings, and documents.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::{Compiled, FieldUse, Handling};
use serde_json::Value;

use super::compare::{Change, What};
use super::locate::{Location, Locator, message_types};
use crate::captures;
use crate::coverage::{Found, Tree, each_message};

/// What is known of a map under the old schema.
pub struct Known {
    compiled: Compiled,
    ledger: Vec<FieldUse>,
    schema: Value,
    /// Where the fields of the ledger stand in the schema.
    locations: Vec<Vec<Location>>,
}

/// Everything that some changes touch.
#[derive(Debug, Default)]
pub struct Touched {
    /// Rules, with their places in the map.
    pub rules: BTreeSet<String>,
    /// Recordings that hold a touched field.
    pub recordings: Vec<String>,
    /// Documents that a person wrote and that name something that is gone.
    pub documents: BTreeSet<String>,
    /// Files that `cargo xtask regen` writes anew.
    pub generated: Vec<String>,
}

impl Known {
    /// Finds out where the fields of the ledger stand in the schema.
    pub fn new(compiled: Compiled, ledger: Vec<FieldUse>, schema: Value) -> Self {
        let types: BTreeMap<String, _> = message_types(compiled.table).into_iter().collect();
        let locator = Locator::new(&schema, &compiled.receives);
        let none = Vec::new();
        let locate = |field: &FieldUse| locator.locate(types.get(&field.message).unwrap_or(&none), field);
        let locations = ledger.iter().map(locate).collect();
        Self { compiled, ledger, schema, locations }
    }

    /// The rules that read what a change is about, as `name (map:line)`.
    pub fn touched(&self, change: &Change) -> Vec<String> {
        let mut rules = BTreeSet::new();
        for number in self.fields(change) {
            if let Handling::Read(readers) = &self.ledger[number].handling {
                rules.extend(readers.iter().cloned());
            }
        }
        rules.iter().map(|rule| self.rule(rule)).collect()
    }

    fn rule(&self, name: &str) -> String {
        let table = self.compiled.table;
        match table.rules.iter().find(|rule| rule.name == name) {
            Some(rule) => format!("{name} ({}:{})", table.file_of(rule.place), rule.place.line),
            None => format!("the {name} ({})", table.file),
        }
    }

    /// The entries of the ledger that a change is about.
    fn fields(&self, change: &Change) -> Vec<usize> {
        if change.what.is_only_more() && !matches!(change.what, What::Values(..)) {
            return Vec::new();
        }
        let touches = |location: &Location| {
            location.definition == change.definition
                && (inside(&location.path, &change.path) || inside(&change.path, &location.path))
        };
        (0..self.ledger.len()).filter(|number| self.locations[*number].iter().any(touches)).collect()
    }

    /// Message types that came and went, as the map names them.
    pub fn messages(&self, new: &Value) -> (Vec<String>, Vec<String>) {
        let tags: Vec<Vec<String>> = first_tags(&self.compiled);
        let types = |schema: &Value| {
            let locator = Locator::new(schema, &self.compiled.receives);
            locator.types(&tags)
        };
        let (old, new) = (types(&self.schema), types(new));
        let only =
            |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect();
        (only(&new, &old), only(&old, &new))
    }

    /// Everything that the changes touch.
    ///
    /// # Errors
    ///
    /// When a recording or a document cannot be read.
    pub fn all(&self, root: &Path, changes: &[Change]) -> Result<Touched, String> {
        let mut touched = Touched::default();
        let lost = changes.iter().filter(|change| !change.what.is_only_more());
        let fields: BTreeSet<usize> = lost.flat_map(|change| self.fields(change)).collect();
        touched.rules = changes.iter().flat_map(|change| self.touched(change)).collect();
        let table = self.compiled.table;
        let tree = Tree::new(&self.ledger);
        for recording in captures::of(&root.join(captures::FOLDER), table.provider)? {
            let mut holds = false;
            each_message(table, &recording.read()?, |name, message| {
                tree.walk(name, message, &mut |found, _, _| {
                    holds |= matches!(found, Found::Entry(number) if fields.contains(&number));
                });
            });
            if holds {
                touched.recordings.push(recording.name);
            }
        }
        let gone = changes
            .iter()
            .filter(|change| !matches!(change.what, What::Added(_) | What::Values(..) | What::Retyped(..)));
        let names: BTreeSet<&str> = gone.filter_map(last_name).collect();
        for document in documents(root)? {
            let text = fs::read_to_string(root.join(&document)).unwrap_or_default();
            let named: Vec<&str> =
                names.iter().copied().filter(|name| text.contains(&format!("`{name}`"))).collect();
            if !named.is_empty() {
                touched.documents.insert(format!("{} (names {})", document.display(), named.join(", ")));
            }
        }
        touched.generated = generated(root, table.provider, changes.is_empty());
        Ok(touched)
    }
}

/// The paths by which the map tells messages apart at first.
fn first_tags(compiled: &Compiled) -> Vec<Vec<String>> {
    let table = compiled.table;
    let keys = |path: &interlingua_table::Path| {
        let key = |step: &interlingua_table::Step| match step {
            interlingua_table::Step::Key(number) => {
                table.keys.get(usize::from(*number)).map(|key| (*key).to_owned())
            }
            _ => None,
        };
        path.steps.iter().filter_map(key).collect()
    };
    table.dispatch.tag.iter().map(keys).collect()
}

/// Whether a place is another one or in it.
fn inside(inner: &str, outer: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with(['.', '[', '{', '(']))
}

/// The member or definition that a change is about.
fn last_name(change: &Change) -> Option<&str> {
    let place = if change.path.is_empty() { &change.definition } else { &change.path };
    // A short word stands in documents for many things.
    place.rsplit(['.', ')']).next().map(|name| name.trim_end_matches("[*]")).filter(|name| name.len() > 3)
}

/// The documents that people wrote, below the root.
fn documents(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for folder in ["", "docs", "resources/agent-schemas"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
        for entry in entries {
            let path = entry.map_err(|error| format!("{folder}: {error}"))?.path();
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            let text = if is_page { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
            if is_page && !text.starts_with("<!-- Generated by ") {
                found.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The generated files of a provider that exist; none where nothing changes.
fn generated(root: &Path, provider: &str, nothing_changes: bool) -> Vec<String> {
    let files = [
        format!("runtime/types/src/generated/{provider}.rs"),
        format!("docs/providers/{provider}.md"),
        format!("docs/coverage/{provider}.md"),
        format!("docs/coverage/{provider}.json"),
    ];
    files.into_iter().filter(|file| !nothing_changes && root.join(file).is_file()).collect()
}
