//! Step: nothing is required but tags.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::fold::each_node;
use super::nullable::without_null;
use super::{TAGGED, definitions, definitions_mut};

/// Drops `required` everywhere, except for the tags of a union in its members
/// that the schema requires.
///
/// Real programs leave required fields out, older versions do not know them,
/// and a null stands for an absent field in many places; so an optional field
/// needs no `null` of its own. An array or a map stays nullable, because the
/// generator would otherwise take an empty one for an absent one.
pub fn require_only_tags(document: &mut Value) {
    let mut tags = tags_of_members(definitions(document));
    for (name, node) in definitions_mut(document) {
        let mut required = tags.remove(name).unwrap_or_default();
        let before = node["required"].as_array().cloned().unwrap_or_default();
        required.retain(|tag| before.iter().any(|name| name == tag));
        each_node(node, &mut loosen);
        if !required.is_empty() {
            node["required"] = json!(required);
            for tag in &required {
                without_null(&mut node["properties"][tag]);
            }
        }
    }
}

/// The tags that decide on each definition, also through unions of unions.
fn tags_of_members(all: &Map<String, Value>) -> BTreeMap<String, BTreeSet<String>> {
    let mut tags: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open: Vec<(&str, BTreeSet<String>)> =
        all.keys().map(|name| (name.as_str(), BTreeSet::new())).collect();
    while let Some((name, outer)) = open.pop() {
        let union = &all[name][TAGGED];
        for row in union["rows"].as_array().into_iter().flatten() {
            let values = row["tags"].as_array().into_iter().flatten();
            let by = union["by"].as_array().into_iter().flatten();
            let relevant =
                by.zip(values).filter(|(_, value)| value.is_string()).filter_map(|(tag, _)| tag.as_str());
            let member = row["member"].as_str().unwrap_or_default();
            let mut here = outer.clone();
            here.extend(relevant.map(str::to_owned));
            let known = tags.entry(member.to_owned()).or_default();
            // A union is followed only when it adds something, so that one in itself comes to an end.
            if !here.is_subset(known) {
                known.extend(here.iter().cloned());
                open.push((member, here));
            }
        }
    }
    tags
}

fn loosen(node: &mut Value) {
    if let Some(map) = node.as_object_mut() {
        map.remove("required");
    }
    let Some(properties) = node.get_mut("properties").and_then(Value::as_object_mut) else { return };
    // What can only be null says as much when it is absent.
    properties.retain(|_, property| property["type"] != "null");
    for property in properties.values_mut() {
        without_null(property);
        let is_map = property["type"] == "object"
            && property.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
        if property["type"] == "array" || is_map {
            property["type"] = json!([property["type"], "null"]);
        }
    }
}
