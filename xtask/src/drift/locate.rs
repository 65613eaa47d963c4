//! In which definition of the schema a field of a message stands.

use std::collections::BTreeSet;

use interlingua_codegen::{FieldStep, FieldUse, written};
use interlingua_table::{Dispatch, Path, Shape, Step, Table};
use serde_json::Value;

use super::shape::{alternatives, constant, member, reference, variant};

/// A place of a definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The definition.
    pub definition: String,
    /// The place in it.
    pub path: String,
}

/// A tag that all messages of a type have: its path, and what it says.
type Tagged = (Vec<String>, String);

/// The message types that a map tells apart, with their tags.
pub fn message_types(table: &Table) -> Vec<(String, Vec<Tagged>)> {
    let mut types = Vec::new();
    level(table, &table.dispatch, &mut Vec::new(), &mut Vec::new(), &mut types);
    types
}

fn level(
    table: &Table,
    dispatch: &Dispatch,
    names: &mut Vec<String>,
    tags: &mut Vec<Tagged>,
    types: &mut Vec<(String, Vec<Tagged>)>,
) {
    for (value, shape) in dispatch.arms {
        names.push(written(value));
        // Of several tags, a message has the first that holds a text; which one it is, the value tells.
        let count = tags.len();
        tags.extend(dispatch.tag.iter().map(|path| (keys(table, path), (*value).to_owned())));
        types.push((names.join("/"), tags.clone()));
        below(table, shape, names, tags, types);
        tags.truncate(count);
        names.pop();
    }
}

fn below(
    table: &Table,
    shape: &Shape,
    names: &mut Vec<String>,
    tags: &mut Vec<Tagged>,
    types: &mut Vec<(String, Vec<Tagged>)>,
) {
    if let Some(next) = shape.next {
        level(table, next, names, tags, types);
    }
}

fn keys(table: &Table, path: &Path) -> Vec<String> {
    let key = |step: &Step| match step {
        Step::Key(number) => table.keys.get(usize::from(*number)).map(|key| (*key).to_owned()),
        _ => None,
    };
    path.steps.iter().filter_map(key).collect()
}

/// A node of the schema, and where it stands.
#[derive(Clone)]
struct Cursor<'s> {
    node: &'s Value,
    at: Location,
}

/// Finds fields in a schema.
pub struct Locator<'s> {
    document: &'s Value,
    roots: &'s [String],
}

impl<'s> Locator<'s> {
    /// For the messages that these definitions of a schema are.
    pub fn new(document: &'s Value, roots: &'s [String]) -> Self {
        Self { document, roots }
    }

    /// Where a field of a message with these tags stands.
    pub fn locate(&self, tags: &[Tagged], field: &FieldUse) -> Vec<Location> {
        let roots = self.roots.iter().filter_map(|root| self.definition(root));
        let mut cursors: Vec<Cursor<'s>> = roots.collect();
        // The tags, from where the cursors are.
        let mut tags = tags.to_vec();
        for step in &field.place {
            cursors = self.open(cursors);
            for (path, value) in tags.iter().filter(|(path, _)| !path.is_empty()) {
                cursors.retain(|cursor| self.says(cursor, path, value));
            }
            cursors = match step {
                FieldStep::Member(name) => {
                    tags.retain(|(path, _)| path.first() == Some(name));
                    tags.iter_mut().for_each(|(path, _)| drop(path.remove(0)));
                    self.members(cursors, name)
                }
                FieldStep::Element => {
                    tags.clear();
                    self.elements(cursors)
                }
                FieldStep::Variant { tag, value } => {
                    if let Some(value) = value {
                        cursors.retain(|cursor| self.says(cursor, tag, value));
                    }
                    cursors
                }
            };
        }
        // A definition that the field refers to is the field's own type.
        let mut found: Vec<Location> = cursors.iter().map(|cursor| cursor.at.clone()).collect();
        found.extend(self.open(cursors).into_iter().map(|cursor| cursor.at));
        found.sort();
        found.dedup();
        found
    }

