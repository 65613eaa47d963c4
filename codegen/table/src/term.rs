//! The universal terms that a map can emit, with their fields: one list, from which the checker
//! works, the engine reads and the language's reference is printed.

/// What an action does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// `session.started`
    SessionStarted,
    /// `session.updated`
    SessionUpdated,
    /// `session.ended`
    SessionEnded,
    /// `turn.started`
    TurnStarted,
    /// `turn.ended`
    TurnEnded,
    /// `turn.alias`
    TurnAlias,
    /// `open`
    Open,
    /// `close`
    Close,
    /// `whole`
    Whole,
    /// `note`
    Note,
    /// `part`
    Part,
    /// `attach`
    Attach,
    /// `entry`
    Entry,
    /// `arguments`
    Arguments,
    /// `seal`
    Seal,
    /// `drop`
    Drop,
    /// `result`
    Result,
    /// `output`
    Output,
    /// `permission.requested`
    PermissionRequested,
    /// `option`
    Choice,
    /// `permission.resolved`
    PermissionResolved,
    /// `question.requested`
    QuestionRequested,
    /// `question`
    Question,
    /// `choice`
    AnswerOption,
    /// `question.resolved`
    QuestionResolved,
    /// `answer`
    Answer,
    /// `host-call.requested`
    HostCallRequested,
    /// `host-call.resolved`
    HostCallResolved,
    /// `usage.reported`
    UsageReported,
    /// `usage`
    Usage,
    /// `error`
    Error,
}

/// The kind of item that `open`, `close` and `whole` are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ItemKind {
    None,
    Message,
    ToolCall,
    Plan,
    Status,
    Other,
}

/// The kind of block that `part` and `attach` are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BlockKind {
    None,
    Text,
    Reasoning,
    Image,
    FileChange,
    Plan,
    Json,
    Status,
    Other,
}

/// A field of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The provider's session, thread or run id.
    NativeSessionId,
    /// The model's name.
    Model,
    /// The working directory.
    Cwd,
    /// The agent program's version.
    AgentVersion,
    /// The permission mode, as the provider names it.
    PermissionMode,
    /// The tools on offer, as a JSON list.
    Tools,
    /// The native id of the parent session.
    ParentSession,
    /// The call id in the parent session that started this one.
    ParentItem,
    /// The native id of the session that this one goes on from.
    ResumedFrom,
    /// Anything else worth keeping, as an object.
    Metadata,
    /// The session's title.
    Title,
    /// What the session is doing, as the provider names it.
    State,
    /// Why it ended.
    Reason,
    /// The exit code.
    ExitCode,
    /// The native turn id.
    Turn,
    /// The other native turn id.
    Alias,
    /// What started the turn.
    Trigger,
    /// The native id.
    Id,
    /// Whether the native id is unique only within its turn.
    PerTurn,
    /// Who speaks.
    Role,
    /// Where the content comes from.
    Source,
    /// The name of the plugin, tool or agent that it comes from.
    SourceName,
    /// The native id of the item that it belongs to.
    Parent,
    /// The part's native place in its item: a number or a name.
    At,
    /// The next part of this kind that has not been restated yet.
    Next,
    /// The call id.
    Call,
    /// The tool's name.
    Name,
    /// The tool's kind.
    Kind,
    /// The arguments: exact JSON, or a text that holds it.
    Arguments,
    /// Places that the call touches, as a JSON list.
    Locations,
    /// How the item ended.
    Status,
    /// The label of a status.
    Label,
    /// One line for people.
    Detail,
    /// The native facts, as an object.
    Data,
    /// What ends the item.
    Ends,
    /// Whether opening it completes the same agent's open item of this kind.
    Single,
    /// The native id of the item that replaces it.
    SupersededBy,
    /// Native ids of what was merged into it.
    MergedFrom,
    /// The native item type.
    NativeKind,
    /// The native value, whole.
    Value,
    /// The native id of the item.
    Item,
    /// A piece that is appended.
    Delta,
    /// The text so far.
    Snapshot,
    /// The whole text, said again or for the first time.
    Whole,
    /// The signature or ciphertext of reasoning.
    Signature,
    /// How much of the reasoning is shown.
    Visibility,
    /// Citations and the like, as a JSON list.
    Annotations,
    /// The media type.
    Mime,
    /// Where the image is.
    Uri,
    /// The image's bytes in base64.
    Base64,
    /// The file's path.
    Path,
    /// What happens to the file.
    Change,
    /// The path before a rename.
    From,
    /// The change as a unified diff or as the provider writes it.
    Diff,
    /// The text.
    Text,
    /// The state of a plan's entry.
    EntryStatus,
    /// The priority of a plan's entry.
    Priority,
    /// Whether the tool says that it failed.
    IsError,
    /// How long it took, in milliseconds.
    DurationMs,
    /// Which live stream it is.
    Channel,
    /// Paths that the permission is about: a text or a JSON list.
    Paths,
    /// How it was settled.
    Outcome,
    /// A message for people.
    Message,
    /// The changed arguments.
    UpdatedInput,
    /// The native answer that this option stands for.
    Native,
    /// Whether the question waits for a request of the same call.
    Held,
    /// A short heading.
    Header,
    /// Whether several options may be chosen.
    MultiSelect,
    /// Whether a text of one's own may be given.
    FreeText,
    /// Whether the answer must not be shown.
    Secret,
    /// A JSON Schema of the answer.
    Schema,
    /// A page to visit.
    Url,
    /// A longer text.
    Description,
    /// The answer as the provider gives it.
    Content,
    /// One answer or a list of them.
    Answer,
    /// What the host is asked to do.
    RequestKind,
    /// The native request, whole.
    Payload,
    /// What the report is about: the next report with the same key and scope replaces it.
    Key,
    /// What the counts cover.
    Scope,
    /// Whether reports add up.
    Basis,
    /// The size of the model's context, in tokens.
    ContextWindow,
    /// Input tokens, without cached ones.
    Input,
    /// Input tokens read from the cache.
    CacheRead,
    /// Input tokens written to the cache.
    CacheWrite,
    /// Output tokens, without reasoning where the provider splits it.
    Output,
    /// Reasoning tokens.
    Reasoning,
    /// The cost, in the currency's unit.
    Cost,
    /// The currency's ISO 4217 code.
    Currency,
    /// Who worked the cost out.
    CostSource,
    /// The class of the failure.
    Class,
    /// The provider's code.
    Code,
    /// Whether the provider tries again by itself.
    WillRetry,
    /// The native facts, as an object.
    Details,
    /// The native session id, instead of the map's `session`.
    Session,
    /// The sub-agent's call id, instead of the map's `agent`.
    Agent,
    /// The native time, instead of the map's `time`.
    Time,
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Text; a number or truth value is written as text.
    Text,
    /// Any JSON value, kept byte for byte.
    Json,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A truth value.
    Bool,
    /// An id: a text or a number.
    Key,
    /// `true`, said in the map itself.
    Flag,
    /// A text or a list of texts.
    List,
    /// One of these texts: a constant, an `if` of constants or the result of a value map.
    OneOf(&'static [&'static str]),
}

