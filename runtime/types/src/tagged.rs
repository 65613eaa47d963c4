//! What generated unions, constants and tables have in common.

use serde::Serialize;
use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

/// A union of messages whose tags decide which variant a message is.
pub trait Tagged: Sized + Serialize + DeserializeOwned {
    /// The properties that are the tags.
    const BY: &'static [&'static str];

    /// The tag values of every variant, in the order of [`Tagged::BY`]; `None`
    /// where a tag does not matter, and no values where a message has none of
    /// the tags. Rows are tried from the first on.
    const ROWS: &'static [(&'static str, &'static [Option<&'static str>])];

    /// The variant's name.
    fn variant(&self) -> &'static str;
}

/// A type that is one fixed string.
pub trait Tag {
    /// The string.
    const TEXT: &'static str;
}

/// A table from a key (a request's method or route) to the type of what
/// answers it.
pub trait Table: Sized {
    /// The keys, sorted.
    const KEYS: &'static [&'static str];

    /// Reads the answer to the request that `key` names.
    ///
    /// # Errors
    ///
    /// When the table does not have the key, or the value is not of its type.
    fn read(key: &str, answer: Value) -> Result<Self, serde_json::Error>;

    /// The answer as JSON.
    ///
    /// # Errors
    ///
    /// When a map inside has keys that are not strings, which generated types
    /// do not have.
    fn write(&self) -> Result<Value, serde_json::Error>;
}

/// The variant that a message's tags name. A null is an absent tag.
pub fn variant_of<T: Tagged>(message: &Value) -> Option<&'static str> {
    let tags: Vec<Option<&str>> = T::BY.iter().map(|tag| message.get(tag).and_then(Value::as_str)).collect();
    let none = message.is_object() && T::BY.iter().all(|tag| message.get(tag).is_none_or(Value::is_null));
    let is = |row: &[Option<&str>]| match row.is_empty() {
        true => none,
        false => tags.iter().zip(row).all(|(tag, wanted)| wanted.is_none() || tag == wanted),
    };
    T::ROWS.iter().find(|(_, row)| is(row)).map(|(variant, _)| *variant)
}

/// Reads the inside of a variant.
///
/// # Errors
///
/// When the message does not have the variant's shape; the message names the
/// variant, since an error inside a tree has no line to point to.
pub fn inner<T: DeserializeOwned, E: Error>(message: Value, variant: &str) -> Result<T, E> {
    serde_json::from_value(message).map_err(|error| E::custom(format_args!("{variant}: {error}")))
}

/// The error for tags that no variant has: it names the union, its tags and
/// their values.
pub fn unknown_tags<E: Error>(union: &str, by: &[&str], message: &Value) -> E {
    let tags: Vec<String> = by
        .iter()
        .map(|tag| match message.get(tag) {
            Some(value) => format!("{tag}: {value}"),
            None => format!("no {tag}"),
        })
        .collect();
    E::custom(format_args!("{union}: no variant has these tags: {}", tags.join(", ")))
}

/// Checks a fixed string.
///
/// # Errors
///
/// When the text is another one.
pub fn expect_text<E: Error>(found: &str, wanted: &str) -> Result<(), E> {
    if found == wanted {
        return Ok(());
    }
    Err(E::custom(format_args!("expected the fixed string `{wanted}`, found `{found}`")))
}

/// The error for a key that a table does not have.
pub fn unknown_key(table: &str, key: &str) -> serde_json::Error {
    serde_json::Error::custom(format_args!("{table}: has no entry for `{key}`"))
}

/// The error for a string that an enum does not list.
pub fn unknown_value<E: Error>(choice: &str, found: &str) -> E {
    E::custom(format_args!("{choice}: has no value `{found}`"))
}
