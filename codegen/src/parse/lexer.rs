//! From the text of a map to its tokens, which are those of Rust that the language uses.

use std::rc::Rc;

use super::brackets;
use crate::diagnostic::Fault;
use crate::sources::Span;

/// How deep brackets may stand in each other.
const DEPTH: usize = 64;

/// A token, with its place.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Debug, Clone)]
pub(super) enum TokenKind {
    Word(String),
    Text(Rc<Text>),
    Number(String),
    /// A punctuation mark, and whether another one follows without space.
    Mark(char, bool),
    Group(Group),
}

/// A text in quotes.
#[derive(Debug)]
pub(super) struct Text {
    pub text: String,
    /// Where each of its characters stands in the file, in bytes; and where the last one ends.
    pub places: Vec<u32>,
}

/// What stands in brackets.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub bracket: Bracket,
    pub tokens: Rc<Vec<Token>>,
    /// The closing bracket.
    pub close: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Brace,
    Square,
    Round,
}

impl Bracket {
    fn of(char: char) -> Option<Self> {
        match char {
            '{' | '}' => Some(Self::Brace),
            '[' | ']' => Some(Self::Square),
            '(' | ')' => Some(Self::Round),
            _ => None,
        }
    }

    pub(super) fn opening(self) -> &'static str {
        match self {
            Self::Brace => "`{`",
            Self::Square => "`[`",
            Self::Round => "`(`",
        }
    }

    pub(super) fn closing(self) -> &'static str {
        match self {
            Self::Brace => "`}`",
            Self::Square => "`]`",
            Self::Round => "`)`",
        }
    }
}

/// The tokens of a whole file.
pub(super) fn tokens(text: &str, file: u16) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer { text, at: 0, file, base: 0 };
    lexer.all().map_err(|(fault, is_bracket)| match brackets::astray(text).filter(|_| is_bracket) {
        Some(line) => fault.help(format!("look at line {line}: its indentation does not fit its brackets")),
        None => fault,
    })
}

/// The tokens of a hole in a text, which starts at `base`.
pub(super) fn hole(text: &str, file: u16, base: u32) -> Result<Vec<Token>, Fault> {
    Lexer { text, at: 0, file, base }.all().map_err(|(fault, _)| fault)
}

/// An opening bracket, what stands before it, and its place.
type Open = (Bracket, Vec<Token>, Span);

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    file: u16,
    /// Where the text starts in its file.
    base: u32,
}

