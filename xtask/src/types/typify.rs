//! Calling typify, which panics on some input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use interlingua_codegen::schema::normalise::{CONSTANT, MERGED, TAGGED, prune};
use schemars08::schema::Schema;
use serde_json::{Map, Value, json};
use typify_impl::{TypeSpace, TypeSpaceImpl, TypeSpaceSettings};

use super::names::{ORIGINAL, rust_name};

/// The structs, enums and plain unions of a normalised document.
///
/// # Errors
///
/// When typify refuses or panics; the error names the definition where it can
/// be found.
pub fn structs(document: &Value, tables: &[String]) -> Result<syn::File, String> {
    let mut definitions = document["definitions"].as_object().cloned().unwrap_or_default();
    for table in tables {
        definitions.remove(&rust_name(table));
    }
    guarded(&definitions).map_err(|fault| match culprit(&definitions) {
        Some(name) => format!("definition `{name}`: typify fails: {fault}"),
        None => format!("typify fails: {fault}"),
    })
}

thread_local! {
    /// True while this thread expects a panic of typify.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Makes an expected panic an error and nothing else: it must not look like a
/// crash on the terminal. All other panics are reported as ever.
fn silence_expected_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                report(panic);
            }
        }));
    });
}

fn guarded(definitions: &Map<String, Value>) -> Result<syn::File, String> {
    silence_expected_panics();
    EXPECTED.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| convert(definitions)));
    EXPECTED.set(false);
    result.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panics").to_owned())
    })
}

fn convert(definitions: &Map<String, Value>) -> Result<syn::File, String> {
    let mut settings = TypeSpaceSettings::default();
    settings.with_struct_builder(false);
    settings.with_derive("PartialEq".into());
    settings.with_map_type("::std::collections::BTreeMap".to_string());
    let mut schemas: Vec<(String, Schema)> = Vec::new();
    for (name, node) in definitions {
        let mut node = node.clone();
        // Its kind is kept, by which typify tells it from what stands beside it in a union.
        let kind = match (node.get(TAGGED), node.get(CONSTANT)) {
            (Some(_), _) => Some("object"),
            (None, Some(_)) => Some("string"),
            (None, None) => None,
        };
        if let Some(kind) = kind {
            settings.with_replacement(name, name, std::iter::empty::<TypeSpaceImpl>());
            node = json!({ "type": kind });
        }
        if let Some(map) = node.as_object_mut() {
            map.remove(ORIGINAL);
            map.remove(MERGED);
        }
        schemas
            .push((name.clone(), serde_json::from_value(node).map_err(|error| format!("{name}: {error}"))?));
    }
    let mut space = TypeSpace::new(&settings);
    space.add_ref_types(schemas).map_err(|error| error.to_string())?;
    syn::parse2(space.to_stream()).map_err(|error| error.to_string())
}

/// The definition that fails with nothing but what it reaches: the one that
/// reaches the least of those that fail.
fn culprit(definitions: &Map<String, Value>) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    for name in definitions.keys() {
        let mut alone = json!({ "definitions": definitions });
        prune(&mut alone, std::slice::from_ref(name)).ok()?;
        let reached = alone["definitions"].as_object().cloned().unwrap_or_default();
        let smaller = best.as_ref().is_none_or(|(size, _)| reached.len() < *size);
        if smaller && guarded(&reached).is_err() {
            best = Some((reached.len(), name.clone()));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_typify_cannot_do_is_named() {
        let document = json!({"definitions": {
            "Good": {"type": "object", "properties": {"bad": {"$ref": "#/definitions/Bad"}}},
            "Fine": {"type": "string", "enum": ["a", "b"]},
            "Bad": {"not": {"type": "string"}}}});
        let error = structs(&document, &[]).err().expect("it fails");
        assert!(error.starts_with("definition `Bad`: typify fails: "), "{error}");
    }
}
