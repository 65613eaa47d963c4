//! Where an event came from in the native stream.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::base64;
use super::shared_text;

/// The native message that an event came from, and the rule that translated it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NativeRef {
    /// The message's line in the stream, from 1; the first one when it spans several.
    pub line: u64,
    /// Where its bytes begin in the stream, from 0.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
    /// The rule's name in the map.
    pub rule: RuleName,
    /// The exact native bytes, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Box<RawBytes>>,
}

impl NativeRef {
    /// A place in the stream and the rule, without the bytes.
    #[must_use]
    pub fn new(line: u64, offset: u64, length: u64, rule: impl Into<RuleName>) -> Self {
        Self { line, offset, length, rule: rule.into(), raw: None }
    }
}

/// The name of a map's rule: free to copy from a compiled map, cheap from a loaded one.
#[derive(Clone, Debug)]
pub struct RuleName(Name);

#[derive(Clone, Debug)]
enum Name {
    Compiled(&'static str),
    Loaded(Arc<str>),
}

impl RuleName {
    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Compiled(name) => name,
            Name::Loaded(name) => name,
        }
    }
}

impl From<&'static str> for RuleName {
    fn from(name: &'static str) -> Self {
        Self(Name::Compiled(name))
    }
}

impl From<Arc<str>> for RuleName {
    fn from(name: Arc<str>) -> Self {
        Self(Name::Loaded(name))
    }
}

impl PartialEq for RuleName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RuleName {}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for RuleName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RuleName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        shared_text::deserialize(deserializer).map(Self::from)
    }
}

/// Native bytes, written without loss: as a string when they are valid UTF-8, else as an
/// object `{"base64": "…"}`.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::RawBytes;
/// assert_eq!(serde_json::to_string(&RawBytes::from(b"{}".as_slice()))?, r#""{}""#);
/// assert_eq!(serde_json::to_string(&RawBytes::from([0xff].as_slice()))?, r#"{"base64":"/w=="}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawBytes(Bytes);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Bytes {
    Text(String),
    /// Only ever bytes that are not valid UTF-8, so that equal bytes are equal values.
    Binary(Vec<u8>),
}

impl RawBytes {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Text(text) => text.as_bytes(),
            Bytes::Binary(bytes) => bytes,
        }
    }

    /// The bytes as text, when they are valid UTF-8.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Bytes::Text(text) => Some(text),
            Bytes::Binary(_) => None,
        }
    }
}

impl From<String> for RawBytes {
    fn from(text: String) -> Self {
        Self(Bytes::Text(text))
    }
}

impl From<Vec<u8>> for RawBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(match String::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text),
            Err(not_text) => Bytes::Binary(not_text.into_bytes()),
        })
    }
}

impl From<&[u8]> for RawBytes {
    fn from(bytes: &[u8]) -> Self {
        Self::from(bytes.to_vec())
    }
}

const BASE64_KEY: &str = "base64";

impl Serialize for RawBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Bytes::Text(text) => serializer.serialize_str(text),
            Bytes::Binary(bytes) => {
                let mut object = serializer.serialize_map(Some(1))?;
                object.serialize_entry(BASE64_KEY, &base64::encode(bytes))?;
                object.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for RawBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrBase64)
    }
}

struct TextOrBase64;

impl<'de> Visitor<'de> for TextOrBase64 {
    type Value = RawBytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string, or an object with the key `{BASE64_KEY}`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RawBytes, E> {
        Ok(RawBytes::from(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<RawBytes, E> {
        Ok(RawBytes::from(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawBytes, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if found.is_none() && key == BASE64_KEY {
                found = Some(map.next_value::<String>()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let text = found.ok_or_else(|| A::Error::missing_field(BASE64_KEY))?;
        let bytes = base64::decode(&text);
        bytes.map(RawBytes::from).ok_or_else(|| A::Error::custom("the value of `base64` is not base64"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RuleName {
    fn schema_name() -> Cow<'static, str> {
        "RuleName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RawBytes {
    fn schema_name() -> Cow<'static, str> {
        "RawBytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Native bytes: as text when they are valid UTF-8, else in base64.",
            "oneOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "base64": { "type": "string", "contentEncoding": "base64" } },
                    "required": ["base64"],
                },
            ],
        })
    }
}
