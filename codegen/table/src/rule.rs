//! Rules: which native message gives which universal events.

use crate::{BlockKind, Cond, Demands, Expr, Field, ItemKind, JsonKind, Path, Prepared, TimeUnit, Verb};

/// A compiled term map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table {
    /// The provider's name in commands and files: lower case, no spaces.
    pub provider: &'static str,
    /// The provider's name for people.
    pub title: &'static str,
    /// How people install the agent's program; empty where the map does not say.
    pub install: &'static str,
    /// Where the agent keeps its session files: patterns as a shell writes them, such as
    /// `${VARIABLE:-~/folder}/**/*.jsonl`. Empty for what is no session file.
    pub files: &'static [&'static str],
    /// The provider name of the agent that writes these session files; empty for what is no session file.
    pub written_by: &'static str,
    /// The command that continues a session when its native id follows; empty where the map does not say.
    pub resume: &'static str,
    /// What the map translates: the messages of an agent, or the stream of a model.
    pub layer: Layer,
    /// The provider whose messages these are but for details: a stream that either may have written is taken for its.
    pub dialect_of: Option<&'static str>,
    /// The map's file, as the compiler was given it (for messages and links).
    pub file: &'static str,
    /// The files that the map includes, named as `file` is: [`Place::file`] counts them.
    pub included: &'static [&'static str],
    /// How the byte stream is cut into messages. Of several, the stream's first bytes tell which.
    pub framing: &'static [Framing],
    /// Messages that are no JSON and say that the stream is over, such as `[DONE]`.
    pub end: &'static [&'static str],
    /// The server by which the program is reached, for one that is not spoken to over its input and output.
    pub server: Option<Server>,
    /// The program ends its turn only when its input has ended: whoever has nothing more to say closes it.
    pub turn_ends_with_input: bool,
    /// What the provider demands of a request to a language model beyond its schema.
    pub demands: Demands,
    /// Every object key that a path of the map names. Key number `n` is `keys[n]`.
    pub keys: &'static [&'static str],
    /// Where each message says which session, turn, sub-agent and time it belongs to.
    pub context: Context,
    /// How a message and its answer are known by each other.
    pub pairing: Pairing,
    /// How messages are told apart.
    pub dispatch: Dispatch,
    /// All rules, in the order of the map.
    pub rules: &'static [Rule],
    /// All value maps.
    pub values: &'static [ValueMap],
    /// What the provider calls its tools.
    pub tools: &'static [Tool],
    /// All registers.
    pub registers: &'static [Register],
    /// Fields of translated messages that are dropped on purpose.
    pub dropped: &'static [Dropped],
    /// The way back: how universal commands become native messages.
    pub writes: &'static [Write],
    /// What of the universal commands the provider cannot express.
    pub cannot: &'static [Cannot],
    /// The commands whose rules read the open requests or the running calls of the session. Only these get them, since there
    /// can be many.
    pub open_readers: &'static [&'static str],
    /// How what a host has sent is read as commands.
    pub hosts: &'static [Host],
    /// Every object key that a path of `writes`, `cannot` and `hosts` names. In there, key number `n` is
    /// `write_keys[n]`.
    pub write_keys: &'static [&'static str],
    /// What the map's target wants, for a map that emits instead of reading.
    pub target: Option<Target>,
    /// What the engine prepares from the table when it is used for the first time.
    pub prepared: &'static Prepared,
}

/// The HTTP server that an agent's program opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
    /// What the program prints before its server's address, on one line: `listening on `.
    pub listens: &'static str,
    /// The path of the stream of events, such as `/event`.
    pub events: &'static str,
}

/// A protocol that is spoken to its consumers: its map emits signals, and reads nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Every message lies in a run, so that what happens outside of any waits for one or opens one.
    pub runs_required: bool,
    /// Messages do not name their session, so that each stream is written for itself.
    pub streams_apart: bool,
}

/// How one universal command, or in a target's map one signal, becomes native messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Write {
    /// The command that it takes: `request`, or the type of a command such as `message.send`.
    pub command: &'static str,
    /// Unique in the map.
    pub name: &'static str,
    /// Where it stands in the map.
    pub place: Place,
    /// An additional condition. Of the rules for a command, the first whose condition holds is applied.
    pub condition: Option<Cond>,
    /// What must be known before the command can be written; until then it waits.
    pub needs: &'static [Path],
    /// What happens, in order.
    pub actions: &'static [Action],
    /// The fields of the command that it reads, sorted.
    pub reads: &'static [&'static str],
}

/// How one message of a host is read as a universal command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Host {
    /// Where it stands in the map.
    pub place: Place,
    /// The method of an HTTP request, and the pattern of its path, in which `{name}` stands for one segment.
    pub http: Option<(&'static str, &'static str)>,
    /// An additional condition. Of all rules, the first that fits is applied.
    pub condition: Option<Cond>,
    /// The native id of the session that it is for.
    pub session: Option<Expr>,
    /// What happens, in order: it sends one command.
    pub actions: &'static [Action],
}

