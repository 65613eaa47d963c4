//! What consumers ask of an item, a session and a transcript.

use serde::Deserialize;

use crate::vocabulary::{
    ContentBlock, ErrorData, FileChange, Item, ItemId, ItemKind, ItemStatus, Parent, ToolCall, ToolResult,
    Transcript, TranscriptFile, TranscriptHostCall, TranscriptItem, TranscriptPermission, TranscriptQuestion,
    TranscriptSession, TurnId, Usage,
};

impl ToolCall {
    /// Reads the arguments as a type of the caller's choice, for example [`serde_json::Value`].
    ///
    /// # Errors
    /// When the arguments are not valid JSON, as while they are still streaming, or do not have the shape of `T`.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::ToolCall;
    /// #[derive(serde::Deserialize)]
    /// struct Bash {
    ///     command: String,
    /// }
    /// let call = ToolCall::new("call_9", "Bash", r#"{"command":"ls"}"#);
    /// assert_eq!(call.arguments_as::<Bash>()?.command, "ls");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn arguments_as<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.arguments)
    }
}

impl ToolResult {
    /// The texts of the result, one after the other.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.content.iter().for_each(|block| add_text(&mut text, block));
        text
    }
}

impl Item {
    /// The texts of the item, joined: those of a message, or of a tool's result. Reasoning is not
    /// among them.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::{ContentBlock, Item, ItemKind};
    /// let item = Item::new("m", ItemKind::Message)
    ///     .with_block(ContentBlock::reasoning("hm"))
    ///     .with_block(ContentBlock::text("Looking."));
    /// assert_eq!((item.text(), item.reasoning()), ("Looking.".to_owned(), "hm".to_owned()));
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.content.iter().for_each(|block| add_text(&mut text, block));
        text
    }

    /// The reasoning of the item, as far as it is shown.
    #[must_use]
    pub fn reasoning(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            ContentBlock::Reasoning(reasoning) => Some(reasoning.text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The call of a tool-call item.
    #[must_use]
    pub fn call(&self) -> Option<&ToolCall> {
        self.content.iter().find_map(|block| match block {
            ContentBlock::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The result of a tool-result item.
    #[must_use]
    pub fn tool_result(&self) -> Option<&ToolResult> {
        self.content.iter().find_map(|block| match block {
            ContentBlock::ToolResult(result) => Some(result),
            _ => None,
        })
    }

    /// The changes of files in the item.
    pub fn file_changes(&self) -> impl Iterator<Item = &FileChange> {
        self.content.iter().filter_map(|block| match block {
            ContentBlock::FileChange(change) => Some(change),
            _ => None,
        })
    }
}

fn add_text(text: &mut String, block: &ContentBlock) {
    match block {
        ContentBlock::Text(block) => text.push_str(&block.text),
        ContentBlock::ToolResult(result) => result.content.iter().for_each(|inner| add_text(text, inner)),
        _ => {}
    }
}

impl TranscriptItem {
    /// What the tool of this call gave back, as text: of a call that runs, its output so far.
    #[must_use]
    pub fn output(&self) -> Option<String> {
        let result = self.result.as_ref()?;
        Some(result.live_output.clone().unwrap_or_else(|| result.item.text()))
    }

    /// How long it took, in milliseconds, where the events have times.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let millis = self.ended_at?.unix_millis() - self.started_at?.unix_millis();
        u64::try_from(millis).ok()
    }
}

/// A file that a session changed, with its changes in order.
#[derive(Clone, Debug)]
pub struct ChangedFile<'t> {
    /// The file, and what its changes amount to.
    pub file: &'t TranscriptFile,
    /// The changes, with their diffs where the provider gives them.
    pub changes: Vec<&'t FileChange>,
}

/// A request that waits for an answer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OpenRequest<'t> {
    /// The agent asks for permission.
    Permission(&'t TranscriptPermission),
    /// The agent asks the user.
    Question(&'t TranscriptQuestion),
    /// The agent asks its host to do something.
    HostCall(&'t TranscriptHostCall),
}

impl OpenRequest<'_> {
    /// The turn that waits for the answer.
    #[must_use]
    pub fn turn_id(&self) -> Option<&TurnId> {
        match self {
            Self::Permission(request) => request.turn_id.as_ref(),
            Self::Question(request) => request.turn_id.as_ref(),
            Self::HostCall(request) => request.turn_id.as_ref(),
        }
    }
}

impl TranscriptSession {
    /// All items that are kept, each followed by its result and by the items of its sub-agent.
    pub fn all_items(&self) -> impl Iterator<Item = &TranscriptItem> {
        let mut found = Vec::new();
        self.items.iter().for_each(|entry| collect(entry, &mut found));
        found.into_iter()
    }

    /// The item of this name.
    #[must_use]
    pub fn item(&self, id: &ItemId) -> Option<&TranscriptItem> {
        self.all_items().find(|entry| entry.item.item_id == *id)
    }

    /// The main agent's items of one turn.
    pub fn items_of<'t>(&'t self, turn: &TurnId) -> impl Iterator<Item = &'t TranscriptItem> {
        self.items.iter().filter(move |entry| entry.turn_id.as_ref() == Some(turn))
    }

    /// The items that are open. One whose end is missing in the stream is not open any more when its turn or the
    /// session is over.
    pub fn open_items(&self) -> impl Iterator<Item = &TranscriptItem> {
        self.all_items().filter(|entry| {
            let item = &entry.item;
            let may_be = item.outlives_turn || self.is_running(entry.turn_id.as_ref());
            item.status == ItemStatus::InProgress && may_be && self.end.is_none()
        })
    }

    /// The requests that wait for an answer, by kind and then in order.
    pub fn open_requests(&self) -> impl Iterator<Item = OpenRequest<'_>> {
        let permissions = self.permissions.iter().filter(|request| request.resolved.is_none());
        let questions = self.questions.iter().filter(|request| request.resolved.is_none());
        let host_calls = self.host_calls.iter().filter(|request| request.resolved.is_none());
        let all = permissions.map(OpenRequest::Permission);
        let all = all.chain(questions.map(OpenRequest::Question));
        let all = all.chain(host_calls.map(OpenRequest::HostCall));
        all.filter(|request| self.end.is_none() && self.is_running(request.turn_id()))
    }

    /// Whether a turn may still go on. Outside turns that is the session's own state.
    fn is_running(&self, turn: Option<&TurnId>) -> bool {
        let ended = turn.and_then(|id| self.turns.iter().rfind(|turn| turn.turn_id == *id));
        ended.is_none_or(|turn| turn.is_running())
    }

    /// The changed files with their changes, as far as these are kept.
    pub fn changed_files(&self) -> impl Iterator<Item = ChangedFile<'_>> {
        let all: Vec<&TranscriptItem> = self.all_items().collect();
        let by_id: std::collections::HashMap<&ItemId, &TranscriptItem> =
            all.into_iter().map(|entry| (&entry.item.item_id, entry)).collect();
        self.files.iter().map(move |file| {
            let items = file.items.iter().filter_map(|id| by_id.get(id));
            let is_its =
                |change: &&FileChange| change.path == file.path || file.from.as_ref() == Some(&change.path);
            let changes = items.flat_map(|entry| entry.item.file_changes()).filter(is_its).collect();
            ChangedFile { file, changes }
        })
    }

    /// The last error, also one after which the agent tried again.
    #[must_use]
    pub fn last_error(&self) -> Option<&ErrorData> {
        self.errors.last().map(|error| &error.error)
    }

    /// The tool calls of the main agent, each with its result in [`TranscriptItem::result`].
    pub fn calls(&self) -> impl Iterator<Item = &TranscriptItem> {
        self.items.iter().filter(|entry| entry.item.kind == ItemKind::ToolCall)
    }
}

