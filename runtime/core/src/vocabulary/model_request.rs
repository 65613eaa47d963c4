//! What a language model is asked.

use serde::{Deserialize, Deserializer, Serialize};

use super::block::{ContentBlock, content};
use super::id::MessageId;
use super::json::{self, Json};
use super::message::{Message, MessageSource, ModelSource, Role};
use super::open::open_sum;
use super::setters::{with, with_number};
use super::words::open_words;

/// A request to a language model: the conversation so far, and how to go on.
///
/// The provider decides about absent fields. Its defaults are not repeated here.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{Message, ModelRequest};
/// let request = ModelRequest::new("m-1").with_message(Message::user("u1", "Hello")).with_max_tokens(100);
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     r#"{"model":"m-1","messages":[{"id":"u1","role":"user","content":[{"type":"text","text":"Hello"}],"source":{"kind":"user"}}],"max_tokens":100}"#,
/// );
///
/// // What is written by hand may be short: a plain text is content, and messages need neither `id` nor `source`.
/// let short: ModelRequest = serde_json::from_str(
///     r#"{"model":"m-1","messages":[{"role":"user","content":"Hello"}],"max_tokens":100}"#,
/// )?;
/// assert_eq!(short.messages[0].content, request.messages[0].content);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ModelRequest {
    /// The model, as the provider names it. Some providers name it outside the request's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Standing instructions, before those of messages whose role is `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation, from its start. A message that is read may lack its `id`, which is then made of its number, and
    /// its `source`, which its role then tells.
    #[serde(default, deserialize_with = "conversation")]
    pub messages: Vec<Message>,
    /// The tools on offer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Whether the model may, must or must not call a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Whether it may call several tools at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// The most tokens that it may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How freely it chooses its words, as the provider counts that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of likely words from which it chooses, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Texts at which it stops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Whether and how it reasons before it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ReasoningRequest>,
}

/// A message as a request may give it.
#[derive(Deserialize)]
struct RequestMessage {
    id: Option<MessageId>,
    role: Role,
    #[serde(deserialize_with = "content")]
    content: Vec<ContentBlock>,
    source: Option<MessageSource>,
    #[serde(default, deserialize_with = "json::present")]
    replay_state: Option<Json>,
}

fn conversation<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Message>, D::Error> {
    let messages = Vec::<RequestMessage>::deserialize(deserializer)?;
    let whole = |(number, message): (usize, RequestMessage)| {
        let RequestMessage { id, role, content, source, replay_state } = message;
        let id = id.unwrap_or_else(|| MessageId::from(format!("m{}", number + 1)));
        let source = source.unwrap_or_else(|| match role {
            Role::Assistant => MessageSource::Model(ModelSource::default()),
            Role::User | Role::System => MessageSource::User,
        });
        Message { id, role, content, source, replay_state }
    };
    Ok(messages.into_iter().enumerate().map(whole).collect())
}

impl ModelRequest {
    /// A request without messages.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..Self::default() }
    }

    /// The same request with one more message.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// The same request with one more tool.
    #[must_use]
    pub fn with_tool(mut self, tool: ToolDefinition) -> Self {
        self.tools.push(tool);
        self
    }

    with! {
        with_system: system = String;
        with_tool_choice: tool_choice = ToolChoice;
        with_reasoning: reasoning = ReasoningRequest;
    }

    with_number! {
        with_max_tokens: max_tokens = u64;
        with_temperature: temperature = f64;
        with_top_p: top_p = f64;
        with_parallel_tool_calls: parallel_tool_calls = bool;
    }
}

/// A tool that a model may call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The tool's name.
    pub name: String,
    /// A description for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A JSON Schema of its arguments: an object.
    pub parameters: Json,
}

impl ToolDefinition {
    /// A tool without description.
    #[must_use]
    pub fn new(name: impl Into<String>, parameters: Json) -> Self {
        Self { name: name.into(), description: None, parameters }
    }

    with! {
        with_description: description = String;
    }
}

open_sum! {
    /// Whether a model calls a tool, tagged `kind`.
    pub enum ToolChoice, tag "kind";
    units {
        /// The model decides.
        Auto = "auto",
        /// It must not.
        None = "none",
        /// It must call one.
        Required = "required",
    }
    structs {
        /// It must call this one.
        Tool(ToolByName) = "tool",
    }
}

/// A tool by its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ToolByName {
    /// The name.
    pub name: String,
}

impl ToolByName {
    /// A tool by its name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

/// How a model reasons before it answers. Without any field: as the provider sees fit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReasoningRequest {
    /// How much, in the provider's steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<ReasoningEffort>,
    /// The most tokens of reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

impl ReasoningRequest {
    with! {
        with_effort: effort = ReasoningEffort;
    }

    with_number! {
        with_max_tokens: max_tokens = u64;
    }
}

open_words! {
    /// How much a model reasons.
    pub enum ReasoningEffort {
        /// Not at all.
        None = "none",
        /// As little as the provider offers.
        Minimal = "minimal",
        /// Little.
        Low = "low",
        /// The usual amount.
        Medium = "medium",
        /// Much.
        High = "high",
        /// As much as the provider offers.
        Max = "max",
    }
}

/// A part of a request that the provider does not support as given.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Degradation {
    /// Its name, as the provider's term map gives it.
    pub what: String,
    /// Its position in the request, as a JSON path; empty for the whole request.
    pub at: String,
    /// What becomes of it, and why.
    pub reason: String,
}

impl Degradation {
    /// A part of a request, its position, and what is sent instead.
    #[must_use]
    pub fn new(what: impl Into<String>, at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { what: what.into(), at: at.into(), reason: reason.into() }
    }
}
