//! Commands from a host to an agent, and the context that they are written with.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::block::{ContentBlock, content};
use super::id::{CallId, MessageId, NativeSessionId, PermissionId, QuestionId, RequestId, TurnId};
use super::json::{self, Json};
use super::request::{
    HostCallRequested, PermissionOption, PermissionOutcome, PermissionRequested, QuestionRequested,
};
use super::setters::with;
use super::words::closed_words;

/// A command from a host to an agent, tagged `type`. An unknown command is an error.
///
/// Most commands may carry `native`: an object of the provider's own options, which are put into the native message
/// as they are.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{Command, MessageSend};
/// let command = Command::from(MessageSend::text("Fix the tests"));
/// let json = r#"{"type":"message.send","content":[{"type":"text","text":"Fix the tests"}]}"#;
/// assert_eq!(serde_json::to_string(&command)?, json);
/// assert_eq!(serde_json::from_str::<Command>(json)?, command);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Command {
    /// Start a session, or resume an earlier one.
    #[serde(rename = "session.start")]
    SessionStart(SessionStart),
    /// Send a message to the agent.
    #[serde(rename = "message.send")]
    MessageSend(MessageSend),
    /// Interrupt the running turn.
    #[serde(rename = "turn.interrupt")]
    TurnInterrupt(TurnInterrupt),
    /// Answer a permission request.
    #[serde(rename = "permission.reply")]
    PermissionReply(PermissionReply),
    /// Answer questions.
    #[serde(rename = "question.reply")]
    QuestionReply(QuestionReply),
    /// Reject a question.
    #[serde(rename = "question.reject")]
    QuestionReject(QuestionReject),
    /// Answer a host call.
    #[serde(rename = "host-call.reply")]
    HostCallReply(HostCallReply),
    /// Change the permission mode.
    #[serde(rename = "mode.set")]
    ModeSet(ModeSet),
    /// Change the model.
    #[serde(rename = "model.set")]
    ModelSet(ModelSet),
    /// End the session.
    #[serde(rename = "session.end")]
    SessionEnd(SessionEnd),
    /// List the earlier sessions. No agent gets it: whoever runs the agent answers it from the session files.
    #[serde(rename = "session.list")]
    SessionList(SessionList),
}

impl Command {
    /// The command's `type`.
    #[must_use]
    pub fn command_type(&self) -> &'static str {
        match self {
            Self::SessionStart(_) => "session.start",
            Self::MessageSend(_) => "message.send",
            Self::TurnInterrupt(_) => "turn.interrupt",
            Self::PermissionReply(_) => "permission.reply",
            Self::QuestionReply(_) => "question.reply",
            Self::QuestionReject(_) => "question.reject",
            Self::HostCallReply(_) => "host-call.reply",
            Self::ModeSet(_) => "mode.set",
            Self::ModelSet(_) => "model.set",
            Self::SessionEnd(_) => "session.end",
            Self::SessionList(_) => "session.list",
        }
    }

    /// The id of the request that the command answers, if it answers one.
    #[must_use]
    pub fn answers(&self) -> Option<&str> {
        match self {
            Self::PermissionReply(reply) => Some(reply.permission_id.as_str()),
            Self::QuestionReply(reply) => Some(reply.question_id.as_str()),
            Self::QuestionReject(reply) => Some(reply.question_id.as_str()),
            Self::HostCallReply(reply) => Some(reply.request_id.as_str()),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag {
            r#type: String,
        }
        // serde's own tagged enums buffer, which would not keep raw JSON.
        let whole = Json::deserialize(deserializer)?;
        let tag: Tag = whole.to().map_err(D::Error::custom)?;
        let command = match tag.r#type.as_str() {
            "session.start" => whole.to().map(Self::SessionStart),
            "message.send" => whole.to().map(Self::MessageSend),
            "turn.interrupt" => whole.to().map(Self::TurnInterrupt),
            "permission.reply" => whole.to().map(Self::PermissionReply),
            "question.reply" => whole.to().map(Self::QuestionReply),
            "question.reject" => whole.to().map(Self::QuestionReject),
            "host-call.reply" => whole.to().map(Self::HostCallReply),
            "mode.set" => whole.to().map(Self::ModeSet),
            "model.set" => whole.to().map(Self::ModelSet),
            "session.end" => whole.to().map(Self::SessionEnd),
            "session.list" => whole.to().map(Self::SessionList),
            other => return Err(D::Error::custom(format!("unknown command `{other}`"))),
        };
        command.map_err(D::Error::custom)
    }
}

