//! Paths, values and conditions.

use interlingua_table::{JsonKind, Scope, TimeUnit};
use proc_macro2::{Delimiter, TokenTree};

use super::cursor::Cursor;
use super::steps::{key_in_brackets, steps};
use crate::ast::{Cond, Expr, ExprKind, Path, PathStep, Word};
use crate::diagnostic::Fault;

/// A path, from where it starts to its last step.
pub(super) fn path(cursor: &mut Cursor) -> Result<Path, Fault> {
    let path = path_of_all(cursor)?;
    let every = path.steps.iter().find(|step| matches!(step, PathStep::Every(_)));
    match every {
        None => Ok(path),
        Some(step) => {
            Err(Fault::new(step.span(), "`[*]` stands only in a `drop`; here, `each` goes through elements"))
        }
    }
}

/// A path as `drop` has it, where `[*]` stands for every element.
pub(super) fn path_of_all(cursor: &mut Cursor) -> Result<Path, Fault> {
    let span = cursor.span();
    let mut steps = Vec::new();
    let scope = if cursor.eat_marks("$") {
        Scope::Root
    } else if cursor.at_marks("^") {
        let mut levels = 0u8;
        while cursor.eat_marks("^") {
            levels = levels.saturating_add(1);
        }
        Scope::Outer(levels)
    } else {
        if cursor.at_marks(".") && matches!(cursor.token(1), Some(TokenTree::Literal(_))) {
            // The first key is not a word, and the loop below reads it.
        } else if cursor.at_group(Delimiter::Bracket) {
            return Err(cursor.expected("a path (an element of the current value is `this[0]`)"));
        } else if !cursor.eat_word("this") {
            steps.push(PathStep::Key(cursor.word("a path")?));
        }
        Scope::Here
    };
    more_steps(cursor, &mut steps)?;
    Ok(Path { span, scope, steps })
}

fn more_steps(cursor: &mut Cursor, steps: &mut Vec<PathStep>) -> Result<(), Fault> {
    loop {
        if cursor.eat_marks(".") {
            let key = if cursor.at_text() { cursor.text("a key")? } else { cursor.word("a key")? };
            steps.push(PathStep::Key(key));
        } else if cursor.at_group(Delimiter::Bracket) {
            let span = cursor.span();
            steps.push(cursor.inside(Delimiter::Bracket, |inner| bracket(inner, span))?);
        } else {
            return Ok(());
        }
    }
}

/// What stands in `[ ]`.
fn bracket(cursor: &mut Cursor, span: proc_macro2::Span) -> Result<PathStep, Fault> {
    if cursor.eat_marks("*") {
        return Ok(PathStep::Every(span));
    }
    if cursor.at_text() {
        return Ok(PathStep::Key(cursor.text("a key")?));
    }
    let negative = cursor.eat_marks("-");
    if let Some(number) = cursor.number() {
        let index = i32::try_from(number).map_err(|_| Fault::new(span, "this place is out of range"))?;
        return Ok(PathStep::Index(if negative { -index } else { index }, span));
    }
    if negative {
        return Err(cursor.expected("a number"));
    }
    let left = single(cursor)?;
    if !cursor.eat_marks("==") {
        return Ok(PathStep::Lookup(Box::new(left), span));
    }
    let ExprKind::Path(Path { scope: Scope::Here, steps, .. }) = left.kind else {
        return Err(Fault::new(left.span, "the left side of `==` in `[ ]` is a path from the element"));
    };
    Ok(PathStep::Find(steps, Box::new(single(cursor)?), span))
}

/// A value: alternatives joined by `|`.
pub(super) fn expr(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    let first = single(cursor)?;
    if !cursor.at_marks("|") || cursor.at_marks("||") {
        return Ok(first);
    }
    let mut alternatives = vec![first];
    while !cursor.at_marks("||") && cursor.eat_marks("|") {
        alternatives.push(single(cursor)?);
    }
    Ok(Expr { span, kind: ExprKind::First(alternatives) })
}

/// A value without `|` outside brackets, with `via`.
fn single(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    let mut expr = Expr { span, kind: primary(cursor)? };
    while cursor.eat_word("via") {
        let map = cursor.word("the name of a value map")?;
        expr = Expr { span, kind: ExprKind::Via(Box::new(expr), map) };
    }
    Ok(expr)
}

