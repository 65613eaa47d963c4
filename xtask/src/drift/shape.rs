//! A schema's definitions, flattened: what stands at each path of each of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What a value at one place may be.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Shape {
    /// JSON types.
    pub kinds: BTreeSet<String>,
    /// Definitions that are referred to.
    pub references: BTreeSet<String>,
    /// The values of an enum or a constant.
    pub values: BTreeSet<String>,
}

impl Shape {
    /// The types that it may have, as words.
    pub fn types(&self) -> BTreeSet<String> {
        let references = self.references.iter().map(|name| format!("`{name}`"));
        references.chain(self.kinds.iter().cloned()).collect()
    }

    /// The type in words.
    pub fn text(&self) -> String {
        let mut words: Vec<String> = self.types().into_iter().collect();
        if words.is_empty() && !self.values.is_empty() {
            words.push("one of its values".to_owned());
        }
        if words.is_empty() { "anything".to_owned() } else { words.join(" or ") }
    }
}

/// The places of one definition: `usage.input`, `content[*]`, `models{*}`, and `action(start).call` in a variant
/// that a constant tells apart. The definition itself is at the empty path.
pub type Places = BTreeMap<String, Shape>;

/// The places of all definitions.
pub fn definitions(document: &Value) -> BTreeMap<String, Places> {
    let named = document.get("definitions").or_else(|| document.get("$defs")).and_then(Value::as_object);
    let places = |node: &Value| {
        let mut places = Places::new();
        walk(node, "", &mut places);
        places
    };
    named.into_iter().flatten().map(|(name, node)| (name.clone(), places(node))).collect()
}

fn walk(node: &Value, path: &str, places: &mut Places) {
    let shape = places.entry(path.to_owned()).or_default();
    if let Some(reference) = reference(node) {
        shape.references.insert(reference.to_owned());
        return;
    }
    match node.get("type") {
        Some(Value::String(kind)) => drop(shape.kinds.insert(kind.clone())),
        Some(Value::Array(kinds)) => {
            shape.kinds.extend(kinds.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        _ => {}
    }
    let listed = node.get("enum").and_then(Value::as_array).into_iter().flatten();
    shape.values.extend(listed.chain(node.get("const")).map(plain));
    for (name, inner) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        walk(inner, &member(path, name), places);
    }
    if let Some(items) = node.get("items").filter(|items| items.is_object()) {
        walk(items, &format!("{path}[*]"), places);
    }
    if let Some(entries) = node.get("additionalProperties").filter(|entries| entries.is_object()) {
        walk(entries, &format!("{path}{{*}}"), places);
    }
    for alternative in alternatives(node) {
        walk(alternative, &variant(path, alternative), places);
    }
}

/// What a member is called, from its object on.
pub fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The alternatives of a node that is a union or a sum.
pub fn alternatives(node: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|keyword| node.get(keyword)?.as_array());
    lists.flatten()
}

/// The path of an alternative: with its constants where it has some of its own, so that two alternatives with the
/// same members are told apart.
pub fn variant(path: &str, alternative: &Value) -> String {
    let members = alternative.get("properties").and_then(Value::as_object).into_iter().flatten();
    let constants: Vec<String> = members.filter_map(|(_, inner)| constant(inner)).collect();
    if constants.is_empty() { path.to_owned() } else { format!("{path}({})", constants.join("/")) }
}

/// The only value of a node.
pub fn constant(node: &Value) -> Option<String> {
    match (node.get("const"), node.get("enum").and_then(Value::as_array).map(Vec::as_slice)) {
        (Some(only), _) | (None, Some([only])) => Some(plain(only)),
        _ => None,
    }
}

/// The definition that a node refers to.
pub fn reference(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()?.rsplit('/').next()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
