//! A position in a list of tokens.

use std::rc::Rc;

use super::lexer::{Bracket, Text, Token, TokenKind};
use super::names::Names;
use crate::ast::Word;
use crate::diagnostic::Fault;
use crate::sources::Span;

/// How deep values, conditions and steps may stand in each other.
const DEPTH: usize = 200;

/// Reads tokens one after the other.
///
/// Faults from which a reader recovered are collected in `faults`, so that one run reports all.
pub(super) struct Cursor {
    tokens: Rc<Vec<Token>>,
    at: usize,
    /// Where the list ends, and what stands there, for "expected …" at its end.
    end: Span,
    closing: &'static str,
    depth: usize,
    pub(super) faults: Vec<Fault>,
    /// The names that `as` and `let` have given.
    pub(super) names: Names,
}

impl Cursor {
    pub(super) fn new(tokens: Vec<Token>, end: Span, closing: &'static str) -> Self {
        let tokens = Rc::new(tokens);
        Self { tokens, at: 0, end, closing, depth: 0, faults: Vec::new(), names: Names::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes back to where it was.
    pub(super) fn back_to(&mut self, position: usize) {
        self.at = position;
    }

    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Whether the last token read was a group in braces, with which most steps end.
    pub(super) fn behind_braces(&self) -> bool {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.is_some_and(|token| is_group(token, Bracket::Brace))
    }

    /// The place of the next token; of brackets the opening one.
    pub(super) fn span(&self) -> Span {
        match self.token(0) {
            Some(Token { kind: TokenKind::Group(_), span }) => Span { end: span.start + 1, ..*span },
            Some(token) => token.span,
            None => self.end,
        }
    }

    /// The place from `start` to the last token read.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        Span { end: last.map_or(start.end, |token| token.span.end.max(start.end)), ..start }
    }

    /// The fault that something else stands here than what is needed.
    pub(super) fn expected(&self, what: &str) -> Fault {
        let found = match self.token(0).map(|token| &token.kind) {
            None => self.closing.to_owned(),
            Some(TokenKind::Group(group)) => group.bracket.opening().to_owned(),
            Some(TokenKind::Word(word)) => format!("`{word}`"),
            Some(TokenKind::Number(number)) => format!("`{number}`"),
            Some(TokenKind::Text(text)) => format!("`{:?}`", text.text),
            Some(TokenKind::Mark(mark, _)) => format!("`{mark}`"),
        };
        Fault::new(self.span(), format!("expected {what}, found {found}"))
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.token(0).map(|token| &token.kind), Some(TokenKind::Word(found)) if found == word)
    }

