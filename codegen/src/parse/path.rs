//! Paths.

use super::cursor::Cursor;
use super::expr::expr;
use super::lexer::Bracket;
use crate::ast::{Expr, ExprKind, Path, PathStep, Start, Word};
use crate::diagnostic::Fault;
use crate::sources::Span;

/// A path, from where it starts to its last step.
pub(super) fn path(cursor: &mut Cursor) -> Result<Path, Fault> {
    let value = path_or_name(cursor)?;
    match value.kind {
        ExprKind::Path(path) => Ok(path),
        _ => Err(Fault::new(value.span, "expected a path, and this is another value")),
    }
}

/// The names of places in an `each`, which are values and no paths.
pub(super) fn place_name(name: &str) -> Option<ExprKind> {
    match name {
        "index" => Some(ExprKind::Position),
        "key" => Some(ExprKind::EachKey),
        _ => None,
    }
}

/// A path, or the value of a name.
pub(super) fn path_or_name(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    let mut steps = Vec::new();
    if cursor.eat_marks("$") {
        let name = cursor.word_ahead(0).map(|text| Word { text: text.to_owned(), span: cursor.span() });
        let Some(name) = name.filter(|name| name.span.start == span.end) else {
            more_steps(cursor, &mut steps)?;
            return Ok(of_path(Path { span: cursor.since(span), start: Start::Root, steps }));
        };
        cursor.advance();
        if let Some(kind) = place_name(&name.text) {
            return Ok(Expr { span: cursor.since(span), kind });
        }
        more_steps(cursor, &mut steps)?;
        let whole = cursor.since(span);
        if let Some(value) = cursor.names.value(&name, &steps, whole)? {
            return Ok(value);
        }
        steps.insert(0, PathStep::Key(name));
        return Ok(of_path(Path { span: whole, start: Start::Around, steps }));
    }
    if cursor.at_marks("^") {
        return Err(cursor.expected("a path").help(
            "a value further out has a name: `each PATH as $name { … }`, and `$` is the whole message",
        ));
    }
    if cursor.at_marks(".") && cursor.text_ahead(1) {
        // The first key is no word, and is read below.
    } else if cursor.at_group(Bracket::Square) {
        return Err(cursor.expected("a path (an element of the current value is `this[0]`)"));
    } else if !cursor.eat_word("this") {
        steps.push(PathStep::Key(cursor.word("a path")?));
    }
    more_steps(cursor, &mut steps)?;
    Ok(of_path(Path { span: cursor.since(span), start: Start::Here, steps }))
}

fn of_path(path: Path) -> Expr {
    Expr { span: path.span, kind: ExprKind::Path(path) }
}

/// The keys and elements behind the start of a path.
pub(super) fn more_steps(cursor: &mut Cursor, steps: &mut Vec<PathStep>) -> Result<(), Fault> {
    loop {
        if cursor.at_marks(".") && !cursor.at_marks("..") {
            cursor.advance();
            if cursor.at_number() {
                return Err(cursor.expected("a key").help("an element is named in brackets: `list[0]`"));
            }
            steps.push(PathStep::Key(key(cursor)?));
        } else if cursor.at_empty(Bracket::Square) {
            let message = "`[]` is allowed only in a `drop`; here, `each` goes through elements";
            return Err(Fault::new(cursor.span(), message));
        } else if cursor.at_group(Bracket::Square) {
            let span = cursor.span();
            steps.push(cursor.inside(Bracket::Square, |inner| bracket(inner, span))?);
        } else {
            return Ok(());
        }
    }
}

fn key(cursor: &mut Cursor) -> Result<Word, Fault> {
    if cursor.at_text() { cursor.text("a key") } else { cursor.word("a key") }
}

/// What stands in `[ ]`.
fn bracket(cursor: &mut Cursor, span: Span) -> Result<PathStep, Fault> {
    let start = cursor.position();
    if cursor.at_text() {
        let key = cursor.text("a key")?;
        if cursor.is_empty() && !key.text.contains(['{', '}']) {
            return Ok(PathStep::Key(key));
        }
        cursor.back_to(start);
    }
    let negative = cursor.eat_marks("-");
    if let Some(number) = cursor.number() {
        let index = i32::try_from(number).map_err(|_| Fault::new(span, "this place is out of range"))?;
        return Ok(PathStep::Index(if negative { -index } else { index }, span));
    }
    if negative {
        return Err(cursor.expected("a number"));
    }
    let left = expr(cursor)?;
    if !cursor.eat_marks("==") {
        return Ok(PathStep::Lookup(Box::new(left), span));
    }
    let ExprKind::Path(Path { start: Start::Here, steps, .. }) = left.kind else {
        return Err(Fault::new(left.span, "the left side of `==` in `[ ]` is a path from the element"));
    };
    Ok(PathStep::Find(steps, Box::new(expr(cursor)?), span))
}

/// The paths of a `drop`: `a.b, c[].{d, e.f}`.
pub(super) fn places(cursor: &mut Cursor) -> Result<Vec<Path>, Fault> {
    let mut paths = Vec::new();
    loop {
        let span = cursor.span();
        let start = if cursor.eat_marks("$") {
            cursor.marks(".")?;
            Start::Root
        } else {
            Start::Here
        };
        for (steps, own) in place(cursor)? {
            let span = if own == Span::default() { cursor.since(span) } else { own };
            paths.push(Path { span, start: start.clone(), steps });
        }
        if !cursor.eat_marks(",") {
            return Ok(paths);
        }
    }
}

type Place = (Vec<PathStep>, Span);

/// A path with its sets, as all the paths that it stands for, each with its own place where it has one.
fn place(cursor: &mut Cursor) -> Result<Vec<Place>, Fault> {
    cursor.deeper(|cursor| {
        let mut all: Vec<Place> = vec![(Vec::new(), Span::default())];
        let mut is_first = true;
        loop {
            let ends: Vec<Place> = if cursor.at_group(Bracket::Brace) {
                cursor.inside(Bracket::Brace, |inner| {
                    let mut ends = Vec::new();
                    while !inner.is_empty() {
                        let start = inner.span();
                        let found = place(inner)?;
                        let whole = inner.since(start);
                        let own = |span: Span| if span == Span::default() { whole } else { span };
                        ends.extend(found.into_iter().map(|(steps, span)| (steps, own(span))));
                        if !inner.is_empty() {
                            inner.marks(",")?;
                        }
                    }
                    Ok(ends)
                })?
            } else if is_first && cursor.eat_marks(".") {
                vec![(vec![PathStep::Key(cursor.text("a key")?)], Span::default())]
            } else {
                vec![(vec![PathStep::Key(key(cursor)?)], Span::default())]
            };
            is_first = false;
            all = all
                .iter()
                .flat_map(|(before, _)| {
                    ends.iter().map(move |(end, span)| ([&before[..], end].concat(), *span))
                })
                .collect();
            while cursor.at_group(Bracket::Square) {
                let span = cursor.span();
                let step = if cursor.at_empty(Bracket::Square) {
                    cursor.advance();
                    PathStep::Every(span)
                } else {
                    let number = cursor.inside(Bracket::Square, |inner| {
                        inner.number().ok_or_else(|| inner.expected("`]` or the number of an element"))
                    })?;
                    PathStep::Index(i32::try_from(number).unwrap_or(i32::MAX), span)
                };
                all.iter_mut().for_each(|(steps, _)| steps.push(step.clone()));
            }
            if !cursor.eat_marks(".") {
                return Ok(all);
            }
        }
    })
}
