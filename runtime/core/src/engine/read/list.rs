//! Lists of a message.

use std::borrow::Cow;

use super::eval::Val;
use crate::json::{Index, KeySet, Value};
use crate::vocabulary::{Json, Location};

/// What is made of each item of a JSON list; a value that is no list is its only item.
pub(crate) fn each_of<T>(list: Val<'_>, mut make: impl FnMut(Value<'_>) -> Option<T>) -> Vec<T> {
    let mut each = |list: Value<'_>| match list.is_array() {
        true => list.items().filter_map(&mut make).collect(),
        false => make(list).into_iter().collect(),
    };
    if let Val::Node(list) = list {
        return each(list);
    }
    let keys = KeySet::new([""; 0]);
    Index::new().parse_str(&list.json(), &keys).map_or_else(|_| Vec::new(), |list| each(list.root()))
}

/// A place in a file: its path, or an object with path and line.
pub(crate) fn location(value: Value<'_>) -> Option<Location> {
    if let Some(path) = value.as_str() {
        return Some(Location::new(path));
    }
    let mut location = Location::new(value.get_str("path")?.as_str()?);
    location.line = value.get_str("line").and_then(Value::as_u64);
    Some(location)
}

/// The names in a list: its texts, and other values as JSON.
pub(crate) fn names(list: Val<'_>) -> Vec<String> {
    each_of(list, |value| Some(name(value).into_owned()))
}

fn name(value: Value<'_>) -> Cow<'_, str> {
    value.scalar_text().unwrap_or(Cow::Borrowed(value.raw()))
}

/// The names in a list, unless they are the known ones.
pub(crate) fn new_names(list: Val<'_>, known: Option<&[String]>) -> Option<Vec<String>> {
    if let (Val::Node(list), Some(known)) = (&list, known)
        && list.is_array()
        && list.items().map(name).eq(known.iter().map(String::as_str))
    {
        return None;
    }
    Some(names(list))
}

/// A JSON value, which what is known to be valid JSON always gives.
pub(crate) fn json_or_null(text: Option<&str>) -> Json {
    text.map_or_else(Json::null, Json::checked)
}
