//! Steps: keep what is wanted and what that reaches.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fold::each_node;
use super::{CONSTANT, TAGGED, definitions, definitions_mut, reference};
use crate::schema::SchemaError;

/// Drops every definition that the roots do not reach.
///
/// # Errors
///
/// When a root does not exist.
pub fn prune(document: &mut Value, roots: &[String]) -> Result<(), SchemaError> {
    let all = definitions(document);
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> = roots.to_vec();
    while let Some(name) = open.pop() {
        let Some(node) = all.get(&name) else {
            return Err(SchemaError::new(name, "is selected, but the schema does not define it"));
        };
        if reached.insert(name) {
            mentioned(node, &mut open);
        }
    }
    definitions_mut(document).retain(|name, _| reached.contains(name));
    Ok(())
}

fn mentioned(node: &Value, into: &mut Vec<String>) {
    if let Some(name) = reference(node) {
        into.push(name.to_owned());
    }
    for row in node[TAGGED]["rows"].as_array().into_iter().flatten() {
        into.extend(row["member"].as_str().map(str::to_owned));
    }
    match node {
        Value::Object(map) => map.values().for_each(|value| mentioned(value, into)),
        Value::Array(list) => list.iter().for_each(|value| mentioned(value, into)),
        _ => {}
    }
}

/// Keeps only some variants of a union, or some properties of a table.
///
/// Each entry names a definition and patterns: for a union the values of its
/// members' `method` or `type`, for a table its keys. A pattern may end in `*`.
///
/// # Errors
///
/// When the definition does not exist, or a pattern matches nothing.
pub fn keep_variants(document: &mut Value, only: &[(String, Vec<String>)]) -> Result<(), SchemaError> {
    for (name, patterns) in only {
        let Some(node) = definitions_mut(document).get_mut(name) else {
            return Err(SchemaError::new(
                name.clone(),
                "is to be narrowed, but the schema does not define it",
            ));
        };
        let mut used: BTreeSet<&String> = BTreeSet::new();
        let mut keep = |text: &str| {
            let hit = patterns.iter().find(|pattern| matches(pattern, text));
            used.extend(hit);
            hit.is_some()
        };
        for key in ["oneOf", "anyOf"] {
            if let Some(members) = node.get_mut(key).and_then(Value::as_array_mut) {
                members.retain(|member| tag_of(member).is_some_and(&mut keep));
            }
        }
        if let Some(table) = node.get_mut("properties").and_then(Value::as_object_mut) {
            table.retain(|key, _| keep(key));
        }
        if let Some(unused) = patterns.iter().find(|pattern| !used.contains(pattern)) {
            return Err(SchemaError::new(name.clone(), format!("nothing in it matches `{unused}`")));
        }
    }
    Ok(())
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => pattern == text,
    }
}

fn tag_of(member: &Value) -> Option<&str> {
    let properties = member.get("properties")?;
    let tag = properties.get("method").or_else(|| properties.get("type"))?;
    tag.get("const").or_else(|| tag.get("enum")?.get(0))?.as_str()
}

/// Replaces references to definitions that only are a plain string, number or
/// flag, or another reference, by what they are: a wrapper type for each would
/// be noise.
pub fn inline_aliases(document: &mut Value) {
    let all = definitions(document);
    let mut aliases: Map<String, Value> = Map::new();
    for (name, node) in all {
        let plain = matches!(node["type"].as_str(), Some("string" | "number" | "integer" | "boolean"));
        let target = reference(node).map(|target| final_target(target, all));
        match target {
            Some(target) => {
                aliases.insert(name.clone(), target);
            }
            None if plain && node.get("enum").is_none() && node.get(CONSTANT).is_none() => {
                aliases.insert(name.clone(), node.clone());
            }
            None => {}
        }
    }
    for node in definitions_mut(document).values_mut() {
        each_node(node, &mut |node| {
            if let Some(alias) = reference(node).and_then(|name| aliases.get(name)) {
                *node = alias.clone();
            }
        });
    }
}

/// What a chain of references ends in, as a node to put in its place.
fn final_target(name: &str, all: &Map<String, Value>) -> Value {
    let mut name = name;
    for _ in 0..all.len() {
        match all.get(name).and_then(reference) {
            Some(next) => name = next,
            None => break,
        }
    }
    match all.get(name) {
        Some(node)
            if matches!(node["type"].as_str(), Some("string" | "number" | "integer" | "boolean"))
                && node.get("enum").is_none() =>
        {
            node.clone()
        }
        _ => super::reference_to(name),
    }
}