/// A field of a term and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// The field.
    pub field: Field,
    /// Its name in maps.
    pub name: &'static str,
    /// What it takes.
    pub kind: FieldKind,
    /// Whether a map must give it.
    pub required: bool,
}

/// A universal term: what a map can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbSpec {
    /// What it does.
    pub verb: Verb,
    /// The kind of item, for `open`, `close` and `whole`.
    pub item: ItemKind,
    /// The kind of block, for `part` and `attach`.
    pub block: BlockKind,
    /// Its name in maps.
    pub name: &'static str,
    /// One sentence about it.
    pub doc: &'static str,
    /// Its fields.
    pub fields: &'static [FieldSpec],
    /// The terms that its body may hold, beside `each`, `when`, `set` and `once`.
    pub body: &'static [Verb],
}

/// Every term that maps can use, in the order of the language's reference.
pub const fn verbs() -> &'static [VerbSpec] {
    TERMS
}

/// The term of this verb, for this kind of item and block.
pub fn spec(verb: Verb, item: ItemKind, block: BlockKind) -> Option<&'static VerbSpec> {
    TERMS.iter().find(|term| term.verb == verb && term.item == item && term.block == block)
}

impl Field {
    /// Its name in maps.
    pub const fn name(self) -> &'static str {
        match self {
            Field::NativeSessionId => "native_session_id",
            Field::Model => "model",
            Field::Cwd => "cwd",
            Field::AgentVersion => "agent_version",
            Field::PermissionMode => "permission_mode",
            Field::Tools => "tools",
            Field::ParentSession => "parent_session",
            Field::ParentItem => "parent_item",
            Field::ResumedFrom => "resumed_from",
            Field::Metadata => "metadata",
            Field::Title => "title",
            Field::State => "state",
            Field::Reason => "reason",
            Field::ExitCode => "exit_code",
            Field::Turn => "turn",
            Field::Alias => "alias",
            Field::Trigger => "trigger",
            Field::Id => "id",
            Field::PerTurn => "per_turn",
            Field::Role => "role",
            Field::Source => "source",
            Field::SourceName => "source_name",
            Field::Parent => "parent",
            Field::At => "at",
            Field::Next => "next",
            Field::Call => "call",
            Field::Name => "name",
            Field::Kind => "kind",
            Field::Arguments => "arguments",
            Field::Locations => "locations",
            Field::Status => "status",
            Field::Label => "label",
            Field::Detail => "detail",
            Field::Data => "data",
            Field::Ends => "ends",
            Field::Single => "single",
            Field::SupersededBy => "superseded_by",
            Field::MergedFrom => "merged_from",
            Field::NativeKind => "native_kind",
            Field::Value => "value",
            Field::Item => "item",
            Field::Delta => "delta",
            Field::Snapshot => "snapshot",
            Field::Whole => "whole",
            Field::Signature => "signature",
            Field::Visibility => "visibility",
            Field::Annotations => "annotations",
            Field::Mime => "mime",
            Field::Uri => "uri",
            Field::Base64 => "data",
            Field::Path => "path",
            Field::Change => "change",
            Field::From => "from",
            Field::Diff => "diff",
            Field::Text => "text",
            Field::EntryStatus => "status",
            Field::Priority => "priority",
            Field::IsError => "is_error",
            Field::DurationMs => "duration_ms",
            Field::Channel => "channel",
            Field::Paths => "paths",
            Field::Outcome => "outcome",
            Field::Message => "message",
            Field::UpdatedInput => "updated_input",
            Field::Native => "native",
            Field::Held => "held",
            Field::Header => "header",
            Field::MultiSelect => "multi_select",
            Field::FreeText => "free_text",
            Field::Secret => "secret",
            Field::Schema => "schema",
            Field::Url => "url",
            Field::Description => "description",
            Field::Content => "content",
            Field::Answer => "value",
            Field::RequestKind => "kind",
            Field::Payload => "payload",
            Field::Key => "key",
            Field::Scope => "scope",
            Field::Basis => "basis",
            Field::ContextWindow => "context_window",
            Field::Input => "input",
            Field::CacheRead => "cache_read",
            Field::CacheWrite => "cache_write",
            Field::Output => "output",
            Field::Reasoning => "reasoning",
            Field::Cost => "cost",
            Field::Currency => "currency",
            Field::CostSource => "cost_source",
            Field::Class => "class",
            Field::Code => "code",
            Field::WillRetry => "will_retry",
            Field::Details => "details",
            Field::Session => "session",
            Field::Agent => "agent",
            Field::Time => "time",
        }
    }

    /// One sentence about it.
    pub const fn doc(self) -> &'static str {
        match self {
            Field::NativeSessionId => "The provider's session, thread or run id.",
            Field::Model => "The model's name.",
            Field::Cwd => "The working directory.",
            Field::AgentVersion => "The agent program's version.",
            Field::PermissionMode => "The permission mode, as the provider names it.",
            Field::Tools => "The tools on offer, as a JSON list.",
            Field::ParentSession => "The native id of the parent session.",
            Field::ParentItem => "The call id in the parent session that started this one.",
            Field::ResumedFrom => "The native id of the session that this one goes on from.",
            Field::Metadata => "Anything else worth keeping, as an object.",
            Field::Title => "The session's title.",
            Field::State => "What the session is doing, as the provider names it.",
            Field::Reason => "Why it ended.",
            Field::ExitCode => "The exit code.",
            Field::Turn => "The native turn id.",
            Field::Alias => "The other native turn id.",
            Field::Trigger => "What started the turn.",
            Field::Id => "The native id.",
            Field::PerTurn => "Whether the native id is unique only within its turn.",
            Field::Role => "Who speaks.",
            Field::Source => "Where the content comes from.",
            Field::SourceName => "The name of the plugin, tool or agent that it comes from.",
            Field::Parent => "The native id of the item that it belongs to.",
            Field::At => "The part's native place in its item: a number or a name.",
            Field::Next => "The next part of this kind that has not been restated yet.",
            Field::Call => "The call id.",
            Field::Name => "The tool's name.",
            Field::Kind => "The tool's kind.",
            Field::Arguments => "The arguments: exact JSON, or a text that holds it.",
            Field::Locations => "Places that the call touches, as a JSON list.",
            Field::Status => "How the item ended.",
            Field::Label => "The label of a status.",
            Field::Detail => "One line for people.",
            Field::Data => "The native facts, as an object.",
            Field::Ends => "What ends the item.",
            Field::Single => "Whether opening it completes the same agent's open item of this kind.",
            Field::SupersededBy => "The native id of the item that replaces it.",
            Field::MergedFrom => "Native ids of what was merged into it.",
            Field::NativeKind => "The native item type.",
            Field::Value => "The native value, whole.",
            Field::Item => "The native id of the item.",
            Field::Delta => "A piece that is appended.",
            Field::Snapshot => "The text so far.",
            Field::Whole => "The whole text, said again or for the first time.",
            Field::Signature => "The signature or ciphertext of reasoning.",
            Field::Visibility => "How much of the reasoning is shown.",
            Field::Annotations => "Citations and the like, as a JSON list.",
            Field::Mime => "The media type.",
            Field::Uri => "Where the image is.",
            Field::Base64 => "The image's bytes in base64.",
            Field::Path => "The file's path.",
            Field::Change => "What happens to the file.",
            Field::From => "The path before a rename.",
            Field::Diff => "The change as a unified diff or as the provider writes it.",
            Field::Text => "The text.",
            Field::EntryStatus => "The state of a plan's entry.",
            Field::Priority => "The priority of a plan's entry.",
            Field::IsError => "Whether the tool says that it failed.",
            Field::DurationMs => "How long it took, in milliseconds.",
            Field::Channel => "Which live stream it is.",
            Field::Paths => "Paths that the permission is about: a text or a JSON list.",
            Field::Outcome => "How it was settled.",
            Field::Message => "A message for people.",
            Field::UpdatedInput => "The changed arguments.",
            Field::Native => "The native answer that this option stands for.",
            Field::Held => "Whether the question waits for a request of the same call.",
            Field::Header => "A short heading.",
            Field::MultiSelect => "Whether several options may be chosen.",
            Field::FreeText => "Whether a text of one's own may be given.",
            Field::Secret => "Whether the answer must not be shown.",
            Field::Schema => "A JSON Schema of the answer.",
            Field::Url => "A page to visit.",
            Field::Description => "A longer text.",
            Field::Content => "The answer as the provider gives it.",
            Field::Answer => "One answer or a list of them.",
            Field::RequestKind => "What the host is asked to do.",
            Field::Payload => "The native request, whole.",
            Field::Key => {
                "What the report is about: the next report with the same key and scope replaces it."
            }
            Field::Scope => "What the counts cover.",
            Field::Basis => "Whether reports add up.",
            Field::ContextWindow => "The size of the model's context, in tokens.",
            Field::Input => "Input tokens, without cached ones.",
            Field::CacheRead => "Input tokens read from the cache.",
            Field::CacheWrite => "Input tokens written to the cache.",
            Field::Output => "Output tokens, without reasoning where the provider splits it.",
            Field::Reasoning => "Reasoning tokens.",
            Field::Cost => "The cost, in the currency's unit.",
            Field::Currency => "The currency's ISO 4217 code.",
            Field::CostSource => "Who worked the cost out.",
            Field::Class => "The class of the failure.",
            Field::Code => "The provider's code.",
            Field::WillRetry => "Whether the provider tries again by itself.",
            Field::Details => "The native facts, as an object.",
            Field::Session => "The native session id, instead of the map's `session`.",
            Field::Agent => "The sub-agent's call id, instead of the map's `agent`.",
            Field::Time => "The native time, instead of the map's `time`.",
        }
    }
}