macro_rules! command {
    ($( $variant:ident($fields:ident); )*) => { $(
        impl From<$fields> for Command {
            fn from(command: $fields) -> Self {
                Self::$variant(command)
            }
        }
    )* };
}
command! {
    SessionStart(SessionStart);
    MessageSend(MessageSend);
    TurnInterrupt(TurnInterrupt);
    PermissionReply(PermissionReply);
    QuestionReply(QuestionReply);
    QuestionReject(QuestionReject);
    HostCallReply(HostCallReply);
    ModeSet(ModeSet);
    ModelSet(ModelSet);
    SessionEnd(SessionEnd);
    SessionList(SessionList);
}

/// Begins a session.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionStart {
    /// The first prompt, which is sent as a separate `message.send`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The model, as the provider names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The permission mode, by the provider's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The native id of an earlier session to go on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<NativeSessionId>,
    /// The native id that the new session shall have, for providers that let the host choose it. A UUID suits all of
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<NativeSessionId>,
    /// Whether the history of the resumed session is wanted first. Whoever runs the agent reads it from the session's
    /// files; the agent is only resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<bool>,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl SessionStart {
    with! {
        with_session_id: session_id = NativeSessionId;
        with_replay: replay = bool;
        with_prompt: prompt = String;
        with_model: model = String;
        with_cwd: cwd = String;
        with_permission_mode: permission_mode = String;
        with_resume: resume = NativeSessionId;
        with_native: native = Json;
    }
}

closed_words! {
    /// When a message reaches an agent that is busy.
    pub enum Delivery {
        /// At once: it begins a turn, or goes wherever the agent puts a message that comes in between.
        Now = "now",
        /// After the turn that is running.
        Queued = "queued",
        /// Into the running turn, which continues with it.
        Steer = "steer",
    }
}

/// Sends a message to the agent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MessageSend {
    /// The content: texts, images and files. A plain string is read as one text block.
    #[serde(deserialize_with = "content")]
    pub content: Vec<ContentBlock>,
    /// When it reaches an agent that is busy; absent as `now`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// The host's own id of the message, for providers that take one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl MessageSend {
    /// Texts, images and files.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self { content, ..Self::default() }
    }

    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    with! {
        with_delivery: delivery = Delivery;
        with_message_id: message_id = MessageId;
        with_native: native = Json;
    }
}

/// Stops a turn.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TurnInterrupt {
    /// The turn; absent for the running one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
}

impl TurnInterrupt {
    with! {
        with_turn_id: turn_id = TurnId;
    }
}

/// Answers a permission request: with one of its options, or by the meaning of the answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PermissionReply {
    /// The request.
    pub permission_id: PermissionId,
    /// One of the offered options, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
    /// What the answer means: the first offered option that means it is taken. `allowed` takes the shortest leave that
    /// is offered, and `reject` a refusal for good only where no other is. A request without options is answered by
    /// this alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PermissionOutcome>,
    /// A message for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Changed arguments, which the agent uses instead.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Json>,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl PermissionReply {
    /// An answer by its outcome.
    #[must_use]
    pub fn new(permission_id: impl Into<PermissionId>, outcome: PermissionOutcome) -> Self {
        Self { outcome: Some(outcome), ..Self::of(permission_id.into()) }
    }

    /// One of the offered options.
    #[must_use]
    pub fn option(permission_id: impl Into<PermissionId>, option_id: impl Into<String>) -> Self {
        Self { option_id: Some(option_id.into()), ..Self::of(permission_id.into()) }
    }

    fn of(permission_id: PermissionId) -> Self {
        Self {
            permission_id,
            option_id: None,
            outcome: None,
            message: None,
            updated_input: None,
            native: None,
        }
    }

    with! {
        with_message: message = String;
        with_updated_input: updated_input = Json;
        with_native: native = Json;
    }
}

/// Answers questions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QuestionReply {
    /// The request.
    pub question_id: QuestionId,
    /// For each question, in their order, the answers: labels of its options, or a text of one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Vec<String>>>,
    /// The answer to a question that has a schema.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl QuestionReply {
    /// Answers in the order of the questions.
    #[must_use]
    pub fn new(question_id: impl Into<QuestionId>, answers: Vec<Vec<String>>) -> Self {
        Self { question_id: question_id.into(), answers: Some(answers), content: None, native: None }
    }

    with! {
        with_content: content = Json;
        with_native: native = Json;
    }
}

