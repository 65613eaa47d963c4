//! Finding the tags that tell the objects of a union apart.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

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

/// Finds one or two properties whose values decide which alternative an object
/// is: `None` when there are none. The second tag only counts among
/// alternatives that share the first.
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
            [only] => Some(vec![(fixed_values(&only.node["properties"][tag], known, 0)?, vec![*only])]),
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
        let names: BTreeSet<String> = alternative
            .node
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        common = Some(match common {
            None => names,
            Some(before) => before.intersection(&names).cloned().collect(),
        });
    }
    in_usual_order(common.unwrap_or_default())
}

fn in_usual_order(names: BTreeSet<String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_by_key(|name| USUAL.iter().position(|usual| usual == name).unwrap_or(USUAL.len()));
    names
}

/// Splits by a property's values; `None` when it does not split, is open
/// somewhere, or when the values of two alternatives overlap in part.
fn split_by<'a>(all: &[&'a Alternative], tag: &str, known: &Map<String, Value>) -> Option<Parts<'a>> {
    let mut parts: Parts<'a> = Vec::new();
    for alternative in all {
        let values = fixed_values(&alternative.node["properties"][tag], known, 0)?;
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
