//! Conditions.

use interlingua_table::JsonKind;

use super::cursor::Cursor;
use super::expr::{expr, separated};
use super::lexer::Bracket;
use crate::ast::{Cond, Expr, ExprKind};
use crate::diagnostic::Fault;

/// A condition: `||` binds less than `&&`.
pub(super) fn cond(cursor: &mut Cursor) -> Result<Cond, Fault> {
    cursor.deeper(|cursor| {
        let first = all(cursor)?;
        if !cursor.at_marks("||") {
            return Ok(first);
        }
        let mut any = vec![first];
        while cursor.eat_marks("||") {
            any.push(all(cursor)?);
        }
        Ok(Cond::Any(any))
    })
}

fn all(cursor: &mut Cursor) -> Result<Cond, Fault> {
    let first = not(cursor)?;
    if !cursor.at_marks("&&") {
        return Ok(first);
    }
    let mut all = vec![first];
    while cursor.eat_marks("&&") {
        all.push(not(cursor)?);
    }
    Ok(Cond::All(all))
}

fn not(cursor: &mut Cursor) -> Result<Cond, Fault> {
    if cursor.at_marks("!=") || !cursor.at_marks("!") {
        return test(cursor);
    }
    cursor.deeper(|cursor| {
        cursor.advance();
        let span = cursor.span();
        let in_brackets = cursor.at_group(Bracket::Round);
        let inner = not(cursor)?;
        if !in_brackets && !matches!(inner, Cond::Holds(_) | Cond::Not(_)) {
            let message = "`!` before a comparison can be read in two ways";
            return Err(Fault::new(span, message).help("write `a != b`, or `!(a == b)`"));
        }
        Ok(Cond::Not(Box::new(inner)))
    })
}

fn test(cursor: &mut Cursor) -> Result<Cond, Fault> {
    if cursor.at_group(Bracket::Round) {
        let (start, faults) = (cursor.position(), cursor.faults.len());
        let inside = cursor.inside(Bracket::Round, cond);
        if !at_comparison(cursor) && !cursor.at_marks("??") {
            return inside;
        }
        // It is a value in parentheses, which is compared.
        cursor.back_to(start);
        cursor.faults.truncate(faults);
    }
    let left = value(cursor)?;
    if cursor.eat_marks("==") {
        return Ok(Cond::Equal(left, value(cursor)?));
    }
    if cursor.eat_marks("!=") {
        return Ok(Cond::Not(Box::new(Cond::Equal(left, value(cursor)?))));
    }
    if cursor.eat_marks("<") {
        return Ok(Cond::Less(left, value(cursor)?));
    }
    if cursor.eat_marks(">") {
        return Ok(Cond::Less(value(cursor)?, left));
    }
    if cursor.eat_word("in") {
        let texts = cursor.inside(Bracket::Square, |inner| separated(inner, |inner| inner.text("a text")))?;
        return Ok(Cond::In(left, texts));
    }
    if cursor.eat_word("starts") {
        return Ok(Cond::Starts(left, cursor.text("a text")?));
    }
    if cursor.eat_word("ends") {
        return Ok(Cond::Ends(left, cursor.text("a text")?));
    }
    if cursor.eat_word("contains") {
        return Ok(Cond::Contains(left, cursor.text("a text")?));
    }
    if cursor.eat_word("is") {
        return is(cursor, left);
    }
    if cursor.at_marks("=") && !cursor.at_marks("=>") {
        return Err(cursor.expected("the end of the condition").help("values are compared with `==`"));
    }
    Ok(Cond::Holds(left))
}

fn at_comparison(cursor: &Cursor) -> bool {
    cursor.at_marks("==")
        || cursor.at_marks("!=")
        || cursor.at_marks("<")
        || cursor.at_marks(">")
        || ["in", "starts", "ends", "contains", "is"].iter().any(|word| cursor.at_word(word))
}

/// A value in a condition: an object is not allowed here, since a brace begins what the condition is for.
fn value(cursor: &mut Cursor) -> Result<Expr, Fault> {
    if cursor.at_group(Bracket::Brace) {
        return Err(cursor
            .expected("a value")
            .help("an object is no part of a condition: give it a name with `let`"));
    }
    expr(cursor)
}

fn is(cursor: &mut Cursor, left: Expr) -> Result<Cond, Fault> {
    if cursor.eat_word("present") {
        return Ok(Cond::Present(left));
    }
    let ExprKind::Path(path) = left.kind else {
        return Err(Fault::new(left.span, "only a path has a kind: `path is string`"));
    };
    let kind = cursor
        .word_ahead(0)
        .and_then(json_kind)
        .ok_or_else(|| cursor.expected("`string`, `number`, `bool`, `array`, `object` or `present`"))?;
    cursor.advance();
    Ok(Cond::Is(path, kind))
}

pub(super) fn json_kind(word: &str) -> Option<JsonKind> {
    match word {
        "string" => Some(JsonKind::String),
        "number" => Some(JsonKind::Number),
        "bool" => Some(JsonKind::Bool),
        "array" => Some(JsonKind::Array),
        "object" => Some(JsonKind::Object),
        _ => None,
    }
}
