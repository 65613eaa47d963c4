//! The universal vocabulary: what an agent does ([`Event`], [`Item`]) and what a language
//! model says ([`Message`], [`StreamChunk`]), built on one set of content blocks
//! ([`ContentBlock`]) and one way to put them together ([`BlockAssembler`]).
//!
//! Event types are dotted (`item.started`); every other tag is kebab-case (`tool-call`);
//! fields are snake_case. Writing a value as JSON and reading it back gives the same value,
//! for every type.
//!
//! # Versions
//!
//! Each session states the version of its vocabulary once, in `session.started`
//! ([`VERSION`]). A new minor version adds event types, fields and words; a new major version
//! changes what is there. So a reader must expect what it does not know, and loses nothing
//! of it: an event of an unknown type is [`EventBody::Other`], unknown members of an event
//! are in [`Event::extra`], and both are written again as they were read. In Rust, structs
//! and enums are `#[non_exhaustive]`: make them with `new` and the `with_…` methods, and
//! match with a last arm for what may come.
//!
//! # Choices
//!
//! Three kinds of choice:
//! * closed sets, which are plain enums ([`ItemStatus`], [`Origin`]): a build that does not know a word
//!   of a set refuses it;
//! * open words ([`ToolKind`], [`ItemKind`]): an unknown word is kept;
//! * open sums ([`EventBody`], [`StreamChunk`], [`ContentBlock`], [`MessageSource`], [`FinishReason`],
//!   [`TurnTrigger`], [`TurnEndReason`]): an object with an unknown tag is kept whole, byte for byte, and
//!   [`OpenVariant`] gives such a tag a type.
//!
//! Optional fields are left out when they are absent, and a list that may be left out is
//! left out when it is empty. A field that holds native JSON tells `null` from absent.

/// The version of this vocabulary, `MAJOR.MINOR`. While the major version is 0, a minor version may change anything.
pub const VERSION: &str = "0.1";

mod assembler;
mod base64;
mod block;
mod chunk;
mod command;
mod error;
mod event;
mod extra;
mod file;
mod id;
mod image_type;
mod item;
mod json;
mod message;
mod model_request;
mod native;
mod open;
mod request;
#[cfg(feature = "schema")]
mod schema;
mod session;
mod setters;
mod shared_text;
mod signal;
mod timestamp;
mod tool;
mod transcript;
mod turn;
mod unparsed;
mod usage;
mod words;
mod write;

pub use assembler::BlockAssembler;
pub use block::{
    BlockType, ChangeKind, ContentBlock, FileChange, Image, JsonBlock, Plan, PlanEntry, PlanPriority,
    PlanStatus, Reasoning, Status, Text, Visibility,
};
pub use chunk::{FinishError, FinishReason, OtherChunk, StreamChunk};
pub use command::{
    Command, CommandContext, Delivery, HostCallReply, HostContext, MessageSend, ModeSet, ModelSet,
    PendingRequest, PermissionReply, QuestionReject, QuestionReply, SessionEnd, SessionFacts, SessionList,
    SessionStart, TurnInterrupt,
};
pub use error::{ErrorClass, ErrorData};
pub use event::{Event, EventBody, EventId, Origin, OtherBody};
pub use extra::Extra;
pub use file::File;
pub use id::{
    CallId, ItemId, MessageId, NativeItemId, NativeSessionId, PermissionId, QuestionId, RequestId, SessionId,
    TurnId,
};
pub(crate) use image_type::{give_types, lacks_types};
pub use item::{Channel, Item, ItemDelta, ItemKind, ItemRole, ItemState, ItemStatus};
pub use json::Json;
pub use message::{AgentSource, Message, MessageSource, ModelSource, PluginSource, Role, ToolSource};
pub use model_request::{
    Degradation, ModelRequest, ReasoningEffort, ReasoningRequest, ToolByName, ToolChoice, ToolDefinition,
};
pub use native::{NativeRef, RawBytes, RuleName};
pub use open::{OpenObject, OpenVariant};
pub use request::{
    Decider, HostCallKind, HostCallOutcome, HostCallRequested, HostCallResolved, PermissionAction,
    PermissionOption, PermissionOutcome, PermissionRequested, PermissionResolved, Question, QuestionOption,
    QuestionOutcome, QuestionRequested, QuestionResolved,
};
#[cfg(feature = "schema")]
pub use schema::json_schema;
pub use session::{Parent, SessionEndReason, SessionEnded, SessionStarted, SessionUpdated};
pub use signal::{
    AgentEnded, AgentStarted, BlockShown, CallEnded, CallPiece, CallState, ClientAnswer, ClientFailure,
    ClientRequest, FileEdit, JsonValue, ListedSession, MessageEnded, MessageStarted, OfCall, PartDelta,
    PartStarted, ReasoningEnded, ReasoningSigned, RunEnded, RunStarted, Signal, SignalClient, SignalContext,
    SignalEvent, SignalStream, Step, TextEnded, WholeEvent,
};
pub use timestamp::Timestamp;
pub use tool::{Location, ToolCall, ToolKind, ToolResult};
pub(crate) use transcript::DEPTH as TRANSCRIPT_DEPTH;
pub use transcript::{
    Transcript, TranscriptCalls, TranscriptCounts, TranscriptError, TranscriptFile, TranscriptHostCall,
    TranscriptItem, TranscriptModelUsage, TranscriptPermission, TranscriptQuestion, TranscriptReport,
    TranscriptSession, TranscriptTurn, TranscriptUsage,
};
pub use turn::{TurnEndReason, TurnEnded, TurnStarted, TurnTrigger};
pub use unparsed::Unparsed;
pub use usage::{Billing, Cost, CostSource, Usage, UsageBasis, UsageReported, UsageScope};
pub use words::OpenWord;
