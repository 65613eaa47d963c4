//! Content blocks: what messages, items and tool results are made of.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::id::CallId;
use super::json::{self, Json};
use super::open::open_sum;
use super::setters::with;
use super::tool::{ToolCall, ToolResult};
use super::words::{closed_words, open_words};

open_sum! {
    /// One block of content, tagged `type`.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::ContentBlock;
    /// let block: ContentBlock = serde_json::from_str(r#"{"type":"text","text":"Hello"}"#)?;
    /// assert_eq!(block, ContentBlock::text("Hello"));
    ///
    /// // A block that this build does not know is kept, byte for byte.
    /// let json = r#"{"b":1.0,"type":"hologram","a":[]}"#;
    /// let block: ContentBlock = serde_json::from_str(json)?;
    /// assert_eq!(block.tag(), "hologram");
    /// assert_eq!(serde_json::to_string(&block)?, json);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// [`OpenVariant`](crate::vocabulary::OpenVariant) shows how to add a type of your own.
    pub enum ContentBlock, tag "type";
    units {}
    structs {
        /// Text for people.
        Text(Text) = "text",
        /// The model's reasoning, or the part of it that the provider shows.
        Reasoning(Reasoning) = "reasoning",
        /// The model's request to run a tool.
        ToolCall(ToolCall) = "tool-call",
        /// What a tool gave back.
        ToolResult(ToolResult) = "tool-result",
        /// A picture.
        Image(Image) = "image",
        /// A change to one file.
        FileChange(FileChange) = "file-change",
        /// A list of intended steps.
        Plan(Plan) = "plan",
        /// A native value without a form of its own here.
        Json(JsonBlock) = "json",
        /// A notice: what happened, in one word, and the native facts.
        Status(Status) = "status",
    }
}

impl ContentBlock {
    /// A text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text::new(text))
    }

    /// A reasoning block without signature or stated visibility.
    #[must_use]
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning(Reasoning::new(text))
    }

    /// A tool call; see [`ToolCall::new`].
    #[must_use]
    pub fn tool_call(
        call_id: impl Into<CallId>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self::ToolCall(ToolCall::new(call_id, name, arguments))
    }

    /// A tool result; see [`ToolResult::new`].
    #[must_use]
    pub fn tool_result(call_id: impl Into<CallId>, content: Vec<ContentBlock>) -> Self {
        Self::ToolResult(ToolResult::new(call_id, content))
    }

    /// Any JSON value as a block.
    #[must_use]
    pub fn json(value: Json) -> Self {
        Self::Json(JsonBlock { value })
    }

    /// A native block that has no counterpart here, kept whole: as itself when its `type`
    /// is a word that means nothing in this vocabulary, else as the value of a `json` block.
    #[must_use]
    pub fn from_native(value: Json) -> Self {
        match Self::from_json(value.clone()) {
            Ok(Self::Other(object)) => Self::Other(object),
            _ => Self::json(value),
        }
    }

    /// Appends to the text of a text or reasoning block, or to the last text in a tool result, which begins when there
    /// is none. `false` when the block has no text.
    pub(crate) fn append_text(&mut self, text: &str) -> bool {
        match self {
            Self::Text(block) => block.text.push_str(text),
            Self::Reasoning(block) => block.text.push_str(text),
            Self::ToolResult(result) => result.last_text().push_str(text),
            _ => return false,
        }
        true
    }

    /// Appends to the arguments of a call. `false` when the block is none.
    pub(crate) fn append_arguments(&mut self, text: &str) -> bool {
        let Self::ToolCall(call) = self else { return false };
        call.arguments.push_str(text);
        true
    }

    /// The block's `type` as a word.
    #[must_use]
    pub fn block_type(&self) -> BlockType {
        BlockType::from(self.tag())
    }
}

/// Reads content: a list of blocks, or a plain text, which is one block.
pub(super) fn content<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    content_of(&Json::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The content that a value is.
pub(super) fn content_of(value: &Json) -> Result<Vec<ContentBlock>, serde_json::Error> {
    match value.get().as_bytes().first() {
        Some(b'"') => Ok(vec![ContentBlock::text(value.to::<String>()?)]),
        Some(b'[') => value.to(),
        _ => Err(serde_json::Error::custom("content is a list of blocks, or a plain text")),
    }
}

impl From<Text> for ContentBlock {
    fn from(block: Text) -> Self {
        Self::Text(block)
    }
}

impl From<Reasoning> for ContentBlock {
    fn from(block: Reasoning) -> Self {
        Self::Reasoning(block)
    }
}

impl From<ToolCall> for ContentBlock {
    fn from(block: ToolCall) -> Self {
        Self::ToolCall(block)
    }
}

impl From<ToolResult> for ContentBlock {
    fn from(block: ToolResult) -> Self {
        Self::ToolResult(block)
    }
}

impl From<Image> for ContentBlock {
    fn from(block: Image) -> Self {
        Self::Image(block)
    }
}

impl From<FileChange> for ContentBlock {
    fn from(block: FileChange) -> Self {
        Self::FileChange(block)
    }
}

impl From<Plan> for ContentBlock {
    fn from(block: Plan) -> Self {
        Self::Plan(block)
    }
}

impl From<Status> for ContentBlock {
    fn from(block: Status) -> Self {
        Self::Status(block)
    }
}

open_words! {
    /// The `type` of a content block.
    pub enum BlockType {
        /// [`Text`].
        Text = "text",
        /// [`Reasoning`].
        Reasoning = "reasoning",
        /// [`ToolCall`].
        ToolCall = "tool-call",
        /// [`ToolResult`].
        ToolResult = "tool-result",
        /// [`Image`].
        Image = "image",
        /// [`FileChange`].
        FileChange = "file-change",
        /// [`Plan`].
        Plan = "plan",
        /// [`JsonBlock`].
        Json = "json",
        /// [`Status`].
        Status = "status",
    }
}

/// Text for people.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Text {
    /// The text.
    pub text: String,
    /// The provider's notes on the text, such as citations, in its own form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<Json>,
}

