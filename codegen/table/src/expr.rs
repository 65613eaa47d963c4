//! Paths, conditions and expressions: how a map reads a message.

use crate::Action;

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStart {
    /// The whole native message; for a command, what is known around it.
    Root,
    /// The current value: the message itself, or the element of the innermost `each`.
    Here,
    /// The value `n` levels outside the current one.
    Outer(u8),
}

/// A path into the native message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Where it starts.
    pub scope: PathStart,
    /// The steps from there.
    pub steps: &'static [Step],
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// The member with this key. The number is the key's place in [`crate::Table::keys`].
    Key(u16),
    /// The element at this place; negative numbers count from the end.
    Index(i32),
    /// The member whose key is the value of an expression: `answers[question]`.
    Lookup(&'static Expr),
    /// The first element for which `path` equals the expression: `results[id == tool_use_id]`.
    /// The path is relative to the element, the expression to the place of the path itself.
    Find(&'static [Step], &'static Expr),
}

/// The unit of a native timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds since 1970-01-01 UTC.
    Seconds,
    /// Milliseconds since 1970-01-01 UTC.
    Milliseconds,
    /// RFC 3339 text.
    Rfc3339,
}

/// The kinds of JSON values, for `path is string`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum JsonKind {
    String,
    Number,
    Bool,
    Array,
    Object,
}

