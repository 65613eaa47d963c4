//! Lists: `[ a, ..b, each c => d ]`.
//!
//! A list with anything but plain values in it becomes steps that add its elements one after the other.

use super::cursor::Cursor;
use super::expr::{absent, at_if, expr, key_in_brackets, then};
use super::lexer::Bracket;
use super::path::path;
use super::steps::{arms, binder, guarded, over, reason};
use crate::ast::{
    Arm, ArmShape, Cond, Expr, ExprKind, Merge, Path, RuleAction, Start, Step, StepKind, UseAs,
};
use crate::diagnostic::Fault;
use crate::sources::Span;

/// A list as a value.
pub(super) fn list_value(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    let steps = cursor.inside(Bracket::Square, elements)?;
    let span = cursor.since(span);
    let plain = |step: &Step| matches!(step.kind, StepKind::Add(_, None));
    if steps.iter().all(plain) {
        let values = steps.into_iter().filter_map(|step| match step.kind {
            StepKind::Add(value, _) => Some(value),
            _ => None,
        });
        return Ok(Expr { span, kind: ExprKind::List(values.collect()) });
    }
    let built = Expr { span, kind: ExprKind::Build(steps) };
    let empty = Expr { span, kind: ExprKind::List(Vec::new()) };
    Ok(Expr { span, kind: ExprKind::First(vec![built, empty]) })
}

/// The same value, but absent where it is an empty text, list or object.
pub(super) fn nonempty(value: Expr) -> Expr {
    let span = value.span;
    let is_put_together = match &value.kind {
        ExprKind::List(_) | ExprKind::Use(..) => true,
        ExprKind::First(parts) => is_built(parts),
        ExprKind::Merge(one, _) => matches!(&one.kind, ExprKind::Object(members) if members.is_empty()),
        _ => false,
    };
    if is_put_together {
        return nonempty_list(value);
    }
    let kind = match value.kind {
        ExprKind::Path(_) | ExprKind::Register(_) | ExprKind::Recall(..) | ExprKind::Concat(_) => {
            let empty = Expr { span, kind: ExprKind::Text(String::new()) };
            let filled = Cond::Not(Box::new(Cond::Equal(value.clone(), empty)));
            ExprKind::If(Box::new(filled), Box::new(value), Box::new(absent(span)))
        }
        kind => kind,
    };
    Expr { span, kind }
}

/// The same value, but absent where it is an empty list or object that is put together here.
pub(super) fn nonempty_list(value: Expr) -> Expr {
    let span = value.span;
    let kind = match value.kind {
        ExprKind::List(values) => {
            let add = |value| Step { kind: StepKind::Add(value, None) };
            ExprKind::Build(values.into_iter().map(add).collect())
        }
        ExprKind::First(mut parts) if is_built(&parts) => parts.swap_remove(0).kind,
        ExprKind::Use(name, _) => ExprKind::Use(name, true),
        ExprKind::Merge(one, other) => match &one.kind {
            ExprKind::Object(members) if members.is_empty() => other.kind,
            _ => ExprKind::Merge(one, other),
        },
        kind => kind,
    };
    Expr { span, kind }
}

/// Whether these are a list or an object that steps put together, and the empty one.
fn is_built(parts: &[Expr]) -> bool {
    let [built, empty] = parts else { return false };
    match (&built.kind, &empty.kind) {
        (ExprKind::Build(_), ExprKind::List(none)) => none.is_empty(),
        (ExprKind::BuildMap(_), ExprKind::Object(none)) => none.is_empty(),
        _ => false,
    }
}

/// The elements of a list, to the end of the tokens, as the steps that add them.
fn elements(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    let mut steps = Vec::new();
    while !cursor.is_empty() {
        steps.extend(element(cursor)?);
        if !cursor.is_empty() {
            cursor.marks(",")?;
        }
    }
    Ok(steps)
}

/// An element.
pub(super) fn element(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    cursor.deeper(|cursor| {
        let one = |kind: StepKind| vec![Step { kind }];
        if cursor.eat_marks("..") {
            return several(cursor);
        }
        if at_if(cursor) {
            return choice(cursor, element);
        }
        if cursor.at_group(Bracket::Round) && cursor.word_inside() == Some("if") {
            return cursor.inside(Bracket::Round, element);
        }
        if cursor.at_word("skip") && !cursor.marks_ahead(1, ".") {
            cursor.advance();
            return Ok(Vec::new());
        }
        if cursor.at_word("degrade") && cursor.text_ahead(1) {
            cursor.advance();
            let what = cursor.text("the name of what is lost, as a text")?;
            return Ok(one(StepKind::Degrade(what, reason(cursor)?)));
        }
        if (cursor.at_word("each") || cursor.at_word("with"))
            && (cursor.word_ahead(1).is_some() || cursor.marks_ahead(1, "$"))
        {
            return each(cursor).map(one);
        }
        if cursor.at_marks("@") {
            let start = cursor.position();
            cursor.advance();
            let register = cursor.word("the name of a register")?;
            let key = key_in_brackets(cursor)?;
            if cursor.at_marks("=") && !cursor.at_marks("==") {
                cursor.advance();
                return Ok(one(StepKind::Set(register, key, expr(cursor)?)));
            }
            cursor.back_to(start);
        }
        if cursor.at_word("use") && cursor.word_ahead(1).is_some() {
            return used(cursor, UseAs::Element);
        }
        let value = expr(cursor)?;
        let merge = if cursor.eat_word("merge") { Some(merge(cursor)?) } else { None };
        Ok(one(StepKind::Add(value, merge)))
    })
}