/// Something of a universal command that the provider cannot express.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cannot {
    /// The command.
    pub command: &'static str,
    /// The field of it, and its path: it counts where that is present. None for the command as it is given.
    pub field: Option<(&'static str, Path)>,
    /// The case in which it is so; none for any case.
    pub case: Option<Cond>,
    /// Why.
    pub reason: &'static str,
    /// Where it stands in the map.
    pub place: Place,
}

impl Table {
    /// The file that a place of this map is in.
    pub fn file_of(&self, place: Place) -> &'static str {
        match place.file.checked_sub(1) {
            None => self.file,
            Some(number) => self.included.get(usize::from(number)).copied().unwrap_or(self.file),
        }
    }
}

/// What a map translates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The messages of a coding agent, to events.
    Agent,
    /// The stream of a language model, to chunks.
    Model,
}

/// How a byte stream is cut into messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON text a line.
    JsonLines,
    /// Server-sent events, one JSON text an event.
    Sse,
    /// JSON-RPC messages, one a line.
    JsonRpc,
    /// JSON documents over any number of lines: each is a message, or a list of messages.
    Json,
}

/// A place in a file of the map, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The file: 0 is the map itself, and `n` the file `n` of those that it includes, counted from 1.
    pub file: u16,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// Where messages carry what belongs to their envelope. The first present path counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Context {
    /// Where a message stands that comes wrapped in another object; one without such a member is itself the message.
    pub envelope: &'static [Path],
    /// The id of the message itself: one that comes again, with the same id and the same bytes, is left out.
    pub message_id: &'static [Path],
    /// The native session id.
    pub session: &'static [Path],
    /// The native turn id.
    pub turn: &'static [Path],
    /// The call id of the tool call that started the sub-agent which speaks.
    pub agent: &'static [Path],
    /// The native timestamp.
    pub time: &'static [TimeField],
}

/// How a message and its answer are known by each other, whichever side sends the one and the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pairing {
    /// The id of a message that wants an answer.
    pub asks: Expr,
    /// The id of the message that this one answers.
    pub answers: Expr,
    /// The member by which the agent's answer to a message of its host has that message, for the rules to read; empty
    /// for none.
    pub member: &'static str,
    /// The agent answers the message that begins a turn only when that turn ends.
    pub turn_answered_at_end: bool,
}

/// A timestamp's path and unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeField {
    /// Where it stands.
    pub path: Path,
    /// Its unit.
    pub unit: TimeUnit,
}

/// One level of telling messages (or elements of an array) apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dispatch {
    /// The discriminant: the first of these paths that holds a string.
    pub tag: &'static [Path],
    /// The known values of the tag and what follows.
    pub arms: &'static [(&'static str, Shape)],
    /// For messages without a tag: the member whose presence names them, and what follows.
    pub present: &'static [(Path, Shape)],
    /// The rules for values that the schema does not know: the arm `*`.
    pub unknown: &'static [u16],
}

/// What follows from a tag's value: rules to try in order, after the next level of dispatch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// The next level, when this message type is told apart further. If it matches, its rules
    /// are used and not the ones below.
    pub next: Option<&'static Dispatch>,
    /// Numbers of rules in [`Table::rules`]; the first whose condition holds is applied.
    pub rules: &'static [u16],
}

/// A member of a message that the schema knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// The members that the schema knows in its value. There are none where the value is no object, where the
    /// schema does not say what is in it, and below the third level.
    pub members: &'static [Member],
}

/// One rule of the map: a translation, or an `ignore` with its reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Unique in the map; events name it as `native.rule`.
    pub name: &'static str,
    /// Where it stands in the map.
    pub place: Place,
    /// The message types that it takes, as written: for documents.
    pub patterns: &'static [&'static str],
    /// The members that the schema knows in these messages: a program that imitates another one's format is
    /// told from it by them.
    pub members: &'static [Member],
    /// An additional condition.
    pub condition: Option<Cond>,
    /// What replaces the map's own context for this rule: `session`, `turn`, `agent`, `time`.
    pub context: &'static [(Field, Expr)],
    /// What happens, in order. Empty for an `ignore`.
    pub actions: &'static [Action],
    /// The reason of an `ignore`.
    pub ignore: Option<&'static str>,
}

