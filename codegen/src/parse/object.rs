//! Objects: `{ a, b: x, (key): y, ..rest }`.

use super::cursor::Cursor;
use super::expr::expr;
use super::lexer::Bracket;
use super::path::path;
use super::steps::{binder, guarded};
use crate::ast::{Arm, ArmShape, Expr, ExprKind, RuleAction, Step, StepKind, Word};
use crate::diagnostic::Fault;

/// What stands in an object.
#[derive(Default)]
struct Parts {
    members: Vec<(Word, Expr)>,
    /// The members as steps, where a key is only known when the object is built.
    puts: Vec<Step>,
    is_computed: bool,
    spreads: Vec<Expr>,
}

/// An object as a value. What is written counts before what a spread has.
pub(super) fn object_value(cursor: &mut Cursor) -> Result<Expr, Fault> {
    let span = cursor.span();
    let parts = cursor.inside(Bracket::Brace, parts)?;
    let span = cursor.since(span);
    let of = |kind| Expr { span, kind };
    let mut object = if parts.is_computed {
        let empty = of(ExprKind::Object(Vec::new()));
        of(ExprKind::First(vec![of(ExprKind::BuildMap(parts.puts)), empty]))
    } else {
        of(ExprKind::Object(parts.members))
    };
    // Where all is spread, an object that is written out among it makes the whole present.
    let is_present = parts.spreads.iter().any(|spread| matches!(spread.kind, ExprKind::Object(_)));
    let is_empty = matches!(&object.kind, ExprKind::Object(members) if members.is_empty());
    let spread = parts
        .spreads
        .into_iter()
        .rev()
        .reduce(|later, earlier| of(ExprKind::Merge(Box::new(earlier), Box::new(later))));
    if let Some(spread) = spread {
        if is_empty && is_present {
            return Ok(Expr { span, ..spread });
        }
        object = of(ExprKind::Merge(Box::new(object), Box::new(spread)));
    }
    Ok(object)
}

/// A command, whose name stands before the object.
pub(super) fn object_of_type(cursor: &mut Cursor, name: &Word) -> Result<Expr, Fault> {
    let mut value = object_value(cursor)?;
    let constant = Expr { span: name.span, kind: ExprKind::Text(name.text.clone()) };
    let member = (Word { text: "type".to_owned(), span: name.span }, constant);
    let written = match &mut value.kind {
        ExprKind::Merge(written, _) => &mut written.kind,
        written => written,
    };
    match written {
        ExprKind::Object(members) => members.insert(0, member),
        _ => return Err(Fault::new(value.span, "the fields of a command are written out")),
    }
    Ok(value)
}

fn parts(cursor: &mut Cursor) -> Result<Parts, Fault> {
    let mut parts = Parts::default();
    while !cursor.is_empty() {
        let spread = cursor.span();
        if cursor.eat_marks("..") {
            parts.spreads.push(expr(cursor)?);
        } else if !parts.spreads.is_empty() {
            let fault = Fault::new(cursor.since(spread), "a member comes before the first `..`");
            return Err(fault.help("of two that have the same member, the one that is written first counts"));
        } else {
            member(cursor, &mut parts)?;
        }
        if !cursor.is_empty() {
            cursor.marks(",")?;
        }
    }
    Ok(parts)
}

fn member(cursor: &mut Cursor, parts: &mut Parts) -> Result<(), Fault> {
    if cursor.at_group(Bracket::Round) {
        let (key, value) = computed(cursor)?;
        parts.is_computed = true;
        parts.puts.push(Step { kind: StepKind::Put(key, value) });
        return Ok(());
    }
    if cursor.at_word("each") && (cursor.word_ahead(1).is_some() || cursor.marks_ahead(1, "$")) {
        parts.is_computed = true;
        parts.puts.push(each(cursor)?);
        return Ok(());
    }
    let name = if cursor.at_text() { cursor.text("a name")? } else { cursor.word("the name of a member")? };
    let value = if cursor.eat_marks(":") { expr(cursor)? } else { Expr::of_name(&name) };
    let key = Expr { span: name.span, kind: ExprKind::Text(name.text.clone()) };
    parts.puts.push(Step { kind: StepKind::Put(key, value.clone()) });
    parts.members.push((name, value));
    Ok(())
}

/// `(KEY): VALUE`.
fn computed(cursor: &mut Cursor) -> Result<(Expr, Expr), Fault> {
    let key = cursor.inside(Bracket::Round, expr)?;
    cursor.marks(":")?;
    Ok((key, expr(cursor)?))
}

/// `each PATH => (KEY): VALUE`.
fn each(cursor: &mut Cursor) -> Result<Step, Fault> {
    cursor.keyword("each")?;
    let over = path(cursor)?;
    let mark = cursor.names.mark();
    cursor.names.enter();
    let read = (|| {
        binder(cursor)?;
        let condition = guarded(cursor)?;
        let span = cursor.span();
        cursor.marks("=>")?;
        let (key, value) = computed(cursor)?;
        let action = RuleAction::Steps(vec![Step { kind: StepKind::Put(key, value) }]);
        Ok(Arm { span, shape: ArmShape::Any, condition, action })
    })();
    cursor.names.leave();
    cursor.names.forget(mark);
    Ok(Step { kind: StepKind::Each { single: false, over, by: None, arms: vec![read?] } })
}
