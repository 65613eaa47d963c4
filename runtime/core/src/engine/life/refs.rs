//! Small values that name an agent or a turn of a session, and how its work went.

use std::sync::Arc;

use crate::vocabulary::{ItemId, SessionEndReason, TurnId};

/// A sub-agent within its session; nothing for the main agent.
pub(crate) type AgentRef = Option<Arc<Agent>>;

/// A sub-agent that shares its parent's session.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The tool calls that lead to it.
    pub(crate) path: Vec<ItemId>,
    /// The turn of the call that started it.
    pub(crate) turn: Option<TurnRef>,
}

/// The path that events of an agent carry.
#[inline]
pub(crate) fn path_of(agent: &AgentRef) -> Vec<ItemId> {
    match agent {
        None => Vec::new(),
        Some(agent) => agent.path.clone(),
    }
}

/// A turn that was started, open or not.
#[derive(Debug, Clone)]
pub(crate) struct TurnRef {
    pub(crate) serial: u64,
    pub(crate) id: TurnId,
}

/// How a session's work has gone so far, for the day when it ends without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// Nothing was done.
    Idle,
    /// The last turn ended like this.
    Ended(SessionEndReason),
    /// Before any turn ended, an error came after which no retry was announced.
    Broken,
}
