//! The current state of a turn.

use serde::{Deserialize, Serialize};

use crate::vocabulary::error::ErrorData;
use crate::vocabulary::id::TurnId;
use crate::vocabulary::timestamp::Timestamp;
use crate::vocabulary::turn::{TurnEndReason, TurnTrigger};
use crate::vocabulary::usage::Usage;

/// The current state of a turn. Its items are those of the session that have its `turn_id`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptTurn {
    /// Names the turn.
    pub turn_id: TurnId,
    /// What started it, if the provider says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TurnTrigger>,
    /// When it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Why it ended; absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<TurnEndReason>,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorData>,
    /// The usage of the turn: the provider's own count, else the sum over its model calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl TranscriptTurn {
    /// A turn that is running.
    #[must_use]
    pub fn new(turn_id: impl Into<TurnId>) -> Self {
        Self {
            turn_id: turn_id.into(),
            trigger: None,
            started_at: None,
            ended_at: None,
            reason: None,
            error: None,
            usage: None,
        }
    }

    /// Whether the turn is still running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.reason.is_none()
    }
}
