//! Patterns: JSON that describes a part of an event.

use serde_json::Value;

/// Whether a value matches a pattern. Of an object, every member that the pattern gives must match; an
/// array must have the same length; anything else must be equal. An object with one `$` key stands for
/// something else: `{"$any": true}` is anything but null, `{"$absent": true}` is nothing or null,
/// `{"$starts": "…"}` is a text that starts so, and `{"$has": PATTERN}` is an array with such an element.
pub fn matches(pattern: &Value, value: Option<&Value>) -> bool {
    let value = value.filter(|value| !value.is_null());
    if let Some((operator, argument)) = operator(pattern) {
        return match operator {
            "$absent" => value.is_none(),
            "$any" => value.is_some(),
            "$starts" => match (value, argument) {
                (Some(Value::String(text)), Value::String(start)) => text.starts_with(start.as_str()),
                _ => false,
            },
            "$has" => value
                .and_then(Value::as_array)
                .is_some_and(|elements| elements.iter().any(|element| matches(argument, Some(element)))),
            _ => false,
        };
    }
    match (pattern, value) {
        (Value::Null, None) => true,
        (_, None) => false,
        (Value::Object(members), Some(Value::Object(given))) => {
            members.iter().all(|(key, inner)| matches(inner, given.get(key)))
        }
        (Value::Array(patterns), Some(Value::Array(elements))) => {
            patterns.len() == elements.len()
                && patterns.iter().zip(elements).all(|(inner, element)| matches(inner, Some(element)))
        }
        (Value::Number(wanted), Some(Value::Number(given))) => wanted.as_f64() == given.as_f64(),
        (wanted, Some(given)) => wanted == given,
    }
}

fn operator(pattern: &Value) -> Option<(&str, &Value)> {
    let members = pattern.as_object().filter(|members| members.len() == 1)?;
    members.iter().next().filter(|(key, _)| key.starts_with('$')).map(|(key, value)| (key.as_str(), value))
}

/// What is wrong with a pattern itself, so that a misspelt operator is not a pattern that never matches.
pub fn mistake(pattern: &Value) -> Option<String> {
    if let Value::Array(elements) = pattern {
        return elements.iter().find_map(mistake);
    }
    let members = pattern.as_object()?;
    match operator(pattern) {
        Some(("$absent" | "$any", Value::Bool(true))) => None,
        Some(("$starts", Value::String(_))) => None,
        Some(("$has", inner)) => mistake(inner),
        Some((name, _)) => Some(format!(
            "{name} is not one of {{\"$any\":true}}, {{\"$absent\":true}}, {{\"$starts\":\"…\"}}, {{\"$has\":PATTERN}}"
        )),
        None => match members.keys().find(|key| key.starts_with('$')) {
            Some(name) => Some(format!("{name} must be the only key of its object")),
            None => members.values().find_map(mistake),
        },
    }
}
