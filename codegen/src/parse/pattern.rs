//! Patterns: which messages a rule takes.

use super::cursor::Cursor;
use super::lexer::Bracket;
use super::settings::plain_path;
use super::steps::value;
use crate::ast::{Pattern, Segment, Word};
use crate::diagnostic::Fault;

/// Patterns with `|` between them.
pub(super) fn patterns(cursor: &mut Cursor) -> Result<Vec<Pattern>, Fault> {
    let mut all = vec![pattern(cursor)?];
    while cursor.eat_marks("|") {
        all.push(pattern(cursor)?);
    }
    Ok(all)
}

fn pattern(cursor: &mut Cursor) -> Result<Pattern, Fault> {
    let span = cursor.span();
    let mut segments: Vec<Segment> = Vec::new();
    loop {
        if matches!(segments.last(), Some(Segment::Values(values)) if values.iter().any(Option::is_none)) {
            return Err(Fault::new(cursor.span(), "`_` is allowed only in the last place of a pattern"));
        }
        segments.push(segment(cursor, segments.is_empty())?);
        // In front of braces, `/` begins the rules that have this pattern in common.
        if cursor.at_marks("/") && cursor.group_ahead(1, Bracket::Brace) || !cursor.eat_marks("/") {
            return Ok(Pattern { span: cursor.since(span), segments });
        }
    }
}

fn segment(cursor: &mut Cursor, first: bool) -> Result<Segment, Fault> {
    if cursor.at_marks("?") {
        if !first {
            return Err(Fault::new(
                cursor.span(),
                "`?member` is allowed only in the first place of a pattern",
            ));
        }
        cursor.advance();
        return Ok(Segment::Member(plain_path(cursor)?));
    }
    if cursor.at_group(Bracket::Round) {
        return cursor.inside(Bracket::Round, |inner| {
            let mut values = vec![value_or_unknown(inner)?];
            while inner.eat_marks("|") {
                values.push(value_or_unknown(inner)?);
            }
            Ok(Segment::Values(values))
        });
    }
    Ok(Segment::Values(vec![value_or_unknown(cursor)?]))
}

/// A value, or `_` for what the schema does not know.
fn value_or_unknown(cursor: &mut Cursor) -> Result<Option<Word>, Fault> {
    if cursor.at_marks("*") {
        return Err(cursor.expected("a value").help("what the schema does not know is written `_`"));
    }
    if cursor.eat_word("_") { Ok(None) } else { value(cursor).map(Some) }
}

/// Each of the patterns behind each of those that they have in common.
pub(super) fn joined(before: &[Pattern], after: &[Pattern]) -> Vec<Pattern> {
    let join = |one: &Pattern, other: &Pattern| Pattern {
        span: other.span,
        segments: [&one.segments[..], &other.segments].concat(),
    };
    before.iter().flat_map(|one| after.iter().map(move |other| join(one, other))).collect()
}
