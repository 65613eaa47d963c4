//! A map as it is written, with the place of every name.

use std::fmt;

use interlingua_table::{Demands, JsonKind, Layer, Piece, RegisterScope, Target, TimeUnit};

use crate::sources::{Sources, Span};

mod pattern;

pub(crate) use pattern::{Pattern, Route, RouteStep, Segment, route_text};

/// A name or a text, with its place.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub text: String,
    pub span: Span,
}

/// A whole map.
#[derive(Debug)]
pub(crate) struct Map {
    /// The files that it consists of.
    pub sources: Sources,
    pub provider: Provider,
    pub registers: Vec<Register>,
    pub values: Vec<ValueMap>,
    /// What tools are called; each table of them is a value map, too.
    pub tools: Vec<Tool>,
    pub blocks: Vec<Block>,
    pub rules: Vec<Rule>,
    pub drops: Vec<Drop>,
    pub writes: Vec<Write>,
    pub cannot: Vec<Cannot>,
    pub hosts: Vec<Host>,
}

/// `from … { … }`.
#[derive(Debug)]
pub(crate) struct Host {
    pub span: Span,
    pub http: Option<(Word, Word)>,
    pub condition: Option<Cond>,
    pub session: Option<Expr>,
    pub steps: Vec<Step>,
}

/// `to COMMAND … { … }`, or `emit SIGNAL … { … }`.
#[derive(Debug)]
pub(crate) struct Write {
    pub command: Word,
    pub needs: Vec<Path>,
    pub condition: Option<Cond>,
    pub name: Option<Word>,
    pub steps: Vec<Step>,
    /// It is an `emit`, whose command is a signal.
    pub emits: bool,
}

/// `cannot COMMAND … because "…";`.
#[derive(Debug)]
pub(crate) struct Cannot {
    pub command: Word,
    pub fields: Vec<Word>,
    pub condition: Option<Cond>,
    pub reason: Reason,
}

impl Map {
    /// Adds the statements of a file that the map includes.
    pub(crate) fn append(&mut self, included: Map) {
        let Map {
            sources: _,
            provider: _,
            registers,
            values,
            blocks,
            rules,
            tools,
            drops,
            writes,
            cannot,
            hosts,
        } = included;
        self.registers.extend(registers);
        self.values.extend(values);
        self.tools.extend(tools);
        self.blocks.extend(blocks);
        self.rules.extend(rules);
        self.drops.extend(drops);
        self.writes.extend(writes);
        self.cannot.extend(cannot);
        self.hosts.extend(hosts);
    }
}

/// `provider NAME { … }`.
#[derive(Debug)]
pub(crate) struct Provider {
    pub name: Word,
    pub title: Option<Word>,
    /// How people install the program.
    pub install: Option<Word>,
    /// Patterns of the files in which the agent keeps its sessions.
    pub files: Vec<Word>,
    /// The provider name of the agent that writes them.
    pub written_by: Option<Word>,
    /// The command that continues a session.
    pub resume: Option<Word>,
    pub layer: Layer,
    /// It is a target, which is spoken to and not read.
    pub target: Option<Target>,
    pub dialect_of: Option<Word>,
    pub schema: Option<Word>,
    pub framing: Vec<Word>,
    /// Texts that are no messages and say that the stream is over.
    pub end: Vec<Word>,
    /// The text before the address of the program's server, in what it prints.
    pub listens: Option<Word>,
    /// The program ends its turn only when its input has ended.
    pub turn_ends_with_input: bool,
    /// What the provider demands of a request beyond its schema.
    pub demands: Demands,
    /// The path of the server's stream of events.
    pub events: Option<Word>,
    pub receives: Vec<Word>,
    pub accepts: Vec<Word>,
    pub tag: Vec<Path>,
    pub further_tags: Vec<(Vec<Pattern>, Vec<Path>)>,
    pub envelope: Vec<Path>,
    /// Where the members of a message stand, from which the paths of its rules start.
    pub body: Option<Path>,
    pub message_id: Vec<Path>,
    pub session: Vec<Path>,
    pub turn: Vec<Path>,
    pub agent: Vec<Path>,
    pub time: Vec<(Path, TimeUnit)>,
    /// The id of a message, of either side, that wants an answer.
    pub asks: Option<Expr>,
    /// The id of what a message answers, and the member by which an answer has what it answers.
    pub answers: Option<(Expr, Option<Word>)>,
    /// The message that begins a turn is answered only when that turn ends.
    pub turn_answered_at_end: bool,
}

#[derive(Debug)]
pub(crate) struct Register {
    pub name: Word,
    pub scope: RegisterScope,
}

#[derive(Debug)]
pub(crate) struct ValueMap {
    pub name: Word,
    /// Native value and universal value; `None` is `absent`.
    pub pairs: Vec<(Word, Option<Word>)>,
    /// What follows `_ =>`; the outer `None` means that it is missing.
    pub otherwise: Option<Option<Word>>,
}

