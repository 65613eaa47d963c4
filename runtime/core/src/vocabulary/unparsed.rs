//! Data of `agent.unparsed`.

use serde::{Deserialize, Serialize};

use super::json::{self, Json};
use super::setters::with;

/// A native message that could not be translated. Nothing of it is lost silently: the
/// bytes are described here, and a message that was valid JSON stands here whole.
///
/// ```json
/// {"error":"expected value","excerpt":"{\"type\":","sha256":"e3b0…b855"}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Unparsed {
    /// Why it could not be translated.
    pub error: String,
    /// Where in the message, as a JSON path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The beginning of the message, bounded in length.
    pub excerpt: String,
    /// The SHA-256 of the message's bytes, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The whole message, when it was valid JSON.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
}

impl Unparsed {
    /// A message that was not valid JSON.
    #[must_use]
    pub fn new(error: impl Into<String>, excerpt: impl Into<String>, sha256: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            location: None,
            excerpt: excerpt.into(),
            sha256: sha256.into(),
            value: None,
        }
    }

    with! {
        with_location: location = String;
        with_value: value = Json;
    }
}
