//! The list of universal terms: one entry for each term, with its fields and what its body may hold.

use crate::FieldKind::{Bool, Flag, Integer, Json, Key, List, Number, OneOf, Text};
use crate::{BlockKind, Field, FieldKind, FieldSpec, ItemKind, Layers, Verb, VerbSpec};

const fn needs(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { field, name: field.name(), kind, required: true, layers: Layers::Both }
}

const fn takes(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { field, name: field.name(), kind, required: false, layers: Layers::Both }
}

/// A field that the term has only in maps of agents.
const fn agent(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { layers: Layers::Agent, ..takes(field, kind) }
}

const fn agent_needs(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { layers: Layers::Agent, ..needs(field, kind) }
}

/// A field that the term has only in maps of models.
const fn model(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { layers: Layers::Model, ..takes(field, kind) }
}

const fn model_needs(field: Field, kind: FieldKind) -> FieldSpec {
    FieldSpec { layers: Layers::Model, ..needs(field, kind) }
}

const ROLE: &[&str] = &["user", "assistant", "system", "tool"];
const SOURCE: &[&str] = &["user", "plugin", "model", "tool", "agent"];
const STATUS: &[&str] = &["in-progress", "completed", "failed", "declined", "interrupted"];
const ENDS: &[&str] = &["itself", "with-turn", "after-turn"];
const VISIBILITY: &[&str] = &["raw", "summary", "hidden"];
const CHANGE: &[&str] = &["create", "update", "delete", "rename"];
const CHANNEL: &[&str] = &["output", "error-output", "input"];
const PERMISSION: &[&str] = &[
    "allowed",
    "allow-once",
    "allow-session",
    "allow-always",
    "reject",
    "reject-always",
    "cancelled",
    "expired",
    "unknown",
];
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
    &["completed", "max-turns", "max-tokens", "budget", "refusal", "interrupted", "failed", "unknown"];
const FINISH: &[&str] =
    &["stop", "tool-calls", "max-tokens", "refusal", "pause", "context-window", "content-filter", "aborted"];
const SESSION_REASON: &[&str] = &["completed", "failed", "interrupted", "closed"];
const TRIGGER: &[&str] = &["user", "resume", "notification", "schedule", "plugin", "agent"];
const TOOL_KIND: &[&str] = &[
    "read", "edit", "delete", "move", "search", "execute", "fetch", "think", "plan", "ask", "delegate",
    "other",
];
const ENTRY_STATUS: &[&str] = &["pending", "in-progress", "completed", "cancelled"];

/// The kind that a term names, or else `None`.
macro_rules! kind {
    ($of:ident) => {
        $of::None
    };
    ($of:ident $kind:ident) => {
        $of::$kind
    };
}

/// The layers that a term names, or else that of agents.
macro_rules! layers {
    () => {
        Layers::Agent
    };
    ($layers:ident) => {
        Layers::$layers
    };
}

/// `"name" Verb [item Kind] [block Kind] [of Layers] "what it does" (fields) [terms in its body];`
macro_rules! terms {
    ($($name:literal $verb:ident $(item $item:ident)? $(block $block:ident)? $(of $layers:ident)? $doc:literal
        ($($need:ident $field:ident: $kind:expr),*) [$($inner:ident),*];)*) => {
        pub(crate) const TERMS: &[VerbSpec] = &[$(VerbSpec {
            verb: Verb::$verb,
            item: kind!(ItemKind $($item)?),
            block: kind!(BlockKind $($block)?),
            name: $name,
            doc: $doc,
            fields: &[$($need(Field::$field, $kind)),*],
            body: &[$(Verb::$inner),*],
            layers: layers!($($layers)?),
        }),*];
    };
}

