//! Step: each union has at most one alternative per kind of JSON value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::objects::merged_objects;
use super::tagged::{Group, Part, find_parts, find_tags};
use super::{MERGED, TAGGED, definitions, definitions_mut, pascal_case, reference, reference_to};
use crate::schema::SchemaError;

/// Rewrites every union so that the kind of a value, or its tags, decide which
/// alternative it is.
///
/// Several objects become a definition with [`TAGGED`] when tags tell them
/// apart, else one object with the properties of all, marked [`MERGED`]; several strings one
/// string, an enum if all were; several arrays one array of the union of their
/// elements. What the schema leaves open in one alternative is open.
///
/// # Errors
///
/// When a tagged union has no members, which a broken schema may lead to.
pub fn resolve_unions(document: &mut Value) -> Result<(), SchemaError> {
    let mut resolver = Resolver { known: definitions(document).clone(), ..Resolver::default() };
    let names: Vec<String> = resolver.known.keys().cloned().collect();
    for name in names {
        let node = resolver.known[&name].clone();
        let resolved = resolver.node(&node, &name, true);
        resolver.resolved.insert(name, resolved);
    }
    for (name, node) in &resolver.resolved {
        if node[TAGGED]["rows"].as_array().is_some_and(Vec::is_empty) {
            return Err(SchemaError::new(name.clone(), "a tagged union without members"));
        }
    }
    let all = definitions_mut(document);
    all.clear();
    all.extend(resolver.resolved);
    Ok(())
}

/// One alternative of a flattened union.
#[derive(Clone)]
pub(super) struct Alternative {
    /// The definition that it is, when it is one.
    pub name: Option<String>,
    pub node: Value,
}

#[derive(Default)]
struct Resolver {
    known: Map<String, Value>,
    resolved: BTreeMap<String, Value>,
    /// Definitions made here, by the alternatives that they were made of. They
    /// are entered before their parts are resolved, so that a type which
    /// contains itself comes to an end.
    made: BTreeMap<String, String>,
}

impl Resolver {
    /// Resolves one node. `path` names it if it must become a definition;
    /// `is_definition` says that it already is the one of that name.
    fn node(&mut self, node: &Value, path: &str, is_definition: bool) -> Value {
        let Some(map) = node.as_object() else { return json!({}) };
        if reference(node).is_some() {
            return node.clone();
        }
        let mut nullable = false;
        let members: Vec<Value> = match members(map) {
            None => return self.inside(node, path),
            Some(members) => members,
        };
        let members: Vec<Value> = members
            .into_iter()
            .filter(|member| {
                let is_null = member.get("type").is_some_and(|ty| ty == "null");
                nullable |= is_null;
                !is_null
            })
            .collect();
        if let [only] = members.as_slice() {
            let resolved = self.node(only, path, is_definition && !nullable);
            return if nullable { or_null(resolved) } else { resolved };
        }
        let mut alternatives = Vec::new();
        for member in &members {
            self.flatten(member, None, &mut BTreeSet::new(), &mut alternatives);
        }
        self.union(alternatives, nullable, path, is_definition)
    }

    /// Resolves the nodes inside a node that is no union.
    fn inside(&mut self, node: &Value, path: &str) -> Value {
        let mut node = node.clone();
        let Some(map) = node.as_object_mut() else { return node };
        for (name, property) in map.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
        {
            *property = self.node(property, &format!("{path}{}", pascal_case(name)), false);
        }
        for (key, suffix) in [("items", "Item"), ("additionalProperties", "Value")] {
            if let Some(inner) = map.get_mut(key) {
                *inner = self.node(inner, &format!("{path}{suffix}"), false);
            }
        }
        node
    }

    /// Collects the alternatives of a node through unions of unions.
    fn flatten(
        &self,
        node: &Value,
        name: Option<&str>,
        seen: &mut BTreeSet<String>,
        into: &mut Vec<Alternative>,
    ) {
        if let Some(target) = reference(node) {
            if let Some(inner) = self.known.get(target)
                && seen.insert(target.to_owned())
            {
                self.flatten(inner, Some(target), seen, into);
                seen.remove(target);
            }
            return;
        }
        match node.as_object().and_then(members) {
            Some(members) => {
                for member in members {
                    self.flatten(&member, None, seen, into);
                }
            }
            None => {
                let same = |known: &Alternative| known.node == *node && known.name.as_deref() == name;
                if !into.iter().any(same) {
                    into.push(Alternative { name: name.map(str::to_owned), node: node.clone() });
                }
            }
        }
    }

