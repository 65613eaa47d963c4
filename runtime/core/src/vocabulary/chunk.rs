//! The stream of one answer of a language model.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::block::{BlockType, ContentBlock};
use super::error::ErrorClass;
use super::id::CallId;
use super::json::{self, Json};
use super::open::open_sum;
use super::setters::with;
use super::usage::Usage;

/// One step of the stream of a model's answer, tagged `type`. A chunk of an unknown type is kept whole.
///
/// Each block has an `index`, unique in its answer. `usage` comes before `finish`, and
/// nothing comes after `finish`. Each candidate of an answer is a stream of its own.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::StreamChunk;
/// let json = r#"{"type":"text-delta","index":0,"text":"Hel"}"#;
/// let chunk: StreamChunk = serde_json::from_str(json)?;
/// assert_eq!(chunk, StreamChunk::TextDelta { index: 0, text: "Hel".to_owned() });
/// assert_eq!(serde_json::to_string(&chunk)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// [`BlockAssembler`](crate::vocabulary::BlockAssembler) puts the blocks together.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StreamChunk {
    /// A block begins.
    BlockStart {
        /// The block.
        index: u32,
        /// What sort of block it will be.
        block_type: BlockType,
    },
    /// More text of a text block.
    TextDelta {
        /// The block.
        index: u32,
        /// The text to append.
        text: String,
    },
    /// More text of a reasoning block.
    ReasoningDelta {
        /// The block.
        index: u32,
        /// The text to append.
        text: String,
    },
    /// More of a tool call.
    ToolCallDelta {
        /// The block.
        index: u32,
        /// The call's id, on every delta: deltas wait for it.
        call_id: CallId,
        /// The tool's name, at least on the first delta. A later delta may replace it: names may arrive in pieces.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The raw JSON text to append to the arguments.
        arguments_delta: String,
    },
    /// A block is whole.
    BlockEnd {
        /// The block's index.
        index: u32,
        /// The whole block; it takes precedence over the deltas.
        block: Box<ContentBlock>,
    },
    /// The usage of the answer.
    Usage {
        /// The counts.
        usage: Box<Usage>,
    },
    /// The answer is over.
    Finish {
        /// Why it is over.
        reason: FinishReason,
        /// State that the provider expects back in the next request: an object that names its provider,
        /// `{"provider": "…", …}`, and is else in that provider's own form.
        #[serde(skip_serializing_if = "Option::is_none")]
        replay_state: Option<Json>,
        /// What else the provider says of the answer as a whole, as an object in its own form: why it stopped, in words,
        /// and how it judged the content.
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Json>,
    },
    /// A chunk of a type that this build does not know, kept whole.
    #[serde(untagged)]
    Other(OtherChunk),
}

/// A chunk of a type that this build does not know.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::StreamChunk;
/// let json = r#"{"type":"mood","index":0,"mood":"calm"}"#;
/// let chunk: StreamChunk = serde_json::from_str(json)?;
/// assert_eq!(chunk.chunk_type(), "mood");
/// assert_eq!(serde_json::to_string(&chunk)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherChunk {
    chunk_type: Box<str>,
    json: Json,
}

impl OtherChunk {
    /// The whole chunk, byte for byte as it was read.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for OtherChunk {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OtherChunk".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        super::schema::other("type", StreamChunk::TYPES)
    }
}

impl Serialize for OtherChunk {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl StreamChunk {
    /// The end of an answer, without further details.
    #[must_use]
    pub fn finish(reason: FinishReason) -> Self {
        Self::Finish { reason, replay_state: None, details: None }
    }

    /// The types of chunks that this build knows.
    pub const TYPES: &'static [&'static str] =
        &["block-start", "text-delta", "reasoning-delta", "tool-call-delta", "block-end", "usage", "finish"];

    /// The place of its type among [`TYPES`](Self::TYPES); `None` for an unknown type.
    pub(crate) fn place(&self) -> Option<usize> {
        Some(match self {
            Self::BlockStart { .. } => 0,
            Self::TextDelta { .. } => 1,
            Self::ReasoningDelta { .. } => 2,
            Self::ToolCallDelta { .. } => 3,
            Self::BlockEnd { .. } => 4,
            Self::Usage { .. } => 5,
            Self::Finish { .. } => 6,
            Self::Other(_) => return None,
        })
    }

    /// Whether this build knows its type.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.place().is_some()
    }

    /// Its `type`.
    #[must_use]
    pub fn chunk_type(&self) -> &str {
        match self {
            Self::Other(other) => &other.chunk_type,
            known => known.place().map_or("", |place| Self::TYPES[place]),
        }
    }

    /// The text of a `text-delta`.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::TextDelta { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The tags of [`StreamChunk`].
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ChunkType {
    BlockStart,
    TextDelta,
    ReasoningDelta,
    ToolCallDelta,
    BlockEnd,
    Usage,
    Finish,
}

