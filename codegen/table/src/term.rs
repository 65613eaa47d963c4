//! The universal terms that a map can emit, with their fields: one list, from which the checker
//! works, the engine reads and the language's reference is printed.

use crate::{Field, Layer};

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
    /// `turn.resumed`
    TurnResumed,
    /// `turn.alias`
    TurnAlias,
    /// `item KIND { open, … }`
    Open,
    /// `item KIND { done, … }`, or with a `status`
    Close,
    /// `item KIND { done, unless_empty, … }`
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
    /// `more`
    More,
    /// `part removed`
    Drop,
    /// `result`
    Result,
    /// `output`
    Output,
    /// `permission.requested`
    PermissionRequested,
    /// `option`
    PermissionOption,
    /// `permission.resolved`
    PermissionResolved,
    /// `question.requested`
    QuestionRequested,
    /// `question`
    Question,
    /// `choice`
    QuestionOption,
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
    /// `finish`
    Finish,
    /// `end`
    End,
    /// `replay`
    Replay,
}

/// The kind of item that a term is about.
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

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Text; a number or boolean is written as text.
    Text,
    /// Any JSON value, kept byte for byte.
    Json,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A boolean.
    Bool,
    /// An id: a text or a number.
    Key,
    /// A flag: its name alone means `true`.
    Flag,
    /// A text or a list of texts.
    List,
    /// One of these texts: a constant, an `if` of constants or the result of a value map.
    OneOf(&'static [&'static str]),
}

/// The layers in which a term or a field may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Layers {
    Agent,
    Model,
    Both,
}

impl Layers {
    /// Whether the layer is one of them.
    pub const fn has(self, layer: Layer) -> bool {
        match self {
            Self::Both => true,
            Self::Agent => matches!(layer, Layer::Agent),
            Self::Model => matches!(layer, Layer::Model),
        }
    }
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
    /// The layers in which the term has it.
    pub layers: Layers,
}

/// A universal term: what a map can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbSpec {
    /// What it does.
    pub verb: Verb,
    /// The kind of item, for `item`.
    pub item: ItemKind,
    /// The kind of block, for `part` and `attach`.
    pub block: BlockKind,
    /// Its name in maps.
    pub name: &'static str,
    /// One sentence about it.
    pub doc: &'static str,
    /// Its fields.
    pub fields: &'static [FieldSpec],
    /// The terms that its body may hold, beside `each`, `if`, registers and `once`.
    pub body: &'static [Verb],
    /// The layers in which it may stand.
    pub layers: Layers,
}

impl VerbSpec {
    /// Its fields in a layer.
    pub fn fields_in(&self, layer: Layer) -> impl Iterator<Item = &'static FieldSpec> + use<> {
        self.fields.iter().filter(move |field| field.layers.has(layer))
    }
}

/// Every term that maps can use, in the order of the language's reference.
pub const fn verbs() -> &'static [VerbSpec] {
    crate::terms::TERMS
}

/// The term of this verb, for this kind of item and block.
pub fn spec(verb: Verb, item: ItemKind, block: BlockKind) -> Option<&'static VerbSpec> {
    let verb = if matches!(verb, Verb::Close | Verb::Whole) { Verb::Open } else { verb };
    verbs().iter().find(|term| term.verb == verb && term.item == item && term.block == block)
}
