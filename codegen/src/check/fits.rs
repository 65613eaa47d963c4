//! Whether a field takes a value, and how a fault says that it does not.

use interlingua_table::FieldKind;

use super::values::Value;
use crate::diagnostic::list;
use crate::schema::Kinds;

/// Whether a field of this kind takes the value; the error says why not.
pub(super) fn fits(value: &Value, kind: FieldKind, source: &str, what: &str) -> Result<(), String> {
    let kinds = value.kinds;
    let number = Kinds::NUMBER | Kinds::INTEGER;
    let scalar = Kinds::STRING | number | Kinds::BOOLEAN;
    let (allowed, wanted) = match kind {
        FieldKind::Json => return Ok(()),
        FieldKind::OneOf(choices) => return fits_choices(value, choices, source, what),
        FieldKind::Text => (scalar, "a text"),
        FieldKind::Key => (Kinds::STRING | number, "an id: a text or a number"),
        FieldKind::Integer => (number, "a whole number"),
        FieldKind::Number => (number, "a number"),
        FieldKind::Bool | FieldKind::Flag => (Kinds::BOOLEAN, "a boolean"),
        FieldKind::List => (scalar | Kinds::ARRAY, "a text or a list of texts"),
    };
    if kinds.is_any() || kinds.without(allowed | Kinds::NULL).is_empty() {
        return Ok(());
    }
    Err(format!("{source} is of type {kinds}, and {what} takes {wanted}"))
}

fn fits_choices(value: &Value, choices: &[&str], source: &str, what: &str) -> Result<(), String> {
    let allowed = list_all(choices);
    let Some(texts) = &value.texts else {
        return Err(format!(
            "{source} can be any text, and {what} takes one of {allowed}: give it to a value map, as in `map(value)`"
        ));
    };
    let wrong: Vec<&String> = texts.iter().filter(|text| !choices.contains(&text.as_str())).collect();
    match wrong[..] {
        [] => Ok(()),
        [only] if texts.len() == 1 => {
            Err(format!("{what} does not take `{only}`: it takes one of {allowed}"))
        }
        _ => Err(format!("{source} can be {}, and {what} takes one of {allowed}", list(&wrong))),
    }
}

fn list_all(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
