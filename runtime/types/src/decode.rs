//! From the bytes of a message to a value, as real streams need it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::{Map, Number, Value};

/// Why a message could not be decoded.
#[derive(Debug)]
pub struct DecodeError(serde_json::Error);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Decodes one message.
///
/// Of a key that comes twice the first counts, and an escaped surrogate
/// without its other half becomes U+FFFD: real programs send both.
///
/// # Errors
///
/// When the bytes are not JSON, when a union has no variant with the message's
/// tags, and when a field is not of the schema's type.
pub fn decode<T: DeserializeOwned>(message: &[u8]) -> Result<T, DecodeError> {
    let value = read_json(message)?;
    T::deserialize(value).map_err(DecodeError)
}

/// Reads one JSON text as [`decode`] does, into a tree.
///
/// # Errors
///
/// When the bytes are not one JSON text.
pub fn read_json(message: &[u8]) -> Result<Value, DecodeError> {
    let mended = mend_surrogates(message);
    serde_json::from_slice::<FirstWins>(&mended).map(|tree| tree.0).map_err(DecodeError)
}

/// A JSON tree in which the first of two equal keys counts.
struct FirstWins(Value);

impl<'de> Deserialize<'de> for FirstWins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor).map(Self)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(FirstWins(element)) = elements.next_element()? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, FirstWins(value))) = entries.next_entry::<String, FirstWins>()? {
            map.entry(key).or_insert(value);
        }
        Ok(Value::Object(map))
    }
}

/// Replaces escaped surrogates that have no other half by `\ufffd`.
fn mend_surrogates(text: &[u8]) -> Cow<'_, [u8]> {
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' {
            at += 1;
            continue;
        }
        let length = match surrogate(text, at) {
            // A high half and its low half are one character.
            Some(half) if half < 0xDC00 && surrogate(text, at + 6).is_some_and(|low| low >= 0xDC00) => 12,
            Some(_) => {
                mended.get_or_insert_with(|| text.to_vec())[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            None => 2,
        };
        at += length;
    }
    mended.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The surrogate that is escaped at this place, if one is.
fn surrogate(text: &[u8], at: usize) -> Option<u16> {
    let escape = text.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..0xE000).contains(&code).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_equal_keys_counts() {
        let tree = read_json(br#"{"id":"item_0","x":{"a":1,"a":2},"id":"ws_1"}"#).unwrap();
        assert_eq!(tree, serde_json::json!({"id": "item_0", "x": {"a": 1}}));
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        let read = |text: &str| read_json(text.as_bytes()).unwrap();
        assert_eq!(read(r#""\ud83d\ude00""#), "😀");
        assert_eq!(read(r#""a\ud83d""#), "a\u{fffd}");
        assert_eq!(read(r#""\ude00b""#), "\u{fffd}b");
        assert_eq!(read(r#""\ud83d\ud83d\ude00""#), "\u{fffd}😀");
        assert_eq!(read(r#""\\ud83d""#), "\\ud83d");
    }

    #[test]
    fn what_is_not_json_is_an_error() {
        assert!(read_json(b"this is not json").is_err());
        assert!(read_json(b"{\"a\":1} x").is_err());
    }
}
