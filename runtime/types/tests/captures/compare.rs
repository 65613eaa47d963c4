//! Does an encoded message still hold all that the schema knows of it?

use interlingua_codegen::schema::{Kinds, Type};
use serde_json::Value;

/// What of `before` the schema knows and `after` has lost, as places in the
/// message.
pub fn losses(before: &Value, after: &Value, ty: &Type<'_>) -> Vec<String> {
    let mut found = Vec::new();
    compare(before, after, ty, "", &mut found);
    found
}

fn compare(before: &Value, after: &Value, ty: &Type<'_>, place: &str, found: &mut Vec<String>) {
    if ty.kinds().is_any() {
        if !equal(before, after) {
            found.push(format!("{place}: is {after}, was {before}"));
        }
        return;
    }
    let ty = fitting(ty, before);
    match (before, after) {
        (Value::Object(fields), Value::Object(kept)) => {
            for (name, value) in fields {
                let known = ty
                    .iter()
                    .find_map(|one| if one.declares(name) { one.property(name) } else { one.entry() });
                let Some(known) = known.filter(|_| !value.is_null()) else { continue };
                let place = format!("{place}.{name}");
                match kept.get(name) {
                    Some(after) => compare(value, after, &known, &place, found),
                    None => found.push(format!("{place}: lost {value}")),
                }
            }
        }
        (Value::Array(elements), Value::Array(kept)) if elements.len() == kept.len() => {
            let element = ty.iter().find_map(Type::element);
            for (index, (before, after)) in elements.iter().zip(kept).enumerate() {
                if let Some(element) = &element {
                    compare(before, after, element, &format!("{place}[{index}]"), found);
                }
            }
        }
        _ if equal(before, after) => {}
        _ => found.push(format!("{place}: is {after}, was {before}")),
    }
}

/// The alternatives that the value can be: of its kind, with its tags. A
/// property that an alternative fixes to some strings is a tag.
fn fitting<'s>(ty: &Type<'s>, value: &Value) -> Vec<Type<'s>> {
    let kind = match value {
        Value::Null => Kinds::NULL,
        Value::Bool(_) => Kinds::BOOLEAN,
        Value::Number(_) => Kinds::INTEGER | Kinds::NUMBER,
        Value::String(_) => Kinds::STRING,
        Value::Array(_) => Kinds::ARRAY,
        Value::Object(_) => Kinds::OBJECT,
    };
    let of_kind = ty.alternatives().into_iter().filter(|one| one.kinds().intersects(kind));
    of_kind.filter(|one| has_tags_of(one, value)).collect()
}

fn has_tags_of(ty: &Type<'_>, value: &Value) -> bool {
    let Some(fields) = value.as_object() else { return true };
    let fits = |name: &str| {
        let Some(text) = fields.get(name).and_then(Value::as_str) else { return true };
        if !ty.declares(name) {
            return true;
        }
        let listed = ty.property(name).and_then(|property| property.enum_values());
        listed.is_none_or(|listed| listed.iter().any(|one| one == text))
    };
    // The usual tags decide most, so they come first.
    ["type", "method", "subtype"].into_iter().all(fits) && fields.keys().all(|name| fits(name))
}

/// Equal, where numbers count by value, and null like absence.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let within = |a: &serde_json::Map<String, Value>, b: &serde_json::Map<String, Value>| {
                a.iter().all(|(key, value)| equal(value, b.get(key).unwrap_or(&Value::Null)))
            };
            within(a, b) && within(b, a)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::losses;
    use interlingua_codegen::schema::load;
    use serde_json::json;

    #[test]
    fn a_lost_field_is_found_and_an_unknown_one_is_not() {
        let schema = load(
            r##"{"definitions": {"U": {"anyOf": [
                {"type": "object", "properties": {"t": {"const": "a"}, "x": {"type": "number"}, "free": {}}},
                {"type": "object", "properties": {"t": {"const": "b"}, "y": {"type": "array", "items": {"type": "string"}}}}]}}}"##,
            "",
        )
        .unwrap();
        let ty = schema.definition("U").unwrap();
        let lost = |before, after| losses(&before, &after, &ty);
        assert!(lost(json!({"t": "a", "x": 1, "new": 1}), json!({"t": "a", "x": 1.0})).is_empty());
        assert!(lost(json!({"t": "a", "x": null}), json!({"t": "a"})).is_empty());
        assert!(lost(json!({"t": "a", "y": ["no field of this variant"]}), json!({"t": "a"})).is_empty());
        assert_eq!(lost(json!({"t": "a", "x": 1}), json!({"t": "a"})), [".x: lost 1"]);
        assert_eq!(lost(json!({"t": "b", "y": []}), json!({"t": "b"})), [".y: lost []"]);
        assert_eq!(
            lost(json!({"t": "b", "y": ["1"]}), json!({"t": "b", "y": ["2"]})),
            [".y[0]: is \"2\", was \"1\""]
        );
        assert_eq!(lost(json!({"t": "a", "free": {"k": 1}}), json!({"t": "a", "free": {}})).len(), 1);
    }
}