/// One tool of a `tools` table: `agent: Agent | Task until "2.0" => "delegate";`.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The table's name.
    pub table: String,
    /// What the tool is called across providers.
    pub name: Word,
    /// What the provider calls it.
    pub names: Vec<ToolName>,
    pub kind: Option<Word>,
}

#[derive(Debug)]
pub(crate) struct ToolName {
    pub name: Word,
    /// The first and the last version of the agent that is known to use the name.
    pub since: Option<Word>,
    pub until: Option<Word>,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub name: Word,
    /// Its steps; for a value, those that add it to a list.
    pub steps: Vec<Step>,
    pub gives: Gives,
}

/// What a block gives.
#[derive(Debug)]
pub(crate) enum Gives {
    /// Nothing: it holds steps.
    Steps,
    /// A list.
    List,
    /// A value; `None` for one that can only be an element of a list.
    Value(Option<Expr>),
}

/// `on … { … }` or `ignore … because "…";`.
#[derive(Debug)]
pub(crate) struct Rule {
    pub span: Span,
    pub patterns: Vec<Pattern>,
    pub condition: Option<Cond>,
    pub name: Option<Word>,
    pub context: Vec<FieldValue>,
    pub action: RuleAction,
}

#[derive(Debug, Clone)]
pub(crate) enum RuleAction {
    Steps(Vec<Step>),
    Ignore(Reason),
}

/// The reason of an `ignore` or a `drop`. A missing one is the checker's to report.
#[derive(Debug, Clone)]
pub(crate) struct Reason(pub Option<Word>);

impl Reason {
    pub(crate) fn text(&self) -> String {
        self.0.as_ref().map(|word| word.text.clone()).unwrap_or_default()
    }
}

/// `drop PATH, … within RULE, … because "…";`. Without rules it is about all messages.
#[derive(Debug)]
pub(crate) struct Drop {
    pub paths: Vec<Path>,
    pub rules: Vec<Word>,
    pub span: Span,
    pub reason: Reason,
}

#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub span: Span,
    pub start: Start,
    pub steps: Vec<PathStep>,
}

/// Where a path starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Start {
    /// `$`: the whole of what a rule reads, which is a message or a command.
    Root,
    /// The current value.
    Here,
    /// `$name` for the current value so many levels further out.
    Named(u8, String),
    /// `$name`, the first step, for what surrounds a command or the message of a host.
    Around,
}

#[derive(Debug, Clone)]
pub(crate) enum PathStep {
    Key(Word),
    Index(i32, Span),
    Lookup(Box<Expr>, Span),
    Find(Vec<PathStep>, Box<Expr>, Span),
    /// `[]`, only in a `drop`.
    Every(Span),
}

impl PathStep {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Key(word) => word.span,
            Self::Index(_, span) | Self::Lookup(_, span) | Self::Find(_, _, span) | Self::Every(span) => {
                *span
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Path(Path),
    Text(String),
    Number(i64),
    Bool(bool),
    Absent,
    First(Vec<Expr>),
    Concat(Vec<Expr>),
    Join(Path, String, Box<Expr>),
    Object(Vec<(Word, Expr)>),
    List(Vec<Expr>),
    Json(Path),
    /// `parse(path).a.b`: the steps lead on from what the text at the path holds.
    Parse(Path, Vec<PathStep>),
    Via(Box<Expr>, Word),
    Null,
    Without(Path, Vec<Word>),
    Merge(Box<Expr>, Box<Expr>),
    /// `required VALUE`.
    Needed(Box<Expr>),
    Register(Word),
    /// `@register[key]`.
    Recall(Word, Box<Expr>),
    /// A list of what these steps add.
    Build(Vec<Step>),
    /// An object of what these steps put into it.
    BuildMap(Vec<Step>),
    /// `use NAME`: the value of a block, which is absent instead of an empty list where the flag says so.
    Use(Word, bool),
    Position,
    EachKey,
    Time(Path, TimeUnit),
    Minus(Vec<Expr>),
    Plus(Vec<Expr>),
    If(Box<Cond>, Box<Expr>, Box<Expr>),
    /// `split(EXPR, ", ", options, label)`: what stays whole is a path to a list, and a text of each element.
    Split(Box<Expr>, String, Option<(Path, Box<Expr>)>),
    /// `before(TEXT, "/")` and the like.
    Piece(Box<Expr>, Piece, String),
    /// `pieces(TEXT, "[{a}] {b}").a`: the texts around and between the pieces, and the number of the piece.
    Between(Box<Expr>, Vec<String>, usize),
    /// `diff(OLD, NEW)`.
    Diff(Box<Expr>, Box<Expr>),
    /// `number(TEXT)`.
    NumberIn(Box<Expr>),
}

#[derive(Debug, Clone)]
pub(crate) enum Cond {
    /// It is there, and neither null nor `false`.
    Holds(Expr),
    /// `is present`: it is there and not null.
    Present(Expr),
    Equal(Expr, Expr),
    /// `left < right`: `>` is written the other way round.
    Less(Expr, Expr),
    In(Expr, Vec<Word>),
    Starts(Expr, Word),
    Ends(Expr, Word),
    Contains(Expr, Word),
    Is(Path, JsonKind),
    Not(Box<Cond>),
    All(Vec<Cond>),
    Any(Vec<Cond>),
}

/// How an element becomes one with the element before.
#[derive(Debug, Clone)]
pub(crate) struct Merge {
    pub list: Word,
    pub by: Word,
}

#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub kind: StepKind,
}

