//! Finding the tags that tell the objects of a union apart.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::nullable::without_null;
use super::reference;
use super::unions::Alternative;

/// Alternatives that share their tags.
pub(super) struct Group {
    /// The tags' values; several rows when a tag may have several values.
    pub rows: Vec<Vec<Option<String>>>,
    pub alternatives: Vec<Alternative>,
}

/// Names that tags usually have, best first; they win among equals.
const USUAL: [&str; 6] = ["type", "method", "kind", "subtype", "status", "role"];

/// Alternatives that an object can be when its tag has one of some values.
pub(super) struct Part {
    /// The tag's values.
    pub values: Vec<String>,
    /// True when an object without the tag can be one of these as well.
    pub untagged: bool,
    pub alternatives: Vec<Alternative>,
}

/// Finds one or two properties whose values decide which alternative an object
/// is: `None` when there are none. The second tag only counts among
/// alternatives that share the first, and all require it.
pub(super) fn find_tags(
    all: &[Alternative],
    known: &Map<String, Value>,
) -> Option<(Vec<String>, Vec<Group>)> {
    let everything: Vec<&Alternative> = all.iter().collect();
    let (first, parts) = best_split(&everything, known)?;
    let crowded: Vec<&Vec<&Alternative>> =
        parts.iter().map(|(_, part)| part).filter(|part| part.len() > 1).collect();
    let second = second_tag(&crowded, known);
    let mut groups = Vec::new();
    for (values, part) in &parts {
        // A lone alternative is held to its second tag too, if it has one.
        let split = second.as_deref().and_then(|tag| match part.as_slice() {
            [only] if requires(&only.node, tag) => {
                Some(vec![(fixed_values(&only.node["properties"][tag], known, 0)?, vec![*only])])
            }
            _ => split_by(part, tag, known),
        });
        match split {
            Some(split) => {
                for (inner, alternatives) in &split {
                    groups.push(group(values, Some(inner), alternatives));
                }
            }
            None => groups.push(group(values, None, part)),
        }
    }
    let mut by = vec![first];
    if let Some(second) = second {
        by.push(second);
        for group in &mut groups {
            for row in &mut group.rows {
                row.resize(2, None);
            }
        }
    }
    Some((by, groups))
}

fn group(
    first: &BTreeSet<String>,
    second: Option<&BTreeSet<String>>,
    alternatives: &[&Alternative],
) -> Group {
    let mut rows = Vec::new();
    for one in first {
        match second {
            None => rows.push(vec![Some(one.clone())]),
            Some(second) => rows.extend(second.iter().map(|two| vec![Some(one.clone()), Some(two.clone())])),
        }
    }
    Group { rows, alternatives: alternatives.iter().map(|one| (*one).clone()).collect() }
}

type Parts<'a> = Vec<(BTreeSet<String>, Vec<&'a Alternative>)>;

/// The property that splits the alternatives into the most parts.
fn best_split<'a>(all: &[&'a Alternative], known: &Map<String, Value>) -> Option<(String, Parts<'a>)> {
    let mut best: Option<(String, Parts<'a>)> = None;
    for tag in candidates(all) {
        if let Some(parts) = split_by(all, &tag, known)
            && best.as_ref().is_none_or(|(_, before)| parts.len() > before.len())
        {
            best = Some((tag, parts));
        }
    }
    best
}

/// The property that splits the most of the crowded parts.
fn second_tag(crowded: &[&Vec<&Alternative>], known: &Map<String, Value>) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    let names: BTreeSet<String> = crowded.iter().flat_map(|part| candidates(part)).collect();
    for tag in in_usual_order(names) {
        let parts =
            crowded.iter().filter_map(|part| split_by(part, &tag, known)).map(|parts| parts.len()).sum();
        if parts > 0 && best.as_ref().is_none_or(|(before, _)| parts > *before) {
            best = Some((parts, tag));
        }
    }
    best.map(|(_, tag)| tag)
}

/// Properties that all alternatives have, the usual names first.
fn candidates(all: &[&Alternative]) -> Vec<String> {
    let mut common: Option<BTreeSet<String>> = None;
    for alternative in all {
        let names: BTreeSet<String> = property_names(&alternative.node).collect();
        common = Some(match common {
            None => names,
            Some(before) => before.intersection(&names).cloned().collect(),
        });
    }
    in_usual_order(common.unwrap_or_default())
}

fn property_names(node: &Value) -> impl Iterator<Item = String> + '_ {
    node["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone())
}

fn in_usual_order(names: BTreeSet<String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_by_key(|name| USUAL.iter().position(|usual| usual == name).unwrap_or(USUAL.len()));
    names
}