const fn needs(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { field, name: field.name(), kind, required: true }
}

const fn takes(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { field, name: field.name(), kind, required: false }
}

const ROLE: &[&str] = &["user", "assistant", "system", "tool"];
const SOURCE: &[&str] = &["user", "plugin", "model", "tool", "agent"];
const STATUS: &[&str] = &["in-progress", "completed", "failed", "declined", "interrupted"];
const ENDS: &[&str] = &["itself", "with-turn", "after-turn"];
const VISIBILITY: &[&str] = &["raw", "summary", "hidden"];
const CHANGE: &[&str] = &["create", "update", "delete", "rename"];
const CHANNEL: &[&str] = &["output", "error-output", "input"];
const PERMISSION: &[&str] =
    &["allowed", "allow-once", "allow-session", "allow-always", "reject", "cancelled", "expired", "unknown"];
const QUESTION: &[&str] = &["answered", "rejected", "cancelled", "expired", "unknown"];
const HOST_CALL: &[&str] = &["done", "failed", "cancelled", "unknown"];
const REQUEST: &[&str] = &["tool", "hook", "mcp", "auth", "other"];
const SCOPE: &[&str] = &["call", "turn", "session", "process"];
const BASIS: &[&str] = &["delta", "cumulative"];
const CLASS: &[&str] = &[
    "auth",
    "quota",
    "rate-limit",
    "overloaded",
    "context-window",
    "network",
    "invalid-request",
    "tool",
    "crash",
    "unknown",
];
const REASON: &[&str] =
    &["completed", "max-turns", "max-tokens", "budget", "refusal", "interrupted", "failed"];
