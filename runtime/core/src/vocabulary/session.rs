//! Data of the session events.

use serde::{Deserialize, Serialize};

use super::error::ErrorData;
use super::id::{ItemId, NativeSessionId, SessionId};
use super::json::{self, Json};
use super::setters::{with, with_number};
use super::words::closed_words;

/// Data of `session.started`. A field is absent if the provider does not send it.
///
/// ```json
/// {"vocabulary_version":"0.1","model":"m-1","cwd":"/home/dev/demo","agent_version":"2.0.1","tools":["Bash","Read"]}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionStarted {
    /// The version of the vocabulary in which the session's events are written, such as `0.1`. It
    /// stands here alone; absent where whoever made the event does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary_version: Option<String>,
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
    /// The names of the tools at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The session that started this one, for a sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// The native id of the session that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<NativeSessionId>,
    /// Further native facts: a JSON object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl SessionStarted {
    with! {
        with_vocabulary_version: vocabulary_version = String;
        with_model: model = String;
        with_cwd: cwd = String;
        with_agent_version: agent_version = String;
        with_permission_mode: permission_mode = String;
        with_tools: tools = Vec<String>;
        with_parent: parent = Parent;
        with_resumed_from: resumed_from = NativeSessionId;
        with_metadata: metadata = Json;
    }
}

/// Data of `session.updated`: what was learnt later, or has changed. An absent field is
/// unchanged.
///
/// ```json
/// {"native_session_id":"T-77","title":"List the files","state":"idle"}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionUpdated {
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
    /// The names of the tools at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The session that started this one, for a sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// The native id of the session that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_from: Option<NativeSessionId>,
    /// Further native facts: a JSON object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// The provider's name of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_session_id: Option<NativeSessionId>,
    /// A title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The state of the session, such as `idle` or `running`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl SessionUpdated {
    with! {
        with_model: model = String;
        with_cwd: cwd = String;
        with_agent_version: agent_version = String;
        with_permission_mode: permission_mode = String;
        with_tools: tools = Vec<String>;
        with_parent: parent = Parent;
        with_resumed_from: resumed_from = NativeSessionId;
        with_metadata: metadata = Json;
        with_native_session_id: native_session_id = NativeSessionId;
        with_title: title = String;
        with_state: state = String;
    }
}

/// The session, and if known the tool call in it, that started a sub-agent's session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Parent {
    /// The parent's session.
    pub session_id: SessionId,
    /// The tool call's item in the parent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
}

impl Parent {
    /// A parent with only its session.
    #[must_use]
    pub fn new(session_id: impl Into<SessionId>) -> Self {
        Self { session_id: session_id.into(), item_id: None }
    }

    with! {
        with_item_id: item_id = ItemId;
    }
}

/// Data of `session.ended`.
///
/// ```json
/// {"reason":"failed","error":{"class":"auth","message":"no key"},"exit_code":1}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionEnded {
    /// How it ended.
    pub reason: SessionEndReason,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorData>,
    /// The exit code of the agent's process, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
}

impl SessionEnded {
    /// An end without error and exit code.
    #[must_use]
    pub fn new(reason: SessionEndReason) -> Self {
        Self { reason, error: None, exit_code: None }
    }

    with! {
        with_error: error = ErrorData;
    }

    with_number! {
        with_exit_code: exit_code = i64;
    }
}

closed_words! {
    /// How a session ended.
    pub enum SessionEndReason {
        /// Its work was done.
        Completed = "completed",
        /// An error ended it.
        Failed = "failed",
        /// It was cut off.
        Interrupted = "interrupted",
        /// It was closed without a statement about its work.
        Closed = "closed",
    }
}
