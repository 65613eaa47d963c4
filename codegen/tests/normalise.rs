//! Each normalising step, from `<step>.in.json` to `<step>.out.json`.
//!
//! `UPDATE=1 cargo test -p interlingua-codegen --test normalise` writes the
//! outputs anew; read the difference before committing it.

use std::fs;
use std::path::PathBuf;

use interlingua_codegen::schema::SchemaError;
use interlingua_codegen::schema::normalise::{self as steps, Selection};
use serde_json::{Value, json};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/normalise").join(name)
}

fn check(step: &str, run: impl Fn(&mut Value) -> Result<(), SchemaError>) {
    let input = fs::read_to_string(file(&format!("{step}.in.json"))).expect("the input exists");
    let mut document: Value = serde_json::from_str(&input).expect("the input is JSON");
    run(&mut document).expect("the step succeeds");
    let output = serde_json::to_string_pretty(&document).expect("JSON can be written") + "\n";
    let path = file(&format!("{step}.out.json"));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &output).expect("the output can be written");
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(output == wanted, "{step} gives another output than {}:\n{output}", path.display());
}

fn unfailing(step: fn(&mut Value)) -> impl Fn(&mut Value) -> Result<(), SchemaError> {
    move |document| {
        step(document);
        Ok(())
    }
}

#[test]
fn flatten_definitions() {
    check("flatten_definitions", steps::flatten_definitions);
}

#[test]
fn flattening_two_different_definitions_fails() {
    let mut clash = json!({"definitions": {"A": {"type": "string"}, "v2": {"A": {"type": "integer"}}}});
    let error = steps::flatten_definitions(&mut clash).unwrap_err();
    assert_eq!(error.to_string(), "A: two different definitions have this name once flattened");
    let mut equal = json!({"definitions": {"A": {"type": "string"}, "v2": {"A": {"type": "string"}}}});
    assert!(steps::flatten_definitions(&mut equal).is_ok());
}

#[test]
fn drop_keywords() {
    check("drop_keywords", unfailing(steps::drop_keywords));
}

#[test]
fn join_all_of() {
    check("join_all_of", steps::join_all_of);
}

#[test]
fn resolve_unions() {
    check("resolve_unions", steps::resolve_unions);
}

/// Where alternatives share a tag's values or can do without it, each value
/// has a part of them. No tag: one that is open somewhere, that all can do
/// without, or a state that one alternative has and the others lack.
#[test]
fn resolve_unions_with_shared_tags() {
    check("resolve_unions_with_shared_tags", steps::resolve_unions);
}

#[test]
fn move_null_to_uses() {
    check("move_null_to_uses", unfailing(steps::move_null_to_uses));
}

#[test]
fn inline_aliases() {
    check("inline_aliases", unfailing(steps::inline_aliases));
}

#[test]
fn name_constants() {
    check("name_constants", unfailing(steps::name_constants));
}

#[test]
fn require_only_tags() {
    check("require_only_tags", unfailing(steps::require_only_tags));
}

#[test]
fn prune() {
    check("prune", |document| steps::prune(document, &["Root".to_owned()]));
}

#[test]
fn a_root_that_does_not_exist_fails() {
    let mut document = json!({"definitions": {"A": {}}});
    let error = steps::prune(&mut document, &["B".to_owned()]).unwrap_err();
    assert_eq!(error.to_string(), "B: is selected, but the schema does not define it");
}

#[test]
fn keep_variants() {
    let only = [
        ("Call".to_owned(), vec!["thread/*".to_owned(), "turn/start".to_owned()]),
        ("Results".to_owned(), vec!["thread/*".to_owned()]),
    ];
    check("keep_variants", |document| steps::keep_variants(document, &only));
}

#[test]
fn a_pattern_that_matches_nothing_fails() {
    let mut document =
        json!({"definitions": {"Call": {"oneOf": [{"properties": {"method": {"enum": ["a/b"]}}}]}}});
    let only = [("Call".to_owned(), vec!["a/*".to_owned(), "c".to_owned()])];
    let error = steps::keep_variants(&mut document, &only).unwrap_err();
    assert_eq!(error.to_string(), "Call: nothing in it matches `c`");
}

/// After all steps, a second run finds nothing to do but what the first could
/// not see: the document that comes out is in the form that the steps promise.
#[test]
fn all_steps_leave_no_union_to_guess() {
    let input = fs::read_to_string(file("resolve_unions.in.json")).expect("the input exists");
    let document: Value = serde_json::from_str(&input).expect("the input is JSON");
    let selection = Selection {
        roots: vec!["Line".into(), "Plain".into(), "Ring".into(), "Overlap".into()],
        ..Selection::default()
    };
    let normal = steps::normalise(&document, &selection).expect("normalises");
    let mut unions = Vec::new();
    collect_unions(&normal, &mut unions);
    assert!(!unions.is_empty());
    for union in unions {
        let kinds: Vec<String> = union.iter().map(|member| kind(member, &normal)).collect();
        let mut distinct = kinds.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(kinds.len(), distinct.len(), "two members of one kind: {union:?}");
    }
}

fn collect_unions<'a>(node: &'a Value, into: &mut Vec<&'a Vec<Value>>) {
    match node {
        Value::Object(map) => {
            into.extend(map.get("anyOf").and_then(Value::as_array));
            assert!(!map.contains_key("oneOf") && !map.contains_key("allOf"), "{node}");
            map.values().for_each(|value| collect_unions(value, into));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_unions(value, into)),
        _ => {}
    }
}

fn kind(node: &Value, document: &Value) -> String {
    if let Some(name) = node["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return kind(&document["definitions"][name], document);
    }
    if node.get(steps::TAGGED).is_some() {
        return "object".to_owned();
    }
    if node.get(steps::CONSTANT).is_some() {
        return "string".to_owned();
    }
    node["type"].as_str().unwrap_or("any").to_owned()
}