fn collect<'t>(entry: &'t TranscriptItem, found: &mut Vec<&'t TranscriptItem>) {
    found.push(entry);
    found.extend(entry.result.as_deref());
    entry.items.iter().for_each(|inner| collect(inner, found));
}

impl Transcript {
    /// The session of this name.
    #[must_use]
    pub fn session(&self, id: &str) -> Option<&TranscriptSession> {
        self.sessions.iter().find(|session| session.session_id == *id)
    }

    /// What all sessions used together; `None` when nothing is known. The cost is absent when one of the sessions
    /// that used something does not tell its cost.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let totals: Vec<&Usage> =
            self.sessions.iter().filter_map(|session| session.usage.total.as_ref()).collect();
        let knows_cost = totals.iter().all(|usage| usage.cost.is_some());
        let mut sum = totals.into_iter().cloned().reduce(|sum, usage| sum.plus(&usage))?;
        if !knows_cost {
            sum.cost = None;
        }
        Some(sum)
    }

    /// The sessions of sub-agents that a session started.
    pub fn children<'t>(
        &'t self,
        parent: &'t TranscriptSession,
    ) -> impl Iterator<Item = &'t TranscriptSession> {
        let is_child = |of: &Parent| of.session_id == parent.session_id;
        self.sessions.iter().filter(move |session| session.parent.as_ref().is_some_and(is_child))
    }
}
