//! Data of `agent.unparsed`.

use serde::{Deserialize, Serialize};

use super::json::{self, Json};

/// A native message that could not be translated. Nothing of it is lost silently: the
/// bytes are described here, and a message that was valid JSON stands here whole.
///
/// ```json
/// {"error":"expected value","excerpt":"{\"type\":","sha256":"e3b0…b855"}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unparsed {
    /// What was wrong.
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
