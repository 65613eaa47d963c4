//! Messages of a conversation, and where content comes from.

use serde::{Deserialize, Serialize};

use super::block::{ContentBlock, content};
use super::id::MessageId;
use super::json::{self, Json};
use super::open::open_sum;
use super::setters::with;
use super::words::closed_words;

/// One message of a conversation with a model.
///
/// Injected context and steering in the middle of a turn are plain `user` messages; who
/// injected them is told by `source` alone.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::Message;
/// let message = Message::user("m1", "Hello");
/// assert_eq!(
///     serde_json::to_string(&message)?,
///     r#"{"id":"m1","role":"user","content":[{"type":"text","text":"Hello"}],"source":{"kind":"user"}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Message {
    /// Names the message.
    pub id: MessageId,
    /// Whose turn to speak it is.
    pub role: Role,
    /// The message's blocks. A plain text is read as one block.
    #[serde(deserialize_with = "content")]
    pub content: Vec<ContentBlock>,
    /// Who wrote it.
    pub source: MessageSource,
    /// What the provider of an assistant's message wants to get back with it in the next request: an object that names
    /// its provider, `{"provider": "…", …}`, and is opaque to all others, which leave it out.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub replay_state: Option<Json>,
}

impl Message {
    /// A message without content.
    #[must_use]
    pub fn new(id: impl Into<MessageId>, role: Role, source: MessageSource) -> Self {
        Self { id: id.into(), role, content: Vec::new(), source, replay_state: None }
    }

    /// A text by the user.
    #[must_use]
    pub fn user(id: impl Into<MessageId>, text: impl Into<String>) -> Self {
        Self::new(id, Role::User, MessageSource::User).with_block(ContentBlock::text(text))
    }

    /// The same message with one more block.
    #[must_use]
    pub fn with_block(mut self, block: impl Into<ContentBlock>) -> Self {
        self.content.push(block.into());
        self
    }

    with! {
        with_replay_state: replay_state = Json;
    }
}

closed_words! {
    /// Whose turn to speak a message is.
    pub enum Role {
        /// Standing instructions.
        System = "system",
        /// Input to the model.
        User = "user",
        /// Output of the model.
        Assistant = "assistant",
    }
}

open_sum! {
    /// Who wrote a message or an item, tagged `kind`.
    pub enum MessageSource, tag "kind";
    units {
        /// The person in front of the agent.
        User = "user",
    }
    structs {
        /// A plugin, hook or skill of the agent.
        Plugin(PluginSource) = "plugin",
        /// A language model.
        Model(ModelSource) = "model",
        /// A tool.
        Tool(ToolSource) = "tool",
        /// The agent program itself, or another agent.
        Agent(AgentSource) = "agent",
    }
}

impl MessageSource {
    /// A model by its name.
    #[must_use]
    pub fn model(model: impl Into<String>) -> Self {
        Self::Model(ModelSource { model: Some(model.into()) })
    }

    /// A plugin, hook or skill by its name.
    #[must_use]
    pub fn plugin(name: impl Into<String>) -> Self {
        Self::Plugin(PluginSource::default().with_name(name))
    }

    /// A tool by its name.
    #[must_use]
    pub fn tool(name: impl Into<String>) -> Self {
        Self::Tool(ToolSource::default().with_name(name))
    }

    /// An agent by its name.
    #[must_use]
    pub fn agent(name: impl Into<String>) -> Self {
        Self::Agent(AgentSource::default().with_name(name))
    }
}

/// A language model as a source.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ModelSource {
    /// The model's name, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A plugin, hook or skill as a source.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PluginSource {
    /// Its name, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl PluginSource {
    with! {
        with_name: name = String;
    }
}

/// A tool as a source.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ToolSource {
    /// Its name, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl ToolSource {
    with! {
        with_name: name = String;
    }
}

/// An agent as a source.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgentSource {
    /// Its name, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl AgentSource {
    with! {
        with_name: name = String;
    }
}