/// The fields of all chunks. No field means different things in two chunks, so one flat
/// struct reads them all in one pass; serde's own tagged enums buffer, which would not
/// keep raw JSON.
#[derive(Deserialize)]
struct Fields {
    r#type: ChunkType,
    index: Option<u32>,
    block_type: Option<BlockType>,
    text: Option<String>,
    call_id: Option<CallId>,
    name: Option<String>,
    arguments_delta: Option<String>,
    block: Option<Box<ContentBlock>>,
    usage: Option<Box<Usage>>,
    reason: Option<FinishReason>,
    #[serde(default, deserialize_with = "json::present")]
    replay_state: Option<Json>,
    #[serde(default, deserialize_with = "json::present")]
    details: Option<Json>,
}

/// The type alone.
#[derive(Deserialize)]
struct Tag {
    r#type: String,
}

impl<'de> Deserialize<'de> for StreamChunk {
    /// Reads a chunk of a known type, or keeps one of an unknown type whole. A known type whose fields do not fit is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let chunk_type = json.to::<Tag>().map_err(D::Error::custom)?.r#type;
        if !Self::TYPES.contains(&chunk_type.as_str()) {
            return Ok(Self::Other(OtherChunk { chunk_type: chunk_type.into(), json }));
        }
        Self::read_known(&json).map_err(D::Error::custom)
    }
}

impl StreamChunk {
    /// Reads a chunk of a type that this build knows.
    fn read_known(json: &Json) -> Result<Self, serde_json::Error> {
        fn need<T>(field: Option<T>, name: &'static str) -> Result<T, serde_json::Error> {
            field.ok_or_else(|| serde_json::Error::missing_field(name))
        }
        let fields: Fields = json.to()?;
        let index = || fields.index.ok_or_else(|| serde_json::Error::missing_field("index"));
        Ok(match fields.r#type {
            ChunkType::BlockStart => {
                Self::BlockStart { index: index()?, block_type: need(fields.block_type, "block_type")? }
            }
            ChunkType::TextDelta => Self::TextDelta { index: index()?, text: need(fields.text, "text")? },
            ChunkType::ReasoningDelta => {
                Self::ReasoningDelta { index: index()?, text: need(fields.text, "text")? }
            }
            ChunkType::ToolCallDelta => Self::ToolCallDelta {
                index: index()?,
                call_id: need(fields.call_id, "call_id")?,
                name: fields.name,
                arguments_delta: need(fields.arguments_delta, "arguments_delta")?,
            },
            ChunkType::BlockEnd => Self::BlockEnd { index: index()?, block: need(fields.block, "block")? },
            ChunkType::Usage => Self::Usage { usage: need(fields.usage, "usage")? },
            ChunkType::Finish => Self::Finish {
                reason: need(fields.reason, "reason")?,
                replay_state: fields.replay_state,
                details: fields.details,
            },
        })
    }
}

open_sum! {
    /// Why a model's answer is over, tagged `kind`.
    pub enum FinishReason, tag "kind";
    units {
        /// The model finished its answer.
        Stop = "stop",
        /// The model waits for the results of its tool calls.
        ToolCalls = "tool-calls",
        /// The answer reached the allowed length.
        MaxTokens = "max-tokens",
        /// The model refused.
        Refusal = "refusal",
        /// The answer pauses and can be gone on with.
        Pause = "pause",
        /// The conversation is too long for the model.
        ContextWindow = "context-window",
        /// The provider cut the answer off for its content.
        ContentFilter = "content-filter",
        /// The model ended without saying anything.
        Empty = "empty",
        /// The client cancelled, or the stream was cut off.
        Aborted = "aborted",
    }
    structs {
        /// The provider failed.
        Error(FinishError) = "error",
    }
}

impl FinishReason {
    /// A failure without a code.
    #[must_use]
    pub fn error(message: impl Into<String>) -> Self {
        Self::Error(FinishError::new(message))
    }
}

/// How a provider failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FinishError {
    /// The provider's message.
    pub message: String,
    /// The provider's code, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The class of the failure, if the code shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ErrorClass>,
    /// Further native facts, as they were written.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
}

impl FinishError {
    /// A failure without a code.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: None, class: None, details: None }
    }

    with! {
        with_code: code = String;
        with_class: class = ErrorClass;
        with_details: details = Json;
    }
}
