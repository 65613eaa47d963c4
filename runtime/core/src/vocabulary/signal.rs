//! What a target's map reacts to: the events of a stream, in the form and order that protocols expect.

use serde::Serialize;

use super::block::{ChangeKind, ContentBlock, FileChange, Image, Plan, Status, Visibility};
use super::error::ErrorData;
use super::event::Origin;
use super::id::{NativeSessionId, SessionId, TurnId};
use super::item::{Channel, ItemRole, ItemStatus};
use super::json::Json;
use super::message::MessageSource;
use super::request::{
    HostCallRequested, HostCallResolved, PermissionRequested, PermissionResolved, QuestionRequested,
    QuestionResolved,
};
use super::session::{SessionEnded, SessionStarted, SessionUpdated};
use super::setters::with;
use super::timestamp::Timestamp;
use super::tool::{Location, ToolKind};
use super::turn::{TurnEndReason, TurnTrigger};
use super::unparsed::Unparsed;
use super::usage::{Usage, UsageReported};

/// Defines the signals: their names, their data, and how one is asked for its name.
macro_rules! signals {
    ($( $(#[$meta:meta])* $variant:ident($data:ty) = $type:literal, )*) => {
        /// What happens in a stream, as a protocol wants to hear it. A map of a target says with `emit` what each
        /// signal becomes.
        ///
        /// Events may overlap, repeat or leave an end open. Signals do not: everything that starts ends, children end
        /// before their parents, each text and call lies in a run, and no text comes twice. Whatever joins on the
        /// first try in one protocol does so in all.
        ///
        /// ```
        /// # extern crate interlingua_core as interlingua;
        /// use interlingua::vocabulary::{RunStarted, Signal};
        /// let signal = Signal::RunStarted(RunStarted::new("turn-1"));
        /// assert_eq!(signal.signal_type(), "run.started");
        /// ```
        #[derive(Clone, PartialEq, Debug, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum Signal {
            $( $(#[$meta])* #[serde(rename = $type)] $variant($data), )*
        }

        impl Signal {
            /// The names of all signals, in the order of this enum.
            pub const TYPES: &'static [&'static str] = &[$( $type, )*];

            /// The signal's `type`.
            #[must_use]
            pub fn signal_type(&self) -> &'static str {
                match self {
                    $( Self::$variant(_) => $type, )*
                }
            }
        }
    };
}

signals! {
    /// Any event, whole. A target that takes this needs no other signal.
    Event(WholeEvent) = "event",
    /// The first signal of a stream: its main session starts.
    StreamStarted(Box<SessionStarted>) = "stream.started",
    /// Something about the session was learnt or has changed.
    SessionUpdated(Box<SessionUpdated>) = "session.updated",
    /// The last signal of a stream.
    StreamEnded(Box<SessionEnded>) = "stream.ended",
    /// A run starts: a turn, or work outside of any turn.
    RunStarted(RunStarted) = "run.started",
    /// A run ends. Everything in it has ended, or was declared background work.
    RunEnded(Box<RunEnded>) = "run.ended",
    /// A step starts: one answer of the main agent's model, with the calls that it makes.
    StepStarted(Step) = "step.started",
    /// A step ends.
    StepEnded(Step) = "step.ended",
    /// A sub-agent starts.
    AgentStarted(AgentStarted) = "agent.started",
    /// A sub-agent ends, or its run does.
    AgentEnded(AgentEnded) = "agent.ended",
    /// A message starts.
    MessageStarted(MessageStarted) = "message.started",
    /// A message ends.
    MessageEnded(MessageEnded) = "message.ended",
    /// A text of a message starts.
    TextStarted(PartStarted) = "text.started",
    /// A piece of a text.
    TextDelta(PartDelta) = "text.delta",
    /// A text ends.
    TextEnded(TextEnded) = "text.ended",
    /// Reasoning starts.
    ReasoningStarted(PartStarted) = "reasoning.started",
    /// A piece of reasoning.
    ReasoningDelta(PartDelta) = "reasoning.delta",
    /// Reasoning ends.
    ReasoningEnded(ReasoningEnded) = "reasoning.ended",
    /// The signature of reasoning that has ended before its signature came.
    ReasoningSigned(ReasoningSigned) = "reasoning.signed",
    /// A picture.
    Image(BlockShown<Image>) = "image",
    /// A change to a file.
    FileChange(BlockShown<FileChange>) = "file-change",
    /// A list of intended steps; each is the whole list.
    Plan(BlockShown<Plan>) = "plan",
    /// A notice.
    Status(BlockShown<Status>) = "status",
    /// A native value without a form of its own in the vocabulary.
    Json(BlockShown<JsonValue>) = "json",
    /// A tool call is announced.
    CallStarted(Box<CallState>) = "call.started",
    /// A piece of a call's arguments.
    CallArguments(CallPiece) = "call.arguments",
    /// The arguments are complete.
    CallReady(Box<CallState>) = "call.ready",
    /// The tool runs.
    CallRunning(Box<CallState>) = "call.running",
    /// Something about a ready call has changed.
    CallUpdated(Box<CallState>) = "call.updated",
    /// A piece of what the tool writes while it runs.
    CallOutput(CallPiece) = "call.output",
    /// The run ends, and the call goes on in the background.
    CallBackground(Box<CallState>) = "call.background",
    /// A call of an earlier run is heard of again; what follows is about it.
    CallContinued(Box<CallState>) = "call.continued",
    /// A call ends, with its result.
    CallEnded(Box<CallEnded>) = "call.ended",
    /// The agent requests permission. Its call has been announced.
    PermissionRequested(Box<OfCall<PermissionRequested>>) = "permission.requested",
    /// A permission request is resolved.
    PermissionResolved(Box<OfCall<PermissionResolved>>) = "permission.resolved",
    /// The agent asks the user a question. Its call has been announced.
    QuestionRequested(Box<OfCall<QuestionRequested>>) = "question.requested",
    /// A question is resolved.
    QuestionResolved(Box<OfCall<QuestionResolved>>) = "question.resolved",
    /// The agent asks its host to do something.
    HostCallRequested(Box<HostCallRequested>) = "host-call.requested",
    /// A host call is resolved.
    HostCallResolved(Box<HostCallResolved>) = "host-call.resolved",
    /// Tokens and money were used.
    UsageReported(Box<UsageReported>) = "usage.reported",
    /// Something went wrong.
    Error(Box<ErrorData>) = "error",
    /// A native message could not be translated.
    AgentUnparsed(Box<Unparsed>) = "agent.unparsed",
    /// A client has sent a message that is no command.
    ClientRequested(ClientRequest) = "client.requested",
    /// What a client has asked for is done: the session has started, the command was given.
    ClientDone(ClientAnswer) = "client.done",
    /// What a client has asked for cannot be done.
    ClientFailed(Box<ClientFailure>) = "client.failed",
}

/// A client's message that is no command, such as the first one of a connection.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClientRequest {
    /// The message, whole.
    pub request: Json,
}

