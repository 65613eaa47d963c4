//! Names of definitions as names of Rust types.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToPascalCase;
use interlingua_codegen::schema::normalise::TAGGED;
use serde_json::{Map, Value};

/// Key that keeps a definition's own name.
pub const ORIGINAL: &str = "x-original";

/// The Rust name of a definition.
pub fn rust_name(definition: &str) -> String {
    definition.to_pascal_case()
}

/// Renames every definition to its Rust name, and keeps its own name in
/// [`ORIGINAL`].
///
/// Where two would have the same Rust name, the later one in order gets a
/// number; so does one that typify will give to a type inside another
/// definition (`Source` with an inline `content`, beside `SourceContent`).
pub fn rust_names(document: &Value) -> Value {
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let definitions = document["definitions"].as_object().into_iter().flatten();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for (name, node) in definitions.clone() {
        inline_names(&rust_name(name), node, &mut taken);
    }
    for (name, _) in definitions.clone() {
        let plain = rust_name(name);
        let mut rust = plain.clone();
        let mut number = 2;
        while !taken.insert(rust.clone()) {
            rust = format!("{plain}{number}");
            number += 1;
        }
        names.insert(name, rust);
    }
    let mut renamed = Map::new();
    for (name, node) in definitions {
        let mut node = node.clone();
        rename_references(&mut node, &names);
        node[ORIGINAL] = Value::String(name.clone());
        renamed.insert(names[name.as_str()].clone(), node);
    }
    serde_json::json!({ "definitions": renamed })
}

/// The names that types inside a definition will get.
fn inline_names(owner: &str, node: &Value, into: &mut BTreeSet<String>) {
    let properties = node["properties"].as_object().into_iter().flatten();
    let inside = properties.map(|(name, inner)| (rust_name(name), inner));
    let others = [("items", "Item"), ("additionalProperties", "Value")];
    let others = others.into_iter().filter_map(|(key, suffix)| Some((suffix.to_owned(), node.get(key)?)));
    for (suffix, inner) in inside.chain(others) {
        if inner.get("$ref").is_none() {
            let name = format!("{owner}{suffix}");
            inline_names(&name, inner, into);
            into.insert(name);
        }
    }
}

fn rename_references(node: &mut Value, names: &BTreeMap<&str, String>) {
    match node {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/definitions/").and_then(|name| names.get(name))
            {
                *reference = format!("#/definitions/{name}");
            }
            if let Some(rows) = map.get_mut(TAGGED).and_then(|union| union["rows"].as_array_mut()) {
                for row in rows {
                    if let Some(name) = row["member"].as_str().and_then(|member| names.get(member)) {
                        row["member"] = Value::String(name.clone());
                    }
                }
            }
            map.values_mut().for_each(|value| rename_references(value, names));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| rename_references(value, names)),
        _ => {}
    }
}