/// What follows `..`: several elements.
fn several(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    cursor.deeper(|cursor| {
        if cursor.at_group(Bracket::Square) {
            return cursor.inside(Bracket::Square, elements);
        }
        if at_if(cursor) {
            return choice(cursor, several);
        }
        if cursor.at_word("use") && cursor.word_ahead(1).is_some() {
            return used(cursor, UseAs::Elements);
        }
        let span = cursor.span();
        if cursor.at_group(Bracket::Brace) || cursor.at_text() || cursor.at_number() {
            return Err(cursor.expected("a list, as a path, `[ … ]` or `use`"));
        }
        let over = path(cursor)?;
        let element = Path { span, start: Start::Here, steps: Vec::new() };
        let add = StepKind::Add(Expr { span, kind: ExprKind::Path(element) }, None);
        let action = RuleAction::Steps(vec![Step { kind: add }]);
        let arm = Arm { span, shape: ArmShape::Any, condition: None, action };
        Ok(vec![Step { kind: StepKind::Each { single: false, over, by: None, arms: vec![arm] } }])
    })
}

/// `if C then ELEMENT else ELEMENT`.
fn choice(
    cursor: &mut Cursor,
    branch: fn(&mut Cursor) -> Result<Vec<Step>, Fault>,
) -> Result<Vec<Step>, Fault> {
    let mut arms = Vec::new();
    loop {
        cursor.keyword("if")?;
        let condition = super::cond::cond(cursor)?;
        then(cursor)?;
        arms.push((Some(condition), branch(cursor)?));
        if !cursor.eat_word("else") {
            break;
        }
        if !at_if(cursor) {
            arms.push((None, branch(cursor)?));
            break;
        }
    }
    Ok(vec![Step { kind: StepKind::When(arms) }])
}

fn used(cursor: &mut Cursor, how: UseAs) -> Result<Vec<Step>, Fault> {
    let span = cursor.span();
    cursor.keyword("use")?;
    let name = cursor.name("the name of a block")?;
    let used = StepKind::Use(name, how);
    if !cursor.at_group(Bracket::Round) {
        return Ok(vec![Step { kind: used }]);
    }
    let over = cursor.inside(Bracket::Round, path)?;
    Ok(vec![Step { kind: with(over, span, vec![Step { kind: used }]) }])
}

/// The steps with another current value.
pub(super) fn with(over: Path, span: Span, steps: Vec<Step>) -> StepKind {
    let arm = Arm { span, shape: ArmShape::Any, condition: None, action: RuleAction::Steps(steps) };
    StepKind::Each { single: true, over, by: None, arms: vec![arm] }
}

/// `each PATH => ELEMENT`, `each PATH by TAG { ARMS }`, and the same for `with`.
fn each(cursor: &mut Cursor) -> Result<StepKind, Fault> {
    let (single, over) = over(cursor)?;
    let mark = cursor.names.mark();
    cursor.names.enter();
    let read = (|| {
        binder(cursor)?;
        let condition = guarded(cursor)?;
        if cursor.eat_word("by") {
            let by = path(cursor)?;
            return Ok((Some(by), arms(cursor, condition, element)?));
        }
        let span = cursor.span();
        cursor.marks("=>")?;
        let action = RuleAction::Steps(element(cursor)?);
        Ok((None, vec![Arm { span, shape: ArmShape::Any, condition, action }]))
    })();
    cursor.names.leave();
    cursor.names.forget(mark);
    let (by, arms) = read?;
    Ok(StepKind::Each { single, over, by, arms })
}

fn merge(cursor: &mut Cursor) -> Result<Merge, Fault> {
    let list = cursor.word("the key of the lists that become one")?;
    if !cursor.eat_word("by") {
        return Err(cursor.expected("`by` and the key that both elements must have alike"));
    }
    Ok(Merge { list, by: cursor.word("the key that both elements must have alike")? })
}

/// The list that `join` takes: a path, or `[ each PATH => TEXT ]`.
pub(super) fn each_of_join(cursor: &mut Cursor) -> Result<(Path, Expr), Fault> {
    if !cursor.at_group(Bracket::Square) {
        let over = path(cursor)?;
        let element = Path { span: over.span, start: Start::Here, steps: Vec::new() };
        return Ok((over.clone(), Expr { span: over.span, kind: ExprKind::Path(element) }));
    }
    cursor.inside(Bracket::Square, |inner| {
        inner.keyword("each")?;
        let over = path(inner)?;
        let mark = inner.names.mark();
        inner.names.enter();
        let element = binder(inner).and_then(|()| inner.marks("=>")).and_then(|()| expr(inner));
        inner.names.leave();
        inner.names.forget(mark);
        Ok((over, element?))
    })
}

/// What a block is that is defined as a value: the steps that add the value, and the value itself where it can stand
/// outside of lists.
pub(super) fn block_value(cursor: &mut Cursor) -> Result<(Vec<Step>, Option<Expr>), Fault> {
    let start = cursor.position();
    let steps = element(cursor)?;
    let end = cursor.position();
    cursor.back_to(start);
    let faults = cursor.faults.len();
    let value = expr(cursor).ok().filter(|_| cursor.position() == end);
    cursor.faults.truncate(faults);
    cursor.back_to(end);
    Ok((steps, value))
}

/// Whether a list literal is the whole of what follows.
pub(super) fn list_block(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    cursor.inside(Bracket::Square, elements)
}
