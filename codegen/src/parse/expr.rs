//! Values.

use interlingua_table::{Piece, TimeUnit};

use super::cond::cond;
use super::cursor::Cursor;
use super::lexer::Bracket;
use super::list::{self, list_value};
use super::object::object_value;
use super::path::{more_steps, path_or_name};
use super::template::template;
use crate::ast::{Expr, ExprKind, Path, PathStep, Start, Word};
use crate::diagnostic::Fault;
use crate::sources::Span;

/// The functions that the language has.
const FUNCTIONS: [&str; 18] = [
    "pieces",
    "diff",
    "after",
    "after_last",
    "before",
    "before_last",
    "number",
    "concat",
    "join",
    "json",
    "milliseconds",
    "minus",
    "nonempty",
    "parse",
    "plus",
    "rfc3339",
    "seconds",
    "split",
];

/// A value: `if C then A else B`, or alternatives joined by `??`.
pub(super) fn expr(cursor: &mut Cursor) -> Result<Expr, Fault> {
    cursor.deeper(|cursor| {
        if at_if(cursor) {
            return conditional(cursor);
        }
        let span = cursor.span();
        let first = unit(cursor)?;
        if !cursor.at_marks("??") {
            if cursor.at_marks("|") && !cursor.at_marks("||") {
                return Err(cursor
                    .expected("the end of the value")
                    .help("`??` takes the first that is present"));
            }
            return Ok(first);
        }
        let mut alternatives = vec![first];
        while cursor.eat_marks("??") {
            alternatives.push(unit(cursor)?);
        }
        Ok(Expr { span: cursor.since(span), kind: ExprKind::First(alternatives) })
    })
}

/// Whether an `if` stands here, and not a member of this name.
pub(super) fn at_if(cursor: &Cursor) -> bool {
    cursor.at_word("if") && !cursor.marks_ahead(1, ".") && !cursor.marks_ahead(1, ",")
}

fn conditional(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    cursor.keyword("if")?;
    let condition = cond(cursor)?;
    then(cursor)?;
    let then = expr(cursor)?;
    let otherwise = if cursor.eat_word("else") {
        expr(cursor)?
    } else {
        Expr { span: cursor.span(), kind: ExprKind::Absent }
    };
    let kind = ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise));
    Ok(Expr { span: cursor.since(span), kind })
}

/// `then`, and what may follow it.
pub(super) fn then(cursor: &mut Cursor) -> Result<(), Fault> {
    if !cursor.at_word("then") {
        return Err(cursor.expected("`then`").help("a value is chosen with `if C then A else B`"));
    }
    cursor.advance();
    if at_if(cursor) {
        let fault = cursor.expected("a value or `(`");
        return Err(fault.help("an `if` directly after `then` needs parentheses"));
    }
    Ok(())
}

/// A value without `??` and `if` outside of brackets.
fn unit(cursor: &mut Cursor) -> Result<Expr, Fault> {
    cursor.deeper(|cursor| {
        let span = cursor.span();
        if cursor.at_word("required") && starts_value(cursor, 1) {
            cursor.advance();
            let value = list::nonempty(unit(cursor)?);
            return Ok(Expr { span: cursor.since(span), kind: ExprKind::Needed(Box::new(value)) });
        }
        if cursor.at_word("use") && cursor.word_ahead(1).is_some() {
            cursor.advance();
            let name = cursor.name("the name of a block")?;
            if cursor.at_group(Bracket::Round) {
                let help = "in an object or a list, write the value out, or use a `let`";
                return Err(cursor.expected("the end of the value").help(help));
            }
            return Ok(Expr { span: cursor.since(span), kind: ExprKind::Use(name, false) });
        }
        let value = primary(cursor)?;
        if !cursor.at_word("without") {
            return Ok(value);
        }
        let ExprKind::Path(path) = value.kind else {
            return Err(Fault::new(value.span, "`without` takes members from the object at a path"));
        };
        cursor.advance();
        let keys = cursor.inside(Bracket::Round, |inner| {
            separated(inner, |inner| if inner.at_text() { inner.text("a key") } else { inner.word("a key") })
        })?;
        Ok(Expr { span: cursor.since(span), kind: ExprKind::Without(path, keys) })
    })
}

/// Whether a value starts at this token, and not what follows a member.
fn starts_value(cursor: &Cursor, ahead: usize) -> bool {
    let marks = ["$", "@", "-"];
    cursor.word_ahead(ahead).is_some()
        || cursor.text_ahead(ahead)
        || marks.iter().any(|mark| cursor.marks_ahead(ahead, mark))
        || cursor.group_ahead(ahead, Bracket::Square)
        || cursor.group_ahead(ahead, Bracket::Brace)
}