impl Lexer<'_> {
    fn span(&self, start: usize) -> Span {
        let place = |at: usize| self.base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        Span { file: self.file, start: place(start), end: place(self.at) }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// All tokens. A fault says, too, whether it is about brackets.
    fn all(&mut self) -> Result<Vec<Token>, (Fault, bool)> {
        let mut tokens = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        // rustc takes a byte order mark at the start, too.
        self.at += self.rest().len() - self.rest().trim_start_matches('\u{feff}').len();
        loop {
            self.space().map_err(|fault| (fault, false))?;
            let start = self.at;
            let Some(char) = self.peek() else { break };
            self.at += char.len_utf8();
            match char {
                '{' | '[' | '(' => {
                    if open.len() >= DEPTH {
                        let message = format!("brackets are nested more than {DEPTH} deep");
                        return Err((Fault::new(self.span(start), message), false));
                    }
                    let bracket = Bracket::of(char).unwrap_or(Bracket::Round);
                    open.push((bracket, std::mem::take(&mut tokens), self.span(start)));
                }
                '}' | ']' | ')' => {
                    let close = self.span(start);
                    let Some((bracket, before, opened)) = open.pop() else {
                        return Err((Fault::new(close, format!("`{char}` closes nothing")), true));
                    };
                    if Bracket::of(char) != Some(bracket) {
                        let message = format!("expected {}, found `{char}`", bracket.closing());
                        return Err((Fault::new(close, message), true));
                    }
                    let inside = std::mem::replace(&mut tokens, before);
                    let group = Group { bracket, tokens: Rc::new(inside), close };
                    let span = Span { end: close.end, ..opened };
                    tokens.push(Token { kind: TokenKind::Group(group), span });
                }
                _ => {
                    let kind = self.token(char, start).map_err(|fault| (fault, false))?;
                    tokens.push(Token { kind, span: self.span(start) });
                }
            }
        }
        match open.pop() {
            Some((bracket, _, span)) => {
                Err((Fault::new(span, format!("{} is not closed", bracket.opening())), true))
            }
            None => Ok(tokens),
        }
    }

    /// Passes spaces and comments.
    fn space(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start().len();
            self.at += spaces;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.comment()?;
            } else if spaces == 0 {
                return Ok(());
            }
        }
    }

    /// A comment between `/*` and `*/`, which may hold others.
    fn comment(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else if let Some(char) = rest.chars().next() {
                self.at += char.len_utf8();
            } else {
                let opening = Span { end: self.span(start).start + 2, ..self.span(start) };
                return Err(Fault::new(opening, "the comment is not closed with `*/`").help(
                    "what the schema does not know is written `_`, so that `/` is followed by no `*`",
                ));
            }
        }
    }

    fn token(&mut self, first: char, start: usize) -> Result<TokenKind, Fault> {
        let is_more = |char: char| char.is_alphanumeric() || char == '_';
        match first {
            '"' => self.text(start).map(|text| TokenKind::Text(Rc::new(text))),
            'r' if self.rest().trim_start_matches('#').starts_with('"') => {
                self.raw_text(start).map(|text| TokenKind::Text(Rc::new(text)))
            }
            _ if first.is_alphabetic() || first == '_' => {
                self.at += self.rest().find(|char| !is_more(char)).unwrap_or(self.rest().len());
                Ok(TokenKind::Word(self.text[start..self.at].to_owned()))
            }
            _ if first.is_ascii_digit() => {
                self.at += self.rest().find(|char| !is_more(char)).unwrap_or(self.rest().len());
                let number = &self.text[start..self.at];
                if number.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(TokenKind::Number(number.to_owned()));
                }
                Err(Fault::new(self.span(start), format!("`{number}` is no whole number"))
                    .help(format!("write a text in quotes: `\"{number}\"`")))
            }
            '\'' => Err(Fault::new(self.span(start), "write a text in double quotes: `\"…\"`")),
            _ if first.is_ascii_punctuation() => {
                let joint = self.peek().is_some_and(|next| {
                    next.is_ascii_punctuation() && Bracket::of(next).is_none() && !"\"'_".contains(next)
                });
                Ok(TokenKind::Mark(first, joint))
            }
            _ => Err(Fault::new(self.span(start), format!("`{first}` has no meaning here"))),
        }
    }

    fn unclosed(&self, start: usize) -> Fault {
        let quote = Span { end: self.span(start).start + 1, ..self.span(start) };
        Fault::new(quote, "the text is not closed with `\"`")
    }

    /// A text, behind its first quote.
    fn text(&mut self, start: usize) -> Result<Text, Fault> {
        let mut text = Text { text: String::new(), places: Vec::new() };
        loop {
            let at = self.at;
            let Some(char) = self.peek() else { return Err(self.unclosed(start)) };
            self.at += char.len_utf8();
            let char = match char {
                '"' => {
                    text.places.push(self.span(at).start);
                    return Ok(text);
                }
                '\\' => match self.escape(start, at)? {
                    Some(char) => char,
                    None => continue,
                },
                char => char,
            };
            text.text.push(char);
            text.places.push(self.span(at).start);
        }
    }

    /// What stands behind `\`; nothing for the end of a line.
    fn escape(&mut self, start: usize, at: usize) -> Result<Option<char>, Fault> {
        let Some(char) = self.peek() else { return Err(self.unclosed(start)) };
        self.at += char.len_utf8();
        Ok(Some(match char {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            '\\' | '"' | '\'' => char,
            '\n' => {
                let rest = self.rest();
                self.at += rest.len() - rest.trim_start().len();
                return Ok(None);
            }
            'x' | 'u' => {
                let rest = self.rest();
                let (digits, length) = match (char, rest.strip_prefix('{')) {
                    ('u', Some(inside)) => {
                        let digits = inside.split('}').next().unwrap_or_default();
                        (digits, digits.len() + 2)
                    }
                    _ => (rest.get(..2).unwrap_or_default(), 2),
                };
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                self.at = (self.at + length).min(self.text.len());
                match code {
                    Some(code) if self.text.is_char_boundary(self.at) => code,
                    _ => return Err(Fault::new(self.span(at), "this escape names no character")),
                }
            }
            _ => {
                return Err(Fault::new(self.span(at), format!("there is no escape `\\{char}`"))
                    .help("a `\\` is written `\\\\`"));
            }
        }))
    }

    /// A text like `r"…"` or `r#"…"#`, behind its `r`.
    fn raw_text(&mut self, start: usize) -> Result<Text, Fault> {
        let hashes = self.rest().len() - self.rest().trim_start_matches('#').len();
        self.at += hashes + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        let Some(length) = self.rest().find(&end) else { return Err(self.unclosed(start)) };
        let inside = &self.text[self.at..self.at + length];
        let at = self.span(self.at).start;
        let places = inside.char_indices().map(|(place, _)| place).chain([length]);
        let places = places.map(|place| at + u32::try_from(place).unwrap_or(0)).collect();
        let text = Text { text: inside.to_owned(), places };
        self.at += length + end.len();
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};

    fn text(source: &str) -> String {
        match &tokens(source, 0).expect("a text")[0].kind {
            TokenKind::Text(text) => text.text.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_lose_their_quotes_and_escapes() {
        assert_eq!(text(r#""a\"b\\n\u{e9}\x41""#), "a\"b\\néA");
        assert_eq!(text("\"a \\\n   b\""), "a b");
        assert_eq!(text(r##"r#"a"b\"#"##), "a\"b\\");
    }

    #[test]
    fn what_is_no_token_is_a_fault_at_its_place() {
        for (source, start, message) in [
            ("a \"b", 2, "the text is not closed with `\"`"),
            ("a /* b", 2, "the comment is not closed with `*/`"),
            ("(a]", 2, "expected `)`, found `]`"),
            ("a }", 2, "`}` closes nothing"),
            ("é {", 3, "`{` is not closed"),
            ("10ms", 0, "`10ms` is no whole number"),
            ("\"a\\q\"", 2, "there is no escape `\\q`"),
            ("\"a\\u{110000}\"", 2, "this escape names no character"),
        ] {
            let fault = tokens(source, 0).expect_err(source);
            assert_eq!((fault.span.start, fault.message.as_str()), (start, message), "{source}");
        }
    }

    #[test]
    fn brackets_do_not_stand_too_deep() {
        let deep = |depth: usize| ["(".repeat(depth), ")".repeat(depth)].concat();
        assert!(tokens(&deep(64), 0).is_ok());
        let fault = tokens(&deep(100_000), 0).expect_err("too deep");
        assert_eq!(fault.message, "brackets are nested more than 64 deep");
    }
}