#[derive(Debug, Clone)]
pub(crate) enum StepKind {
    Emit {
        term: Word,
        /// Of an item: what becomes of it.
        state: State,
        fields: Vec<FieldValue>,
        /// Objects whose members are fields, too: `..use NAME`.
        spreads: Vec<Expr>,
        /// `None` without a second pair of braces.
        body: Option<Vec<Step>>,
    },
    Each {
        /// `with` instead of `each`: the value itself is entered, whatever it is.
        single: bool,
        over: Path,
        by: Option<Path>,
        arms: Vec<Arm>,
    },
    /// `under ITEM { … }`.
    In(Expr, Vec<Step>),
    When(Vec<(Option<Cond>, Vec<Step>)>),
    Set(Word, Option<Expr>, Expr),
    /// `add VALUE merge LIST by KEY;`.
    Add(Expr, Option<Merge>),
    Send {
        span: Span,
        value: Option<Expr>,
        http: Option<(Word, Expr)>,
    },
    Put(Expr, Expr),
    HangUp(Span),
    /// `await`: what follows is sent when the message before is answered.
    Await(Span),
    /// A message of JSON-RPC: `request "method" { … }`.
    Rpc {
        span: Span,
        what: Rpc,
        value: Option<Expr>,
    },
    Degrade(Word, Reason),
    Spawn {
        span: Span,
        args: Expr,
        cwd: Option<Expr>,
    },
    Tell(Span, Option<Expr>),
    Once(Expr),
    Candidate(Expr),
    Use(Word, UseAs),
}

/// A message of JSON-RPC that is written.
#[derive(Debug, Clone)]
pub(crate) enum Rpc {
    /// A request with this method.
    Request(Word),
    /// A notification with this method.
    Notify(Word),
    /// The result of the request that the command settles.
    Reply,
    /// The error that answers it.
    Fail,
}

/// What an item's term says of its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is no item, or says nothing, or has a field `status`.
    Unsaid,
    /// `open`.
    Open(Span),
    /// `done`.
    Done(Span),
    /// `done, unless_empty`.
    Whole(Span),
}

/// How a block is used as a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UseAs {
    /// Its steps are run.
    Steps,
    /// Its value is an element of the list that is put together.
    Element,
    /// Its elements are elements of that list.
    Elements,
}

/// `name: value`, or `name` alone.
#[derive(Debug, Clone)]
pub(crate) struct FieldValue {
    pub name: Word,
    pub value: Option<Expr>,
}

impl FieldValue {
    /// The value; `name` alone is the path of this name.
    pub(crate) fn expr(&self) -> Expr {
        self.value.clone().unwrap_or_else(|| Expr::of_name(&self.name))
    }
}

impl Expr {
    pub(crate) fn of_name(name: &Word) -> Self {
        let path = Path { span: name.span, start: Start::Here, steps: vec![PathStep::Key(name.clone())] };
        Self { span: name.span, kind: ExprKind::Path(path) }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub span: Span,
    pub shape: ArmShape,
    pub condition: Option<Cond>,
    pub action: RuleAction,
}

#[derive(Debug, Clone)]
pub(crate) enum ArmShape {
    Tags(Vec<Word>),
    Kind(JsonKind),
    Any,
}

/// The word for a kind in a map.
pub(crate) fn kind_word(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::String => "string",
        JsonKind::Number => "number",
        JsonKind::Bool => "bool",
        JsonKind::Array => "array",
        JsonKind::Object => "object",
    }
}

/// A tag's value as a map must write it: a plain word as it is, anything else in quotes.
pub fn written(value: &str) -> String {
    let mut chars = value.chars();
    let plain = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_');
    if plain { value.to_owned() } else { format!("{value:?}") }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut empty = false;
        match &self.start {
            Start::Root => f.write_str("$")?,
            Start::Named(_, name) => write!(f, "${name}")?,
            Start::Around => f.write_str("$")?,
            Start::Here if self.steps.is_empty() => return f.write_str("this"),
            Start::Here => empty = true,
        }
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                PathStep::Key(word) if number == 0 && self.start == Start::Around => {
                    f.write_str(&word.text)?
                }
                PathStep::Key(word) => {
                    let key = written(&word.text);
                    if !empty || key.starts_with('"') {
                        f.write_str(".")?;
                    }
                    f.write_str(&key)?;
                }
                PathStep::Index(index, _) => write!(f, "[{index}]")?,
                PathStep::Lookup(..) => f.write_str("[…]")?,
                PathStep::Find(..) => f.write_str("[… == …]")?,
                PathStep::Every(_) => f.write_str("[]")?,
            }
            empty = false;
        }
        Ok(())
    }
}