/// One step of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// A universal term, with its fields and what it contains.
    Emit {
        /// What happens.
        verb: Verb,
        /// The kind of item, for `open`, `close` and `whole`.
        item: ItemKind,
        /// The kind of block, for `part` and `attach`.
        block: BlockKind,
        /// The fields as written in the map.
        fields: &'static [(Field, Expr)],
        /// Steps inside it: parts of an item, options of a request, blocks of a result.
        body: &'static [Action],
        /// Where it stands in the map.
        place: Place,
    },
    /// The body once for every element of an array, or every entry's value of an object. A value
    /// that is neither array nor object nor null counts as the only element.
    Each {
        /// The array or object.
        over: Path,
        /// How the elements differ.
        arms: &'static [Arm],
    },
    /// The same for a single value, which becomes the current one: an object is not taken apart. Absent and null
    /// give nothing.
    One {
        /// The value.
        over: Path,
        /// How it may differ.
        arms: &'static [Arm],
    },
    /// Steps whose parts belong to the item of this native id, unless they name another one.
    In {
        /// The item's native id.
        item: Expr,
        /// The steps.
        body: &'static [Action],
    },
    /// The first arm whose condition holds.
    When {
        /// Conditions with their steps. The last one may be `All(&[])`, the `else`.
        arms: &'static [(Cond, &'static [Action])],
    },
    /// Writes a register.
    Set {
        /// The register's number.
        register: u16,
        /// Under which key; none for a register that holds one value.
        key: Option<Expr>,
        /// What to write; an absent value clears it.
        value: Expr,
    },
    /// Adds an element to the list that is being built.
    Add {
        /// The element.
        value: Expr,
        /// When the element before is an object with the same value under the first key, the two become one,
        /// and their lists under the second key one list.
        merge: Option<(&'static str, &'static str)>,
    },
    /// Puts a member into the object that is being built.
    Put {
        /// Its key.
        key: Expr,
        /// Its value.
        value: Expr,
    },
    /// Ends the connection: the agent's input is closed, and its program ends.
    HangUp,
    /// Waits until the agent has answered the message before: what follows in the rule, and the commands that are given
    /// after it, are sent then.
    Await,
    /// Gives a native message.
    Send {
        /// The message; absent for an HTTP request without a body.
        value: Expr,
        /// The method and the path of an HTTP request.
        http: Option<(&'static str, Expr)>,
    },
    /// Starts the agent's program.
    Spawn {
        /// The program and its arguments, a list of texts.
        args: Expr,
        /// The working directory.
        cwd: Expr,
    },
    /// Tells the host's message as an event, since the agent does not repeat it.
    Tell {
        /// The native id by which the agent may repeat it after all.
        id: Expr,
    },
    /// Notes that something of the command cannot be expressed as it is.
    Degrade {
        /// Its name, for programs.
        what: &'static str,
        /// What becomes of it and why, for people.
        reason: &'static str,
    },
    /// Stops here when the same session saw this value in a `once` before, of whatever rule.
    Once {
        /// What must not repeat.
        key: Expr,
    },
    /// Stops here unless the answer that is read is this one of several.
    Candidate {
        /// Its number; absent is 0, the first.
        number: Expr,
    },
}

/// One arm of an `each`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arm {
    /// Which elements it takes.
    pub shape: ArmShape,
    /// An additional condition; when it fails, the next arm is tried.
    pub condition: Option<Cond>,
    /// What happens to them. Empty for an ignored variant.
    pub actions: &'static [Action],
    /// The reason why a variant is ignored.
    pub ignore: Option<&'static str>,
}

/// Which elements an arm takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ArmShape {
    /// Those whose tag has one of these values.
    Tag(Path, &'static [&'static str]),
    /// Those of this JSON kind (`string { … }`).
    Kind(JsonKind),
    /// All that no other arm takes (`*`), or all where the `each` has no `by`.
    Any,
}

/// A map from native values to universal ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueMap {
    /// Its name in the map.
    pub name: &'static str,
    /// Native value → universal value; `None` is a declared "absent".
    pub pairs: &'static [(&'static str, Option<&'static str>)],
    /// For values that the map does not list; `None` is "absent".
    pub otherwise: Option<&'static str>,
}

/// A tool, which may have several names: an agent renames its tools, and other agents have the same tool under
/// another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// The table of the map that it stands in, which is also a value map from native names to kinds.
    pub table: &'static str,
    /// What it is called across providers.
    pub name: &'static str,
    /// What the provider calls it.
    pub names: &'static [ToolName],
    /// Its kind, when it has one.
    pub kind: Option<&'static str>,
    /// Where it stands in the map.
    pub place: Place,
}

/// A provider's name for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolName {
    /// The name, as calls have it.
    pub name: &'static str,
    /// The first version of the agent that is known to use it; absent when it is in the oldest that was seen.
    pub since: Option<&'static str>,
    /// The last version of the agent that is known to use it; absent when it is still in use.
    pub until: Option<&'static str>,
}

/// A register: a named memory of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// Its name in the map.
    pub name: &'static str,
    /// What it belongs to.
    pub scope: RegisterScope,
}

/// What a register belongs to: each has its own copy, which goes when the owner ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterScope {
    /// The native session.
    Session,
    /// The sub-agent that speaks (the main agent is one of them), within its session.
    Agent,
    /// The turn.
    Turn,
    /// The command that is being written.
    Command,
}

/// A field that a translated message may carry and that is dropped, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// The path as written in the map, from the message's root.
    pub path: &'static str,
    /// The rules whose messages it is dropped of; none where it is dropped of all messages.
    pub rules: &'static [&'static str],
    /// Why.
    pub reason: &'static str,
    /// Where it stands in the map.
    pub place: Place,
}
