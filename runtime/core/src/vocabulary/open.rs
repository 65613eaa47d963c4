//! Open sums: enums that keep what they do not know.
//!
//! An open sum is a JSON object whose tag names its variant. A tag that this build does
//! not know is kept with its whole object, byte for byte, and a user of the library can
//! give such a tag a type of their own with [`OpenVariant`].

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::json::Json;

/// A variant of an open sum, defined outside this crate: a type that is written as a JSON
/// object, and the tag that it stands for.
///
/// The tag itself need not be a field of the type: it is added when the value is wrapped,
/// and an unknown field, to be ignored, when it is read back.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{ContentBlock, OpenVariant};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// struct Weather {
///     city: String,
///     celsius: i32,
/// }
///
/// impl OpenVariant for Weather {
///     const TAG: &'static str = "weather";
/// }
///
/// let oslo = Weather { city: "Oslo".to_owned(), celsius: -4 };
/// let block = ContentBlock::custom(&oslo)?;
/// let json = serde_json::to_string(&block)?;
/// assert_eq!(json, r#"{"type":"weather","city":"Oslo","celsius":-4}"#);
///
/// // A reader that does not know the type passes it on; one that does gets it back.
/// let read: ContentBlock = serde_json::from_str(&json)?;
/// assert_eq!(read, block);
/// assert_eq!(read.as_custom::<Weather>().transpose()?, Some(oslo));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait OpenVariant: Serialize + DeserializeOwned {
    /// The value of the tag: `type` of a block or an event, `kind` of every other sum.
    const TAG: &'static str;
}

/// The object of a variant that this build does not know, kept whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenObject {
    tag: Arc<str>,
    json: Json,
}

impl OpenObject {
    /// Only for an object whose tag was read from it.
    pub(super) fn new(tag: String, json: Json) -> Self {
        Self { tag: tag.into(), json }
    }

    /// The tag's value.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The whole object, with its tag.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }
}

impl Serialize for OpenObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

struct TagReader(&'static str);

impl<'de> Visitor<'de> for TagReader {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the tag `{}`", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut tag = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if tag.is_none() && key == self.0 {
                tag = Some(map.next_value::<String>()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(tag)
    }
}

/// The value of an object's tag; of a repeated key the first counts.
fn find_tag(object: &str, key: &'static str) -> Result<Option<String>, serde_json::Error> {
    serde_json::Deserializer::from_str(object).deserialize_map(TagReader(key))
}

/// The value of an object's tag, which must be there.
pub(super) fn tag_of(object: &str, key: &'static str) -> Result<String, serde_json::Error> {
    find_tag(object, key)?.ok_or_else(|| serde_json::Error::missing_field(key))
}

/// Writes a variant from outside the crate as an object that carries its tag.
pub(super) fn tagged<T: OpenVariant>(value: &T, key: &'static str) -> Result<Json, serde_json::Error> {
    let object = serde_json::to_string(value)?;
    let Some(fields) = object.strip_prefix('{') else {
        return Err(serde_json::Error::custom(format_args!(
            "a variant must be written as an object, and `{}` is not",
            T::TAG
        )));
    };
    match find_tag(&object, key)? {
        Some(tag) if tag == T::TAG => Json::parse(object),
        Some(tag) => Err(serde_json::Error::custom(format_args!(
            "the value says `{tag}` where its type says `{}`",
            T::TAG
        ))),
        None => {
            let comma = if fields == "}" { "" } else { "," };
            let tag = serde_json::to_string(T::TAG)?;
            Json::parse(format!("{{\"{key}\":{tag}{comma}{fields}"))
        }
    }
}

/// Defines an open sum. `units` have no fields, `structs` have those of their type.
macro_rules! open_sum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident, tag $key:literal;
        units { $( $(#[$unit_meta:meta])* $unit:ident = $unit_tag:literal, )* }
        structs { $( $(#[$struct_meta:meta])* $variant:ident($inner:ty) = $tag:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$unit_meta])* $unit, )*
            $( $(#[$struct_meta])* $variant($inner), )*
            /// A variant that this build does not know, kept whole.
            Other($crate::vocabulary::OpenObject),
        }

        impl $name {
            /// The tags that this build knows.
            pub const TAGS: &'static [&'static str] = &[$( $unit_tag, )* $( $tag, )*];

            /// This value's tag.
            #[must_use]
            pub fn tag(&self) -> &str {
                match self {
                    $( Self::$unit => $unit_tag, )*
                    $( Self::$variant(_) => $tag, )*
                    Self::Other(object) => object.tag(),
                }
            }

            /// The value of a JSON object; an object with an unknown tag is kept whole.
            ///
            /// # Errors
            /// When it is not an object with the tag, or lacks what its known tag asks for.
            pub fn from_json(json: $crate::vocabulary::Json) -> Result<Self, serde_json::Error> {
                let tag = $crate::vocabulary::open::tag_of(json.get(), $key)?;
                match tag.as_str() {
                    $( $unit_tag => Ok(Self::$unit), )*
                    $( $tag => serde_json::from_str(json.get()).map(Self::$variant), )*
                    _ => Ok(Self::Other($crate::vocabulary::OpenObject::new(tag, json))),
                }
            }

            /// The value that consists of its tag alone.
            ///
            /// # Errors
            /// When the tag is known and asks for further fields.
            pub fn from_tag(tag: &str) -> Result<Self, serde_json::Error> {
                Self::from_json($crate::vocabulary::Json::from_value(
                    &std::collections::BTreeMap::from([($key, tag)]),
                )?)
            }

            /// Wraps a variant of the caller's own.
            ///
            /// # Errors
            /// When the value is not written as an object, when its own tag field says
            /// something else, or when its tag is a known one and its fields do not fit.
            pub fn custom<T: $crate::vocabulary::OpenVariant>(
                value: &T,
            ) -> Result<Self, serde_json::Error> {
                Self::from_json($crate::vocabulary::open::tagged(value, $key)?)
            }

            /// Reads a variant of the caller's own: `None` when the tag is another one,
            /// an error when the fields do not fit.
            #[must_use]
            pub fn as_custom<T: $crate::vocabulary::OpenVariant>(
                &self,
            ) -> Option<Result<T, serde_json::Error>> {
                if self.tag() != T::TAG {
                    return None;
                }
                Some(match self {
                    Self::Other(object) => serde_json::from_str(object.json().get()),
                    known => serde_json::to_string(known)
                        .and_then(|json| serde_json::from_str(&json)),
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                #[derive(serde::Serialize)]
                #[serde(tag = $key)]
                enum Known<'a> {
                    $( #[serde(rename = $unit_tag)] $unit, )*
                    $( #[serde(rename = $tag)] $variant(&'a $inner), )*
                    /// Uses the lifetime where a sum has no variant with fields.
                    #[serde(skip)]
                    #[allow(dead_code)]
                    Never(std::marker::PhantomData<&'a ()>),
                }
                match self {
                    $( Self::$unit => Known::$unit.serialize(serializer), )*
                    $( Self::$variant(inner) => Known::$variant(inner).serialize(serializer), )*
                    Self::Other(object) => object.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let json = <$crate::vocabulary::Json as serde::Deserialize>::deserialize(deserializer)?;
                Self::from_json(json).map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::vocabulary::schema::open_sum(generator, $key, &[
                    $( ($unit_tag, None), )*
                    $( ($tag, Some(schemars::SchemaGenerator::subschema_for::<$inner>)), )*
                ])
            }
        }
    };
}
pub(super) use open_sum;
