//! Data of the turn events, and why turns begin and end.

use serde::{Deserialize, Serialize};

use super::error::ErrorData;
use super::id::TurnId;
use super::message::{AgentSource, PluginSource};
use super::open::open_sum;
use super::setters::with;
use super::usage::Usage;

/// Data of `turn.started`.
///
/// ```json
/// {"turn_id":"turn-1","trigger":{"kind":"user"}}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TurnStarted {
    /// Names the turn.
    pub turn_id: TurnId,
    /// What started it, if the provider says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TurnTrigger>,
}

impl TurnStarted {
    /// A turn with an unknown trigger.
    #[must_use]
    pub fn new(turn_id: impl Into<TurnId>) -> Self {
        Self { turn_id: turn_id.into(), trigger: None }
    }

    with! {
        with_trigger: trigger = TurnTrigger;
    }
}

/// Data of `turn.ended`.
///
/// ```json
/// {"turn_id":"turn-1","reason":{"kind":"completed"},"usage":{"input":10,"output":5}}
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TurnEnded {
    /// Names the turn.
    pub turn_id: TurnId,
    /// Why it ended.
    pub reason: TurnEndReason,
    /// What set it off, where that was learnt at its end only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TurnTrigger>,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorData>,
    /// The usage of the turn, only if the provider reports it per turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl TurnEnded {
    /// An end without error and usage.
    #[must_use]
    pub fn new(turn_id: impl Into<TurnId>, reason: TurnEndReason) -> Self {
        Self { turn_id: turn_id.into(), reason, trigger: None, error: None, usage: None }
    }

    with! {
        with_trigger: trigger = TurnTrigger;
        with_error: error = ErrorData;
        with_usage: usage = Usage;
    }
}

open_sum! {
    /// What set a turn off, tagged `kind`.
    pub enum TurnTrigger, tag "kind";
    units {
        /// A message of the user.
        User = "user",
        /// An earlier session that is resumed.
        Resume = "resume",
        /// News, such as a background task that ended.
        Notification = "notification",
        /// The clock.
        Schedule = "schedule",
    }
    structs {
        /// A plugin, hook or skill.
        Plugin(PluginSource) = "plugin",
        /// Another agent.
        Agent(AgentSource) = "agent",
    }
}

open_sum! {
    /// Why a turn ended, tagged `kind`.
    pub enum TurnEndReason, tag "kind";
    units {
        /// Its work was done.
        Completed = "completed",
        /// It reached the allowed number of rounds.
        MaxTurns = "max-turns",
        /// It reached the allowed number of tokens.
        MaxTokens = "max-tokens",
        /// It reached the allowed cost.
        Budget = "budget",
        /// The model refused.
        Refusal = "refusal",
        /// It was cut off.
        Interrupted = "interrupted",
        /// An error ended it.
        Failed = "failed",
        /// The agent does not say how it ended.
        Unknown = "unknown",
    }
    structs {}
}