/// Refuses to answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QuestionReject {
    /// The request.
    pub question_id: QuestionId,
    /// Why, for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl QuestionReject {
    /// A refusal without a word.
    #[must_use]
    pub fn new(question_id: impl Into<QuestionId>) -> Self {
        Self { question_id: question_id.into(), message: None, native: None }
    }

    with! {
        with_message: message = String;
        with_native: native = Json;
    }
}

/// Returns the result of a host call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HostCallReply {
    /// The request.
    pub request_id: RequestId,
    /// What came of it, in the form that the request asks for.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
    /// Set instead when it failed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl HostCallReply {
    /// What came of it.
    #[must_use]
    pub fn new(request_id: impl Into<RequestId>, payload: Json) -> Self {
        Self { request_id: request_id.into(), payload: Some(payload), error: None, native: None }
    }

    /// It failed.
    #[must_use]
    pub fn failed(request_id: impl Into<RequestId>, error: impl Into<String>) -> Self {
        Self { request_id: request_id.into(), payload: None, error: Some(error.into()), native: None }
    }
}

/// Changes the permission mode.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ModeSet {
    /// The mode, as the provider names it.
    pub mode: String,
}

impl ModeSet {
    /// A mode, as the provider names it.
    #[must_use]
    pub fn new(mode: impl Into<String>) -> Self {
        Self { mode: mode.into() }
    }
}

/// Changes the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ModelSet {
    /// The model, as the provider names it.
    pub model: String,
    /// The provider's own options, as an object.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub native: Option<Json>,
}

impl ModelSet {
    /// A model, as the provider names it.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), native: None }
    }

    with! {
        with_native: native = Json;
    }
}

/// Ends the session.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionEnd {}

/// Lists the earlier sessions of an agent, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionList {
    /// Only sessions of this working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

impl SessionList {
    with! {
        with_cwd: cwd = String;
    }
}

/// A request of the agent that was not answered yet, tagged `asks`. A host must answer all of them, so this set is
/// matched as a whole: a new kind is a breaking change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "asks", rename_all = "kebab-case")]
pub enum PendingRequest {
    /// For leave.
    Permission(PermissionRequested),
    /// For answers.
    Question(QuestionRequested),
    /// For work by the host.
    HostCall(HostCallRequested),
}

impl PendingRequest {
    /// The request's id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Permission(request) => request.permission_id.as_str(),
            Self::Question(request) => request.question_id.as_str(),
            Self::HostCall(request) => request.request_id.as_str(),
        }
    }
}

/// The facts of a session with which a command is written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SessionFacts {
    /// The provider's own id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_session_id: Option<NativeSessionId>,
    /// The native id of the earlier session that the host has asked to go on with, until the agent names its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumes: Option<NativeSessionId>,
    /// The turn that is running, by its native id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Whether a turn is running, be it one without a native id.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub turn_open: bool,
    /// The tool calls that are running, in the order of their starts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallId>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

impl SessionFacts {
    with! {
        with_native_session_id: native_session_id = NativeSessionId;
        with_resumes: resumes = NativeSessionId;
        with_turn_id: turn_id = TurnId;
        with_model: model = String;
        with_cwd: cwd = String;
    }
}

/// All that a map knows when it writes a command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CommandContext {
    /// The command.
    pub command: Command,
    /// The session that it is for.
    pub session: SessionFacts,
    /// The request that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<PendingRequest>,
    /// The offered option that it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<PermissionOption>,
    /// The session's open requests, in the order of asking. A reply sees only its own, as `request`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<PendingRequest>,
    /// A number that no other message of this session to its agent has.
    pub number: u64,
}

impl CommandContext {
    /// A command of a session that answers no request.
    #[must_use]
    pub fn new(command: Command, session: SessionFacts, number: u64) -> Self {
        Self { command, session, request: None, option: None, requests: Vec::new(), number }
    }

    with! {
        with_request: request = PendingRequest;
        with_option: option = PermissionOption;
    }
}

/// All that a map knows when it reads what a host has sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HostContext {
    /// The native message; null for an HTTP request without a body.
    pub message: Json,
    /// The parameters in the path of an HTTP request, by the map's names.
    pub path: BTreeMap<String, String>,
    /// The requests that were not answered yet, by their ids.
    pub requests: BTreeMap<String, PendingRequest>,
}

impl HostContext {
    /// A native message outside any path, without open requests.
    #[must_use]
    pub fn new(message: Json) -> Self {
        Self { message, path: BTreeMap::new(), requests: BTreeMap::new() }
    }
}
