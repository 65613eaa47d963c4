//! What a rule does: its steps.

use proc_macro2::{Delimiter, TokenTree};

use super::cursor::Cursor;
use super::expr::{cond, expr, json_kind, path};
use super::reason;
use crate::ast::{Arm, ArmShape, Expr, FieldValue, Merge, RuleAction, Step, StepKind, Word};
use crate::check::spec_of;
use crate::diagnostic::Fault;

/// Steps in braces.
pub(super) fn steps(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    cursor.inside(Delimiter::Brace, |inner| {
        let mut steps = Vec::new();
        while !inner.is_empty() {
            let start = inner.position();
            match step(inner) {
                Ok(step) => steps.push(step),
                Err(fault) => {
                    inner.faults.push(fault);
                    if inner.position() == start || !inner.behind_braces() {
                        inner.recover();
                    }
                }
            }
        }
        Ok(steps)
    })
}

fn step(cursor: &mut Cursor) -> Result<Step, Fault> {
    let keyword = cursor.word_ahead(0).unwrap_or_default();
    let kind = match keyword.as_str() {
        "each" | "one" => {
            cursor.advance();
            each(cursor, keyword == "one")?
        }
        "when" => {
            cursor.advance();
            when(cursor)?
        }
        "in" => {
            cursor.advance();
            StepKind::In(expr(cursor)?, steps(cursor)?)
        }
        "set" => {
            cursor.advance();
            let register = cursor.word("the name of a register")?;
            let key = key_in_brackets(cursor)?;
            cursor.marks("=")?;
            let value = expr(cursor)?;
            cursor.marks(";")?;
            StepKind::Set(register, key, value)
        }
        "add" => {
            cursor.advance();
            let value = expr(cursor)?;
            let merge = if cursor.eat_word("merge") { Some(merge(cursor)?) } else { None };
            cursor.marks(";")?;
            StepKind::Add(value, merge)
        }
        "send" => {
            let span = cursor.span();
            cursor.advance();
            let value = Some(expr(cursor)?);
            cursor.marks(";")?;
            StepKind::Send { span, value, http: None }
        }
        "http" => {
            let span = cursor.span();
            cursor.advance();
            let method = cursor.text("the method, such as `\"POST\"`")?;
            let path = expr(cursor)?;
            let value = if cursor.eat_word("with") { Some(expr(cursor)?) } else { None };
            cursor.marks(";")?;
            StepKind::Send { span, value, http: Some((method, path)) }
        }
        "put" => {
            cursor.advance();
            let key = expr(cursor)?;
            cursor.marks(":")?;
            let value = expr(cursor)?;
            cursor.marks(";")?;
            StepKind::Put(key, value)
        }
        "hang_up" => {
            let span = cursor.span();
            cursor.advance();
            cursor.marks(";")?;
            StepKind::HangUp(span)
        }
        "spawn" => {
            let span = cursor.span();
            cursor.advance();
            let args = expr(cursor)?;
            let cwd = if cursor.eat_word("in") { Some(expr(cursor)?) } else { None };
            cursor.marks(";")?;
            StepKind::Spawn { span, args, cwd }
        }
        "tell" => {
            let span = cursor.span();
            cursor.advance();
            let id = if cursor.eat_word("as") { Some(expr(cursor)?) } else { None };
            cursor.marks(";")?;
            StepKind::Tell(span, id)
        }
        "degrade" => {
            cursor.advance();
            let what = cursor.text("the name of what is lost, as a text")?;
            StepKind::Degrade(what, reason(cursor)?)
        }
        "once" => {
            cursor.advance();
            let key = expr(cursor)?;
            cursor.marks(";")?;
            StepKind::Once(key)
        }
        "use" => {
            cursor.advance();
            let block = cursor.name("the name of a block")?;
            cursor.marks(";")?;
            StepKind::Use(block)
        }
        _ => {
            let term = term(cursor)?;
            // A term that has no fields at all is followed by its body, where it has one.
            let fieldless =
                spec_of(&term).is_some_and(|spec| spec.fields.is_empty() && !spec.body.is_empty());
            let faults = cursor.faults.len();
            let fields = if fieldless { Vec::new() } else { fields(cursor)? };
            if cursor.faults.len() > faults && spec_of(&term).is_none() {
                // What stands in its braces are no fields, so the first word is the better thing to say.
                cursor.faults.truncate(faults);
                return Err(Fault::new(term.span, format!("unknown term `{}`", term.text))
                    .help("elements are told apart with `by`: `each PATH by TAG { VALUE { … } }`"));
            }
            let body = if cursor.at_group(Delimiter::Brace) { Some(steps(cursor)?) } else { None };
            StepKind::Emit { term, fields, body }
        }
    };
    Ok(Step { kind })
}

/// `[key]`, where a register has keys.
pub(super) fn key_in_brackets(cursor: &mut Cursor) -> Result<Option<Expr>, Fault> {
    if !cursor.at_group(Delimiter::Bracket) {
        return Ok(None);
    }
    cursor.inside(Delimiter::Bracket, expr).map(Some)
}

