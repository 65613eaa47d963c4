//! The tables, with the meaning of each column.

use arrow_schema::SchemaRef;

use crate::column::{self, Column, Kind};

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Table {
    /// The sources that were read, one row each.
    Sources,
    /// The sessions.
    Sessions,
    /// The turns of the sessions.
    Turns,
    /// The items: messages, tool calls and their results, plans, status.
    Items,
    /// The tool calls with their results.
    ToolCalls,
    /// What was used, in rows that add up.
    Usage,
    /// The changed files.
    Files,
    /// The events.
    Events,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 8] = [
        Self::Sources,
        Self::Sessions,
        Self::Turns,
        Self::Items,
        Self::ToolCalls,
        Self::Usage,
        Self::Files,
        Self::Events,
    ];

    /// The table's name.
    ///
    /// ```
    /// assert_eq!(interlingua_arrow::Table::ToolCalls.name(), "tool_calls");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Sessions => "sessions",
            Self::Turns => "turns",
            Self::Items => "items",
            Self::ToolCalls => "tool_calls",
            Self::Usage => "usage",
            Self::Files => "files",
            Self::Events => "events",
        }
    }

    /// The table of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// What a row of the table is.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Sources => {
                "A file or stream that was read. One that could not be read has a row too, with the reason in `error`."
            }
            Self::Sessions => "A session, or a sub-agent with a session of its own.",
            Self::Turns => "A turn: what happens from a prompt until the agent is done with it.",
            Self::Items => {
                "An item: a message, a tool call, a tool's result, a plan, a status. Items of sub-agents are among them."
            }
            Self::ToolCalls => "A tool call with its result.",
            Self::Usage => {
                "What a call of a model used, or, for providers that do not report calls, what a model used in the session. \
                 The rows of a session add up to its total. Rows with `is_copy` are copies of calls in another session: \
                 leave them out of sums over several sessions."
            }
            Self::Files => "A file that a session changed.",
            Self::Events => "A universal event, as `interlingua translate` writes it.",
        }
    }

    /// The table's columns. The first four are the same in all tables.
    #[must_use]
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Self::Sources => SOURCES,
            Self::Sessions => SESSIONS,
            Self::Turns => TURNS,
            Self::Items => ITEMS,
            Self::ToolCalls => TOOL_CALLS,
            Self::Usage => USAGE,
            Self::Files => FILES,
            Self::Events => EVENTS,
        }
    }

    /// The table's schema. Its metadata name the table and the version of the tables.
    ///
    /// ```
    /// use interlingua_arrow::Table;
    /// let schema = Table::Turns.schema();
    /// assert_eq!(schema.field(0).name(), "provider");
    /// assert_eq!(schema.metadata()["interlingua.tables_version"], interlingua_arrow::VERSION);
    /// ```
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        column::schema(self.name(), self.columns())
    }
}

const fn text(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Text, doc)
}

const fn texts(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Texts, doc)
}

const fn count(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Count, doc)
}

const fn number(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Number, doc)
}

const fn flag(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Flag, doc)
}

const fn time(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Time, doc)
}

const fn json(name: &'static str, doc: &'static str) -> Column {
    Column::new(name, Kind::Json, doc)
}

const PROVIDER: Column =
    text("provider", "The provider whose map read the source, such as `claude-transcript`.");
const SOURCE: Column = text("source", "The source, as it was named: usually the path of a file.");
const SESSION: Column = text("session_id", "The session, by a name that is unique among all sources.");
const NATIVE_SESSION: Column = text("native_session_id", "The session, by the agent's own name.");
const TURN: Column = text("turn_id", "The turn.");
const AGENT_PATH: Column = texts(
    "agent_path",
    "The tool calls that lead from the main agent to the sub-agent; empty for the main agent.",
);
const STARTED: Column = time("started_at", "When it started.");
const ENDED: Column = time("ended_at", "When it ended.");
const DURATION: Column = count("duration_ms", "How long it took, in milliseconds.");
const INPUT: Column = count("input_tokens", "Tokens read, without those of the cache.");
const CACHE_READ: Column = count("cache_read_tokens", "Tokens read from the cache.");
const CACHE_WRITE: Column = count("cache_write_tokens", "Tokens written to the cache.");
const OUTPUT: Column =
    count("output_tokens", "Tokens written, without reasoning where the provider splits it.");
const REASONING: Column = count("reasoning_tokens", "Tokens of reasoning, where the provider splits them.");
const COST: Column =
    number("cost", "The cost by the price list, or else as the agent says; null where it is not known.");
const CURRENCY: Column = text("currency", "The currency of the costs, such as `USD`.");
const COST_SOURCE: Column =
    text("cost_source", "Who worked the cost out: `price-list`, `agent` or `provider`.");

const SOURCES: &[Column] = &[
    PROVIDER,
    SOURCE,
    text("session_id", "The first session of the source."),
    NATIVE_SESSION,
    text("agent", "The agent that wrote it, such as `claude`."),
    count("bytes", "Its length in bytes."),
    time("modified_at", "When the file was last changed."),
    count("messages", "How many native messages it has."),
    count("events", "How many events these gave."),
    count("unparsed", "How many messages could not be parsed."),
    text("error", "Why it could not be read, or not to its end; null when all is well."),
];