fn primary(cursor: &mut Cursor) -> Result<ExprKind, Fault> {
    if cursor.at_text() {
        return Ok(ExprKind::Text(cursor.text("a text")?.text));
    }
    if matches!(cursor.token(0), Some(TokenTree::Literal(_))) || cursor.at_marks("-") {
        let negative = cursor.eat_marks("-");
        let number = cursor.number().ok_or_else(|| cursor.expected("a text or a whole number"))?;
        return Ok(ExprKind::Number(if negative { -number } else { number }));
    }
    if cursor.eat_marks("@") {
        let register = cursor.word("the name of a register")?;
        return Ok(match key_in_brackets(cursor)? {
            Some(key) => ExprKind::Recall(register, Box::new(key)),
            None => ExprKind::Register(register),
        });
    }
    if cursor.at_marks("!") {
        return Err(cursor
            .expected("a value")
            .help("the opposite of a truth value is `if PATH == true { false } else { true }`"));
    }
    let word = cursor.word_ahead(0).unwrap_or_default();
    let group_follows = |delimiter| matches!(cursor.token(1), Some(TokenTree::Group(group)) if group.delimiter() == delimiter);
    let called = group_follows(Delimiter::Parenthesis);
    let braced = group_follows(Delimiter::Brace);
    match word.as_str() {
        "true" | "false" | "null" | "absent" | "position" | "each_key" => {
            let constant = match word.as_str() {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "null" => ExprKind::Null,
                "absent" => ExprKind::Absent,
                "position" => ExprKind::Position,
                _ => ExprKind::EachKey,
            };
            cursor.advance();
            if cursor.at_marks(".") {
                return Err(cursor
                    .expected(&format!("the end of the value (a key `{word}` is written `.\"{word}\"`)")));
            }
            Ok(constant)
        }
        "if" => {
            cursor.advance();
            conditional(cursor)
        }
        "object" if braced => {
            cursor.advance();
            cursor.inside(Delimiter::Brace, |inner| Ok(ExprKind::Object(members(inner)?)))
        }
        "list" if braced => {
            cursor.advance();
            Ok(ExprKind::Build(steps(cursor)?))
        }
        "map" if braced => {
            cursor.advance();
            Ok(ExprKind::BuildMap(steps(cursor)?))
        }
        "concat" | "list" | "minus" | "plus" if called => {
            cursor.advance();
            let parts = cursor.inside(Delimiter::Parenthesis, |inner| list(inner, expr))?;
            Ok(match word.as_str() {
                "concat" => ExprKind::Concat(parts),
                "list" => ExprKind::List(parts),
                "minus" => ExprKind::Minus(parts),
                _ => ExprKind::Plus(parts),
            })
        }
        "without" if called => {
            cursor.advance();
            cursor.inside(Delimiter::Parenthesis, |inner| {
                let object = path(inner)?;
                inner.marks(",")?;
                Ok(ExprKind::Without(object, list(inner, |inner| inner.text("a key, as a text"))?))
            })
        }
        "merge" if called => {
            cursor.advance();
            cursor.inside(Delimiter::Parenthesis, |inner| {
                let one = expr(inner)?;
                inner.marks(",")?;
                let other = expr(inner)?;
                inner.eat_marks(",");
                Ok(ExprKind::Merge(Box::new(one), Box::new(other)))
            })
        }
        "json" if called => {
            cursor.advance();
            cursor.inside(Delimiter::Parenthesis, |inner| Ok(ExprKind::Json(path(inner)?)))
        }
        "parse" if called => {
            cursor.advance();
            let text = cursor.inside(Delimiter::Parenthesis, path)?;
            Ok(ExprKind::Parse(text, steps_inside(cursor)?))
        }
        "join" if called => {
            cursor.advance();
            cursor.inside(Delimiter::Parenthesis, |inner| {
                let over = path(inner)?;
                inner.marks(",")?;
                let separator = inner.text("the text between the elements")?.text;
                inner.marks(",")?;
                let element = expr(inner)?;
                inner.eat_marks(",");
                Ok(ExprKind::Join(over, separator, Box::new(element)))
            })
        }
        "split" if called => {
            cursor.advance();
            cursor.inside(Delimiter::Parenthesis, |inner| {
                let text = expr(inner)?;
                inner.marks(",")?;
                let Word { text: separator, span } = inner.text("the text between the parts")?;
                if separator.is_empty() {
                    return Err(Fault::new(
                        span,
                        "the text between the parts is empty; say what stands between them",
                    ));
                }
                let whole = if inner.eat_marks(",") && !inner.is_empty() {
                    let over = path(inner)?;
                    inner.marks(",")?;
                    let element = expr(inner)?;
                    inner.eat_marks(",");
                    Some((over, Box::new(element)))
                } else {
                    None
                };
                Ok(ExprKind::Split(Box::new(text), separator, whole))
            })
        }
        _ if called => Err(Fault::new(
            cursor.span(),
            format!(
                "unknown function `{word}`; there are `concat`, `join`, `json`, `merge`, `minus`, `parse`, `plus`, `split` and `without`"
            ),
        )),
        _ => {
            let path = path(cursor)?;
            if cursor.at_word("as")
                && let Some(unit) = cursor.word_ahead(1).as_deref().and_then(time_unit)
            {
                cursor.advance();
                cursor.advance();
                return Ok(ExprKind::Time(path, unit));
            }
            Ok(ExprKind::Path(path))
        }
    }
}