    fn union(&mut self, all: Vec<Alternative>, mut nullable: bool, path: &str, is_definition: bool) -> Value {
        let mut kinds: BTreeMap<&'static str, Vec<Alternative>> = BTreeMap::new();
        for alternative in all {
            match kind(&alternative.node) {
                "any" => return json!({}),
                "null" => nullable = true,
                kind => kinds.entry(kind).or_default().push(alternative),
            }
        }
        if kinds.contains_key("number")
            && let Some(whole) = kinds.remove("integer")
        {
            kinds.entry("number").or_default().extend(whole);
        }
        let alone = kinds.len() == 1 && !nullable && is_definition;
        let several = kinds.len() > 1;
        let mut nodes = Vec::new();
        for (kind, group) in kinds {
            nodes.push(match (kind, group.as_slice()) {
                // An object inside a union of kinds needs a name.
                ("object", [only]) if several && only.name.is_none() => self.objects(&group, path, false),
                (_, [only]) => match &only.name {
                    Some(name) => reference_to(name),
                    None => self.inside(&only.node, path),
                },
                ("object", _) => self.objects(&group, path, alone),
                ("array", _) => self.arrays(&group, path),
                ("string", _) => strings(&group),
                ("integer", _) => integers(&group),
                (kind, _) => json!({ "type": kind }),
            });
        }
        match (nodes.len(), nullable) {
            (0, _) => json!({"type": "null"}),
            (1, false) => nodes.remove(0),
            (1, true) => or_null(nodes.remove(0)),
            (_, false) => json!({ "anyOf": nodes }),
            (_, true) => {
                nodes.push(json!({"type": "null"}));
                json!({ "anyOf": nodes })
            }
        }
    }

    fn arrays(&mut self, group: &[Alternative], path: &str) -> Value {
        let items: Vec<Value> =
            group.iter().map(|one| one.node.get("items").cloned().unwrap_or(json!({}))).collect();
        json!({"type": "array", "items": self.node(&json!({ "anyOf": items }), &format!("{path}Item"), false)})
    }

    /// Several objects: a definition of their own, unless `alone` says that
    /// they are all of the definition named `path`.
    fn objects(&mut self, group: &[Alternative], path: &str, alone: bool) -> Value {
        let key = key(group);
        if !alone && let Some(name) = self.made.get(&key) {
            return reference_to(name);
        }
        let name = match alone {
            true => path.to_owned(),
            false if self.known.contains_key(path) => self.free_name(&format!("{path}Object")),
            false => self.free_name(path),
        };
        self.made.entry(key).or_insert_with(|| name.clone());
        if !alone {
            // Holds the name while the parts are made.
            self.resolved.insert(name.clone(), Value::Null);
        }
        let node = match find_tags(group, &self.known) {
            Some((by, groups)) => self.tagged(&name, &by, groups),
            None => match find_parts(group, &self.known) {
                Some((tag, parts)) => self.tagged_in_parts(&name, &tag, parts),
                None => self.merged(group, &name),
            },
        };
        if alone {
            return node;
        }
        self.resolved.insert(name.clone(), node);
        reference_to(&name)
    }

    fn tagged(&mut self, union: &str, by: &[String], groups: Vec<Group>) -> Value {
        let mut rows: Vec<(Vec<Option<String>>, String)> = Vec::new();
        for group in groups {
            let member = self.member(union, &group);
            rows.extend(group.rows.into_iter().map(|tags| (tags, member.clone())));
        }
        rows.sort();
        let rows: Vec<Value> =
            rows.into_iter().map(|(tags, member)| json!({"tags": tags, "member": member})).collect();
        json!({ TAGGED: {"by": by, "rows": rows} })
    }

    /// A union by the values of one tag. The part without the tag comes last;
    /// a part of several alternatives is a union of its own.
    fn tagged_in_parts(&mut self, union: &str, tag: &str, mut parts: Vec<Part>) -> Value {
        parts.sort_by(|one, other| {
            one.values.is_empty().cmp(&other.values.is_empty()).then(one.values.cmp(&other.values))
        });
        let mut rows = Vec::new();
        let mut untagged = None;
        for part in parts {
            let member = match part.alternatives.as_slice() {
                [Alternative { name: Some(name), .. }] => name.clone(),
                several => {
                    let path = format!("{union}{}", pascal_case(&part_name(&part)));
                    let node = self.objects(several, &path, false);
                    reference(&node).unwrap_or_default().to_owned()
                }
            };
            rows.extend(part.values.iter().map(|value| json!({"tags": [value], "member": member})));
            if part.untagged {
                untagged = Some(json!({"tags": [], "member": member}));
            }
        }
        rows.sort_by_key(|row| row["tags"].to_string());
        rows.extend(untagged);
        json!({ TAGGED: {"by": [tag], "rows": rows} })
    }

