//! What became different between two schemas.

use std::collections::{BTreeMap, BTreeSet};

use super::shape::{Places, Shape};

/// A difference at one place of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The definition in the old schema; in the new one, where the old one lacks it.
    pub definition: String,
    /// The place in it; empty for the definition itself.
    pub path: String,
    /// What happened.
    pub what: What,
}

/// What happened at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is new, and of this type.
    Added(String),
    /// It is gone; it was of this type.
    Removed(String),
    /// It has another name and the same shape.
    Renamed(String),
    /// It is of another type: what it may be now, and what it may be no longer.
    Retyped(Vec<String>, Vec<String>),
    /// Values that an enum gained and lost.
    Values(Vec<String>, Vec<String>),
}

impl What {
    /// Whether something is only more than before, so that what is there stays as it was.
    pub fn is_only_more(&self) -> bool {
        match self {
            Self::Added(_) => true,
            Self::Retyped(_, lost) | Self::Values(_, lost) => lost.is_empty(),
            Self::Removed(_) | Self::Renamed(_) => false,
        }
    }
}

/// All changes, by definition and path.
pub fn compare(old: &BTreeMap<String, Places>, new: &BTreeMap<String, Places>) -> Vec<Change> {
    let renamed = renames(old, new, |_, _| true);
    let mut changes = Vec::new();
    for (name, places) in old {
        let change = |what| Change { definition: name.clone(), path: String::new(), what };
        match new.get(name) {
            Some(now) => in_definition(name, places, now, &mut changes),
            None => changes.push(match renamed.get(name) {
                Some(other) => change(What::Renamed(other.clone())),
                None => change(What::Removed(text(places.get("")))),
            }),
        }
    }
    for (name, places) in new {
        if !old.contains_key(name) && !renamed.values().any(|other| other == name) {
            let what = What::Added(text(places.get("")));
            changes.push(Change { definition: name.clone(), path: String::new(), what });
        }
    }
    changes
}

fn in_definition(name: &str, old: &Places, new: &Places, changes: &mut Vec<Change>) {
    // What is inside a place, from it on, is part of its shape.
    let (deep_old, deep_new) = (deep(old), deep(new));
    let renamed = renames(&deep_old, &deep_new, |one, two| parent(one) == parent(two));
    let mut change = |path: &str, what| {
        changes.push(Change { definition: name.to_owned(), path: path.to_owned(), what });
    };
    for (path, shape) in old {
        match new.get(path) {
            Some(now) => {
                let (old, new) = (shape.types(), now.types());
                let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<String> {
                    one.difference(other).cloned().collect()
                };
                if old != new {
                    change(path, What::Retyped(only(&new, &old), only(&old, &new)));
                }
                let (gained, lost) = (only(&now.values, &shape.values), only(&shape.values, &now.values));
                if !gained.is_empty() || !lost.is_empty() {
                    change(path, What::Values(gained, lost));
                }
            }
            // What an absent place held is absent with it.
            None if has_parent(path, new) => change(
                path,
                renamed.get(path).map_or(What::Removed(shape.text()), |other| What::Renamed(other.clone())),
            ),
            None => {}
        }
    }
    for (path, shape) in new {
        if !old.contains_key(path) && has_parent(path, old) && !renamed.values().any(|other| other == path) {
            change(path, What::Added(shape.text()));
        }
    }
}

/// Whether the place around this one is there.
fn has_parent(path: &str, places: &Places) -> bool {
    path.is_empty() || places.contains_key(parent(path))
}

/// The place around a place.
fn parent(path: &str) -> &str {
    let end = if path.ends_with(')') { path.rfind('(') } else { path.rfind(['.', '[', '{']) };
    // The members of a definition stand in it, and have no dot.
    end.map_or("", |end| &path[..end])
}

/// Each place with all that is inside it, from it on.
fn deep(places: &Places) -> BTreeMap<String, Places> {
    let inside = |path: &String| {
        let rest = places.iter().filter_map(|(inner, shape)| {
            let rest = inner.strip_prefix(path.as_str())?;
            (rest.is_empty() || rest.starts_with(['.', '[', '{', '(']))
                .then(|| (rest.to_owned(), shape.clone()))
        });
        rest.collect()
    };
    places.keys().map(|path| (path.clone(), inside(path))).collect()
}

/// Old names with the new ones of the same shape, where there is exactly one candidate on both sides.
fn renames(
    old: &BTreeMap<String, Places>,
    new: &BTreeMap<String, Places>,
    may: impl Fn(&str, &str) -> bool,
) -> BTreeMap<String, String> {
    let gone: Vec<&String> = old.keys().filter(|name| !new.contains_key(*name)).collect();
    let come: Vec<&String> = new.keys().filter(|name| !old.contains_key(*name)).collect();
    let fits = |one: &str, two: &str| may(one, two) && old[one] == new[two];
    let mut pairs = BTreeMap::new();
    for name in &gone {
        let candidates: Vec<&&String> = come.iter().filter(|other| fits(name, other)).collect();
        if let [only] = candidates.as_slice()
            && gone.iter().filter(|other| fits(other, only)).count() == 1
        {
            pairs.insert((*name).clone(), (**only).clone());
        }
    }
    pairs
}

fn text(shape: Option<&Shape>) -> String {
    shape.map(Shape::text).unwrap_or_default()
}
