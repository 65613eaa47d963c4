//! Step: no `allOf`, and no properties beside a union.

use serde_json::{Map, Value, json};

use super::fold::{children, each_node};
use super::objects::joined_objects;
use super::{definitions, reference};
use crate::schema::SchemaError;

/// Puts the members of `allOf` into one object, and properties that stand
/// beside a union into each of its members.
///
/// # Errors
///
/// When an `allOf` joins what is not objects, or a union that says the same
/// property differently.
pub fn join_all_of(document: &mut Value) -> Result<(), SchemaError> {
    let known = definitions(document).clone();
    let mut fault = None;
    each_node(document, &mut |node| {
        if let Err(error) = join(node, &known) {
            fault.get_or_insert(error);
        }
    });
    fault.map_or(Ok(()), Err)
}

fn join(node: &mut Value, known: &Map<String, Value>) -> Result<(), SchemaError> {
    let Some(map) = node.as_object_mut() else { return Ok(()) };
    if let Some(Value::Array(members)) = map.remove("allOf") {
        let beside = map.contains_key("properties");
        if members.len() == 1 && !beside {
            *node = members.into_iter().next().unwrap_or_default();
            return Ok(());
        }
        let mut objects: Vec<Value> = members.iter().map(|member| resolved(member, known)).collect();
        objects.push(Value::Object(map.clone()));
        if let Some(odd) = objects.iter().find(|object| has_union(object)) {
            return Err(SchemaError::new(odd.to_string(), "`allOf` with a union inside is not supported"));
        }
        *node = joined_objects(&objects);
        return Ok(());
    }
    if has_union(node) && node.get("properties").is_some() {
        push_into_members(node, known);
    }
    Ok(())
}

fn has_union(node: &Value) -> bool {
    node.get("anyOf").is_some() || node.get("oneOf").is_some()
}

fn resolved(node: &Value, known: &Map<String, Value>) -> Value {
    match reference(node).and_then(|name| known.get(name)) {
        Some(target) => resolved(target, known),
        None => node.clone(),
    }
}

fn push_into_members(node: &mut Value, known: &Map<String, Value>) {
    let mut base = node.clone();
    if let Some(map) = base.as_object_mut() {
        map.retain(|key, _| ["properties", "required"].contains(&key.as_str()));
    }
    let keys: Vec<String> = node.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    for key in keys {
        match key.as_str() {
            "anyOf" | "oneOf" => {
                let mut union = json!({ key.as_str(): node[&key].take() });
                for member in children(&mut union) {
                    let inner = resolved(member, known);
                    if has_union(&inner) {
                        let mut inner = inner;
                        inner["properties"] = base["properties"].clone();
                        push_into_members(&mut inner, known);
                        *member = inner;
                    } else {
                        *member = joined_objects(&[inner, base.clone()]);
                    }
                }
                node[&key] = union[&key].take();
            }
            _ => {
                node.as_object_mut().map(|map| map.remove(&key));
            }
        }
    }
}