    pub(super) fn word_ahead(&self, ahead: usize) -> Option<&str> {
        match self.token(ahead).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Whether the punctuation `marks` stands here, its characters without space between them.
    pub(super) fn at_marks(&self, marks: &str) -> bool {
        self.marks_ahead(0, marks)
    }

    pub(super) fn marks_ahead(&self, ahead: usize, marks: &str) -> bool {
        let count = marks.chars().count();
        marks.chars().enumerate().all(|(index, mark)| {
            let kind = self.token(ahead + index).map(|token| &token.kind);
            matches!(kind, Some(TokenKind::Mark(found, joint)) if *found == mark && (index + 1 == count || *joint))
        })
    }

    pub(super) fn group_ahead(&self, ahead: usize, bracket: Bracket) -> bool {
        self.token(ahead).is_some_and(|token| is_group(token, bracket))
    }

    pub(super) fn at_group(&self, bracket: Bracket) -> bool {
        self.group_ahead(0, bracket)
    }

    /// Whether a group with nothing in it stands here.
    pub(super) fn at_empty(&self, bracket: Bracket) -> bool {
        let kind = self.token(0).map(|token| &token.kind);
        matches!(kind, Some(TokenKind::Group(group)) if group.bracket == bracket && group.tokens.is_empty())
    }

    /// The first token in the brackets that stand here, if that is a word.
    pub(super) fn word_inside(&self) -> Option<&str> {
        let Some(TokenKind::Group(group)) = self.token(0).map(|token| &token.kind) else { return None };
        match group.tokens.first().map(|token| &token.kind) {
            Some(TokenKind::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(super) fn at_text(&self) -> bool {
        self.text_ahead(0)
    }

    pub(super) fn text_ahead(&self, ahead: usize) -> bool {
        matches!(self.token(ahead).map(|token| &token.kind), Some(TokenKind::Text(_)))
    }

    pub(super) fn at_number(&self) -> bool {
        matches!(self.token(0).map(|token| &token.kind), Some(TokenKind::Number(_)))
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
        let word = self.word_ahead(0).map(|text| Word { text: text.to_owned(), span: self.span() });
        self.at += usize::from(word.is_some());
        word.ok_or_else(|| self.expected(what))
    }

    /// Words joined by `-`.
    pub(super) fn name(&mut self, what: &str) -> Result<Word, Fault> {
        let mut name = self.word(what)?;
        while self.at_marks("-") && self.word_ahead(1).is_some() {
            self.advance();
            name.text.push('-');
            name.text.push_str(&self.word(what)?.text);
        }
        name.span = self.since(name.span);
        Ok(name)
    }

    /// A text in quotes, with the places of its characters.
    pub(super) fn quoted(&mut self) -> Option<(Rc<Text>, Span)> {
        let Some(Token { kind: TokenKind::Text(text), span }) = self.token(0) else { return None };
        let found = (text.clone(), *span);
        self.at += 1;
        Some(found)
    }

    /// A text in quotes.
    pub(super) fn text(&mut self, what: &str) -> Result<Word, Fault> {
        match self.quoted() {
            Some((text, span)) => Ok(Word { text: text.text.clone(), span }),
            None => Err(self.expected(what)),
        }
    }

    /// A whole number without sign.
    pub(super) fn number(&mut self) -> Option<i64> {
        let Some(TokenKind::Number(number)) = self.token(0).map(|token| &token.kind) else { return None };
        let number = number.parse().ok()?;
        self.at += 1;
        Some(number)
    }

    /// Reads the inside of a group with `read`, to its end.
    pub(super) fn inside<T>(
        &mut self,
        bracket: Bracket,
        read: impl FnOnce(&mut Cursor) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(TokenKind::Group(group)) = self.token(0).map(|token| &token.kind) else {
            return Err(self.expected(bracket.opening()));
        };
        if group.bracket != bracket {
            return Err(self.expected(bracket.opening()));
        }
        let mut inner = Cursor {
            tokens: group.tokens.clone(),
            at: 0,
            end: group.close,
            closing: bracket.closing(),
            depth: self.depth,
            faults: Vec::new(),
            names: std::mem::take(&mut self.names),
        };
        self.at += 1;
        let before = inner.names.mark();
        let read = read(&mut inner);
        inner.names.forget(before);
        self.names = std::mem::take(&mut inner.names);
        self.faults.append(&mut inner.faults);
        let value = read?;
        if !inner.is_empty() {
            return Err(inner.expected("nothing more here"));
        }
        Ok(value)
    }

    /// Reads something that may hold others of its kind, unless it stands too deep in them.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Cursor) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth >= DEPTH {
            let message =
                format!("this is nested more than {DEPTH} deep in other values, conditions and steps");
            return Err(Fault::new(self.span(), message));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Goes on after a fault: behind the next `;`, or behind the next group in braces (and another
    /// one directly after it).
    pub(super) fn recover(&mut self) {
        while !self.is_empty() {
            if self.eat_marks(";") {
                return;
            }
            let braces = self.at_group(Bracket::Brace);
            self.advance();
            if braces {
                if self.at_group(Bracket::Brace) {
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

fn is_group(token: &Token, bracket: Bracket) -> bool {
    matches!(&token.kind, TokenKind::Group(group) if group.bracket == bracket)
}