terms! {
    "session.started" SessionStarted "A session starts. A repetition updates what changed."
        (
            takes NativeSessionId: Text, takes Model: Text, takes Cwd: Text, takes AgentVersion: Text,
            takes PermissionMode: Text, takes Tools: Json, takes ParentSession: Text,
            takes ParentItem: Text, takes ResumedFrom: Text, takes Metadata: Json, takes Title: Text,
            takes State: Text
        ) [];

    "session.updated" SessionUpdated "A fact about the session is new or has changed. A known fact gives no event. `session` names another session; facts about a session that has not started are kept until it starts."
        (
            takes Session: Text, takes NativeSessionId: Text, takes Model: Text, takes Cwd: Text,
            takes AgentVersion: Text, takes PermissionMode: Text, takes Tools: Json,
            takes ParentSession: Text, takes ParentItem: Text, takes ResumedFrom: Text,
            takes Metadata: Json, takes Title: Text, takes State: Text
        ) [];

    "session.ended" SessionEnded "The session ends."
        (needs Reason: OneOf(SESSION_REASON), takes ExitCode: Integer) [Error];

    "turn.started" TurnStarted "A turn starts, unless it is already open. Without `turn`, a turn starts unless any is open."
        (takes Turn: Key, takes Trigger: OneOf(TRIGGER), takes Single: Flag) [];

    "turn.ended" TurnEnded "The named turn ends; without a name, the oldest open one. With `held`, the end waits for what follows: `turn.resumed` revokes it; any other term, an idle signal from the host or the end of the input ends the turn first."
        (
            takes Turn: Key, takes IfOpen: Flag, takes IfSilent: Flag, takes Held: Flag, needs Reason: OneOf(REASON), takes Trigger: OneOf(TRIGGER)
        ) [Error, Usage];

    "turn.resumed" TurnResumed "The turn continues: its held end, if there is one, is revoked."
        () [];

    "turn.alias" TurnAlias "Messages that name the turn `alias` belong to the turn `turn`."
        (needs Turn: Key, needs Alias: Key) [];

    "item message" Open item Message of Both "A message. The first mention starts it, later ones update it. A field `open`, `done` or `status` says whether it completes."
        (
            takes Id: Key, agent PerTurn: Flag, agent Parent: Key, agent Status: OneOf(STATUS),
            agent Ends: OneOf(ENDS), agent Single: Flag, agent Current: Flag, agent Adjacent: Flag, agent SupersededBy: Key, agent MergedFrom: Json,
            agent Role: OneOf(ROLE), agent Source: OneOf(SOURCE), agent SourceName: Text,
            takes Model: Text, model Begins: Flag, model Annotations: Json
        ) [Part, Open, Close, Whole, Result, Arguments, Seal, More];

    "item tool-call" Open item ToolCall of Both "A tool call. The first mention starts it, later ones update it. A field `open`, `done` or `status` says whether it completes. `delta` is a piece of its arguments, which helps to tell a continued call from a new one."
        (
            takes Id: Key, agent PerTurn: Flag, agent Parent: Key, agent Status: OneOf(STATUS),
            agent Ends: OneOf(ENDS), agent Single: Flag, agent Current: Flag, agent SupersededBy: Key, agent MergedFrom: Json,
            takes At: Key, takes Next: Flag, agent Call: Key, agent Name: Text, model_needs Name: Text, agent DefaultName: Text,
            takes Kind: OneOf(TOOL_KIND), takes Title: Text, takes Arguments: Json, agent Locations: Json, takes Hosted: Bool, model Adjacent: Flag,
            takes Begins: Flag, model Delta: Text
        ) [Attach];

    "item status" Open item Status "A status. The first mention starts it, later ones update it. A field `open`, `done` or `status` says whether it completes."
        (
            takes Id: Key, takes PerTurn: Flag, takes Parent: Key, takes Status: OneOf(STATUS),
            takes Ends: OneOf(ENDS), takes Single: Flag, takes Current: Flag, takes SupersededBy: Key, takes MergedFrom: Json,
            needs Label: Text, takes Detail: Text, takes Data: Json
        ) [];

    "item other" Open item Other "An item of a kind that the vocabulary does not know. The first mention starts it, later ones update it. A field `open`, `done` or `status` says whether it completes."
        (
            takes Id: Key, takes PerTurn: Flag, takes Parent: Key, takes Status: OneOf(STATUS),
            takes Ends: OneOf(ENDS), takes Single: Flag, takes Current: Flag, takes SupersededBy: Key, takes MergedFrom: Json,
            needs NativeKind: Text, needs Value: Json, takes Role: OneOf(ROLE)
        ) [];

    "item plan" Open item Plan "A plan. The first mention starts it, later ones update it. A field `open`, `done` or `status` says whether it completes."
        (
            takes Id: Key, takes PerTurn: Flag, takes Parent: Key, takes Status: OneOf(STATUS),
            takes Ends: OneOf(ENDS), takes Single: Flag, takes Current: Flag, takes SupersededBy: Key, takes MergedFrom: Json,
            takes Role: OneOf(ROLE)
        ) [Part];

    "note" Note "A status that is complete immediately."
        (
            takes Id: Key, takes PerTurn: Flag, takes Parent: Key, needs Label: Text, takes Detail: Text,
            takes Data: Json
        ) [];

    "part text" Part block Text of Both "A text."
        (
            agent Item: Key, takes At: Key, takes Next: Flag, takes Delta: Text, takes Snapshot: Text,
            takes Whole: Text, model Adjacent: Flag, takes Begins: Flag, takes Annotations: Json
        ) [];

    "part reasoning" Part block Reasoning of Both "Reasoning."
        (
            agent Item: Key, takes At: Key, takes Next: Flag, takes Delta: Text, takes Snapshot: Text,
            takes Whole: Text, model Adjacent: Flag, takes Begins: Flag, takes Visibility: OneOf(VISIBILITY), takes Signature: Text
        ) [];

    "part image" Part block Image of Both "An image."
        (
            agent Item: Key, takes At: Key, agent Next: Flag, takes Mime: Text, takes Uri: Text,
            takes Base64: Text
        ) [];

    "part file-change" Part block FileChange "A change of a file."
        (
            takes Item: Key, takes At: Key, takes Next: Flag, needs Path: Text,
            needs Change: OneOf(CHANGE), takes From: Text, takes Diff: Text
        ) [];

    "part plan" Part block Plan "A plan: its body gives the entries."
        (takes Item: Key, takes At: Key, takes Next: Flag) [Entry];

    "part json" Part block Json of Both "A JSON value."
        (agent Item: Key, takes At: Key, agent Next: Flag, needs Value: Json) [];

    "part status" Part block Status of Both "A notice inside an item."
        (
            agent Item: Key, takes At: Key, agent Next: Flag, needs Label: Text, takes Detail: Text,
            takes Data: Json
        ) [];

    "part other" Part block Other of Both "A block that the vocabulary does not know, kept whole. `add` adds to it; if there is no block at this place, one starts."
        (
            agent Item: Key, takes At: Key, agent Next: Flag, agent_needs Value: Json, model Value: Json,
            model Begins: Flag, model Add: Json, model Grows: Json, model By: Text
        ) [];

    "attach image" Attach block Image "An image, beside the tool call or the result."
        (takes Mime: Text, takes Uri: Text, takes Base64: Text) [];

    "attach file-change" Attach block FileChange "A change of a file, beside the tool call or the result."
        (needs Path: Text, needs Change: OneOf(CHANGE), takes From: Text, takes Diff: Text) [];

    "attach plan" Attach block Plan "A plan beside the tool call or the result: its body gives the entries."
        () [Entry];

    "attach json" Attach block Json "A JSON value, beside the tool call or the result."
        (needs Value: Json) [];

    "attach status" Attach block Status "A notice inside an item, beside the tool call or the result."
        (needs Label: Text, takes Detail: Text, takes Data: Json) [];

    "attach other" Attach block Other "A block that the vocabulary does not know, kept whole, beside the tool call or the result."
        (needs Value: Json) [];

    "entry" Entry "An entry of a plan."
        (needs Text: Text, takes EntryStatus: OneOf(ENTRY_STATUS), takes Priority: Text) [];

    "arguments" Arguments of Both "The arguments of a tool call as they come. The call is named by `call`, or by its message and its place there. With `path`, it is one value in them: `value` is put there, or `delta` is appended to the text there."
        (
            agent Item: Key, takes Call: Key, takes At: Key, takes Delta: Text, takes Snapshot: Text,
            takes Whole: Text, model ArgumentPath: Text, model Value: Json
        ) [];

    "seal" Seal of Both "The part at this place gets no more deltas."
        (agent Item: Key, agent_needs At: Key, model At: Key) [];

    "more" More "More text for the part at this place: text, reasoning or the arguments of a call. If there is no part yet, the text waits until another term starts the part. If none does, the text becomes a block of an unknown kind when its item completes."
        (takes Item: Key, needs At: Key, needs Delta: Text) [];

    "part removed" Drop "A part is removed because the agent retries; without `at`, all parts of the item."
        (takes Item: Key, takes At: Key) [];

    "result" Result of Both "The result of a tool call. The call completes, then the result. An unknown call gets a stub."
        (
            model At: Key, model Begins: Flag, needs Call: Key, agent Parent: Key, takes IsError: Bool, takes ExitCode: Integer,
            takes DurationMs: Integer, agent Status: OneOf(STATUS), agent Name: Text, agent ReplacesOutput: Flag
        ) [Part, Attach];

    "output" Output "Live output of a running tool call: a piece (`delta`), or the output so far (`snapshot`). Only the new part of a snapshot is emitted. If a snapshot has lost its beginning, its end is emitted; if it has nothing in common with the last one, a line `[…]` marks the cut."
        (needs Call: Key, takes Delta: Text, takes Snapshot: Text, takes Channel: OneOf(CHANNEL)) [];

    "permission.requested" PermissionRequested "The agent requests permission. Without `name`, it is about the name of the open call, or else about the `kind`."
        (
            needs Id: Key, takes Call: Key, takes Item: Key, takes Name: Text,
            takes Kind: OneOf(TOOL_KIND), takes Arguments: Json, takes Paths: Json, takes Reason: Text
        ) [PermissionOption];

    "option" PermissionOption "An option of a permission request."
        (needs Id: Key, takes Label: Text, needs Outcome: OneOf(PERMISSION), takes Native: Json) [];

    "permission.resolved" PermissionResolved "A permission request is resolved. Name it by its id or its call."
        (
            takes Id: Key, takes Call: Key, needs Outcome: OneOf(PERMISSION), takes Message: Text,
            takes UpdatedInput: Json
        ) [];

    "question.requested" QuestionRequested "The agent asks the user a question. A held question is emitted only if the result of its call, or the end of its turn, comes before another request for the same call."
        (needs Id: Key, takes Call: Key, takes Item: Key, takes Held: Flag, takes Native: Json) [Question];

    "question" Question "One question."
        (
            takes Id: Key, needs Text: Text, takes Header: Text, takes MultiSelect: Bool,
            takes FreeText: Bool, takes Secret: Bool, takes Schema: Json, takes Url: Text
        ) [QuestionOption];

    "choice" QuestionOption "One option of a question."
        (needs Label: Text, takes Description: Text) [];

    "question.resolved" QuestionResolved "A question is resolved. Name it by its id or its call."
        (takes Id: Key, takes Call: Key, needs Outcome: OneOf(QUESTION), takes Content: Json) [Answer];

    "answer" Answer "The answers to one question, in the order of the questions."
        (needs Answer: List) [];

    "host-call.requested" HostCallRequested "The agent asks its host to do something."
        (needs Id: Key, needs RequestKind: OneOf(REQUEST), takes Call: Key, takes Payload: Json) [];

    "host-call.resolved" HostCallResolved "A host call is resolved. Name it by its id or its call."
        (takes Id: Key, takes Call: Key, needs Outcome: OneOf(HOST_CALL)) [];

    "usage.reported" UsageReported "Token counts and cost. Without `key`, the engine gives the report a unique key."
        (
            takes Key: Key, needs Scope: OneOf(SCOPE), needs Basis: OneOf(BASIS), takes Model: Text,
            takes ContextWindow: Integer, takes ContextUsed: Integer, takes Input: Integer, takes CacheRead: Integer,
            takes CacheWrite: Integer, takes Output: Integer, takes Reasoning: Integer, takes Cost: Number,
            takes Currency: Text, takes CostSource: Text, takes CacheWriteHour: Integer,
            takes WebSearches: Integer, takes Speed: Text
        ) [];

    "usage" Usage of Both "The usage of the ending turn, or of the answer. A repeated count replaces the earlier one."
        (
            takes Input: Integer, takes CacheRead: Integer, takes CacheWrite: Integer,
            takes Output: Integer, takes Reasoning: Integer, takes Cost: Number, takes Currency: Text,
            takes CostSource: Text
        ) [];

    "error" Error of Both "An error; inside `turn.ended` and `session.ended`, the reason. In a model stream, it ends the answer."
        (
            takes Class: OneOf(CLASS), needs Message: Text, takes Code: Text, agent WillRetry: Bool,
            takes Details: Json
        ) [];

    "finish" Finish of Model "Why the answer ended. It is emitted at the end of the stream, because usage may still follow. Repeated members of `details` replace the earlier ones."
        (
            takes FinishReason: OneOf(FINISH), takes NativeReason: Text, takes Calls: Flag, takes Details: Json,
            takes LogProbabilities: Json
        ) [];

    "end" End of Model "The stream is over; anything after it is ignored."
        () [];

    "replay" Replay of Model "What the provider wants back with the next request, for the block at this place; without `at`, for the last block."
        (
            takes At: Key, takes OfAnswer: Flag, takes Replay: Json, takes Add: Json, takes Grows: Json,
            takes By: Text
        ) [];
}
