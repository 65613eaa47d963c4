//! Steps that prepare a schema for the generation of Rust types.
//!
//! A type generator fed with a schema as published decodes messages into the
//! wrong variant, silently: a union whose members say little is decided by the
//! order of its members. After these steps no such union is left. Each union
//! has at most one alternative per kind of JSON value, and a union of objects
//! either names the tags that decide ([`TAGGED`]) or has become one object
//! with the properties of all.
//!
//! Each step is a function from document to document, with a test that has its
//! input and output as files (`codegen/tests/normalise`).

mod all_of;
mod constants;
mod fold;
mod keywords;
mod nested;
mod nullable;
mod objects;
mod prune;
mod required;
mod tagged;
mod unions;

use serde_json::{Map, Value, json};

use super::SchemaError;

pub use all_of::join_all_of;
pub use constants::name_constants;
pub use keywords::drop_keywords;
pub use nested::flatten_definitions;
pub use nullable::move_null_to_uses;
pub use prune::{inline_aliases, keep_variants, prune};
pub use required::require_only_tags;
pub use unions::resolve_unions;

/// Key of a definition that is a tagged union of objects.
///
/// Its value is `{"by": [TAG, …], "rows": [{"tags": [VALUE, …], "member":
/// DEFINITION}, …]}`. A row's value is null where that tag does not matter;
/// a row without values is for objects that have none of the tags.
pub const TAGGED: &str = "x-tagged";

/// Key of a definition that is one fixed string.
pub const CONSTANT: &str = "x-constant";

/// Key of a definition that is one object with the properties of several,
/// which no tag tells apart.
pub const MERGED: &str = "x-merged";

/// What to keep of a schema.
#[derive(Debug, Default, Clone)]
pub struct Selection {
    /// The definitions that are wanted, with all that they reach.
    pub roots: Vec<String>,
    /// For some unions, or objects that are tables, the tags or keys to keep;
    /// a `*` at the end stands for anything.
    pub only: Vec<(String, Vec<String>)>,
}

/// Runs all steps on a schema document, additions already applied.
///
/// # Errors
///
/// When a step meets something that it cannot do right, and when the selection
/// names what does not exist.
pub fn normalise(document: &Value, selection: &Selection) -> Result<Value, SchemaError> {
    let mut document = document.clone();
    flatten_definitions(&mut document)?;
    keep_variants(&mut document, &selection.only)?;
    prune(&mut document, &selection.roots)?;
    drop_keywords(&mut document);
    join_all_of(&mut document)?;
    resolve_unions(&mut document)?;
    move_null_to_uses(&mut document);
    inline_aliases(&mut document);
    name_constants(&mut document);
    require_only_tags(&mut document);
    prune(&mut document, &selection.roots)?;
    Ok(document)
}

/// The definitions of a flattened document.
fn definitions(document: &Value) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    document.get("definitions").and_then(Value::as_object).unwrap_or(&EMPTY)
}

/// The definitions, to be changed.
fn definitions_mut(document: &mut Value) -> &mut Map<String, Value> {
    if document.get("definitions").and_then(Value::as_object).is_none() {
        document["definitions"] = json!({});
    }
    document["definitions"].as_object_mut().expect("set to an object above")
}

/// The definition that a `$ref` names, in a flattened document.
fn reference(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()?.strip_prefix("#/definitions/")
}

fn reference_to(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// A word in the shape of a Rust type name: `thread/started` is
/// `ThreadStarted`.
pub fn pascal_case(text: &str) -> String {
    let mut name = String::new();
    let mut upper = true;
    for letter in text.chars() {
        if !letter.is_ascii_alphanumeric() {
            upper = true;
        } else if upper {
            name.push(letter.to_ascii_uppercase());
            upper = false;
        } else {
            name.push(letter);
        }
    }
    if name.is_empty() {
        name.push_str("Empty");
    }
    name
}
