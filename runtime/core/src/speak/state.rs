//! What is remembered of a stream of events while things in it are open.

use std::collections::HashSet;

use crate::vocabulary::{
    CallState, ItemId, ItemKind, ItemRole, ItemStatus, NativeSessionId, SessionId, SignalContext, TurnEnded,
    TurnId,
};

/// An item, by its session and its id.
pub(super) type Key = (SessionId, ItemId);

/// A session, main or of a sub-agent.
#[derive(Debug)]
pub(super) struct Session {
    /// The main session of its stream.
    pub(super) stream: SessionId,
    /// The call that started it, as signals name it.
    pub(super) agent: Option<String>,
    /// The call that has completed and whose result comes next.
    pub(super) awaiting: Option<ItemId>,
}

/// A main session with the sessions of its sub-agents.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) native: Option<NativeSessionId>,
    pub(super) run: Option<Run>,
    /// How many runs there were.
    pub(super) runs: u64,
    /// Signals that wait for a run to stand in.
    pub(super) waiting: Vec<SignalContext>,
    pub(super) ended: bool,
}

/// A run: the turns that overlap, or what happens outside of any.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) id: String,
    pub(super) number: u64,
    pub(super) background: bool,
    pub(super) turns: HashSet<TurnId>,
    /// How its last turn ended.
    pub(super) end: Option<TurnEnded>,
    /// What was begun in it and is still open, in order.
    pub(super) open: Vec<Key>,
    pub(super) steps: u64,
    pub(super) step: Option<StepState>,
    /// The sub-agents that were heard of in it, with whether they go on.
    pub(super) agents: Vec<(String, bool)>,
}

#[derive(Debug)]
pub(super) struct StepState {
    pub(super) id: String,
    /// Something was said or called in it.
    pub(super) used: bool,
}

/// An open item.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) stream: SessionId,
    /// Its name in signals.
    pub(super) id: String,
    pub(super) kind: ItemKind,
    pub(super) role: Option<ItemRole>,
    /// The item that it belongs to, as signals name it.
    pub(super) parent: Option<String>,
    pub(super) status: ItemStatus,
    /// The number of the run in which it was last heard of.
    pub(super) run: Option<u64>,
    /// The call that started the sub-agent whose item it is.
    pub(super) agent: Option<String>,
    /// It is of a sub-agent.
    pub(super) of_sub_agent: bool,
    pub(super) parts: Vec<Part>,
    pub(super) call: Option<Call>,
    /// Of a result: its call.
    pub(super) result_of: Option<ItemId>,
}

/// One block of an item.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    /// How often its text was begun anew.
    pub(super) generation: u32,
    pub(super) open: bool,
    /// It was ended because something behind it began, and was begun again since.
    pub(super) reopened: bool,
    /// The text that was said, or for other blocks the block.
    pub(super) said: String,
    pub(super) signed: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    #[default]
    Nothing,
    Text,
    Reasoning,
    Block,
}

/// A tool call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) state: CallState,
    /// The arguments that were said piece by piece.
    pub(super) said: String,
    pub(super) ready: bool,
    pub(super) running: bool,
    pub(super) output: String,
}
