//! Step: a fixed string is a definition of its own.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::fold::each_node;
use super::{CONSTANT, definitions, definitions_mut, pascal_case, reference_to};

/// Gives each enum of one value a definition named after the value, shared by
/// all places that have it (`{"x-constant": "assistant"}`).
pub fn name_constants(document: &mut Value) {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let taken: Vec<String> = definitions(document).keys().map(|name| pascal_case(name)).collect();
    for node in definitions_mut(document).values_mut() {
        each_node(node, &mut |node| {
            let Some([Value::String(text)]) = node.get("enum").and_then(Value::as_array).map(Vec::as_slice)
            else {
                return;
            };
            let name = match names.get(text) {
                Some(name) => name.clone(),
                None => {
                    let wanted = format!("Tag{}", pascal_case(text));
                    let mut name = wanted.clone();
                    let mut number = 2;
                    while taken.contains(&name) || names.values().any(|known| *known == name) {
                        name = format!("{wanted}{number}");
                        number += 1;
                    }
                    names.insert(text.clone(), name.clone());
                    name
                }
            };
            *node = reference_to(&name);
        });
    }
    let all = definitions_mut(document);
    all.extend(names.into_iter().map(|(text, name)| (name, json!({ CONSTANT: text }))));
}
