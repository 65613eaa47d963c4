//! Items: what a session's work consists of.

use serde::{Deserialize, Serialize};

use super::block::ContentBlock;
use super::id::{CallId, ItemId, NativeItemId};
use super::message::MessageSource;
use super::setters::{with, with_number};
use super::words::{closed_words, open_words};

/// One piece of a session: a message, a tool call, its result, a plan, a notice.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{ContentBlock, Item, ItemKind, ItemRole, ItemStatus, MessageSource};
/// let item = Item::new("msg_1", ItemKind::Message)
///     .with_role(ItemRole::Assistant)
///     .with_source(MessageSource::model("m-1"))
///     .with_status(ItemStatus::Completed)
///     .with_block(ContentBlock::text("Looking."));
/// assert_eq!(
///     serde_json::to_string(&item)?,
///     concat!(
///         r#"{"item_id":"msg_1","kind":"message","role":"assistant","#,
///         r#""source":{"kind":"model","model":"m-1"},"status":"completed","#,
///         r#""content":[{"type":"text","text":"Looking."}]}"#,
///     ),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Item {
    /// Names the item within its session.
    pub item_id: ItemId,
    /// The provider's own name of it, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_item_id: Option<NativeItemId>,
    /// The message or tool call that the item belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<ItemId>,
    /// Links a tool call and its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The kind of the item.
    pub kind: ItemKind,
    /// Whose voice it is; absent while that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ItemRole>,
    /// Who wrote it; absent if the provider does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<MessageSource>,
    /// How far it is.
    pub status: ItemStatus,
    /// Set on work in the background, which its turn's end does not close.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outlives_turn: bool,
    /// The item that replaces this one after a retry, where the provider names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ItemId>,
    /// The items that this one puts together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<ItemId>,
    /// A tool's place among all blocks of its message, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The item's blocks; a delta's `part` counts in this list.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
}

impl Item {
    /// An item in progress, without content.
    #[must_use]
    pub fn new(item_id: impl Into<ItemId>, kind: impl Into<ItemKind>) -> Self {
        Self {
            item_id: item_id.into(),
            native_item_id: None,
            parent_id: None,
            call_id: None,
            kind: kind.into(),
            role: None,
            source: None,
            status: ItemStatus::InProgress,
            outlives_turn: false,
            superseded_by: None,
            merged_from: Vec::new(),
            index: None,
            content: Vec::new(),
        }
    }

    with! {
        with_native_item_id: native_item_id = NativeItemId;
        with_parent_id: parent_id = ItemId;
        with_call_id: call_id = CallId;
        with_role: role = ItemRole;
        with_source: source = MessageSource;
        with_superseded_by: superseded_by = ItemId;
    }

    with_number! {
        with_index: index = u32;
    }

    /// The same item with another status.
    #[must_use]
    pub fn with_status(mut self, status: ItemStatus) -> Self {
        self.status = status;
        self
    }

    /// The same item, marked as work in the background.
    #[must_use]
    pub fn outliving_its_turn(mut self) -> Self {
        self.outlives_turn = true;
        self
    }

    /// The same item with one more block.
    #[must_use]
    pub fn with_block(mut self, block: impl Into<ContentBlock>) -> Self {
        self.content.push(block.into());
        self
    }
}

open_words! {
    /// What an item is.
    pub enum ItemKind {
        /// A message, of any role.
        Message = "message",
        /// A request of the model to run a tool; open while the tool runs.
        ToolCall = "tool-call",
        /// What a tool gave back.
        ToolResult = "tool-result",
        /// A list of intended steps.
        Plan = "plan",
        /// A notice.
        Status = "status",
    }
}

closed_words! {
    /// Whose voice an item is.
    pub enum ItemRole {
        /// Input to the agent.
        User = "user",
        /// Output of the model.
        Assistant = "assistant",
        /// Standing instructions, and notices of the agent program.
        System = "system",
        /// What tools give back.
        Tool = "tool",
    }
}

closed_words! {
    /// How far an item is.
    pub enum ItemStatus {
        /// Open: more may come.
        InProgress = "in-progress",
        /// Whole.
        Completed = "completed",
        /// Ended by an error.
        Failed = "failed",
        /// Not run, because leave was refused.
        Declined = "declined",
        /// Cut off.
        Interrupted = "interrupted",
    }
}

/// Data of `item.started`, `item.updated` and `item.completed`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ItemState {
    /// The current state of the item.
    pub item: Box<Item>,
}

impl From<Item> for ItemState {
    fn from(item: Item) -> Self {
        Self { item: Box::new(item) }
    }
}

/// Data of `item.delta`: text to append to one part of an open item.
///
/// ```json
/// {"item_id":"msg_1","part":0,"channel":"text","delta":"Looking."}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ItemDelta {
    /// The item.
    pub item_id: ItemId,
    /// The provider's own name of it, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_item_id: Option<NativeItemId>,
    /// The part: its place in the item's `content`, from 0.
    pub part: u32,
    /// What kind of text it is.
    pub channel: Channel,
    /// The text to append.
    pub delta: String,
}

impl ItemDelta {
    /// A delta without a native id.
    #[must_use]
    pub fn new(item_id: impl Into<ItemId>, part: u32, channel: Channel, delta: impl Into<String>) -> Self {
        Self { item_id: item_id.into(), native_item_id: None, part, channel, delta: delta.into() }
    }

    with! {
        with_native_item_id: native_item_id = NativeItemId;
    }
}

closed_words! {
    /// What kind of text a delta carries. `output`, `error-output` and `input` are a live
    /// view; the others build up the part.
    pub enum Channel {
        /// Text of a text block.
        Text = "text",
        /// Text of a reasoning block.
        Reasoning = "reasoning",
        /// Raw JSON text of a call's arguments.
        Arguments = "arguments",
        /// What a tool writes.
        Output = "output",
        /// What a tool writes to its error stream.
        ErrorOutput = "error-output",
        /// Input that is typed into a running tool.
        Input = "input",
    }
}
