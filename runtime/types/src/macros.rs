//! The macros that generated modules call.

/// Declares a type that is one fixed string.
#[macro_export]
#[doc(hidden)]
macro_rules! tag {
    ($name:ident = $text:literal) => {
        #[doc = concat!("The fixed string `", $text, "`.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name;

        impl $crate::Tag for $name {
            const TEXT: &'static str = $text;
        }

        impl $crate::support::serde::Serialize for $name {
            fn serialize<S: $crate::support::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($text)
            }
        }

        impl<'de> $crate::support::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::support::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let found = <String as $crate::support::serde::Deserialize>::deserialize(deserializer)?;
                $crate::support::expect_text(&found, $text).map(|()| Self)
            }
        }
    };
}

/// Declares a union whose tags decide.
///
/// Each variant is boxed: sizes differ by far, and types may contain
/// themselves. A message is read as a tree first, because its tags may come
/// after what they decide on.
#[macro_export]
#[doc(hidden)]
macro_rules! tagged {
    (
        $(#[$comment:meta])*
        $name:ident by [$($by:literal),+] {
            $( $variant:ident($inner:ty) $([$($tag:expr),*])+; )+
        }
    ) => {
        $(#[$comment])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( #[doc = concat!("Tagged ", stringify!($([$($tag),*])+), ".")] $variant(Box<$inner>), )+
        }

        impl $crate::Tagged for $name {
            const BY: &'static [&'static str] = &[$($by),+];
            const ROWS: &'static [(&'static str, &'static [Option<&'static str>])] =
                &[$( $( (stringify!($variant), &[$($tag),*]), )+ )+];

            fn variant(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => stringify!($variant), )+
                }
            }
        }

        impl<'de> $crate::support::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::support::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let message = <$crate::support::serde_json::Value as $crate::support::serde::Deserialize>::deserialize(deserializer)?;
                match $crate::support::variant_of::<Self>(&message) {
                    $(
                        Some(stringify!($variant)) => {
                            $crate::support::inner(message, concat!(stringify!($name), "::", stringify!($variant))).map(Self::$variant)
                        }
                    )+
                    _ => Err($crate::support::unknown_tags(stringify!($name), <Self as $crate::Tagged>::BY, &message)),
                }
            }
        }

        impl $crate::support::serde::Serialize for $name {
            fn serialize<S: $crate::support::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(inner) => inner.serialize(serializer), )+
                }
            }
        }

        $(
            impl From<$inner> for $name {
                fn from(inner: $inner) -> Self {
                    Self::$variant(Box::new(inner))
                }
            }
        )+
    };
}

/// Declares a table from keys to types.
#[macro_export]
#[doc(hidden)]
macro_rules! table {
    (
        $(#[$comment:meta])*
        $name:ident { $( $variant:ident($inner:ty) $key:literal; )+ }
    ) => {
        $(#[$comment])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( #[doc = concat!("Answers `", $key, "`.")] $variant(Box<$inner>), )+
        }

        impl $crate::Table for $name {
            const KEYS: &'static [&'static str] = &[$($key),+];

            fn read(
                key: &str,
                answer: $crate::support::serde_json::Value,
            ) -> Result<Self, $crate::support::serde_json::Error> {
                match key {
                    $( $key => $crate::support::serde_json::from_value(answer).map(Self::$variant), )+
                    _ => Err($crate::support::unknown_key(stringify!($name), key)),
                }
            }

            fn write(&self) -> Result<$crate::support::serde_json::Value, $crate::support::serde_json::Error> {
                match self {
                    $( Self::$variant(answer) => $crate::support::serde_json::to_value(answer), )+
                }
            }
        }
    };
}

/// Declares an object. Nothing but tags is required; null is absent.
#[macro_export]
#[doc(hidden)]
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident {
            required { $($tag:ident: $tag_type:ty = $tag_key:literal,)* }
            optional { $($field:ident: $field_type:ty = $key:literal,)* }
            rest { $($rest:ident: $rest_type:ty,)* }
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $( #[doc = concat!("`", $tag_key, "`")] pub $tag: $tag_type, )*
            $( #[doc = concat!("`", $key, "`")] pub $field: Option<$field_type>, )*
            $( #[doc = "All fields that have no name of their own."] pub $rest: std::collections::BTreeMap<String, $rest_type>, )*
        }

        impl PartialEq for $name {
            // Compares all fields: that is quicker to compile than to stop at the first that differs.
            fn eq(&self, other: &Self) -> bool {
                true $( & (self.$tag == other.$tag) )* $( & (self.$field == other.$field) )* $( & (self.$rest == other.$rest) )*
            }
        }

        impl<'de> $crate::support::serde::Deserialize<'de> for $name {
            #[allow(unused_mut, reason = "an object of tags alone has nothing to fill in")]
            fn deserialize<D: $crate::support::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut fields = $crate::support::Fields::read(deserializer, stringify!($name))?;
                let mut object = Self {
                    $( $tag: fields.required($tag_key)?, )*
                    $( $field: None, )*
                    $( $rest: std::collections::BTreeMap::new(), )*
                };
                $( fields.take($key, &mut object.$field); )*
                $( fields.take_rest(&mut object.$rest); )*
                fields.end(object)
            }
        }

        impl $crate::support::serde::Serialize for $name {
            fn serialize<S: $crate::support::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut entries = $crate::support::Entries::write(serializer)?;
                $( entries.put($tag_key, &self.$tag); )*
                $( entries.put_some($key, &self.$field); )*
                $( entries.put_all(&self.$rest); )*
                entries.end()
            }
        }
    };
}

/// Declares a type that is another one under a name of its own.
#[macro_export]
#[doc(hidden)]
macro_rules! wrapper {
    ($(#[$meta:meta])* $name:ident($inner:ty)) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, $crate::support::serde::Serialize, $crate::support::serde::Deserialize)]
        #[serde(transparent, crate = "crate::support::serde")]
        pub struct $name(pub $inner);
    };
}

/// Declares an enum of strings.
#[macro_export]
#[doc(hidden)]
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $( #[doc = concat!("`", $text, "`")] $variant, )+
        }

        impl $name {
            /// Every value, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value as it stands in a message.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $text, )+
                }
            }
        }

        impl $crate::support::serde::Serialize for $name {
            fn serialize<S: $crate::support::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::support::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::support::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let found = <String as $crate::support::serde::Deserialize>::deserialize(deserializer)?;
                match found.as_str() {
                    $( $text => Ok(Self::$variant), )+
                    _ => Err($crate::support::unknown_value(stringify!($name), &found)),
                }
            }
        }
    };
}

/// Declares a union of different kinds of JSON value, which the kind decides.
#[macro_export]
#[doc(hidden)]
macro_rules! kinds {
    ($(#[$meta:meta])* $name:ident { $($variant:ident($inner:ty),)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, $crate::support::serde::Serialize, $crate::support::serde::Deserialize)]
        #[serde(untagged, crate = "crate::support::serde")]
        pub enum $name {
            $( #[doc = concat!("Is `", stringify!($inner), "`.")] $variant($inner), )+
        }
    };
}