    /// The types of all messages: what their tags say, with the definition.
    pub fn types(&self, tags: &[Vec<String>]) -> BTreeSet<String> {
        let roots: Vec<Cursor<'s>> = self.roots.iter().filter_map(|root| self.definition(root)).collect();
        let mut types = BTreeSet::new();
        let own = |cursor: &Cursor<'s>, tag: &[String]| {
            let members = cursor.node.get("properties");
            tag.first().is_none_or(|first| members.is_some_and(|members| members.get(first).is_some()))
        };
        // A union has no tag of its own: its variants have.
        for cursor in self.open(roots).iter().filter(|cursor| tags.iter().any(|tag| own(cursor, tag))) {
            // The first of the tags that a message has tells its type.
            let values = tags.iter().find_map(|tag| self.tag(cursor, tag));
            for value in values.into_iter().flatten() {
                types.insert(format!("{} (`{}`)", written(&value), cursor.at.definition));
            }
        }
        types
    }

    fn definition(&self, name: &str) -> Option<Cursor<'s>> {
        let all = self.document.get("definitions").or_else(|| self.document.get("$defs"))?;
        let node = all.get(name)?;
        Some(Cursor { node, at: Location { definition: name.to_owned(), path: String::new() } })
    }

    /// Sees through references and unions.
    fn open(&self, cursors: Vec<Cursor<'s>>) -> Vec<Cursor<'s>> {
        let mut open: Vec<Cursor<'s>> = Vec::new();
        let mut left = cursors;
        while let Some(cursor) = left.pop() {
            if open.iter().any(|known| std::ptr::eq(known.node, cursor.node)) {
                continue;
            }
            if let Some(name) = reference(cursor.node) {
                left.extend(self.definition(name));
                continue;
            }
            for alternative in alternatives(cursor.node) {
                let path = variant(&cursor.at.path, alternative);
                left.push(Cursor { node: alternative, at: Location { path, ..cursor.at.clone() } });
            }
            open.push(cursor);
        }
        open
    }

    fn members(&self, cursors: Vec<Cursor<'s>>, name: &str) -> Vec<Cursor<'s>> {
        let member = |cursor: Cursor<'s>| {
            let node = cursor.node.get("properties")?.get(name)?;
            let path = member(&cursor.at.path, name);
            Some(Cursor { node, at: Location { path, ..cursor.at } })
        };
        cursors.into_iter().filter_map(member).collect()
    }

    fn elements(&self, cursors: Vec<Cursor<'s>>) -> Vec<Cursor<'s>> {
        let element = |cursor: Cursor<'s>| {
            let items = cursor.node.get("items").map(|node| (node, "[*]"));
            let entries = || cursor.node.get("additionalProperties").map(|node| (node, "{*}"));
            let (node, step) = items.or_else(entries).filter(|(node, _)| node.is_object())?;
            let path = format!("{}{step}", cursor.at.path);
            Some(Cursor { node, at: Location { path, ..cursor.at.clone() } })
        };
        cursors.into_iter().filter_map(element).collect()
    }

    /// Whether a tag may have this value.
    fn says(&self, cursor: &Cursor<'s>, tag: &[String], value: &String) -> bool {
        self.tag(cursor, tag).is_none_or(|found| found.contains(value))
    }

    /// The values that a tag may have; none where the schema does not say.
    fn tag(&self, cursor: &Cursor<'s>, path: &[String]) -> Option<Vec<String>> {
        let mut cursors = vec![cursor.clone()];
        for name in path {
            cursors = self.open(cursors);
            if cursors.iter().all(|cursor| cursor.node.get("properties").is_none()) {
                return None;
            }
            cursors = self.members(cursors, name);
        }
        let mut values = Vec::new();
        for cursor in self.open(cursors) {
            let listed = cursor.node.get("enum").and_then(Value::as_array).into_iter().flatten();
            values.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            values.extend(constant(cursor.node));
        }
        Some(values).filter(|values| !values.is_empty())
    }
}
