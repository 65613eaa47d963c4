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
        let mut objects =
            members.iter().map(|member| resolved(member, known)).collect::<Result<Vec<_>, _>>()?;
        objects.push(Value::Object(map.clone()));
        let (mut unions, plain): (Vec<Value>, Vec<Value>) = objects.into_iter().partition(has_union);
        *node = match (unions.pop(), unions.first()) {
            (None, _) => joined_objects(&plain),
            // Each member of the union gets what stands beside it.
            (Some(mut union), None) => {
                let own = Value::Object(only_fields(&union));
                let beside: Vec<Value> = plain.into_iter().chain([own]).collect();
                let beside = joined_objects(&beside);
                if let (Some(union), Value::Object(beside)) = (union.as_object_mut(), beside) {
                    union.extend(beside);
                }
                push_into_members(&mut union, known)?;
                union
            }
            (Some(odd), Some(_)) => {
                return Err(SchemaError::new(
                    odd.to_string(),
                    "`allOf` with two unions inside is not supported",
                ));
            }
        };
        return Ok(());
    }
    if has_union(node) && node.get("properties").is_some() {
        push_into_members(node, known)?;
    }
    Ok(())
}

fn has_union(node: &Value) -> bool {
    node.get("anyOf").is_some() || node.get("oneOf").is_some()
}

/// What a member of `allOf` or of a union stands for: the target of a reference, with its own `allOf` joined.
fn resolved(node: &Value, known: &Map<String, Value>) -> Result<Value, SchemaError> {
    if let Some(target) = reference(node).and_then(|name| known.get(name)) {
        return resolved(target, known);
    }
    let mut node = node.clone();
    if node.get("allOf").is_some() {
        join(&mut node, known)?;
        return resolved(&node, known);
    }
    Ok(node)
}

/// The members of an object's schema that say which fields it has.
fn only_fields(node: &Value) -> Map<String, Value> {
    let mut fields = node.as_object().cloned().unwrap_or_default();
    fields.retain(|key, _| ["properties", "required"].contains(&key.as_str()));
    fields
}

fn push_into_members(node: &mut Value, known: &Map<String, Value>) -> Result<(), SchemaError> {
    let base = Value::Object(only_fields(node));
    let keys: Vec<String> = node.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    for key in keys {
        match key.as_str() {
            "anyOf" | "oneOf" => {
                let mut union = json!({ key.as_str(): node[&key].take() });
                for member in children(&mut union) {
                    let mut inner = resolved(member, known)?;
                    if has_union(&inner) {
                        let own = Value::Object(only_fields(&inner));
                        if let (Some(inner), Value::Object(both)) =
                            (inner.as_object_mut(), joined_objects(&[own, base.clone()]))
                        {
                            inner.extend(both);
                        }
                        push_into_members(&mut inner, known)?;
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
    Ok(())
}