/// A client's message that was a command, which has been carried out.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClientAnswer {
    /// The command's type, such as `session.start`.
    pub command: String,
    /// The message, whole.
    pub request: Json,
    /// The sessions that it has asked for, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<ListedSession>>,
}

/// An earlier session of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ListedSession {
    /// The agent's own id of it, with which it can be resumed.
    pub native_session_id: NativeSessionId,
    /// Its working directory.
    pub cwd: String,
    /// Its title, or the beginning of its first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When it was used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl ListedSession {
    /// A session of a working directory.
    #[must_use]
    pub fn new(native_session_id: impl Into<NativeSessionId>, cwd: impl Into<String>) -> Self {
        Self { native_session_id: native_session_id.into(), cwd: cwd.into(), title: None, updated_at: None }
    }

    with! {
        with_title: title = String;
        with_updated_at: updated_at = Timestamp;
    }
}

/// A client's message that was a command, which cannot be carried out.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClientFailure {
    /// The command's type, such as `session.start`.
    pub command: String,
    /// The message, whole.
    pub request: Json,
    /// Why.
    pub error: ErrorData,
}

/// An event, whole.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WholeEvent {
    /// The event's `type`.
    pub event_type: String,
    /// The event.
    pub event: Json,
}

/// A run starts.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RunStarted {
    /// Names the run: its first turn's id, or a name of ours.
    pub run_id: String,
    /// It is no turn of the main agent: something happened outside of any.
    pub background: bool,
    /// What set it off, where the agent says so at its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TurnTrigger>,
}

impl RunStarted {
    /// The run of a turn.
    #[must_use]
    pub fn new(run_id: impl Into<String>) -> Self {
        Self { run_id: run_id.into(), background: false, trigger: None }
    }
}

/// A run ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RunEnded {
    /// Names the run.
    pub run_id: String,
    /// It was no turn of the main agent.
    pub background: bool,
    /// Why its last turn ended.
    pub reason: TurnEndReason,
    /// What set it off, where that was learnt at its end only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TurnTrigger>,
    /// The error that ended it. Reasons other than `failed` may have one, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorData>,
    /// What its last turn used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The calls that go on in the background.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
}

/// A step starts or ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Step {
    /// Names the step.
    pub step_id: String,
}

/// A sub-agent starts.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgentStarted {
    /// Names the sub-agent: by the call that started it.
    pub agent_id: String,
    /// The sub-agent that started it, if the main agent did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_agent_id: Option<String>,
    /// The name of the tool that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The call in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// A sub-agent ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgentEnded {
    /// Names the sub-agent.
    pub agent_id: String,
}

/// A message starts.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MessageStarted {
    /// Names the message.
    pub message_id: String,
    /// What it belongs to: a call or a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Whose voice it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<MessageSource>,
}

/// A message ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MessageEnded {
    /// Names the message.
    pub message_id: String,
    /// Whose voice it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
    /// How it ended.
    pub status: ItemStatus,
    /// The message that replaces it after a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The messages that this one puts together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
}

/// A text or reasoning starts.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PartStarted {
    /// Names the text: a replaced text has a new one.
    pub part_id: String,
    /// The message, or another item, in which it stands.
    pub message_id: String,
    /// Its place there, from 0.
    pub part: u32,
    /// Whose voice it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
}