impl Text {
    /// Text without annotations.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: Vec::new() }
    }

    /// The same text with one more annotation.
    #[must_use]
    pub fn with_annotation(mut self, annotation: Json) -> Self {
        self.annotations.push(annotation);
        self
    }
}

/// The model's reasoning, or the part of it that the provider shows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reasoning {
    /// The text; empty when it is hidden.
    pub text: String,
    /// What kind of text it is, if the provider says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// The provider's signature or ciphertext, to be sent back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl Reasoning {
    /// Reasoning with a text only.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    with! {
        with_visibility: visibility = Visibility;
        with_signature: signature = String;
    }
}

closed_words! {
    /// What the text of a reasoning block is.
    pub enum Visibility {
        /// The thinking itself.
        Raw = "raw",
        /// A summary of it.
        Summary = "summary",
        /// Nothing: the provider keeps the text, and may give a signature or ciphertext.
        Hidden = "hidden",
    }
}

/// A picture, by address or by value.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Image {
    /// The media type, such as `image/png`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Where the picture is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The picture itself, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl Image {
    /// A picture by its address.
    #[must_use]
    pub fn from_uri(uri: impl Into<String>) -> Self {
        Self { uri: Some(uri.into()), ..Self::default() }
    }

    /// A picture by its bytes, in base64.
    #[must_use]
    pub fn from_base64(data: impl Into<String>) -> Self {
        Self { data: Some(data.into()), ..Self::default() }
    }

    with! {
        with_mime: mime = String;
    }
}

/// A change to one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FileChange {
    /// The file; after the change, when it was renamed.
    pub path: String,
    /// What happens to the file.
    pub change: ChangeKind,
    /// The path before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The change as a diff, or whatever text the provider gives for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl FileChange {
    /// A change with only its file and kind.
    #[must_use]
    pub fn new(path: impl Into<String>, change: ChangeKind) -> Self {
        Self { path: path.into(), change, from: None, diff: None }
    }

    with! {
        with_from: from = String;
        with_diff: diff = String;
    }
}

closed_words! {
    /// What a change does to a file.
    pub enum ChangeKind {
        /// The file is new.
        Create = "create",
        /// The file's content changes.
        Update = "update",
        /// The file goes away.
        Delete = "delete",
        /// The file gets another path, and possibly other content.
        Rename = "rename",
    }
}

/// A list of intended steps; every plan block is the whole list.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Plan {
    /// The steps in order.
    pub entries: Vec<PlanEntry>,
}

impl Plan {
    /// A plan by its steps.
    #[must_use]
    pub fn new(entries: Vec<PlanEntry>) -> Self {
        Self { entries }
    }
}

/// One step of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PlanEntry {
    /// The step in words.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
    /// Its priority, if the provider sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<PlanPriority>,
}

impl PlanEntry {
    /// A step without a stated priority.
    #[must_use]
    pub fn new(text: impl Into<String>, status: PlanStatus) -> Self {
        Self { text: text.into(), status, priority: None }
    }

    with! {
        with_priority: priority = PlanPriority;
    }
}

open_words! {
    /// How far a step of a plan is.
    pub enum PlanStatus {
        /// Not begun.
        Pending = "pending",
        /// Being worked on.
        InProgress = "in-progress",
        /// Done.
        Completed = "completed",
        /// Given up.
        Cancelled = "cancelled",
    }
}

open_words! {
    /// How much a step of a plan matters.
    pub enum PlanPriority {
        /// Before the others.
        High = "high",
        /// As usual.
        Medium = "medium",
        /// After the others.
        Low = "low",
    }
}

/// A native value without a form of its own in this vocabulary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct JsonBlock {
    /// The value, byte for byte as it was sent.
    pub value: Json,
}

/// A notice: what happened, in one word, and the native facts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Status {
    /// What happened, such as `retry` or `compaction`.
    pub label: String,
    /// More about it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The native facts, as they were written.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
}

impl Status {
    /// A notice without detail or data.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), detail: None, data: None }
    }

    with! {
        with_detail: detail = String;
        with_data: data = Json;
    }
}
