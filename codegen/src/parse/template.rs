//! Texts with holes: `"turn-{$number}"`.

use super::cursor::Cursor;
use super::expr::expr;
use super::lexer::{self, Text};
use crate::ast::{Expr, ExprKind};
use crate::diagnostic::Fault;
use crate::sources::Span;

/// A text as a value. What stands in braces is read as a value; `{{` and `}}` are braces.
pub(super) fn template(cursor: &mut Cursor, text: &Text, whole: Span) -> Result<Expr, Fault> {
    let chars: Vec<char> = text.text.chars().collect();
    let place = |at: usize| text.places.get(at).copied().unwrap_or(whole.end);
    let span = |from: usize, to: usize| Span { start: place(from), end: place(to), ..whole };
    let mut parts = Vec::new();
    let mut constant = String::new();
    let mut at = 0;
    while let Some(&char) = chars.get(at) {
        match (char, chars.get(at + 1)) {
            ('{', Some('{')) | ('}', Some('}')) => {
                constant.push(char);
                at += 2;
            }
            ('}', _) => {
                let fault = Fault::new(span(at, at + 1), "`}` closes no hole of this text");
                return Err(fault.help("a brace in a text is written twice: `}}`"));
            }
            ('{', _) => {
                let end = chars[at..].iter().position(|char| *char == '}').map(|length| at + length);
                let Some(end) = end else {
                    let fault = Fault::new(span(at, at + 1), "the hole that `{` opens is not closed");
                    return Err(fault.help("a brace in a text is written twice: `{{`"));
                };
                if !constant.is_empty() {
                    parts.push(Expr { span: whole, kind: ExprKind::Text(std::mem::take(&mut constant)) });
                }
                let inside: String = chars[at + 1..end].iter().collect();
                parts.push(hole(cursor, &inside, span(at + 1, end))?);
                at = end + 1;
            }
            (char, _) => {
                constant.push(char);
                at += 1;
            }
        }
    }
    if parts.is_empty() {
        return Ok(Expr { span: whole, kind: ExprKind::Text(constant) });
    }
    if !constant.is_empty() {
        parts.push(Expr { span: whole, kind: ExprKind::Text(constant) });
    }
    Ok(Expr { span: whole, kind: ExprKind::Concat(parts) })
}

fn hole(cursor: &mut Cursor, text: &str, span: Span) -> Result<Expr, Fault> {
    let end = Span { start: span.end, end: span.end + 1, ..span };
    let mut inner = Cursor::new(lexer::hole(text, span.file, span.start)?, end, "`}`");
    inner.names = std::mem::take(&mut cursor.names);
    let value = cursor.deeper(|_| expr(&mut inner));
    cursor.names = std::mem::take(&mut inner.names);
    let value = value?;
    if !inner.is_empty() {
        return Err(inner.expected("`}`"));
    }
    Ok(value)
}
