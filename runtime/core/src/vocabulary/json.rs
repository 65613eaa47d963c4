//! Native JSON, kept byte for byte.

use std::fmt;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value as text, byte for byte: keys, their order, repeated keys, odd numbers
/// and escapes all survive.
///
/// The one exception: line breaks between tokens become spaces, so that whatever holds
/// the value still fits on one line. Two values are equal when their texts are.
///
/// It reads from and writes to JSON only; other serde formats cannot carry it.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::Json;
/// let json = Json::parse(r#"{"b": 1.50, "a": 12345678901234567890123}"#.to_owned())?;
/// assert_eq!(json.get(), r#"{"b": 1.50, "a": 12345678901234567890123}"#);
/// assert_eq!(serde_json::to_string(&json)?, json.get());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct Json(Box<str>);

impl Json {
    /// Checks that `text` is one JSON value and keeps it. Space around it is left out.
    ///
    /// # Errors
    /// When `text` is not exactly one valid JSON value.
    pub fn parse(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self::from)
    }

    /// Keeps text that is known to be one JSON value, because it was cut out of one or put together from such: checking
    /// it again would cost as much as reading it did.
    pub(crate) fn checked(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        debug_assert!(serde_json::from_str::<&RawValue>(&text).is_ok(), "not JSON: {text}");
        Self::on_one_line(text)
    }

    /// Writes any value as JSON.
    ///
    /// # Errors
    /// When the value's own serialisation fails, or a map has keys that are not strings.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::from)
    }

    /// The value `null`.
    #[must_use]
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }

    /// The JSON text, as its own string.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0.into_string()
    }

    /// Reads the value as a type of the caller's choice, for example [`serde_json::Value`].
    ///
    /// # Errors
    /// When the JSON does not have the shape that `T` asks for.
    pub fn to<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Line breaks in valid JSON can only stand between tokens: inside strings they are
    /// always escaped. So they can be replaced without looking at the structure.
    fn on_one_line(text: Box<str>) -> Self {
        if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
            return Self(text);
        }
        Self(text.replace(['\n', '\r'], " ").into())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({})", self.get())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Json {}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        Self::on_one_line(raw.into())
    }
}

impl From<&RawValue> for Json {
    fn from(raw: &RawValue) -> Self {
        Self::on_one_line(raw.get().into())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// Reads an optional field so that a present `null` stays a value: an absent native value
/// and a native `null` are different facts.
pub(super) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// Whether arrays and objects in this valid JSON text nest deeper than `limit`.
pub(super) fn nests_deeper_than(text: &str, limit: usize) -> bool {
    let mut depth = 0usize;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(inner) = bytes.next() {
                    match inner {
                        b'"' => break,
                        b'\\' => {
                            bytes.next();
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Json {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Any JSON value, kept as it was written." })
    }
}