/// An expression: the value of a field of a universal term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expr {
    /// A value of the message. In a text field its text, in a JSON field its exact bytes.
    Path(Path),
    /// A constant text.
    Text(&'static str),
    /// A constant number.
    Number(i64),
    /// A constant boolean.
    Bool(bool),
    /// The first of these that is present: `a ?? b ?? "c"`.
    First(&'static [Expr]),
    /// All of these, as text, one after the other; absent parts are left out.
    Concat(&'static [Expr]),
    /// The texts of an expression over the elements of an array, with a separator between them.
    Join(Path, &'static str, &'static Expr),
    /// An object of named fields, each value byte for byte; absent fields are left out.
    Object(&'static [(&'static str, Expr)]),
    /// A list of these values, each byte for byte; absent ones are left out.
    List(&'static [Expr]),
    /// The text of the first expression, through the value map with this number.
    Via(&'static Expr, u16),
    /// The register with this number.
    Register(u16),
    /// What the register with this number holds under a key: `@calls[call_id]`.
    Recall(u16, &'static Expr),
    /// A list of what steps add. Absent when they add nothing.
    Build(&'static [Action]),
    /// An object of what steps put into it. Absent when they put nothing.
    BuildMap(&'static [Action]),
    /// A value without which the object that it is a member of is absent: `required VALUE`.
    Needed(&'static Expr),
    /// An object without some of its members: `PATH without (key, …)`. Absent when nothing is left.
    Without(Path, &'static [&'static str]),
    /// Two objects as one; of members that both have, the first one's count. Absent when both are.
    Merge(&'static Expr, &'static Expr),
    /// The JSON value `null`, which a native message may have to say.
    Null,
    /// The position of the current element in the innermost `each`, from 0.
    Position,
    /// The key of the current entry in the innermost `each` over an object; absent over an array.
    EachKey,
    /// A timestamp in a unit.
    Time(Path, TimeUnit),
    /// The first number less the others, never below 0; absent when the first is absent.
    Minus(&'static [Expr]),
    /// The sum of those that are present; absent when all are.
    Plus(&'static [Expr]),
    /// `if condition then value else otherwise`.
    If(&'static Cond, &'static Expr, &'static Expr),
    /// The text split at a separator, as a list: only for the answers of a question. What is a text of an expression
    /// over the elements of an array stays whole, though it has the separator in it.
    Split(&'static Expr, &'static str, Option<&'static (Path, Expr)>),
    /// A piece of a text, before or after a separator: `before(path, "/")`. Absent when the text has no such separator.
    Piece(&'static Expr, Piece, &'static str),
    /// A piece of a text that has these texts around and between its pieces: `pieces(path, "[{code}] {rest}").code`.
    /// Absent when the text has another form.
    Between(&'static Expr, &'static [&'static str], u16),
    /// The lines that differ between two texts, as a unified diff: `diff(old, new)`. Absent when the new text is.
    Diff(&'static Expr, &'static Expr),
    /// The value's JSON text, also for a string: `json(path)`.
    Json(Path),
    /// A value in a text that holds JSON: `parse(path).a.b`. Absent when the text is no JSON; a value
    /// that is no text stands for itself.
    Parse(Path, &'static [Step]),
    /// Never present: the explicit "nothing" of an `if` or of a value map.
    Absent,
}

/// Which piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// What stands before the first separator.
    Before,
    /// What stands after the first separator.
    After,
    /// What stands before the last separator.
    BeforeLast,
    /// What stands after the last separator.
    AfterLast,
}

impl Piece {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Before, Self::After, Self::BeforeLast, Self::AfterLast];

    /// The name of its function in maps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
            Self::BeforeLast => "before_last",
            Self::AfterLast => "after_last",
        }
    }

    /// The piece of a text; absent when the text does not have the separator.
    ///
    /// ```
    /// use interlingua_table::Piece;
    ///
    /// assert_eq!(Piece::AfterLast.of("a/b/c", "/"), Some("c"));
    /// assert_eq!(Piece::Before.of("a/b/c", "/"), Some("a"));
    /// assert_eq!(Piece::Before.of("abc", "/"), None);
    /// ```
    pub fn of<'t>(self, text: &'t str, separator: &str) -> Option<&'t str> {
        let (before, after) = match self {
            Self::Before | Self::After => text.split_once(separator)?,
            Self::BeforeLast | Self::AfterLast => text.rsplit_once(separator)?,
        };
        Some(if matches!(self, Self::Before | Self::BeforeLast) { before } else { after })
    }
}

/// The piece of a text with this number, when the text has these texts around and between its pieces.
///
/// ```
/// use interlingua_table::piece_between;
///
/// let form = ["[", "] ", ""];
/// assert_eq!(piece_between("[529] overloaded", &form, 0), Some("529"));
/// assert_eq!(piece_between("[529] overloaded", &form, 1), Some("overloaded"));
/// assert_eq!(piece_between("529 overloaded", &form, 0), None);
/// ```
pub fn piece_between<'t>(text: &'t str, form: &[&str], number: usize) -> Option<&'t str> {
    let (first, between) = form.split_first()?;
    let (last, between) = between.split_last()?;
    let mut rest = text.strip_prefix(first)?.strip_suffix(last)?;
    let mut found = None;
    for (place, separator) in between.iter().enumerate() {
        let (piece, behind) = rest.split_once(separator)?;
        if place == number {
            found = Some(piece);
        }
        rest = behind;
    }
    if number == between.len() { Some(rest) } else { found }
}

/// A condition on the message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cond {
    /// The expression holds: it is there, and neither null nor `false`.
    Holds(Expr),
    /// The expression is present: it is there and not null.
    Present(Expr),
    /// The text of the expression is one of these.
    In(Expr, &'static [&'static str]),
    /// The boolean at the path is this; an absent one is neither.
    IsBool(Path, bool),
    /// The expression is this number.
    IsNumber(Expr, i64),
    /// The text of the expression starts with this.
    Starts(Expr, &'static str),
    /// The text of the expression ends with this.
    Ends(Expr, &'static str),
    /// The text of the expression contains this.
    Contains(Expr, &'static str),
    /// The texts of both expressions are present and equal.
    Same(Expr, Expr),
    /// Both expressions are present, and the first is less: as numbers where both are, else as texts.
    Less(Expr, Expr),
    /// The value has this kind.
    Is(Path, JsonKind),
    /// The opposite.
    Not(&'static Cond),
    /// All of them.
    All(&'static [Cond]),
    /// Any of them.
    Any(&'static [Cond]),
}
