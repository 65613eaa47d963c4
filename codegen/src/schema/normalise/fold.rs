//! Walking over all schema nodes of a document.

use serde_json::Value;

/// Keywords whose value is a map of schema nodes.
const MAPS: [&str; 3] = ["properties", "definitions", "$defs"];
/// Keywords whose value is a schema node or a list of them.
const NODES: [&str; 7] =
    ["items", "additionalItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not"];

/// Calls `change` on each schema node below `node` and on itself, inner ones
/// first.
pub fn each_node(node: &mut Value, change: &mut impl FnMut(&mut Value)) {
    for child in children(node) {
        each_node(child, change);
    }
    change(node);
}

/// The schema nodes directly inside a node.
pub fn children(node: &mut Value) -> Vec<&mut Value> {
    let Some(map) = node.as_object_mut() else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in map.iter_mut() {
        let (is_map, is_node) = (MAPS.contains(&key.as_str()), NODES.contains(&key.as_str()));
        if is_map && value.is_object() {
            found.extend(value.as_object_mut().into_iter().flat_map(|nodes| nodes.values_mut()));
        } else if is_node && value.is_array() {
            found.extend(value.as_array_mut().into_iter().flatten());
        } else if is_node {
            found.push(value);
        }
    }
    found
}