fn primary(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    let of = |kind: ExprKind, cursor: &Cursor| Expr { span: cursor.since(span), kind };
    if let Some((text, whole)) = cursor.quoted() {
        return template(cursor, &text, whole);
    }
    if cursor.at_number() || cursor.at_marks("-") {
        let negative = cursor.eat_marks("-");
        let number = cursor.number().ok_or_else(|| cursor.expected("a text or a whole number"))?;
        return Ok(of(ExprKind::Number(if negative { -number } else { number }), cursor));
    }
    if cursor.at_group(Bracket::Brace) {
        return object_value(cursor);
    }
    if cursor.at_group(Bracket::Square) {
        return list_value(cursor);
    }
    if cursor.at_group(Bracket::Round) {
        return cursor.inside(Bracket::Round, expr);
    }
    if cursor.eat_marks("@") {
        let register = cursor.word("the name of a register")?;
        return Ok(match key_in_brackets(cursor)? {
            Some(key) => of(ExprKind::Recall(register, Box::new(key)), cursor),
            None => of(ExprKind::Register(register), cursor),
        });
    }
    if cursor.at_marks("!") {
        let help = "the opposite of a boolean is `if PATH then false else true`";
        return Err(cursor.expected("a value").help(help));
    }
    let word = cursor.word_ahead(0).unwrap_or_default().to_owned();
    let constant = match word.as_str() {
        "true" => Some(ExprKind::Bool(true)),
        "false" => Some(ExprKind::Bool(false)),
        "null" => Some(ExprKind::Null),
        "absent" => Some(ExprKind::Absent),
        _ => None,
    };
    if let Some(kind) = constant {
        cursor.advance();
        if cursor.at_marks(".") && !cursor.at_marks("..") {
            let what = format!("the end of the value (a member `{word}` is written `this.{word}`)");
            return Err(cursor.expected(&what));
        }
        return Ok(of(kind, cursor));
    }
    if cursor.group_ahead(1, Bracket::Round) && !word.is_empty() && word != "this" {
        return call(cursor);
    }
    path_or_name(cursor)
}

/// A function, or a value map.
fn call(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let name = cursor.word("the name of a function")?;
    let span = name.span;
    let kind = match name.text.as_str() {
        "concat" => ExprKind::Concat(arguments(cursor)?),
        "minus" => ExprKind::Minus(arguments(cursor)?),
        "plus" => ExprKind::Plus(arguments(cursor)?),
        "json" => ExprKind::Json(one_path(cursor, "json")?),
        "seconds" => ExprKind::Time(one_path(cursor, "seconds")?, TimeUnit::Seconds),
        "milliseconds" => ExprKind::Time(one_path(cursor, "milliseconds")?, TimeUnit::Milliseconds),
        "rfc3339" => ExprKind::Time(one_path(cursor, "rfc3339")?, TimeUnit::Rfc3339),
        "nonempty" => return cursor.inside(Bracket::Round, expr).map(list::nonempty),
        "parse" => {
            let text = one_path(cursor, "parse")?;
            ExprKind::Parse(text, steps_inside(cursor)?)
        }
        "join" => cursor.inside(Bracket::Round, |inner| {
            let (over, element) = list::each_of_join(inner)?;
            inner.marks(",")?;
            let separator = inner.text("the text between the elements")?.text;
            inner.eat_marks(",");
            Ok(ExprKind::Join(over, separator, Box::new(element)))
        })?,
        "split" => cursor.inside(Bracket::Round, split)?,
        "pieces" => pieces(cursor)?,
        "diff" => cursor.inside(Bracket::Round, |inner| {
            let old = expr(inner)?;
            inner.marks(",")?;
            let new = expr(inner)?;
            inner.eat_marks(",");
            Ok(ExprKind::Diff(Box::new(old), Box::new(new)))
        })?,
        "number" => ExprKind::NumberIn(Box::new(cursor.inside(Bracket::Round, expr)?)),
        function if Piece::ALL.iter().any(|piece| piece.name() == function) => {
            let piece =
                Piece::ALL.into_iter().find(|piece| piece.name() == function).unwrap_or(Piece::Before);
            cursor.inside(Bracket::Round, |inner| {
                let text = expr(inner)?;
                inner.marks(",")?;
                let separator = separator(inner)?;
                inner.eat_marks(",");
                Ok(ExprKind::Piece(Box::new(text), piece, separator))
            })?
        }
        _ => {
            let mut values = arguments(cursor)?;
            match (values.pop(), values.is_empty()) {
                (Some(value), true) => ExprKind::Via(Box::new(value), name),
                _ => {
                    let message = format!("`{}` is no function, and a value map takes one value", name.text);
                    return Err(Fault::new(span, message).suggest(&name.text, FUNCTIONS));
                }
            }
        }
    };
    Ok(Expr { span: cursor.since(span), kind })
}