/// A piece of a text or of reasoning.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PartDelta {
    /// Names the text.
    pub part_id: String,
    /// The message in which it stands.
    pub message_id: String,
    /// Whose voice it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
    /// The piece.
    pub delta: String,
}

/// A text ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TextEnded {
    /// Names the text.
    pub part_id: String,
    /// The message in which it stands.
    pub message_id: String,
    /// Whose voice it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
    /// The agent has replaced the text or given it up: it does not count any more.
    pub replaced: bool,
    /// The provider's notes on the text, such as citations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Json>,
}

/// Reasoning ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReasoningEnded {
    /// Names the reasoning.
    pub part_id: String,
    /// The message in which it stands.
    pub message_id: String,
    /// The agent has replaced the text or given it up.
    pub replaced: bool,
    /// What the text is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// The signature or ciphertext, where it is known by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// A signature that came late.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReasoningSigned {
    /// Names the reasoning.
    pub part_id: String,
    /// The message in which it stands.
    pub message_id: String,
    /// The signature or ciphertext.
    pub signature: String,
}

/// A block that is neither text nor call.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BlockShown<T> {
    /// Names the block: a changed block keeps its name.
    pub part_id: String,
    /// The item in which it stands.
    pub message_id: String,
    /// Whose voice it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
    /// The block.
    pub block: T,
}

/// A native value.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct JsonValue {
    /// The value, as it was written.
    pub value: Json,
}

/// A tool call as it is now.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CallState {
    /// Names the call in its stream.
    pub call_id: String,
    /// The agent's own id of the call.
    pub native_call_id: String,
    /// The message or call that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The tool's kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<ToolKind>,
    /// The call in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The places that it touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// The arguments so far, as JSON text.
    pub arguments: String,
    /// The arguments are complete and no JSON.
    pub arguments_invalid: bool,
    /// The model's provider runs the tool.
    pub hosted: bool,
    /// There is no such call: it stands for a permission or question that belongs to none.
    pub for_request: bool,
    /// It is work in the background.
    pub outlives_turn: bool,
    /// The step in which it was announced has ended.
    pub step_over: bool,
    /// What the call changes in files, where the agent tells it with the texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileEdit>,
}

/// A change in one place of a file, with the text before and after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FileEdit {
    /// The file; after the change, when it was renamed.
    pub path: String,
    /// The path before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What happens to the file.
    pub change: ChangeKind,
    /// The text before; absent for a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// The text after; empty for a deleted file.
    pub new_text: String,
    /// The first line of the text after the change, from 1. Absent where the texts are those of the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// A piece of arguments or output.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CallPiece {
    /// Names the call.
    pub call_id: String,
    /// There is no such call: it stands for a permission or question that belongs to none.
    pub for_request: bool,
    /// What the piece is part of.
    pub channel: Channel,
    /// What kind of tool it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<ToolKind>,
    /// The piece.
    pub delta: String,
}

/// A call ends.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CallEnded {
    /// The call.
    #[serde(flatten)]
    pub call: CallState,
    /// How it ended: that of the result where there is one, else that of the call.
    pub status: ItemStatus,
    /// Whether a result came.
    pub has_result: bool,
    /// Names the result.
    pub result_id: String,
    /// The result's texts, joined by line breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the tool has written so far, where no result came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What of its text or output no `call.output` has told: all of it where none came, the rest where it continues what
    /// was told, and none where it is told in another form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untold: Option<String>,
    /// The result's blocks.
    pub content: Vec<ContentBlock>,
    /// The exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// A request, with its call.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OfCall<T> {
    /// Names the call in its stream.
    pub target_call_id: String,
    /// The request.
    #[serde(flatten)]
    pub request: T,
}

/// All that a target's map knows when it emits a signal.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SignalContext {
    /// The signal.
    pub signal: Signal,
    /// The stream in which it happens: its main session.
    pub stream: SignalStream,
    /// The open run, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The call that started the sub-agent which acts, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The event that led to it.
    pub event: SignalEvent,
    /// What the client has said, where one is connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<SignalClient>,
}

/// What a connected client has said.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SignalClient {
    /// Its first message that was no command: where protocols have a greeting, it tells what the client is able to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greeting: Option<Json>,
    /// The message that the run answers: the oldest one of the session that has no answer yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Json>,
    /// Whether the client has interrupted the run.
    pub is_cancelled: bool,
    /// The agent's name for people.
    pub agent: String,
    /// Whether earlier sessions can be listed, and their history be shown.
    pub has_history: bool,
}

/// A stream: a session, with the sessions of its sub-agents.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SignalStream {
    /// The main session.
    pub session_id: SessionId,
    /// The provider's own name of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_session_id: Option<NativeSessionId>,
}

/// What a signal's event says about itself.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SignalEvent {
    /// `{session_id}:{sequence}`
    pub event_id: String,
    /// When it happened, where the agent says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Timestamp>,
    /// When the host received it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_at: Option<Timestamp>,
    /// The session, which may be that of a sub-agent.
    pub session_id: SessionId,
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Who says so.
    pub origin: Origin,
}
