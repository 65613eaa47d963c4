//! Sets of words: closed ones are plain enums, open ones keep a word that they do not know.

use std::sync::Arc;

/// A word that an open set does not know. It comes from reading a word that is none of the
/// known ones, so a known word is never spelled in two ways.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OpenWord(Arc<str>);

impl OpenWord {
    /// Only for a word that the set does not know.
    pub(super) fn new(word: Arc<str>) -> Self {
        Self(word)
    }

    /// The word itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Defines a closed set of words.
macro_rules! closed_words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$word_meta:meta])* $word:ident = $text:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$word_meta])* #[serde(rename = $text)] $word, )*
        }

        impl $name {
            /// The words of the set.
            pub const WORDS: &'static [&'static str] = &[$( $text, )*];

            /// The word itself.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $( Self::$word => $text, )*
                }
            }

            /// The value of a word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $( $text => Some(Self::$word), )*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(super) use closed_words;

/// Defines an open set of words: known words are variants, unknown ones are kept unchanged.
macro_rules! open_words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $( $(#[$word_meta:meta])* $word:ident = $text:literal, )*
        }
    ) => {
        $(#[$meta])*
        ///
        /// An open set: an unknown word is kept unchanged.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$word_meta])* $word, )*
            /// A word that this build does not know.
            Unknown($crate::vocabulary::OpenWord),
        }

        impl $name {
            /// The words that this build knows.
            pub const WORDS: &'static [&'static str] = &[$( $text, )*];

            /// The word itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$word => $text, )*
                    Self::Unknown(word) => word.as_str(),
                }
            }

            fn known(word: &str) -> Option<Self> {
                match word {
                    $( $text => Some(Self::$word), )*
                    _ => None,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                Self::known(word).unwrap_or_else(|| Self::from(std::sync::Arc::from(word)))
            }
        }

        impl From<std::sync::Arc<str>> for $name {
            fn from(word: std::sync::Arc<str>) -> Self {
                Self::known(&word)
                    .unwrap_or(Self::Unknown($crate::vocabulary::OpenWord::new(word)))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::vocabulary::shared_text::deserialize(deserializer).map(Self::from)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": "Any word; these are known.",
                    "type": "string",
                    "examples": Self::WORDS,
                })
            }
        }
    };
}
pub(super) use open_words;
