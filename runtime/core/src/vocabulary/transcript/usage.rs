//! The tokens and the cost of a session.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::vocabulary::id::{ItemId, TurnId};
use crate::vocabulary::json::Json;
use crate::vocabulary::timestamp::Timestamp;
use crate::vocabulary::usage::{Usage, UsageReported};

/// The tokens and the cost of a session.
///
/// Providers count in several ways: by model call, by turn, or with running totals. The total is the most complete
/// of these counts, never a sum over different ways. What no report says is absent, never zero.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptUsage {
    /// The session's total. Its cost is absent when it is not known for every model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Usage>,
    /// The total by model, where the reports name models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<TranscriptModelUsage>,
    /// The size of the model's context window, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How many tokens of the context window are in use, as the last report says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_used: Option<u64>,
    /// The last report of each scope and key, in the order of the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<TranscriptReport>,
}

/// What one model used.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptModelUsage {
    /// The model; absent for reports that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many calls of the model were reported; absent where the calls are not reported one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// The tokens and the cost.
    pub usage: Usage,
}

/// A report of usage, and what it counts.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptReport {
    /// The report.
    #[serde(flatten)]
    pub report: UsageReported,
    /// The turn in which it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The tool calls that lead to the sub-agent that it is about; empty for the main agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent_path: Vec<ItemId>,
    /// When it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// The circumstances of a report.
#[derive(Deserialize)]
struct Circumstances {
    turn_id: Option<TurnId>,
    #[serde(default)]
    agent_path: Vec<ItemId>,
    at: Option<Timestamp>,
}

/// The object is read twice, as that of an item is: `serde(flatten)` would fail on numbers that no field asks for.
impl<'de> Deserialize<'de> for TranscriptReport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let report = json.to().map_err(D::Error::custom)?;
        let Circumstances { turn_id, agent_path, at } = json.to().map_err(D::Error::custom)?;
        Ok(Self { report, turn_id, agent_path, at })
    }
}
