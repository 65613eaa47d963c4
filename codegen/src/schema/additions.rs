//! Declared additions: what a program sends and its published types lack.
//!
//! A schema as published is never edited. What it lacks stands beside it in a
//! file of additions, each with its reason. Each one fails when it no longer
//! applies, so that an update of the schema cannot leave dead repairs behind.

use super::SchemaError;
use super::json::{Map, Value};

/// Applies the additions to a schema document; [`load`](super::load) says what a file of them holds. An error names the
/// addition's position, its place and its reason.
pub(super) fn apply(document: &mut Value, additions: &Value) -> Result<(), SchemaError> {
    let Some(list) = additions.as_array() else {
        return Err(SchemaError::new("the additions", "the file must be a list"));
    };
    for (index, addition) in list.iter().enumerate() {
        apply_one(document, addition).map_err(|fault| {
            let why = addition.get("why").and_then(Value::as_str).unwrap_or("no reason given");
            SchemaError::new(format!("addition {} (\"{why}\")", index + 1), fault)
        })?;
    }
    Ok(())
}

fn apply_one(document: &mut Value, addition: &Value) -> Result<(), String> {
    let Some(fields) = addition.as_object() else {
        return Err("not an object".into());
    };
    if fields.get("why").and_then(Value::as_str).is_none_or(|why| why.trim().is_empty()) {
        return Err("`why` is missing: each addition needs its reason".into());
    }
    let known = ["why", "define", "at", "add", "was", "replace"];
    if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}`; allowed are {}", known.join(", ")));
    }
    match (fields.get("define"), fields.get("add"), fields.get("replace")) {
        (Some(Value::Object(definitions)), None, None) => define(document, definitions),
        (None, Some(add), None) => for_each_place(document, fields, |node, place| add_into(node, add, place)),
        (None, None, Some(new)) => {
            let old = fields.get("was").ok_or("`replace` needs `was`")?;
            for_each_place(document, fields, |node, place| replace(node, old, new, place))
        }
        _ => Err("one of `define`, `add` or `replace` is needed".into()),
    }
}

fn define(document: &mut Value, definitions: &Map) -> Result<(), String> {
    let key = definitions_key(document);
    let Some(existing) = document.get_mut(key).and_then(Value::as_object_mut) else {
        return Err("the schema has no definitions".into());
    };
    for (name, node) in definitions {
        if existing.insert(name.clone(), node.clone()).is_some() {
            return Err(format!("no longer applies: the schema now defines `{name}` itself"));
        }
    }
    Ok(())
}

fn definitions_key(document: &Value) -> &'static str {
    if document.get("definitions").is_some() { "definitions" } else { "$defs" }
}

fn for_each_place(
    document: &mut Value,
    fields: &Map,
    mut change: impl FnMut(&mut Value, &str) -> Result<(), String>,
) -> Result<(), String> {
    let places: Vec<&str> = match fields.get("at") {
        Some(Value::String(place)) => vec![place],
        Some(Value::Array(places)) => places.iter().filter_map(Value::as_str).collect(),
        _ => return Err("`at` is missing: the definition or place to change".into()),
    };
    for place in places {
        let pointer = match place {
            "" => String::new(),
            _ => format!("/{}/{place}", definitions_key(document)),
        };
        let node = document
            .pointer_mut(&pointer)
            .ok_or_else(|| format!("`{place}` does not exist in the schema"))?;
        change(node, place)?;
    }
    Ok(())
}

fn replace(node: &mut Value, old: &Value, new: &Value, place: &str) -> Result<(), String> {
    if node != old {
        return Err(format!("no longer applies: `{place}` is now {node}, not {old}"));
    }
    *node = new.clone();
    Ok(())
}

fn add_into(node: &mut Value, add: &Value, place: &str) -> Result<(), String> {
    let (Some(into), Some(from)) = (node.as_object_mut(), add.as_object()) else {
        return Err(format!("`add` and the node at `{place}` must both be objects"));
    };
    for (key, value) in from {
        let there = format!("{place}/{key}");
        match (into.get_mut(key), value) {
            (None, _) => {
                into.insert(key.clone(), value.clone());
            }
            (Some(Value::Object(properties)), Value::Object(more)) if key == "properties" => {
                for (name, property) in more {
                    if let Some(existing) = properties.insert(name.clone(), property.clone()) {
                        return Err(format!("no longer applies: `{there}/{name}` already is {existing}"));
                    }
                }
            }
            (Some(Value::Array(elements)), Value::Array(more)) => {
                for element in more {
                    if elements.contains(element) {
                        return Err(format!("no longer applies: `{there}` already holds {element}"));
                    }
                    elements.push(element.clone());
                }
            }
            (Some(existing), _) => {
                return Err(format!("no longer applies: `{there}` already is {existing}"));
            }
        }
    }
    Ok(())
}
