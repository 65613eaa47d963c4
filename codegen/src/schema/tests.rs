//! Tests of the schema model on small schemas.

use super::*;

fn schema(definitions: &str) -> Schema {
    load(&format!(r#"{{"definitions": {definitions}}}"#), "").expect("a good schema")
}

fn tags(variants: &[Variant<'_>]) -> Vec<String> {
    variants.iter().map(|v| v.tags.iter().map(Tag::to_string).collect::<Vec<_>>().join("/")).collect()
}

#[test]
fn nested_unions_are_flattened_and_keep_their_order() {
    let schema = schema(
        r##"{
        "All": {"anyOf": [{"$ref": "#/definitions/Some"}, {"$ref": "#/definitions/C"}, {"type": "null"}]},
        "Some": {"oneOf": [{"$ref": "#/definitions/B"}, {"$ref": "#/definitions/A"}]},
        "A": {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}},
        "B": {"type": "object", "properties": {"kind": {"enum": ["b"]}, "x": {"type": "integer"}}},
        "C": {"type": "object", "properties": {"kind": {"enum": ["c", "d"]}, "y": {"type": "boolean"}}}}"##,
    );
    let all = schema.definition("All").unwrap();
    let variants = all.variants("kind");
    assert_eq!(tags(&variants), ["b", "a", "c", "d"]);
    assert_eq!(variants[1].ty.definition_names(), ["A"]);
    assert_eq!(all.kinds(), Kinds::OBJECT | Kinds::NULL);
    assert_eq!(all.property("x").unwrap().kinds(), Kinds::STRING | Kinds::INTEGER);
    assert_eq!(all.property_names(), ["kind", "x", "y"]);
    assert!(all.property("z").is_none());
}

#[test]
fn several_tags_give_rows_and_absent_tags_are_told() {
    let schema = schema(
        r##"{
        "Line": {"anyOf": [
            {"type": "object", "properties": {"type": {"const": "system"}, "subtype": {"const": "init"}}},
            {"type": "object", "properties": {"type": {"const": "result"}, "subtype": {"enum": ["ok", "bad"]}}},
            {"type": "object", "properties": {"type": {"const": "user"}}},
            {"type": "object", "properties": {"type": {"const": "user"}, "replay": {"const": true}}},
            {"type": "object", "properties": {"type": {"type": "string"}}}]}}"##,
    );
    let line = schema.definition("Line").unwrap();
    let variants = line.variants_by(&["type", "subtype"]);
    assert_eq!(
        tags(&variants),
        ["system/init", "result/ok", "result/bad", "user/(absent)", "(any)/(absent)"]
    );
    assert!(variants[3].ty.declares("replay"), "both user lines are one variant");
}

#[test]
fn tags_may_lie_deeper() {
    let schema = schema(
        r##"{"Line": {"anyOf": [
            {"type": "object", "properties": {"request": {"properties": {"subtype": {"const": "ask"}}}}},
            {"type": "object", "properties": {"request": {"properties": {"subtype": {"const": "stop"}}}}}]}}"##,
    );
    assert_eq!(tags(&schema.definition("Line").unwrap().variants("request.subtype")), ["ask", "stop"]);
}

#[test]
fn paths_go_through_arrays_maps_and_alternatives() {
    let schema = schema(
        r##"{
        "Message": {"type": "object", "required": ["content"], "properties": {
            "content": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/definitions/Block"}}]},
            "usage": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/definitions/Usage"}}}},
        "Block": {"anyOf": [
            {"type": "object", "properties": {"text": {"type": "string"}}},
            {"type": "object", "properties": {"input": {}}}]},
        "Usage": {"type": "object", "properties": {"tokens": {"type": "number"}}}}"##,
    );
    let message = schema.definition("Message").unwrap();
    assert_eq!(message.at("content").unwrap().kinds(), Kinds::STRING | Kinds::ARRAY);
    assert_eq!(message.at("content[*].text").unwrap().kinds(), Kinds::STRING);
    assert!(message.at("content[*].input.anything.at.all").unwrap().kinds().is_any());
    assert_eq!(message.at("usage{*}.tokens").unwrap().kinds().to_string(), "number");
    assert!(message.at("content[*].txet").is_none());
    assert!(message.requires("content") && !message.requires("usage"));
    assert_eq!(message.at("content").unwrap().only(Kinds::ARRAY).unwrap().kinds(), Kinds::ARRAY);
}

#[test]
fn enums_are_closed_unless_some_alternative_is_open() {
    let schema = schema(
        r##"{
        "Closed": {"anyOf": [{"$ref": "#/definitions/Half"}, {"const": "z"}, {"type": "null"}]},
        "Half": {"type": ["string", "null"], "enum": ["a", "b", null]},
        "Open": {"anyOf": [{"$ref": "#/definitions/Half"}, {"type": "string"}]},
        "Number": {"type": "integer"}}"##,
    );
    let values = |name: &str| schema.definition(name).unwrap().enum_values();
    assert_eq!(values("Closed").unwrap(), ["a", "b", "z"]);
    assert_eq!(values("Open"), None);
    assert_eq!(values("Number"), None);
    assert_eq!(schema.definition("Open").unwrap().known_values(), ["a", "b"]);
    assert!(schema.definition("Half").unwrap().kinds().contains(Kinds::NULL));
}

