//! Data of the requests: permissions, questions and host calls.

use serde::{Deserialize, Serialize};

use super::id::{CallId, ItemId, PermissionId, QuestionId, RequestId};
use super::json::{self, Json};
use super::setters::with;
use super::tool::ToolKind;
use super::words::closed_words;

/// Data of `permission.requested`.
///
/// ```json
/// {"permission_id":"0","call_id":"call_9","action":{"name":"Bash","arguments":"{\"command\":\"ls\"}"},
///  "options":[{"id":"allow","outcome":"allow-once","native":"accept"}]}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PermissionRequested {
    /// Names the request.
    pub permission_id: PermissionId,
    /// The tool call that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The item that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The requested action.
    pub action: PermissionAction,
    /// The possible answers.
    #[serde(default)]
    pub options: Vec<PermissionOption>,
}

impl PermissionRequested {
    /// A request that names no call and offers no options.
    #[must_use]
    pub fn new(permission_id: impl Into<PermissionId>, action: PermissionAction) -> Self {
        Self {
            permission_id: permission_id.into(),
            call_id: None,
            item_id: None,
            action,
            options: Vec::new(),
        }
    }

    with! {
        with_call_id: call_id = CallId;
        with_item_id: item_id = ItemId;
    }

    /// The same request with one more option.
    #[must_use]
    pub fn with_option(mut self, option: PermissionOption) -> Self {
        self.options.push(option);
        self
    }
}

/// The action that the agent requests permission for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PermissionAction {
    /// The name of the tool, or of the kind of action.
    pub name: String,
    /// What the tool does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<ToolKind>,
    /// The arguments as raw JSON text, as in a tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The files that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Why leave is needed, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl PermissionAction {
    /// An action with only its name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), tool_kind: None, arguments: None, paths: Vec::new(), reason: None }
    }

    with! {
        with_tool_kind: tool_kind = ToolKind;
        with_arguments: arguments = String;
        with_reason: reason = String;
    }

    /// The same action with one more file.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.paths.push(path.into());
        self
    }
}

/// An option of a permission request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PermissionOption {
    /// Names the answer within its request.
    pub id: String,
    /// The answer in words, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The meaning of the answer.
    pub outcome: PermissionOutcome,
    /// The native value to send for it.
    pub native: Json,
}

impl PermissionOption {
    /// An answer without a label.
    #[must_use]
    pub fn new(id: impl Into<String>, outcome: PermissionOutcome, native: Json) -> Self {
        Self { id: id.into(), label: None, outcome, native }
    }

    with! {
        with_label: label = String;
    }
}

/// Data of `permission.resolved`.
///
/// ```json
/// {"permission_id":"0","outcome":"reject","message":"not here"}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PermissionResolved {
    /// Names the request.
    pub permission_id: PermissionId,
    /// The answer.
    pub outcome: PermissionOutcome,
    /// The message that came with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The arguments, as changed by the answer.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Json>,
    /// Who decided, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Decider>,
}

impl PermissionResolved {
    /// An answer without message and changed arguments.
    #[must_use]
    pub fn new(permission_id: impl Into<PermissionId>, outcome: PermissionOutcome) -> Self {
        Self {
            permission_id: permission_id.into(),
            outcome,
            message: None,
            updated_input: None,
            decided_by: None,
        }
    }

    with! {
        with_message: message = String;
        with_updated_input: updated_input = Json;
        with_decided_by: decided_by = Decider;
    }
}

closed_words! {
    /// The answer to a permission request.
    pub enum PermissionOutcome {
        /// Allowed; it is unknown for how long.
        Allowed = "allowed",
        /// Given for this once.
        AllowOnce = "allow-once",
        /// Given for the session.
        AllowSession = "allow-session",
        /// Given for good.
        AllowAlways = "allow-always",
        /// Refused for this once.
        Reject = "reject",
        /// Rejected, as well as similar requests from now on.
        RejectAlways = "reject-always",
        /// Withdrawn, or dropped with its turn.
        Cancelled = "cancelled",
        /// Never answered.
        Expired = "expired",
        /// Settled, with an unknown outcome.
        Unknown = "unknown",
    }
}

/// Data of `question.requested`.
///
/// ```json
/// {"question_id":"\"q1\"","questions":[{"text":"Which colour?","options":[{"label":"Red"}],
///  "multi_select":false,"free_text":true}]}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QuestionRequested {
    /// Names the request.
    pub question_id: QuestionId,
    /// The tool call that waits for the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The item that waits for the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The questions, in order.
    pub questions: Vec<Question>,
    /// The native request, whole, where a reply has to repeat some of it.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl QuestionRequested {
    /// A request that names no call.
    #[must_use]
    pub fn new(question_id: impl Into<QuestionId>, questions: Vec<Question>) -> Self {
        Self { question_id: question_id.into(), call_id: None, item_id: None, questions, native: None }
    }

    with! {
        with_call_id: call_id = CallId;
        with_item_id: item_id = ItemId;
        with_native: native = Json;
    }
}