const SESSIONS: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    text("agent", "The agent that wrote it, such as `claude`."),
    text("parent_session_id", "The session that started this one, for a sub-agent."),
    text("native_parent_id", "The same by the agent's own name, where it is in another source."),
    text("resumed_from", "The agent's name of the session that this one continues."),
    text("title", "The title."),
    text("prompt", "The user's first message."),
    text("cwd", "The folder in which the agent works."),
    text("branch", "The branch of the repository."),
    text("model", "The model in use at the end."),
    text("agent_version", "The version of the agent program."),
    text("permission_mode", "The permission mode, by the agent's name for it."),
    STARTED,
    ENDED,
    DURATION,
    text("end_reason", "How it ended: `completed`, `failed`, `interrupted`, `closed`."),
    count("turns", "How many turns it has."),
    count("items", "How many items."),
    count("tool_calls", "How many tool calls."),
    count("failed_tool_calls", "How many tool calls failed."),
    count("permissions", "How many permissions were requested."),
    count("errors", "How many errors."),
    count("unparsed", "How many messages could not be parsed."),
    count("changed_files", "How many files were changed."),
    INPUT,
    CACHE_READ,
    CACHE_WRITE,
    OUTPUT,
    REASONING,
    number("agent_cost", "The cost as the agent says; `usage` has the cost by the price list."),
    text("currency", "The currency of `agent_cost`."),
    text("last_error", "The message of the last error."),
];

const TURNS: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    TURN,
    count("position", "The turn's place in the session, from 0."),
    text("trigger", "What started it: `user`, `resume`, `notification`, `schedule`, `plugin`, `agent`."),
    STARTED,
    ENDED,
    DURATION,
    text("reason", "Why it ended, such as `completed` or `interrupted`; null while it runs."),
    text("error_class", "The class of the error that ended it."),
    text("error", "The message of that error."),
    count("items", "How many items it has, without those of sub-agents."),
    count("tool_calls", "How many of them are tool calls."),
    INPUT,
    CACHE_READ,
    CACHE_WRITE,
    OUTPUT,
    REASONING,
    number("agent_cost", "The cost as the agent says."),
    text("currency", "The currency of `agent_cost`."),
];

const ITEMS: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    TURN,
    text("item_id", "The item."),
    text("native_item_id", "The item, by the agent's own name."),
    count(
        "position",
        "The item's place in the session, from 0; a call is followed by its result and its sub-agent's items.",
    ),
    AGENT_PATH,
    text("kind", "`message`, `tool-call`, `tool-result`, `plan` or `status`."),
    text("role", "Whose it is: `user`, `assistant`, `system`, `tool`."),
    text("from_whom", "Who is behind a user's message, where it is not the user."),
    text("status", "`completed`, `failed`, `declined`, `interrupted`, or `in-progress`."),
    STARTED,
    ENDED,
    text("call_id", "The call, of a tool call and its result."),
    text("superseded_by", "The item that took this one's place."),
    text("text", "Its text."),
    text("reasoning", "Its reasoning."),
    json("content", "Its content blocks, as in the event."),
];

const TOOL_CALLS: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    TURN,
    text("item_id", "The item of the call."),
    text("call_id", "The call."),
    AGENT_PATH,
    text("name", "The tool's name."),
    text("tool_kind", "The kind of tool, such as `execute` or `edit`."),
    text("title", "The call's title for people."),
    text("arguments", "The arguments: JSON, unless `arguments_invalid` is true."),
    flag("arguments_invalid", "Whether the arguments are no valid JSON."),
    texts("paths", "The files that it is about."),
    text("status", "`completed`, `failed`, `declined`, `interrupted`, or `in-progress`."),
    STARTED,
    ENDED,
    count("duration_ms", "How long it took: as the agent says, or else from its start to its end."),
    text(
        "permission",
        "How a permission for it was resolved, such as `allow-once`; null when none was asked.",
    ),
    flag("is_error", "Whether the result is an error."),
    count("exit_code", "The exit code of a command."),
    text("output", "The text of the result."),
];

const USAGE: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    TURN,
    text("key", "The agent's name of the call, the same in copies of it; null where it has none."),
    text("scope", "`call` for a call of a model, `session` for what a model used in the whole session."),
    AGENT_PATH,
    text("model", "The model."),
    time("reported_at", "When it was reported."),
    count("calls", "How many calls the row is about, where that is known."),
    INPUT,
    CACHE_READ,
    CACHE_WRITE,
    OUTPUT,
    REASONING,
    count("context_used", "How many tokens of the context window were in use."),
    COST,
    CURRENCY,
    COST_SOURCE,
    number("agent_cost", "The cost as the agent says."),
    flag(
        "is_copy",
        "Whether an earlier source of the same export has the same call; null where that was not looked at.",
    ),
];

const FILES: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    text("path", "The changed file."),
    text("change", "`create`, `update`, `delete` or `rename`: all changes together."),
    text("renamed_from", "The path before a rename."),
    count("changes", "How many changes there were."),
    count("lines_added", "Lines that its diffs add; null where a change has no diff."),
    count("lines_removed", "Lines that its diffs remove; null where a change has no diff."),
];

const EVENTS: &[Column] = &[
    PROVIDER,
    SOURCE,
    SESSION,
    NATIVE_SESSION,
    TURN,
    count("sequence", "The event's place in its session, from 1."),
    time("time", "When it happened, if the native message says so."),
    text("type", "The event's type, such as `item.completed`."),
    text("origin", "`agent`, or `daemon` for what the translation concluded."),
    AGENT_PATH,
    text("item_id", "The item that it is about."),
    count("line", "The line of the native message."),
    json("data", "The event's data."),
];
