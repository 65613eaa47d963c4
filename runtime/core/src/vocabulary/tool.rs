//! Tool calls and their results.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::block::{ContentBlock, content_of};
use super::id::CallId;
use super::json::{Json, nests_deeper_than};
use super::setters::{with, with_number};
use super::words::open_words;

/// The model's request to run a tool.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{ContentBlock, ToolCall, ToolKind};
/// let call = ToolCall::new("call_9", "Bash", r#"{"command":"ls"}"#).with_tool_kind(ToolKind::Execute);
/// assert_eq!(
///     serde_json::to_string(&ContentBlock::from(call))?,
///     r#"{"type":"tool-call","call_id":"call_9","name":"Bash","arguments":"{\"command\":\"ls\"}","tool_kind":"execute"}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ToolCall {
    /// Links the call to its result.
    pub call_id: CallId,
    /// The tool's name.
    pub name: String,
    /// The arguments as raw JSON text, exactly as the model produced it.
    pub arguments: String,
    /// Set when `arguments` is whole and yet not valid JSON.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arguments_invalid: bool,
    /// Set if the provider itself runs the tool: the host does not, and the result is in the same message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hosted: bool,
    /// The kind of tool; absent if the tool is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<ToolKind>,
    /// A title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The files that the call is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

impl ToolCall {
    /// A call with its arguments as raw JSON text. The text is taken as it is; see
    /// [`ToolCall::check_arguments`].
    #[must_use]
    pub fn new(call_id: impl Into<CallId>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            call_id: call_id.into(),
            name: name.into(),
            arguments: arguments.into(),
            arguments_invalid: false,
            hosted: false,
            tool_kind: None,
            title: None,
            locations: Vec::new(),
        }
    }

    with! {
        with_tool_kind: tool_kind = ToolKind;
        with_title: title = String;
    }

    /// The same call with the files that it is about.
    #[must_use]
    pub fn with_locations(mut self, locations: Vec<Location>) -> Self {
        self.locations = locations;
        self
    }

    /// Sets `arguments_invalid` by whether `arguments` is one valid JSON value, which the
    /// empty text is not. Reads the whole text: call it once, when the arguments are whole.
    pub fn check_arguments(&mut self) {
        let read: Result<serde::de::IgnoredAny, _> = serde_json::from_str(&self.arguments);
        self.arguments_invalid = read.is_err();
    }
}

open_words! {
    /// What a tool does.
    pub enum ToolKind {
        /// Reads files or data.
        Read = "read",
        /// Changes files.
        Edit = "edit",
        /// Deletes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Looks for something.
        Search = "search",
        /// Runs a command.
        Execute = "execute",
        /// Gets something from the network.
        Fetch = "fetch",
        /// Thinks without effect outside.
        Think = "think",
        /// Keeps a plan.
        Plan = "plan",
        /// Asks the user.
        Ask = "ask",
        /// Hands work to another agent.
        Delegate = "delegate",
        /// Known, and none of the above.
        Other = "other",
    }
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Location {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl Location {
    /// A whole file.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), line: None }
    }

    with_number! {
        with_line: line = u64;
    }
}

/// What a tool gave back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ToolResult {
    /// The call that this answers.
    pub call_id: CallId,
    /// What came back.
    #[serde(deserialize_with = "nested_blocks")]
    pub content: Vec<ContentBlock>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The exit code of a command, where the provider gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// How long the tool ran, in milliseconds, where the provider gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl ToolResult {
    /// A result that is no error.
    #[must_use]
    pub fn new(call_id: impl Into<CallId>, content: Vec<ContentBlock>) -> Self {
        Self { call_id: call_id.into(), content, is_error: false, exit_code: None, duration_ms: None }
    }

    with_number! {
        with_exit_code: exit_code = i64;
        with_duration_ms: duration_ms = u64;
    }

    /// The last text, which begins when there is none.
    pub(super) fn last_text(&mut self) -> &mut String {
        let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
        let place = self.content.iter().rposition(is_text).unwrap_or_else(|| {
            self.content.push(ContentBlock::text(""));
            self.content.len() - 1
        });
        match &mut self.content[place] {
            ContentBlock::Text(block) => &mut block.text,
            _ => unreachable!("the place was chosen because a text stands there"),
        }
    }

    /// The same result, marked as a failure.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }
}

/// How deep the JSON of a result's content may nest: serde_json's own limit, which it
/// cannot apply here, since every block is taken as raw text before it is read.
const NESTING_LIMIT: usize = 128;

/// Reads blocks inside a block without letting hostile input exhaust the stack.
fn nested_blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    let json = Json::deserialize(deserializer)?;
    if nests_deeper_than(json.get(), NESTING_LIMIT) {
        return Err(D::Error::custom(format_args!(
            "the content of a tool result nests deeper than {NESTING_LIMIT} levels"
        )));
    }
    content_of(&json).map_err(D::Error::custom)
}