    /// The definition that stands for all alternatives with the same tags.
    fn member(&mut self, union: &str, group: &Group) -> String {
        if let [Alternative { name: Some(name), .. }] = group.alternatives.as_slice() {
            return name.clone();
        }
        let key = key(&group.alternatives);
        if let Some(name) = self.made.get(&key) {
            return name.clone();
        }
        let tags: Vec<&str> = group.rows[0].iter().flatten().map(String::as_str).collect();
        let name = self.free_name(&format!("{union}{}", pascal_case(&tags.join(" "))));
        self.made.insert(key, name.clone());
        self.resolved.insert(name.clone(), Value::Null);
        let node = self.merged(&group.alternatives, &name);
        self.resolved.insert(name.clone(), node);
        name
    }

    /// One object with the properties of all.
    fn merged(&mut self, group: &[Alternative], name: &str) -> Value {
        let nodes: Vec<Value> = group.iter().map(|one| one.node.clone()).collect();
        let mut node = self.inside(&merged_objects(&nodes), name);
        if group.len() > 1 {
            node[MERGED] = json!(true);
        }
        node
    }

    /// A name that no definition has, neither as it is nor as a Rust type.
    fn free_name(&self, wanted: &str) -> String {
        let wanted = pascal_case(wanted);
        let taken = |name: &str| {
            self.known.contains_key(name)
                || self.resolved.contains_key(name)
                || self.known.keys().any(|known| pascal_case(known) == name)
        };
        let mut name = wanted.clone();
        let mut number = 2;
        while taken(&name) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        name
    }
}

/// A part is named after its values, or after what it is when they are many.
fn part_name(part: &Part) -> String {
    match (part.values.len(), part.alternatives[0].name.as_deref()) {
        (0, _) => "untagged".to_owned(),
        (4.., Some(name)) => name.to_owned(),
        _ => part.values.join(" "),
    }
}

/// What a set of alternatives is made of, as a key.
fn key(group: &[Alternative]) -> String {
    let parts: Vec<String> =
        group.iter().map(|one| one.name.clone().unwrap_or_else(|| one.node.to_string())).collect();
    parts.join("\n")
}

/// The members of a union; a list of types is one too. `None`: not a union.
fn members(map: &Map<String, Value>) -> Option<Vec<Value>> {
    if map.contains_key("anyOf") || map.contains_key("oneOf") {
        let lists = ["anyOf", "oneOf"].into_iter().filter_map(|key| map.get(key)?.as_array());
        return Some(lists.flatten().cloned().collect());
    }
    let types = map.get("type")?.as_array()?;
    let member = |ty: &Value| {
        let mut member = map.clone();
        member.insert("type".into(), ty.clone());
        if ty != "string" {
            member.remove("enum");
        }
        Value::Object(member)
    };
    Some(types.iter().map(member).collect())
}

fn kind(node: &Value) -> &'static str {
    match node.get("type").and_then(Value::as_str) {
        Some("string") => "string",
        Some("number") => "number",
        Some("integer") => "integer",
        Some("boolean") => "boolean",
        Some("array") => "array",
        Some("object") => "object",
        Some("null") => "null",
        _ if node.get("properties").is_some() => "object",
        _ if node.get("items").is_some() => "array",
        _ => "any",
    }
}

fn or_null(node: Value) -> Value {
    if node.as_object().is_some_and(Map::is_empty) {
        return node;
    }
    json!({"anyOf": [node, {"type": "null"}]})
}

/// Several strings: an enum when each lists its values, else any string.
fn strings(group: &[Alternative]) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for alternative in group {
        let Some(listed) = alternative.node.get("enum").and_then(Value::as_array) else {
            return json!({"type": "string"});
        };
        for value in listed {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
    }
    json!({"type": "string", "enum": values})
}

fn integers(group: &[Alternative]) -> Value {
    match group.iter().all(|one| one.node == group[0].node) {
        true => group[0].node.clone(),
        false => json!({"type": "integer"}),
    }
}