#[test]
fn all_of_holds_at_once() {
    let schema = schema(
        r##"{
        "Base": {"type": "object", "properties": {"id": {"type": "string"}, "kind": {"type": "string"}}},
        "Line": {"allOf": [{"$ref": "#/definitions/Base"}, {"oneOf": [
            {"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]}]},
        "Beside": {"type": "object", "properties": {"at": {"type": "integer"}}, "oneOf": [
            {"properties": {"kind": {"const": "a"}}}, {"properties": {"kind": {"const": "b"}}}]}}"##,
    );
    let line = schema.definition("Line").unwrap();
    assert_eq!(tags(&line.variants("kind")), ["a", "b"]);
    assert_eq!(line.property("id").unwrap().kinds(), Kinds::STRING);
    let beside = schema.definition("Beside").unwrap();
    assert_eq!(tags(&beside.variants("kind")), ["a", "b"]);
    assert!(beside.variants("kind").iter().all(|variant| variant.ty.declares("at")));
}

#[test]
fn what_the_schema_leaves_open_is_anything() {
    let schema = schema(
        r##"{
        "Free": {"type": "object", "properties": {"a": true, "b": {"type": "object"}, "c": {"type": "array"}}},
        "Closed": {"type": "object", "additionalProperties": false}}"##,
    );
    let free = schema.definition("Free").unwrap();
    assert!(free.at("a").unwrap().kinds().is_any());
    assert!(free.at("b.key").unwrap().kinds().is_any() && !free.at("b").unwrap().declares("key"));
    assert!(free.at("c[*]").unwrap().kinds().is_any());
    assert!(free.at("c.key").is_none());
    assert!(schema.definition("Closed").unwrap().at("key").is_none());
}

#[test]
fn a_definition_may_contain_itself() {
    let schema = schema(
        r##"{"Json": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/definitions/Json"}},
            {"$ref": "#/definitions/Json"}]}}"##,
    );
    let json = schema.definition("Json").unwrap();
    assert_eq!(json.at("[*][*]").unwrap().kinds(), Kinds::STRING | Kinds::ARRAY);
}

#[test]
fn broken_schemas_are_told_where() {
    let fault = |text: &str| load(text, "").unwrap_err().to_string();
    assert_eq!(fault(""), "the schema: the file is empty");
    assert!(
        fault("{\"definitions\": ")
            .starts_with("the schema: not JSON: it ends at line 1 column 17, where a value")
    );
    assert!(fault("{}").contains("no `definitions`"));
    assert_eq!(fault(r#"{"definitions": {}}"#), "the schema: `definitions` is empty");
    assert_eq!(
        fault(r##"{"definitions": {"A": {"items": {"$ref": "#/definitions/Nope"}}}}"##),
        "#/definitions/A/items: `$ref` to `#/definitions/Nope`, which does not exist"
    );
}

const BASE: &str = r##"{"definitions": {
    "A": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
    "U": {"anyOf": [{"$ref": "#/definitions/A"}]}}}"##;

#[test]
fn additions_define_add_and_replace() {
    let additions = r##"[
        {"why": "sent", "define": {"B": {"type": "object"}}},
        {"why": "sent", "at": "U", "add": {"anyOf": [{"$ref": "#/definitions/B"}]}},
        {"why": "sent", "at": "A", "add": {"properties": {"y": {"type": "integer"}}}},
        {"why": "null", "at": "A/properties/x", "was": {"type": "string"}, "replace": {"type": ["string", "null"]}}]"##;
    let schema = load(BASE, additions).unwrap();
    let union = schema.definition("U").unwrap();
    assert_eq!(union.definition_names(), ["A", "B"]);
    assert_eq!(union.at("x").unwrap().kinds().to_string(), "string or null");
    assert_eq!(union.at("y").unwrap().kinds(), Kinds::INTEGER);
}

#[test]
fn an_addition_that_no_longer_applies_fails() {
    let fault = |addition: &str| load(BASE, &format!("[{addition}]")).unwrap_err().to_string();
    let cases = [
        (r#"{"why": "w", "define": {"A": {}}}"#, "now defines `A` itself"),
        (r#"{"why": "w", "at": "A", "add": {"properties": {"x": {}}}}"#, "`A/properties/x` already is"),
        (r##"{"why": "w", "at": "U", "add": {"anyOf": [{"$ref": "#/definitions/A"}]}}"##, "already holds"),
        (r#"{"why": "w", "at": "A", "add": {"type": "object"}}"#, "`A/type` already is"),
        (r#"{"why": "w", "at": "Gone", "add": {"type": "object"}}"#, "`Gone` does not exist"),
        (r#"{"why": "w", "at": "A/required", "was": ["y"], "replace": []}"#, "is now [\"x\"]"),
        (r#"{"at": "A", "add": {}}"#, "needs its reason"),
        (r#"{"why": "w", "at": "A", "set": {}}"#, "unknown key `set`"),
        (r#"{"why": "w", "at": "A"}"#, "one of `define`, `add` or `replace`"),
    ];
    for (addition, expected) in cases {
        let message = fault(addition);
        assert!(message.contains(expected), "{addition}\n{message}");
        assert!(message.starts_with("addition 1 ("), "{message}");
    }
}
