//! The identifiers of the vocabulary: one type each, so that no two can be mixed up.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Defines identifier types over shared text.
macro_rules! ids {
    ($( $(#[$meta:meta])* $name:ident; )*) => { $(
        $(#[$meta])*
        ///
        /// Transparent in JSON (a plain string) and cheap to clone (shared text).
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The identifier's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The shared text itself: the way to make another kind of identifier
            /// from this one without copying, where that is really meant.
            #[must_use]
            pub fn shared(&self) -> Arc<str> {
                Arc::clone(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<Arc<str>> for $name {
            fn from(text: Arc<str>) -> Self {
                Self(text)
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                super::shared_text::deserialize(deserializer).map(Self)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string" })
            }
        }
    )* };
}

ids! {
    /// Names a session of the universal stream: the caller's own choice, or `s1`, `s1-2`, ….
    ///
    /// Two kinds of identifier never mix:
    ///
    /// ```compile_fail,E0308
    /// use interlingua::vocabulary::{ItemId, SessionId};
    /// let item: ItemId = SessionId::from("s1");
    /// ```
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::SessionId;
    /// let session = SessionId::from("s1");
    /// assert_eq!(session.as_str(), "s1");
    /// assert_eq!(serde_json::to_string(&session)?, r#""s1""#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    SessionId;
    /// The provider's own name of a session: its thread, session or run id.
    NativeSessionId;
    /// Names a turn within its session.
    TurnId;
    /// Names an item within its session.
    ItemId;
    /// The provider's own name of an item; a call and its result may share one.
    NativeItemId;
    /// Names a message of a conversation with a model.
    MessageId;
    /// Links a tool call and its result.
    CallId;
    /// The id of a permission request: the exact JSON text of the native request id.
    PermissionId;
    /// Names a request for answers: the exact JSON text of the native request id.
    QuestionId;
    /// Names a request for work by the host: the exact JSON text of the native request id.
    RequestId;
}
