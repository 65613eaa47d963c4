//! The fields of universal terms: one list of names and what they mean.

macro_rules! fields {
    ($($field:ident $name:literal $doc:literal;)*) => {
        /// A field of a term.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Field {
            $(#[doc = $doc] $field,)*
        }

        impl Field {
            /// Its name in maps.
            pub const fn name(self) -> &'static str {
                match self { $(Field::$field => $name,)* }
            }

            /// What it means, in a sentence.
            pub const fn doc(self) -> &'static str {
                match self { $(Field::$field => $doc,)* }
            }
        }
    };
}

fields! {
    NativeSessionId "native_session_id" "The provider's session, thread or run id.";
    Model "model" "The model's name.";
    Cwd "cwd" "The working directory.";
    AgentVersion "agent_version" "The agent program's version.";
    PermissionMode "permission_mode" "The permission mode, as the provider names it.";
    Tools "tools" "The available tools, as a JSON list.";
    ParentSession "parent_session" "The native id of the parent session.";
    ParentItem "parent_item" "The call id in the parent session that started this one.";
    ResumedFrom "resumed_from" "The native id of the session that this one resumes.";
    Metadata "metadata" "Anything else worth keeping, as an object.";
    Title "title" "The session's title.";
    State "state" "What the session is doing, as the provider names it.";
    Reason "reason" "Why it ended.";
    ExitCode "exit_code" "The exit code.";
    Turn "turn" "The native turn id.";
    IfOpen "if_open" "End only an open turn; otherwise do nothing.";
    IfSilent "if_silent" "Keep the turn open. Use this end only if no other end follows: when the next turn starts or the input ends.";
    Alias "alias" "The other native turn id.";
    Trigger "trigger" "What started the turn.";
    Id "id" "The native id.";
    PerTurn "per_turn" "The native id is unique only within its turn.";
    Role "role" "Who speaks.";
    Source "source" "Where the content comes from.";
    SourceName "source_name" "The name of the plugin, tool or agent that it comes from.";
    Parent "parent" "The native id of the item that it belongs to.";
    At "at" "The part's native place in its item: a number or a name.";
    Next "next" "The next part of this kind that has not been repeated yet; in the stream of a model, that this native message has not repeated. For a call without an id: another call than the last one.";
    Call "call" "The call id.";
    Name "name" "The tool's name.";
    DefaultName "default_name" "The tool's name if the call starts here without a `name`.";
    Kind "kind" "The tool's kind.";
    Arguments "arguments" "The arguments: exact JSON, or a text that holds it.";
    Locations "locations" "Places that the call touches, as a JSON list.";
    Status "status" "How the item ended.";
    Label "label" "The label of a status.";
    Detail "detail" "One line for people.";
    Data "data" "The native facts, as an object.";
    Ends "ends" "What ends the item.";
    Single "single" "Starting it completes the same agent's open item of this kind; a turn ends the session's other open turns.";
    Current "current" "Flag: without `id`, the term means the same agent's open item of this kind that was opened last with `current` or `single`; if there is none, it opens one.";
    SupersededBy "superseded_by" "The native id of the item that replaces it.";
    MergedFrom "merged_from" "Native ids of what was merged into it.";
    NativeKind "native_kind" "The native item type.";
    Value "value" "The native value, whole.";
    Item "item" "The native id of the item.";
    Delta "delta" "A piece that is appended.";
    Snapshot "snapshot" "The text so far.";
    Whole "whole" "The complete text, repeated or new.";
    Adjacent "adjacent" "Continue the last block if it has the same kind and is still open. The block ends when another one starts.";
    Begins "begins" "The native message says that something starts here. If another block has ended at this place, a new one starts; if one is open, it ends. A message that starts inside an answer with blocks is another answer, and this one fails. It has no effect in maps of agents.";
    Add "add" "What is added to a block or a state that is kept as JSON: texts are appended, lists extended, objects merged; other values replace.";
    Grows "grows" "The names of the members whose texts `add` appends, as a JSON list; texts of other members replace. Without it, all texts are appended.";
    By "by" "The member that identifies an element of a list for `add`; without it, every element is a new one.";
    OfAnswer "answer" "It belongs to the answer as a whole, not to a block.";
    ArgumentPath "path" "The place in the arguments, as a JSON path: `$.edits[0].text`.";
    LogProbabilities "log_probabilities" "The log probabilities of the tokens, in the provider's form. They are kept only on request.";
    Hosted "hosted" "Whether the provider itself runs the tool.";
    FinishReason "reason" "Why the answer ended; absent for a reason that the vocabulary does not know.";
    NativeReason "native" "The provider's own word for the reason; it is used if `reason` is absent.";
    Calls "calls" "`stop` means `tool-calls` if the answer calls tools that the provider does not run itself.";
    Replay "value" "What the provider wants back, as an object. A repeated member replaces the earlier one.";
    Signature "signature" "The signature or ciphertext of reasoning.";
    Visibility "visibility" "How much of the reasoning is shown.";
    Annotations "annotations" "Citations and the like, as a JSON list.";
    Mime "mime" "The media type.";
    Uri "uri" "Where the image is.";
    Base64 "data" "The image's bytes in base64.";
    Path "path" "The file's path.";
    Change "change" "What happens to the file.";
    From "from" "The path before a rename.";
    Diff "diff" "The change as a unified diff or as the provider writes it.";
    Text "text" "The text.";
    EntryStatus "status" "The state of a plan's entry.";
    Priority "priority" "The priority of a plan's entry.";
    IsError "is_error" "Whether the tool says that it failed.";
    ReplacesOutput "replaces_output" "Flag. The parts of the result, if there are any, replace the live output even if that is longer.";
    DurationMs "duration_ms" "How long it took, in milliseconds.";
    Channel "channel" "Which live stream it is.";
    Paths "paths" "Paths that the permission is about: a text or a JSON list.";
    Outcome "outcome" "How it was resolved.";
    Message "message" "A message for people.";
    UpdatedInput "updated_input" "The changed arguments.";
    Native "native" "The native answer that this option stands for.";
    Held "held" "Flag. A question waits for a request of the same call; the end of a turn waits for what follows.";
    Header "header" "A short heading.";
    MultiSelect "multi_select" "Whether several options may be chosen.";
    FreeText "free_text" "Whether the user may answer with free text.";
    Secret "secret" "Whether the answer must not be shown.";
    Schema "schema" "A JSON Schema of the answer.";
    Url "url" "A page to visit.";
    Description "description" "A longer text.";
    Content "content" "The answer as the provider gives it.";
    Answer "value" "One answer or a list of them.";
    RequestKind "kind" "What the host is asked to do.";
    Payload "payload" "The native request, whole.";
    Key "key" "What the report is about. A later report with the same key and scope replaces it.";
    Scope "scope" "What the counts cover.";
    Basis "basis" "Whether reports add up (`delta`) or replace each other (`cumulative`).";
    ContextWindow "context_window" "The size of the model's context, in tokens.";
    ContextUsed "context_used" "How many tokens of the context are in use.";
    Input "input" "Input tokens, without cached ones.";
    CacheRead "cache_read" "Input tokens read from the cache.";
    CacheWrite "cache_write" "Input tokens written to the cache.";
    CacheWriteHour "cache_write_1h" "Of the tokens written to the cache, those that stay there for an hour.";
    WebSearches "web_searches" "How many web searches the provider made, where they are charged one by one.";
    Speed "speed" "How fast the provider was asked to be, in its own word, such as `fast`.";
    Output "output" "Output tokens, without reasoning where the provider splits it.";
    Reasoning "reasoning" "Reasoning tokens.";
    Cost "cost" "The cost, in the currency's unit.";
    Currency "currency" "The currency's ISO 4217 code.";
    CostSource "cost_source" "Who calculated the cost.";
    Class "class" "The class of the failure.";
    Code "code" "The provider's code.";
    WillRetry "will_retry" "Whether the provider retries by itself.";
    Details "details" "The native facts, as an object.";
    Session "session" "The native session id, instead of the map's `session`.";
    Agent "agent" "The sub-agent's call id, instead of the map's `agent`.";
    Time "time" "The native time, instead of the map's `time`.";
}
