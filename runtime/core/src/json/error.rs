//! Why a text is not one JSON value.

use std::fmt;

/// The text is not one JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// The byte in the parsed slice at which it shows, counted from 0; the
    /// slice's length when the text ends too early.
    pub offset: usize,
}

/// Why a text is not one JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text ends inside the value; more bytes could complete it.
    UnexpectedEnd,
    /// A value must start here.
    ExpectedValue,
    /// An object's key must start here.
    ExpectedKey,
    /// A colon must follow the key.
    ExpectedColon,
    /// A comma or the closing bracket must follow the array's item.
    ExpectedCommaOrBracket,
    /// A comma or the closing brace must follow the object's entry.
    ExpectedCommaOrBrace,
    /// The backslash starts no JSON escape.
    InvalidEscape,
    /// An unescaped control character (below U+0020) inside a string.
    ControlCharacter,
    /// The number does not follow JSON's grammar.
    InvalidNumber,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// Arrays and objects are nested deeper than the index allows.
    TooDeep,
    /// Something other than whitespace follows the value.
    TrailingBytes,
    /// The text is longer than 4 GiB less one byte.
    TooLong,
}

impl ParseError {
    #[cold]
    pub(crate) fn new(kind: ParseErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnexpectedEnd => "the text ends inside a value",
            Self::ExpectedValue => "expected a value",
            Self::ExpectedKey => "expected a key in quotes",
            Self::ExpectedColon => "expected `:` after the key",
            Self::ExpectedCommaOrBracket => "expected `,` or `]`",
            Self::ExpectedCommaOrBrace => "expected `,` or `}`",
            Self::InvalidEscape => "invalid escape",
            Self::ControlCharacter => "raw control character in a string",
            Self::InvalidNumber => "invalid number",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::TooDeep => "nested too deep",
            Self::TrailingBytes => "unexpected bytes after the value",
            Self::TooLong => "longer than 4 GiB",
        })
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for ParseError {}