const SESSION_REASON: &[&str] = &["completed", "failed", "interrupted", "closed"];
const TRIGGER: &[&str] = &["user", "resume", "notification", "schedule", "plugin", "agent"];
const TOOL_KIND: &[&str] = &[
    "read", "edit", "delete", "move", "search", "execute", "fetch", "think", "plan", "ask", "delegate",
    "other",
];
const ENTRY_STATUS: &[&str] = &["pending", "in-progress", "completed", "cancelled"];

const TERMS: &[VerbSpec] = &[
    VerbSpec {
        verb: Verb::SessionStarted,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "session.started",
        doc: "The agent says that its session starts. Said again, it updates what changed.",
        fields: &[
            takes(Field::NativeSessionId, FieldKind::Text),
            takes(Field::Model, FieldKind::Text),
            takes(Field::Cwd, FieldKind::Text),
            takes(Field::AgentVersion, FieldKind::Text),
            takes(Field::PermissionMode, FieldKind::Text),
            takes(Field::Tools, FieldKind::Json),
            takes(Field::ParentSession, FieldKind::Text),
            takes(Field::ParentItem, FieldKind::Text),
            takes(Field::ResumedFrom, FieldKind::Text),
            takes(Field::Metadata, FieldKind::Json),
            takes(Field::Title, FieldKind::Text),
            takes(Field::State, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::SessionUpdated,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "session.updated",
        doc: "Something about the session is learnt or changes. What is already known gives nothing. With `session` it is about that session; what is said about one that has not started is kept for its start.",
        fields: &[
            takes(Field::Session, FieldKind::Text),
            takes(Field::NativeSessionId, FieldKind::Text),
            takes(Field::Model, FieldKind::Text),
            takes(Field::Cwd, FieldKind::Text),
            takes(Field::AgentVersion, FieldKind::Text),
            takes(Field::PermissionMode, FieldKind::Text),
            takes(Field::Tools, FieldKind::Json),
            takes(Field::ParentSession, FieldKind::Text),
            takes(Field::ParentItem, FieldKind::Text),
            takes(Field::ResumedFrom, FieldKind::Text),
            takes(Field::Metadata, FieldKind::Json),
            takes(Field::Title, FieldKind::Text),
            takes(Field::State, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::SessionEnded,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "session.ended",
        doc: "The agent says that its session is over.",
        fields: &[
            needs(Field::Reason, FieldKind::OneOf(SESSION_REASON)),
            takes(Field::ExitCode, FieldKind::Integer),
        ],
        body: &[Verb::Error],
    },
    VerbSpec {
        verb: Verb::TurnStarted,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "turn.started",
        doc: "A turn starts, unless it is open. Without `turn`, one is opened unless any is open.",
        fields: &[takes(Field::Turn, FieldKind::Key), takes(Field::Trigger, FieldKind::OneOf(TRIGGER))],
        body: &[],
    },
    VerbSpec {
        verb: Verb::TurnEnded,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "turn.ended",
        doc: "A turn ends: the named one, or else the oldest open one.",
        fields: &[
            takes(Field::Turn, FieldKind::Key),
            needs(Field::Reason, FieldKind::OneOf(REASON)),
            takes(Field::Trigger, FieldKind::OneOf(TRIGGER)),
        ],
        body: &[Verb::Error, Verb::Usage],
    },
    VerbSpec {
        verb: Verb::TurnAlias,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "turn.alias",
        doc: "What names the turn `alias` lies in the turn `turn`.",
        fields: &[needs(Field::Turn, FieldKind::Key), needs(Field::Alias, FieldKind::Key)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Open,
        item: ItemKind::Message,
        block: BlockKind::None,
        name: "open message",
        doc: "Starts a message unless it is open; what is said anew updates it.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
            takes(Field::Source, FieldKind::OneOf(SOURCE)),
            takes(Field::SourceName, FieldKind::Text),
            takes(Field::Model, FieldKind::Text),
        ],
        body: &[Verb::Part, Verb::Open, Verb::Close, Verb::Whole, Verb::Result],
    },
    VerbSpec {
        verb: Verb::Open,
        item: ItemKind::ToolCall,
        block: BlockKind::None,
        name: "open tool-call",
        doc: "Starts a tool call unless it is open; what is said anew updates it.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            takes(Field::Call, FieldKind::Key),
            needs(Field::Name, FieldKind::Text),
            takes(Field::Kind, FieldKind::OneOf(TOOL_KIND)),
            takes(Field::Title, FieldKind::Text),
            takes(Field::Arguments, FieldKind::Json),
            takes(Field::Locations, FieldKind::Json),
        ],
        body: &[Verb::Attach],
    },
    VerbSpec {
        verb: Verb::Open,
        item: ItemKind::Status,
        block: BlockKind::None,
        name: "open status",
        doc: "Starts a status unless it is open; what is said anew updates it.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            needs(Field::Label, FieldKind::Text),
            takes(Field::Detail, FieldKind::Text),
            takes(Field::Data, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Open,
        item: ItemKind::Other,
        block: BlockKind::None,
        name: "open item",
        doc: "Starts an item of a kind that the vocabulary does not know unless it is open; what is said anew updates it.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            needs(Field::NativeKind, FieldKind::Text),
            needs(Field::Value, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Open,
        item: ItemKind::Plan,
        block: BlockKind::None,
        name: "open plan",
        doc: "Starts a plan unless it is open; what is said anew updates it.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
        ],
        body: &[Verb::Part],
    },
    VerbSpec {
        verb: Verb::Close,
        item: ItemKind::Message,
        block: BlockKind::None,
        name: "close message",
        doc: "Completes a message, which is started unless it is open.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
            takes(Field::Source, FieldKind::OneOf(SOURCE)),
            takes(Field::SourceName, FieldKind::Text),
            takes(Field::Model, FieldKind::Text),
        ],
        body: &[Verb::Part, Verb::Open, Verb::Close, Verb::Whole, Verb::Result],
    },
    VerbSpec {
        verb: Verb::Close,
        item: ItemKind::ToolCall,
        block: BlockKind::None,
        name: "close tool-call",
        doc: "Completes a tool call, which is started unless it is open.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            takes(Field::Call, FieldKind::Key),
            needs(Field::Name, FieldKind::Text),
            takes(Field::Kind, FieldKind::OneOf(TOOL_KIND)),
            takes(Field::Title, FieldKind::Text),
            takes(Field::Arguments, FieldKind::Json),
            takes(Field::Locations, FieldKind::Json),
        ],
        body: &[Verb::Attach],
    },
    VerbSpec {
        verb: Verb::Close,
        item: ItemKind::Status,
        block: BlockKind::None,
        name: "close status",
        doc: "Completes a status, which is started unless it is open.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            needs(Field::Label, FieldKind::Text),
            takes(Field::Detail, FieldKind::Text),
            takes(Field::Data, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Close,
        item: ItemKind::Other,
        block: BlockKind::None,
        name: "close item",
        doc: "Completes an item of a kind that the vocabulary does not know, which is started unless it is open.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            needs(Field::NativeKind, FieldKind::Text),
            needs(Field::Value, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Close,
        item: ItemKind::Plan,
        block: BlockKind::None,
        name: "close plan",
        doc: "Completes a plan, which is started unless it is open.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
        ],
        body: &[Verb::Part],
    },
    VerbSpec {
        verb: Verb::Whole,
        item: ItemKind::Message,
        block: BlockKind::None,
        name: "whole message",
        doc: "Starts and completes a message, if its body gives it a part.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
            takes(Field::Source, FieldKind::OneOf(SOURCE)),
            takes(Field::SourceName, FieldKind::Text),
            takes(Field::Model, FieldKind::Text),
        ],
        body: &[Verb::Part, Verb::Open, Verb::Close, Verb::Whole, Verb::Result],
    },
    VerbSpec {
        verb: Verb::Whole,
        item: ItemKind::Plan,
        block: BlockKind::None,
        name: "whole plan",
        doc: "Starts and completes a plan, if its body gives it a part.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Ends, FieldKind::OneOf(ENDS)),
            takes(Field::Single, FieldKind::Flag),
            takes(Field::SupersededBy, FieldKind::Key),
            takes(Field::MergedFrom, FieldKind::Json),
            takes(Field::Role, FieldKind::OneOf(ROLE)),
        ],
        body: &[Verb::Part],
    },
    VerbSpec {
        verb: Verb::Note,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "note",
        doc: "A status that is complete at once.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::PerTurn, FieldKind::Flag),
            takes(Field::Parent, FieldKind::Key),
            needs(Field::Label, FieldKind::Text),
            takes(Field::Detail, FieldKind::Text),
            takes(Field::Data, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Text,
        name: "part text",
        doc: "A text.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            takes(Field::Delta, FieldKind::Text),
            takes(Field::Snapshot, FieldKind::Text),
            takes(Field::Whole, FieldKind::Text),
            takes(Field::Annotations, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Reasoning,
        name: "part reasoning",
        doc: "Reasoning.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            takes(Field::Delta, FieldKind::Text),
            takes(Field::Snapshot, FieldKind::Text),
            takes(Field::Whole, FieldKind::Text),
            takes(Field::Visibility, FieldKind::OneOf(VISIBILITY)),
            takes(Field::Signature, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Image,
        name: "part image",
        doc: "An image.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            takes(Field::Mime, FieldKind::Text),
            takes(Field::Uri, FieldKind::Text),
            takes(Field::Base64, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::FileChange,
        name: "part file-change",
        doc: "A change of a file.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            needs(Field::Path, FieldKind::Text),
            needs(Field::Change, FieldKind::OneOf(CHANGE)),
            takes(Field::From, FieldKind::Text),
            takes(Field::Diff, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Plan,
        name: "part plan",
        doc: "A plan: its body gives the entries.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
        ],
        body: &[Verb::Entry],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Json,
        name: "part json",
        doc: "A JSON value.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            needs(Field::Value, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Status,
        name: "part status",
        doc: "A notice inside an item.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            needs(Field::Label, FieldKind::Text),
            takes(Field::Detail, FieldKind::Text),
            takes(Field::Data, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Part,
        item: ItemKind::None,
        block: BlockKind::Other,
        name: "part other",
        doc: "A block that the vocabulary does not know, kept whole.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Next, FieldKind::Flag),
            needs(Field::Value, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Attach,
        item: ItemKind::None,
        block: BlockKind::Image,
        name: "attach image",
        doc: "An image, beside the tool call or the result.",
        fields: &[
            takes(Field::Mime, FieldKind::Text),
            takes(Field::Uri, FieldKind::Text),
            takes(Field::Base64, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Attach,
        item: ItemKind::None,
        block: BlockKind::FileChange,
        name: "attach file-change",
        doc: "A change of a file, beside the tool call or the result.",
        fields: &[
            needs(Field::Path, FieldKind::Text),
            needs(Field::Change, FieldKind::OneOf(CHANGE)),
            takes(Field::From, FieldKind::Text),
            takes(Field::Diff, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Attach,
        item: ItemKind::None,
        block: BlockKind::Plan,
        name: "attach plan",
        doc: "A plan beside the tool call or the result: its body gives the entries.",
        fields: &[],
        body: &[Verb::Entry],
    },
    VerbSpec {
        verb: Verb::Attach,
        item: ItemKind::None,
        block: BlockKind::Json,
        name: "attach json",
        doc: "A JSON value, beside the tool call or the result.",
        fields: &[needs(Field::Value, FieldKind::Json)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Attach,
        item: ItemKind::None,
        block: BlockKind::Status,
        name: "attach status",
        doc: "A notice inside an item, beside the tool call or the result.",
        fields: &[
            needs(Field::Label, FieldKind::Text),
            takes(Field::Detail, FieldKind::Text),
            takes(Field::Data, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Attach,
        item: ItemKind::None,
        block: BlockKind::Other,
        name: "attach other",
        doc: "A block that the vocabulary does not know, kept whole, beside the tool call or the result.",
        fields: &[needs(Field::Value, FieldKind::Json)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Entry,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "entry",
        doc: "An entry of a plan.",
        fields: &[
            needs(Field::Text, FieldKind::Text),
            takes(Field::EntryStatus, FieldKind::OneOf(ENTRY_STATUS)),
            takes(Field::Priority, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Arguments,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "arguments",
        doc: "The arguments of a tool call as they come. The call is named by `call`, or by its message and its place there.",
        fields: &[
            takes(Field::Item, FieldKind::Key),
            takes(Field::Call, FieldKind::Key),
            takes(Field::At, FieldKind::Key),
            takes(Field::Delta, FieldKind::Text),
            takes(Field::Snapshot, FieldKind::Text),
            takes(Field::Whole, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Seal,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "seal",
        doc: "The part at this place gets no more text by deltas.",
        fields: &[takes(Field::Item, FieldKind::Key), needs(Field::At, FieldKind::Key)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Drop,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "drop",
        doc: "A part is given up for a retry; without `at`, all parts of the item.",
        fields: &[takes(Field::Item, FieldKind::Key), takes(Field::At, FieldKind::Key)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Result,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "result",
        doc: "The result of a tool call: the call is completed, then the result. A call that was never seen gets a stub.",
        fields: &[
            needs(Field::Call, FieldKind::Key),
            takes(Field::Parent, FieldKind::Key),
            takes(Field::IsError, FieldKind::Bool),
            takes(Field::ExitCode, FieldKind::Integer),
            takes(Field::DurationMs, FieldKind::Integer),
            takes(Field::Status, FieldKind::OneOf(STATUS)),
            takes(Field::Name, FieldKind::Text),
        ],
        body: &[Verb::Part, Verb::Attach],
    },
    VerbSpec {
        verb: Verb::Output,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "output",
        doc: "Live output of a running tool call.",
        fields: &[
            needs(Field::Call, FieldKind::Key),
            needs(Field::Delta, FieldKind::Text),
            takes(Field::Channel, FieldKind::OneOf(CHANNEL)),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::PermissionRequested,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "permission.requested",
        doc: "The agent asks for leave.",
        fields: &[
            needs(Field::Id, FieldKind::Key),
            takes(Field::Call, FieldKind::Key),
            takes(Field::Item, FieldKind::Key),
            needs(Field::Name, FieldKind::Text),
            takes(Field::Kind, FieldKind::OneOf(TOOL_KIND)),
            takes(Field::Arguments, FieldKind::Json),
            takes(Field::Paths, FieldKind::Json),
            takes(Field::Reason, FieldKind::Text),
        ],
        body: &[Verb::Choice],
    },
    VerbSpec {
        verb: Verb::Choice,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "option",
        doc: "One way to settle a permission.",
        fields: &[
            needs(Field::Id, FieldKind::Key),
            takes(Field::Label, FieldKind::Text),
            needs(Field::Outcome, FieldKind::OneOf(PERMISSION)),
            takes(Field::Native, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::PermissionResolved,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "permission.resolved",
        doc: "A permission is settled; it is named by its id or by its call.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::Call, FieldKind::Key),
            needs(Field::Outcome, FieldKind::OneOf(PERMISSION)),
            takes(Field::Message, FieldKind::Text),
            takes(Field::UpdatedInput, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::QuestionRequested,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "question.requested",
        doc: "The agent asks the user. A held question is asked only when the result of its call or the end of its turn comes before another request of the same call.",
        fields: &[
            needs(Field::Id, FieldKind::Key),
            takes(Field::Call, FieldKind::Key),
            takes(Field::Item, FieldKind::Key),
            takes(Field::Held, FieldKind::Flag),
        ],
        body: &[Verb::Question],
    },
    VerbSpec {
        verb: Verb::Question,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "question",
        doc: "One question.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            needs(Field::Text, FieldKind::Text),
            takes(Field::Header, FieldKind::Text),
            takes(Field::MultiSelect, FieldKind::Bool),
            takes(Field::FreeText, FieldKind::Bool),
            takes(Field::Secret, FieldKind::Bool),
            takes(Field::Schema, FieldKind::Json),
            takes(Field::Url, FieldKind::Text),
        ],
        body: &[Verb::AnswerOption],
    },
    VerbSpec {
        verb: Verb::AnswerOption,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "choice",
        doc: "One option of a question.",
        fields: &[needs(Field::Label, FieldKind::Text), takes(Field::Description, FieldKind::Text)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::QuestionResolved,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "question.resolved",
        doc: "A question is settled; it is named by its id or by its call.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::Call, FieldKind::Key),
            needs(Field::Outcome, FieldKind::OneOf(QUESTION)),
            takes(Field::Content, FieldKind::Json),
        ],
        body: &[Verb::Answer],
    },
    VerbSpec {
        verb: Verb::Answer,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "answer",
        doc: "The answers to one question, in the order of the questions.",
        fields: &[needs(Field::Answer, FieldKind::List)],
        body: &[],
    },
    VerbSpec {
        verb: Verb::HostCallRequested,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "host-call.requested",
        doc: "The agent asks its host to do something.",
        fields: &[
            needs(Field::Id, FieldKind::Key),
            needs(Field::RequestKind, FieldKind::OneOf(REQUEST)),
            takes(Field::Call, FieldKind::Key),
            takes(Field::Payload, FieldKind::Json),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::HostCallResolved,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "host-call.resolved",
        doc: "A host call is settled; it is named by its id or by its call.",
        fields: &[
            takes(Field::Id, FieldKind::Key),
            takes(Field::Call, FieldKind::Key),
            needs(Field::Outcome, FieldKind::OneOf(HOST_CALL)),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::UsageReported,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "usage.reported",
        doc: "Token counts and cost.",
        fields: &[
            needs(Field::Key, FieldKind::Key),
            needs(Field::Scope, FieldKind::OneOf(SCOPE)),
            needs(Field::Basis, FieldKind::OneOf(BASIS)),
            takes(Field::Model, FieldKind::Text),
            takes(Field::ContextWindow, FieldKind::Integer),
            takes(Field::Input, FieldKind::Integer),
            takes(Field::CacheRead, FieldKind::Integer),
            takes(Field::CacheWrite, FieldKind::Integer),
            takes(Field::Output, FieldKind::Integer),
            takes(Field::Reasoning, FieldKind::Integer),
            takes(Field::Cost, FieldKind::Number),
            takes(Field::Currency, FieldKind::Text),
            takes(Field::CostSource, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Usage,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "usage",
        doc: "The usage of the turn that ends.",
        fields: &[
            takes(Field::Input, FieldKind::Integer),
            takes(Field::CacheRead, FieldKind::Integer),
            takes(Field::CacheWrite, FieldKind::Integer),
            takes(Field::Output, FieldKind::Integer),
            takes(Field::Reasoning, FieldKind::Integer),
            takes(Field::Cost, FieldKind::Number),
            takes(Field::Currency, FieldKind::Text),
            takes(Field::CostSource, FieldKind::Text),
        ],
        body: &[],
    },
    VerbSpec {
        verb: Verb::Error,
        item: ItemKind::None,
        block: BlockKind::None,
        name: "error",
        doc: "Something failed; inside `turn.ended` and `session.ended`, why.",
        fields: &[
            takes(Field::Class, FieldKind::OneOf(CLASS)),
            needs(Field::Message, FieldKind::Text),
            takes(Field::Code, FieldKind::Text),
            takes(Field::WillRetry, FieldKind::Bool),
            takes(Field::Details, FieldKind::Json),
        ],
        body: &[],
    },
];