/// One question.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Question {
    /// The provider's name of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The question in words.
    pub text: String,
    /// A short title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The answers to choose from.
    #[serde(default)]
    pub options: Vec<QuestionOption>,
    /// Whether more than one option may be chosen.
    #[serde(default)]
    pub multi_select: bool,
    /// Whether an answer in one's own words is possible.
    #[serde(default)]
    pub free_text: bool,
    /// Set when the answer must not be shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// The JSON Schema of the answer, when the provider asks for a form.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
    /// The page on which the question is to be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Question {
    /// A question in words.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    with! {
        with_id: id = String;
        with_header: header = String;
        with_schema: schema = Json;
        with_url: url = String;
    }

    /// The same question, to which several of the options may be chosen.
    #[must_use]
    pub fn with_multi_select(mut self) -> Self {
        self.multi_select = true;
        self
    }

    /// The same question, to which an answer in one's own words is possible.
    #[must_use]
    pub fn with_free_text(mut self) -> Self {
        self.free_text = true;
        self
    }

    /// The same question, whose answer must not be shown.
    #[must_use]
    pub fn with_secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// The same question with one more option.
    #[must_use]
    pub fn with_option(mut self, option: QuestionOption) -> Self {
        self.options.push(option);
        self
    }
}

/// One answer to choose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QuestionOption {
    /// The answer in words; this is also what is answered.
    pub label: String,
    /// The meaning of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl QuestionOption {
    /// An option without description.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), description: None }
    }

    with! {
        with_description: description = String;
    }
}

/// Data of `question.resolved`.
///
/// ```json
/// {"question_id":"\"q1\"","outcome":"answered","answers":[["Red"]]}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QuestionResolved {
    /// Names the request.
    pub question_id: QuestionId,
    /// What became of it.
    pub outcome: QuestionOutcome,
    /// The answers, a list for each question in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Vec<String>>>,
    /// The answer to a form, in the provider's own shape.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// The message that came with it, such as feedback on a rejected plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who decided, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Decider>,
}

impl QuestionResolved {
    /// An outcome without answers.
    #[must_use]
    pub fn new(question_id: impl Into<QuestionId>, outcome: QuestionOutcome) -> Self {
        Self {
            question_id: question_id.into(),
            outcome,
            answers: None,
            content: None,
            message: None,
            decided_by: None,
        }
    }

    with! {
        with_decided_by: decided_by = Decider;
        with_answers: answers = Vec<Vec<String>>;
        with_content: content = Json;
        with_message: message = String;
    }
}

closed_words! {
    /// What became of a question.
    pub enum QuestionOutcome {
        /// It was answered.
        Answered = "answered",
        /// The user declined to answer.
        Rejected = "rejected",
        /// Withdrawn, or dropped with its turn.
        Cancelled = "cancelled",
        /// Never answered.
        Expired = "expired",
        /// Settled, with an unknown outcome.
        Unknown = "unknown",
    }
}

/// Data of `host-call.requested`: work that the agent asks its host to do.
///
/// ```json
/// {"request_id":"7","kind":"tool","call_id":"call_9","payload":{"name":"lookup"}}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HostCallRequested {
    /// Names the request.
    pub request_id: RequestId,
    /// What sort of work it is.
    pub kind: HostCallKind,
    /// The tool call that it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The native request, byte for byte as it was sent.
    pub payload: Json,
}

impl HostCallRequested {
    /// A request that belongs to no tool call.
    #[must_use]
    pub fn new(request_id: impl Into<RequestId>, kind: HostCallKind, payload: Json) -> Self {
        Self { request_id: request_id.into(), kind, call_id: None, payload }
    }

    with! {
        with_call_id: call_id = CallId;
    }
}

closed_words! {
    /// What sort of work the host is asked for.
    pub enum HostCallKind {
        /// Running a tool of the host.
        Tool = "tool",
        /// Running a hook.
        Hook = "hook",
        /// Passing on a message of the Model Context Protocol.
        Mcp = "mcp",
        /// Logging in.
        Auth = "auth",
        /// Anything else.
        Other = "other",
    }
}

/// Data of `host-call.resolved`.
///
/// ```json
/// {"request_id":"7","outcome":"done"}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HostCallResolved {
    /// Names the request.
    pub request_id: RequestId,
    /// What became of it.
    pub outcome: HostCallOutcome,
    /// The native answer, byte for byte, if the stream contains it.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
    /// Who decided, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Decider>,
}

impl HostCallResolved {
    /// An outcome without payload.
    #[must_use]
    pub fn new(request_id: impl Into<RequestId>, outcome: HostCallOutcome) -> Self {
        Self { request_id: request_id.into(), outcome, payload: None, decided_by: None }
    }

    with! {
        with_decided_by: decided_by = Decider;
        with_payload: payload = Json;
    }
}

closed_words! {
    /// What became of the host's work.
    pub enum HostCallOutcome {
        /// It was done.
        Done = "done",
        /// It failed.
        Failed = "failed",
        /// Withdrawn, or dropped with its turn.
        Cancelled = "cancelled",
        /// Settled, with an unknown outcome.
        Unknown = "unknown",
    }
}

closed_words! {
    /// Who settled a request.
    pub enum Decider {
        /// The host, or the user in front of it.
        Host = "host",
        /// The agent itself, by its rules, its hooks or a review of its own.
        Agent = "agent",
    }
}
