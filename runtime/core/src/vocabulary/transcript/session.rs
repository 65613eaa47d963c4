//! The current state of a session.

use serde::{Deserialize, Serialize};

use super::{
    TranscriptFile, TranscriptHostCall, TranscriptItem, TranscriptPermission, TranscriptQuestion,
    TranscriptTurn, TranscriptUsage,
};
use crate::vocabulary::block::Plan;
use crate::vocabulary::error::ErrorData;
use crate::vocabulary::id::{ItemId, NativeSessionId, SessionId, TurnId};
use crate::vocabulary::json::{self, Json};
use crate::vocabulary::session::{Parent, SessionEnded};
use crate::vocabulary::timestamp::Timestamp;
use crate::vocabulary::tool::ToolKind;

/// The current state of a session. A field is absent if the provider does not send it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptSession {
    /// The session.
    pub session_id: SessionId,
    /// The provider's own name of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_session_id: Option<NativeSessionId>,
    /// The session and the tool call that started this one, for a sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// The provider's name of the session that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<NativeSessionId>,
    /// The version of the vocabulary in which the session's events were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary_version: Option<String>,
    /// The title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The folder in which the agent works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The version of the agent program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The permission mode, by the provider's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The names of the available tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The state of the session, such as `idle` or `running`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Further native facts: a JSON object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// The time of the first event that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The time of the latest event that has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// How the session ended, once it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<SessionEnded>,
    /// The turns, in the order in which they started.
    pub turns: Vec<TranscriptTurn>,
    /// The items of the main agent, in the order in which they started. The result of a tool call and the
    /// items of a sub-agent stand in the call.
    pub items: Vec<TranscriptItem>,
    /// The permission requests, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<TranscriptPermission>,
    /// The questions to the user, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<TranscriptQuestion>,
    /// The requests to the host, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_calls: Vec<TranscriptHostCall>,
    /// The main agent's latest plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The files that were changed, in the order of their first change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<TranscriptFile>,
    /// The tokens and the cost.
    pub usage: TranscriptUsage,
    /// The errors, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<TranscriptError>,
    /// The counts of everything, including what is no longer kept.
    pub counts: TranscriptCounts,
    /// The sequence number of the last event, 0 before the first.
    pub last_sequence: u64,
}

impl TranscriptSession {
    /// A session without any known facts.
    #[must_use]
    pub fn new(session_id: impl Into<SessionId>) -> Self {
        Self {
            session_id: session_id.into(),
            native_session_id: None,
            parent: None,
            resumed_from: None,
            vocabulary_version: None,
            title: None,
            model: None,
            cwd: None,
            agent_version: None,
            permission_mode: None,
            tools: None,
            state: None,
            metadata: None,
            started_at: None,
            updated_at: None,
            end: None,
            turns: Vec::new(),
            items: Vec::new(),
            permissions: Vec::new(),
            questions: Vec::new(),
            host_calls: Vec::new(),
            plan: None,
            files: Vec::new(),
            usage: TranscriptUsage::default(),
            errors: Vec::new(),
            counts: TranscriptCounts::default(),
            last_sequence: 0,
        }
    }
}

/// An error of a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptError {
    /// The error.
    pub error: ErrorData,
    /// The turn in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The tool calls that lead to the sub-agent that failed; empty for the main agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_path: Vec<ItemId>,
    /// When it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// The counts of a session, including what is no longer kept.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptCounts {
    /// Turns.
    pub turns: u64,
    /// Items of all kinds.
    pub items: u64,
    /// Tool calls by kind of tool, in the order of their first call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<TranscriptCalls>,
    /// Errors, including those after which the agent tried again.
    pub errors: u64,
    /// Native messages that could not be translated.
    pub unparsed: u64,
    /// Events that are missing in the stream, as the sequence numbers show.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing_events: u64,
    /// Turns that are no longer kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_turns: u64,
}

/// The calls of one kind of tool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptCalls {
    /// The kind of tool; absent for unknown tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<ToolKind>,
    /// How many calls were made.
    pub calls: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many of them were not permitted.
    pub declined: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