/// The arguments of a function.
fn arguments(cursor: &mut Cursor) -> Result<Vec<Expr>, Fault> {
    cursor.inside(Bracket::Round, |inner| separated(inner, expr))
}

fn one_path(cursor: &mut Cursor, function: &str) -> Result<Path, Fault> {
    let value = cursor.inside(Bracket::Round, expr)?;
    match value.kind {
        ExprKind::Path(path) => Ok(path),
        _ => Err(Fault::new(value.span, format!("`{function}` takes a path"))),
    }
}

fn separator(cursor: &mut Cursor) -> Result<String, Fault> {
    let Word { text, span } = cursor.text("the text between the parts")?;
    if text.is_empty() {
        return Err(Fault::new(span, "the text between the parts is empty; say what is between them"));
    }
    Ok(text)
}

fn split(cursor: &mut Cursor) -> Result<ExprKind, Fault> {
    let text = expr(cursor)?;
    cursor.marks(",")?;
    let separator = separator(cursor)?;
    let whole = if cursor.eat_marks(",") && !cursor.is_empty() {
        let over = super::path::path(cursor)?;
        cursor.marks(",")?;
        cursor.names.enter();
        let element = expr(cursor);
        cursor.names.leave();
        cursor.eat_marks(",");
        Some((over, Box::new(element?)))
    } else {
        None
    };
    Ok(ExprKind::Split(Box::new(text), separator, whole))
}

/// `(TEXT, "[{code}] {rest}").code`.
fn pieces(cursor: &mut Cursor) -> Result<ExprKind, Fault> {
    let (text, form) = cursor.inside(Bracket::Round, |inner| {
        let text = expr(inner)?;
        inner.marks(",")?;
        if !inner.at_text() {
            return Err(inner.expected("the form of the text, such as `\"[{code}] {rest}\"`"));
        }
        let form = expr(inner)?;
        inner.eat_marks(",");
        Ok((text, form))
    })?;
    let span = form.span;
    let ExprKind::Concat(parts) = form.kind else {
        return Err(Fault::new(span, "the form of the text names no piece: `\"[{code}] {rest}\"`"));
    };
    let (mut constants, mut names) = (vec![String::new()], Vec::new());
    for part in parts {
        match part.kind {
            ExprKind::Text(text) => {
                constants.last_mut().expect("a constant before each piece").push_str(&text)
            }
            ExprKind::Path(Path { start: Start::Here, steps, .. }) => match &steps[..] {
                [PathStep::Key(name)] => {
                    if !names.is_empty() && constants.last().is_some_and(String::is_empty) {
                        return Err(Fault::new(
                            name.span,
                            "there is nothing between this piece and the one before",
                        ));
                    }
                    names.push(name.text.clone());
                    constants.push(String::new());
                }
                _ => return Err(Fault::new(part.span, "a piece has a name of one word")),
            },
            _ => return Err(Fault::new(part.span, "a piece has a name of one word")),
        }
    }
    let steps = steps_inside(cursor)?;
    let [PathStep::Key(wanted)] = &steps[..] else {
        return Err(Fault::new(span, format!("one of the pieces is meant: `pieces(…).{}`", names[0])));
    };
    let Some(number) = names.iter().position(|name| *name == wanted.text) else {
        let fault = Fault::new(wanted.span, format!("the form of the text has no piece `{}`", wanted.text));
        return Err(fault.suggest(&wanted.text, names.iter().map(String::as_str)));
    };
    Ok(ExprKind::Between(Box::new(text), constants, number))
}

/// The steps after `parse(…)`: keys and places, since the schema says nothing about what a text holds.
fn steps_inside(cursor: &mut Cursor) -> Result<Vec<PathStep>, Fault> {
    let mut steps = Vec::new();
    more_steps(cursor, &mut steps)?;
    match steps.iter().find(|step| !matches!(step, PathStep::Key(_) | PathStep::Index(..))) {
        None => Ok(steps),
        Some(step) => Err(Fault::new(step.span(), "only keys and indices may follow `parse(…)`")),
    }
}

/// `[key]`, where a register has keys.
pub(super) fn key_in_brackets(cursor: &mut Cursor) -> Result<Option<Expr>, Fault> {
    if !cursor.at_group(Bracket::Square) {
        return Ok(None);
    }
    cursor.inside(Bracket::Square, expr).map(Some)
}

/// Elements with `,` between them, to the end of the tokens.
pub(super) fn separated<T>(
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

/// A value that is nothing.
pub(super) fn absent(span: Span) -> Expr {
    Expr { span, kind: ExprKind::Absent }
}