/// The steps after `parse(…)`: keys and places, since the schema says nothing about what a text holds.
fn steps_inside(cursor: &mut Cursor) -> Result<Vec<PathStep>, Fault> {
    let mut steps = Vec::new();
    more_steps(cursor, &mut steps)?;
    match steps.iter().find(|step| !matches!(step, PathStep::Key(_) | PathStep::Index(..))) {
        None => Ok(steps),
        Some(step) => Err(Fault::new(step.span(), "after `parse(…)` stand only keys and places")),
    }
}

fn conditional(cursor: &mut Cursor) -> Result<ExprKind, Fault> {
    let condition = cond(cursor)?;
    let then = cursor.inside(Delimiter::Brace, expr)?;
    let span = cursor.span();
    let otherwise = if !cursor.eat_word("else") {
        Expr { span, kind: ExprKind::Absent }
    } else if cursor.eat_word("if") {
        Expr { span, kind: conditional(cursor)? }
    } else {
        cursor.inside(Delimiter::Brace, expr)?
    };
    Ok(ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)))
}

/// The members of `object { … }`.
fn members(cursor: &mut Cursor) -> Result<Vec<(Word, Expr)>, Fault> {
    list(cursor, |inner| {
        let name = if inner.at_text() { inner.text("a name")? } else { inner.word("a name")? };
        if !inner.eat_marks(":") {
            let value = Expr::of_name(&name);
            return Ok((name, value));
        }
        // A path may well begin with a key `some`.
        let needed = inner.at_word("some") && inner.word_ahead(1).is_some();
        if !needed {
            return Ok((name, expr(inner)?));
        }
        let span = inner.span();
        inner.advance();
        let value = Box::new(expr(inner)?);
        Ok((name, Expr { span, kind: ExprKind::Needed(value) }))
    })
}

/// Elements with `,` between them, to the end of the tokens.
pub(super) fn list<T>(
    cursor: &mut Cursor,
    mut element: impl FnMut(&mut Cursor) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut elements = Vec::new();
    while !cursor.is_empty() {
        elements.push(element(cursor)?);
        if !cursor.is_empty() {
            cursor.marks(",")?;
        }
    }
    Ok(elements)
}

pub(super) fn time_unit(word: &str) -> Option<TimeUnit> {
    match word {
        "seconds" => Some(TimeUnit::Seconds),
        "milliseconds" => Some(TimeUnit::Milliseconds),
        "rfc3339" => Some(TimeUnit::Rfc3339),
        _ => None,
    }
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

/// A condition: `||` binds less than `&&`, and `!` takes the whole comparison after it.
pub(super) fn cond(cursor: &mut Cursor) -> Result<Cond, Fault> {
    let first = all(cursor)?;
    if !cursor.at_marks("||") {
        return Ok(first);
    }
    let mut any = vec![first];
    while cursor.eat_marks("||") {
        any.push(all(cursor)?);
    }
    Ok(Cond::Any(any))
}

fn all(cursor: &mut Cursor) -> Result<Cond, Fault> {
    let first = comparison(cursor)?;
    if !cursor.at_marks("&&") {
        return Ok(first);
    }
    let mut all = vec![first];
    while cursor.eat_marks("&&") {
        all.push(comparison(cursor)?);
    }
    Ok(Cond::All(all))
}

fn comparison(cursor: &mut Cursor) -> Result<Cond, Fault> {
    if !cursor.at_marks("!=") && cursor.eat_marks("!") {
        return Ok(Cond::Not(Box::new(comparison(cursor)?)));
    }
    if cursor.at_group(Delimiter::Parenthesis) {
        return cursor.inside(Delimiter::Parenthesis, cond);
    }
    let left = expr(cursor)?;
    if cursor.eat_marks("==") {
        return Ok(Cond::Equal(left, expr(cursor)?));
    }
    if cursor.eat_marks("!=") {
        return Ok(Cond::Not(Box::new(Cond::Equal(left, expr(cursor)?))));
    }
    if cursor.eat_word("in") {
        let texts = cursor.inside(Delimiter::Bracket, |inner| list(inner, |inner| inner.text("a text")))?;
        return Ok(Cond::In(left, texts));
    }
    if cursor.eat_word("starts") {
        return Ok(Cond::Starts(left, cursor.text("a text")?));
    }
    if cursor.at_word("is") {
        let ExprKind::Path(path) = left.kind else {
            return Err(Fault::new(left.span, "only a path has a kind: `path is string`"));
        };
        cursor.advance();
        let kind = cursor
            .word_ahead(0)
            .as_deref()
            .and_then(json_kind)
            .ok_or_else(|| cursor.expected("`string`, `number`, `bool`, `array` or `object`"))?;
        cursor.advance();
        return Ok(Cond::Is(path, kind));
    }
    Ok(Cond::Present(left))
}