fn merge(cursor: &mut Cursor) -> Result<Merge, Fault> {
    let list = cursor.word("the key of the lists that become one")?;
    if !cursor.eat_word("by") {
        return Err(cursor.expected("`by` and the key that both elements must have alike"));
    }
    Ok(Merge { list, by: cursor.word("the key that both elements must have alike")? })
}

/// The name of a term: words joined by `.` and `-`, and for some a second one after a space.
fn term(cursor: &mut Cursor) -> Result<Word, Fault> {
    let mut term = cursor.word("a step")?;
    loop {
        let mark = match cursor.token(0) {
            Some(TokenTree::Punct(punct)) => punct.as_char(),
            _ => ' ',
        };
        if matches!(mark, '.' | '-') {
            cursor.advance();
            term.text.push(mark);
        } else if cursor.word_ahead(0).is_some() {
            term.text.push(' ');
        } else {
            break;
        }
        term.text.push_str(&cursor.word("the rest of the term")?.text);
    }
    if !cursor.at_group(Delimiter::Brace) {
        return Err(cursor.expected(&format!("`{{` with the fields of `{}`", term.text)));
    }
    Ok(term)
}

/// `{ name: value, … }`.
pub(super) fn fields(cursor: &mut Cursor) -> Result<Vec<FieldValue>, Fault> {
    cursor.inside(Delimiter::Brace, |inner| {
        let mut fields = Vec::new();
        while !inner.is_empty() {
            let read = field(inner).and_then(|field| {
                fields.push(field);
                if inner.is_empty() { Ok(()) } else { inner.marks(",") }
            });
            if let Err(fault) = read {
                inner.faults.push(fault);
                inner.recover_in_list();
            }
        }
        Ok(fields)
    })
}

fn field(cursor: &mut Cursor) -> Result<FieldValue, Fault> {
    let name = cursor.word("the name of a field")?;
    let value = if cursor.eat_marks(":") { Some(expr(cursor)?) } else { None };
    Ok(FieldValue { name, value })
}

fn when(cursor: &mut Cursor) -> Result<StepKind, Fault> {
    let mut arms = Vec::new();
    loop {
        let condition = cond(cursor)?;
        arms.push((Some(condition), steps(cursor)?));
        if !cursor.eat_word("else") {
            break;
        }
        if !cursor.eat_word("when") {
            arms.push((None, steps(cursor)?));
            break;
        }
    }
    Ok(StepKind::When(arms))
}

fn each(cursor: &mut Cursor, single: bool) -> Result<StepKind, Fault> {
    let over = path(cursor)?;
    if !cursor.eat_word("by") {
        let span = cursor.span();
        let action = RuleAction::Steps(steps(cursor)?);
        let arm = Arm { span, shape: ArmShape::Any, condition: None, action };
        return Ok(StepKind::Each { single, over, by: None, arms: vec![arm] });
    }
    let by = path(cursor)?;
    let arms = cursor.inside(Delimiter::Brace, |inner| {
        let mut arms = Vec::new();
        while !inner.is_empty() {
            let start = inner.position();
            match arm(inner) {
                Ok(arm) => arms.push(arm),
                Err(fault) => {
                    inner.faults.push(fault);
                    if inner.position() == start || !inner.behind_braces() {
                        inner.recover();
                    }
                }
            }
        }
        Ok(arms)
    })?;
    Ok(StepKind::Each { single, over, by: Some(by), arms })
}

fn arm(cursor: &mut Cursor) -> Result<Arm, Fault> {
    let ignored = cursor.at_word("ignore") && !matches!(cursor.token(1), Some(TokenTree::Group(_)));
    if ignored {
        cursor.advance();
    }
    let span = cursor.span();
    let shape = arm_shape(cursor)?;
    let condition = if cursor.eat_word("where") { Some(cond(cursor)?) } else { None };
    let action =
        if ignored { RuleAction::Ignore(reason(cursor)?) } else { RuleAction::Steps(steps(cursor)?) };
    Ok(Arm { span, shape, condition, action })
}

fn arm_shape(cursor: &mut Cursor) -> Result<ArmShape, Fault> {
    if cursor.eat_marks("*") {
        return Ok(ArmShape::Any);
    }
    if let Some(kind) = cursor.word_ahead(0).as_deref().and_then(json_kind) {
        cursor.advance();
        return Ok(ArmShape::Kind(kind));
    }
    let mut tags = Vec::new();
    loop {
        tags.push(value(cursor)?);
        if !cursor.eat_marks("|") {
            return Ok(ArmShape::Tags(tags));
        }
    }
}

/// A native value: a word, or a text in quotes.
pub(super) fn value(cursor: &mut Cursor) -> Result<Word, Fault> {
    if cursor.at_text() {
        return cursor.text("a value");
    }
    let span = cursor.span();
    if let Some(number) = cursor.number() {
        return Ok(Word { text: number.to_string(), span });
    }
    cursor.word("a value")
}
