//! A position in a list of tokens.

use proc_macro2::{Delimiter, Literal, Spacing, Span, TokenStream, TokenTree};

use crate::ast::Word;
use crate::diagnostic::Fault;

/// Reads tokens one after the other.
///
/// Faults from which a reader recovered are collected in `faults`, so that one run reports all.
pub(super) struct Cursor {
    tokens: Vec<TokenTree>,
    at: usize,
    /// Where the list ends, and what stands there, for "expected …" at its end.
    end: Span,
    closing: &'static str,
    pub(super) faults: Vec<Fault>,
}

impl Cursor {
    pub(super) fn new(tokens: TokenStream, end: Span, closing: &'static str) -> Self {
        Self { tokens: tokens.into_iter().collect(), at: 0, end, closing, faults: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn token(&self, ahead: usize) -> Option<&TokenTree> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Whether the last token read was a group in braces, with which most steps end.
    pub(super) fn behind_braces(&self) -> bool {
        self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).is_some_and(
            |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
        )
    }

    /// The place of the next token.
    pub(super) fn span(&self) -> Span {
        self.token(0).map_or(self.end, TokenTree::span)
    }

    /// The fault that something else stands here than what is needed.
    pub(super) fn expected(&self, what: &str) -> Fault {
        let found = match self.token(0) {
            None => self.closing.to_owned(),
            Some(TokenTree::Group(group)) => match group.delimiter() {
                Delimiter::Brace => "`{`".to_owned(),
                Delimiter::Bracket => "`[`".to_owned(),
                _ => "`(`".to_owned(),
            },
            Some(token) => format!("`{token}`"),
        };
        Fault::new(self.span(), format!("expected {what}, found {found}"))
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.token(0), Some(TokenTree::Ident(ident)) if ident == word)
    }

    pub(super) fn word_ahead(&self, ahead: usize) -> Option<String> {
        match self.token(ahead) {
            Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
            _ => None,
        }
    }

    /// Whether the punctuation `marks` stands here, its characters without space between them.
    pub(super) fn at_marks(&self, marks: &str) -> bool {
        let count = marks.chars().count();
        marks.chars().enumerate().all(|(index, mark)| match self.token(index) {
            Some(TokenTree::Punct(punct)) => {
                punct.as_char() == mark && (index + 1 == count || punct.spacing() == Spacing::Joint)
            }
            _ => false,
        })
    }

    pub(super) fn at_group(&self, delimiter: Delimiter) -> bool {
        matches!(self.token(0), Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
    }

    pub(super) fn at_text(&self) -> bool {
        matches!(self.token(0), Some(TokenTree::Literal(literal)) if text_of(literal).is_some())
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        self.at += usize::from(there);
        there
    }

    pub(super) fn eat_marks(&mut self, marks: &str) -> bool {
        let there = self.at_marks(marks);
        if there {
            self.at += marks.chars().count();
        }
        there
    }

    pub(super) fn marks(&mut self, marks: &str) -> Result<(), Fault> {
        if self.eat_marks(marks) { Ok(()) } else { Err(self.expected(&format!("`{marks}`"))) }
    }

    pub(super) fn keyword(&mut self, word: &str) -> Result<(), Fault> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// One word.
    pub(super) fn word(&mut self, what: &str) -> Result<Word, Fault> {
        match self.token(0) {
            Some(TokenTree::Ident(ident)) => {
                let word = Word { text: ident.to_string(), span: ident.span() };
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Words joined by `-`.
    pub(super) fn name(&mut self, what: &str) -> Result<Word, Fault> {
        let mut name = self.word(what)?;
        while self.at_marks("-") && self.word_ahead(1).is_some() {
            self.advance();
            name.text.push('-');
            name.text.push_str(&self.word(what)?.text);
        }
        Ok(name)
    }

    /// A text in quotes.
    pub(super) fn text(&mut self, what: &str) -> Result<Word, Fault> {
        if let Some(TokenTree::Literal(literal)) = self.token(0)
            && let Some(text) = text_of(literal)
        {
            let word = Word { text, span: literal.span() };
            self.at += 1;
            return Ok(word);
        }
        Err(self.expected(what))
    }

    /// A whole number without sign.
    pub(super) fn number(&mut self) -> Option<i64> {
        let Some(TokenTree::Literal(literal)) = self.token(0) else { return None };
        let number = literal.to_string().parse().ok()?;
        self.at += 1;
        Some(number)
    }

    /// Reads the inside of a group with `read`, to its end.
    pub(super) fn inside<T>(
        &mut self,
        delimiter: Delimiter,
        read: impl FnOnce(&mut Cursor) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(TokenTree::Group(group)) = self.token(0) else {
            return Err(self.expected(opening(delimiter)));
        };
        if group.delimiter() != delimiter {
            return Err(self.expected(opening(delimiter)));
        }
        let mut inner = Cursor::new(group.stream(), group.span_close(), closing(delimiter));
        self.at += 1;
        let read = read(&mut inner);
        self.faults.append(&mut inner.faults);
        let value = read?;
        if !inner.is_empty() {
            return Err(inner.expected("nothing more here"));
        }
        Ok(value)
    }

    /// Goes on after a fault: behind the next `;`, or behind the next group in braces (and another
    /// one directly after it).
    pub(super) fn recover(&mut self) {
        while !self.is_empty() {
            if self.eat_marks(";") {
                return;
            }
            let braces = self.at_group(Delimiter::Brace);
            self.advance();
            if braces {
                if self.at_group(Delimiter::Brace) {
                    self.advance();
                }
                if !self.at_word("else") {
                    return;
                }
            }
        }
    }

    /// Goes on after a fault in a list: behind the next `,`.
    pub(super) fn recover_in_list(&mut self) {
        while !self.is_empty() && !self.eat_marks(",") {
            self.advance();
        }
    }
}

fn opening(delimiter: Delimiter) -> &'static str {
    match delimiter {
        Delimiter::Brace => "`{`",
        Delimiter::Bracket => "`[`",
        _ => "`(`",
    }
}

fn closing(delimiter: Delimiter) -> &'static str {
    match delimiter {
        Delimiter::Brace => "`}`",
        Delimiter::Bracket => "`]`",
        _ => "`)`",
    }
}

/// The text of a string literal; `None` for other literals.
fn text_of(literal: &Literal) -> Option<String> {
    let source = literal.to_string();
    if let Some(raw) = source.strip_prefix('r') {
        let hashes = raw.chars().take_while(|char| *char == '#').count();
        return raw.get(hashes + 1..raw.len().checked_sub(hashes + 1)?).map(str::to_owned);
    }
    let quoted = source.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut chars = quoted.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        match chars.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            'u' => {
                let code: String = chars.by_ref().skip(1).take_while(|char| *char != '}').collect();
                text.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
            }
            'x' => {
                let code: String = chars.by_ref().take(2).collect();
                text.push(char::from(u8::from_str_radix(&code, 16).ok()?));
            }
            '\n' => {
                let rest = chars.as_str().trim_start();
                chars = rest.chars();
            }
            other => text.push(other),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::text_of;

    fn text(source: &str) -> Option<String> {
        text_of(&source.parse().expect("a literal"))
    }

    #[test]
    fn texts_lose_their_quotes_and_escapes() {
        assert_eq!(text(r#""a\"b\\n\u{e9}\x41""#).as_deref(), Some("a\"b\\né A".replace(' ', "").as_str()));
        assert_eq!(text(r##"r#"a"b"#"##).as_deref(), Some("a\"b"));
        assert_eq!(text("12"), None);
        assert_eq!(text("'c'"), None);
    }
}
