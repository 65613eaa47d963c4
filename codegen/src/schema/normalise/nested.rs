//! Step: one flat map of definitions.

use serde_json::{Map, Value};

use super::fold::each_node;
use crate::schema::SchemaError;

/// Lifts definitions out of maps inside the map (`#/definitions/v2/Thread`
/// becomes `#/definitions/Thread`), and calls the map `definitions`.
///
/// # Errors
///
/// When two definitions of the same name differ: a merged name would be wrong
/// for one of them.
pub fn flatten_definitions(document: &mut Value) -> Result<(), SchemaError> {
    let mut flat = Map::new();
    for key in ["definitions", "$defs"] {
        if let Some(Value::Object(found)) = document.as_object_mut().and_then(|map| map.remove(key)) {
            lift(found, &mut flat)?;
        }
    }
    document["definitions"] = Value::Object(flat);
    each_node(document, &mut |node| {
        if let Some(Value::String(reference)) = node.get_mut("$ref")
            && let Some(name) = reference.rsplit('/').next()
            && reference.starts_with("#/")
        {
            *reference = format!("#/definitions/{}", name.replace("~1", "/").replace("~0", "~"));
        }
    });
    Ok(())
}

fn lift(found: Map<String, Value>, flat: &mut Map<String, Value>) -> Result<(), SchemaError> {
    for (name, node) in found {
        match node {
            Value::Object(inner) if is_namespace(&inner) => lift(inner, flat)?,
            node => match flat.get(&name) {
                Some(other) if *other != node => {
                    return Err(SchemaError::new(
                        name,
                        "two different definitions have this name once flattened",
                    ));
                }
                _ => {
                    flat.insert(name, node);
                }
            },
        }
    }
    Ok(())
}

/// A map of definitions rather than a definition: no keyword in it, and
/// nothing but schemas.
fn is_namespace(map: &Map<String, Value>) -> bool {
    const KEYWORDS: [&str; 13] = [
        "type",
        "properties",
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "items",
        "title",
        "description",
        "additionalProperties",
        "required",
    ];
    !map.is_empty()
        && map.values().all(Value::is_object)
        && !KEYWORDS.iter().any(|keyword| map.contains_key(*keyword))
}