/// Finds a property of which each value leaves fewer alternatives than all, and
/// its absence too: `None` when there is none.
///
/// This is for unions that [`find_tags`] finds no tags for, since some
/// alternatives share some values, or can do without the tag. One that none
/// can do without is the better tag, then the one with the most parts.
pub(super) fn find_parts(all: &[Alternative], known: &Map<String, Value>) -> Option<(String, Vec<Part>)> {
    let names: BTreeSet<String> = all.iter().flat_map(|one| property_names(&one.node)).collect();
    let worth = |parts: &[Part]| (!parts.iter().any(|part| part.untagged), parts.len());
    let mut best: Option<(String, Vec<Part>)> = None;
    for tag in in_usual_order(names) {
        if let Some(parts) = parts_by(all, &tag, known)
            && best.as_ref().is_none_or(|(_, before)| worth(&parts) > worth(before))
        {
            best = Some((tag, parts));
        }
    }
    best
}

/// The alternatives for each value of a property; `None` when it is open
/// somewhere, or when a value or the absence leaves all alternatives. Where
/// nothing but its absence tells, the property has to be one fixed string:
/// several values are a state, which a program may well leave out.
fn parts_by(all: &[Alternative], tag: &str, known: &Map<String, Value>) -> Option<Vec<Part>> {
    let mut with: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut without: Vec<usize> = Vec::new();
    for (index, alternative) in all.iter().enumerate() {
        let mut may_lack = !requires(&alternative.node, tag);
        if let Some(node) = alternative.node["properties"].get(tag) {
            let (values, nullable) = values_and_null(node, known)?;
            values.into_iter().for_each(|value| with.entry(value).or_default().push(index));
            may_lack |= nullable;
        }
        if may_lack {
            without.push(index);
        }
    }
    let part = |indexes: &[usize]| Part {
        values: Vec::new(),
        untagged: false,
        alternatives: indexes.iter().map(|index| all[*index].clone()).collect(),
    };
    let mut parts: BTreeMap<Vec<usize>, Part> = BTreeMap::new();
    for (value, indexes) in with {
        parts.entry(indexes).or_insert_with_key(|indexes| part(indexes)).values.push(value);
    }
    if !without.is_empty() {
        parts.entry(without).or_insert_with_key(|indexes| part(indexes)).untagged = true;
    }
    let splits = parts.len() > 1 && parts.keys().all(|indexes| indexes.len() < all.len());
    let valued: Vec<&Part> = parts.values().filter(|part| !part.values.is_empty()).collect();
    let is_state = matches!(valued.as_slice(), [only] if only.values.len() > 1);
    (splits && !is_state).then(|| parts.into_values().collect())
}

/// The strings that a node lists, and whether it also allows null.
fn values_and_null(node: &Value, known: &Map<String, Value>) -> Option<(BTreeSet<String>, bool)> {
    let mut node = node.clone();
    let mut nullable = without_null(&mut node);
    if let Some(types) = node["type"].as_array().filter(|types| types.contains(&Value::from("null"))) {
        let others: Vec<Value> = types.iter().filter(|ty| *ty != "null").cloned().collect();
        node["type"] = if let [only] = others.as_slice() { only.clone() } else { Value::Array(others) };
        nullable = true;
    }
    Some((fixed_values(&node, known, 0)?, nullable))
}

fn requires(node: &Value, property: &str) -> bool {
    node["required"].as_array().is_some_and(|names| names.iter().any(|name| name == property))
}

/// Splits by a property's values; `None` when it does not split, is open or
/// not required somewhere, or when the values of two alternatives overlap in part.
fn split_by<'a>(all: &[&'a Alternative], tag: &str, known: &Map<String, Value>) -> Option<Parts<'a>> {
    let mut parts: Parts<'a> = Vec::new();
    for alternative in all {
        let values = fixed_values(&alternative.node["properties"][tag], known, 0)?;
        if !requires(&alternative.node, tag) {
            return None;
        }
        match parts.iter().position(|(known, _)| *known == values) {
            Some(index) => parts[index].1.push(alternative),
            None if parts.iter().any(|(known, _)| !known.is_disjoint(&values)) => return None,
            None => parts.push((values, vec![alternative])),
        }
    }
    (parts.len() > 1).then_some(parts)
}

/// The strings that a node lists, through references and unions.
fn fixed_values(node: &Value, known: &Map<String, Value>, depth: usize) -> Option<BTreeSet<String>> {
    // References can form a ring in a broken schema only; no tag lies deep.
    if depth > 8 {
        return None;
    }
    if let Some(name) = reference(node) {
        return fixed_values(known.get(name)?, known, depth + 1);
    }
    if let Some(members) = node.get("anyOf").or_else(|| node.get("oneOf")).and_then(Value::as_array) {
        let mut values = BTreeSet::new();
        for member in members {
            values.extend(fixed_values(member, known, depth + 1)?);
        }
        return Some(values);
    }
    if node.get("type")? != "string" {
        return None;
    }
    node.get("enum")?.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}
