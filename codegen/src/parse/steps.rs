//! What a rule does: its steps.

use super::cond::{cond, json_kind};
use super::cursor::Cursor;
use super::expr::{expr, key_in_brackets};
use super::lexer::Bracket;
use super::list::{nonempty_list, with};
use super::object::{object_of_type, object_value};
use super::path::path;
use crate::ast::{
    Arm, ArmShape, Cond, Expr, ExprKind, FieldValue, Path, Reason, Rpc, RuleAction, State, Step, StepKind,
    UseAs, Word,
};
use crate::check::spec_of;
use crate::diagnostic::Fault;

/// Steps in braces.
pub(super) fn steps(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    cursor.inside(Bracket::Brace, all_steps)
}

/// Steps, to the end of the tokens.
pub(super) fn all_steps(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    cursor.deeper(|cursor| {
        let mut steps = Vec::new();
        while !cursor.is_empty() {
            let start = cursor.position();
            if let Err(fault) = statement(cursor, &mut steps) {
                cursor.faults.push(fault);
                if cursor.position() == start || !cursor.behind_braces() {
                    cursor.recover();
                } else {
                    // The `;` of a step that ends in braces.
                    cursor.eat_marks(";");
                }
            }
        }
        Ok(steps)
    })
}

/// A step with its `;`, or a `let`.
fn statement(cursor: &mut Cursor, steps: &mut Vec<Step>) -> Result<(), Fault> {
    if cursor.at_word("let") && cursor.word_ahead(1).is_some() {
        cursor.advance();
        let name = cursor.word("the name of the value")?;
        cursor.marks("=")?;
        let value = expr(cursor)?;
        cursor.names.set(&name, value);
        return cursor.marks(";");
    }
    let (kind, ends) = step(cursor)?;
    if ends == Ends::Semicolon {
        cursor.marks(";")?;
    }
    steps.push(Step { kind });
    Ok(())
}

/// How a step ends.
#[derive(PartialEq, Eq)]
enum Ends {
    Semicolon,
    Braces,
}

fn step(cursor: &mut Cursor) -> Result<(StepKind, Ends), Fault> {
    let span = cursor.span();
    let keyword = cursor.word_ahead(0).unwrap_or_default().to_owned();
    let kind = match keyword.as_str() {
        "each" | "with" => return Ok((each(cursor)?, Ends::Braces)),
        "if" => return Ok((when(cursor)?, Ends::Braces)),
        "under" => {
            cursor.advance();
            return Ok((StepKind::In(expr(cursor)?, steps(cursor)?), Ends::Braces));
        }
        "send" => {
            cursor.advance();
            StepKind::Send { span, value: Some(expr(cursor)?), http: None }
        }
        "http" => {
            cursor.advance();
            let method = cursor.word("the method, such as `POST`")?;
            if !cursor.at_text() {
                return Err(cursor.expected("the path, as a text"));
            }
            let path = expr(cursor)?;
            let value = if cursor.at_marks(";") { None } else { Some(expr(cursor)?) };
            StepKind::Send { span, value, http: Some((method, path)) }
        }
        "request" | "notify" if cursor.text_ahead(1) => {
            cursor.advance();
            let method = cursor.text("the method")?;
            let value = if cursor.at_group(Bracket::Brace) { Some(expr(cursor)?) } else { None };
            let what = if keyword == "request" { Rpc::Request(method) } else { Rpc::Notify(method) };
            StepKind::Rpc { span, what, value }
        }
        "reply" | "fail" => {
            cursor.advance();
            let what = if keyword == "reply" { Rpc::Reply } else { Rpc::Fail };
            StepKind::Rpc { span, what, value: Some(expr(cursor)?) }
        }
        "await" => {
            cursor.advance();
            StepKind::Await(span)
        }
        "hang_up" => {
            cursor.advance();
            StepKind::HangUp(span)
        }
        "spawn" => {
            cursor.advance();
            let [args, cwd] = named(cursor, ["args", "cwd"])?;
            let Some(args) = args else {
                return Err(Fault::new(
                    span,
                    "`spawn` needs the program and its arguments: `spawn { args: […] };`",
                ));
            };
            StepKind::Spawn { span, args: nonempty_list(args), cwd }
        }
        "tell" => {
            cursor.advance();
            let [id] = if cursor.at_marks(";") { [None] } else { named(cursor, ["id"])? };
            StepKind::Tell(span, id)
        }
        "degrade" => {
            cursor.advance();
            let what = cursor.text("the name of what is lost, as a text")?;
            StepKind::Degrade(what, reason(cursor)?)
        }
        "once" => {
            cursor.advance();
            StepKind::Once(expr(cursor)?)
        }
        "candidate" => {
            cursor.advance();
            StepKind::Candidate(expr(cursor)?)
        }
        "use" => used(cursor)?,
        _ if cursor.at_marks("@") => {
            cursor.advance();
            let register = cursor.word("the name of a register")?;
            let key = key_in_brackets(cursor)?;
            cursor.marks("=")?;
            StepKind::Set(register, key, expr(cursor)?)
        }
        _ => return Ok((term(cursor)?, Ends::Braces)),
    };
    Ok((kind, Ends::Semicolon))
}

/// `use NAME`, `use NAME(PATH)` and `use NAME under ITEM`.
fn used(cursor: &mut Cursor) -> Result<StepKind, Fault> {
    let span = cursor.span();
    cursor.keyword("use")?;
    let name = cursor.name("the name of a block")?;
    let mut kind = StepKind::Use(name, UseAs::Steps);
    if cursor.at_group(Bracket::Round) {
        let over = cursor.inside(Bracket::Round, path)?;
        kind = with(over, span, vec![Step { kind }]);
    }
    if cursor.eat_word("under") {
        kind = StepKind::In(expr(cursor)?, vec![Step { kind }]);
    }
    Ok(kind)
}

/// The members of an object, each of which has one of these names.
fn named<const N: usize>(cursor: &mut Cursor, names: [&str; N]) -> Result<[Option<Expr>; N], Fault> {
    let value = object_value(cursor)?;
    let ExprKind::Object(members) = value.kind else {
        return Err(Fault::new(value.span, "only literal members are allowed here"));
    };
    let mut found = [const { None }; N];
    for (name, value) in members {
        let Some(place) = names.iter().position(|known| *known == name.text) else {
            let fault = Fault::new(name.span, format!("unknown member `{}`", name.text));
            return Err(fault.suggest(&name.text, names));
        };
        found[place] = Some(value);
    }
    Ok(found)
}

/// `because "…"`. Whether there is a reason is for the checker.
pub(super) fn reason(cursor: &mut Cursor) -> Result<Reason, Fault> {
    if cursor.eat_word("because") {
        return Ok(Reason(Some(cursor.text("the reason, as a text")?)));
    }
    if cursor.is_empty() || cursor.at_marks(";") || cursor.at_marks(",") {
        return Ok(Reason(None));
    }
    Err(cursor.expected("`because \"…\"`"))
}

fn term(cursor: &mut Cursor) -> Result<StepKind, Fault> {
    let term = term_name(cursor)?;
    if spec_of(&term).is_none() && crate::universal::is_command(&term.text) {
        let span = term.span;
        let value = Some(object_of_type(cursor, &term)?);
        return Ok(StepKind::Send { span, value, http: None });
    }
    // A term that has no fields at all is followed by its body, where it has one.
    let fieldless = spec_of(&term).is_some_and(|spec| spec.fields.is_empty() && !spec.body.is_empty());
    let faults = cursor.faults.len();
    let (mut fields, spreads) = if fieldless { (Vec::new(), Vec::new()) } else { fields(cursor)? };
    if cursor.faults.len() > faults && spec_of(&term).is_none() {
        // What stands in its braces are no fields, so the first word is the better thing to say.
        cursor.faults.truncate(faults);
        return Err(Fault::new(term.span, format!("unknown term `{}`", term.text))
            .help("choose elements with `by`: `each PATH by TAG { VALUE => … }`"));
    }
    let state = if term.text.starts_with("item ") { state(&mut fields) } else { State::Unsaid };
    let body = if cursor.at_group(Bracket::Brace) { Some(steps(cursor)?) } else { None };
    Ok(StepKind::Emit { term, state, fields, spreads, body })
}

/// Takes the flags for the state of an item out of its fields.
fn state(fields: &mut Vec<FieldValue>) -> State {
    let mut flag = |name: &str| {
        let place = fields.iter().position(|field| field.value.is_none() && field.name.text == name)?;
        Some(fields.remove(place).name.span)
    };
    match (flag("open"), flag("done"), flag("unless_empty")) {
        (_, _, Some(span)) => State::Whole(span),
        (_, Some(span), _) => State::Done(span),
        (Some(span), ..) => State::Open(span),
        _ => State::Unsaid,
    }
}

/// The name of a term: words joined by `.` and `-`, or two words, of which the second is a kind.
fn term_name(cursor: &mut Cursor) -> Result<Word, Fault> {
    let mut term = cursor.word("a step")?;
    loop {
        let mark = ['.', '-'].into_iter().find(|mark| cursor.at_marks(&mark.to_string()));
        if let Some(mark) = mark {
            cursor.advance();
            term.text.push(mark);
        } else if cursor.word_ahead(0).is_some() {
            term.text.push(' ');
        } else {
            break;
        }
        term.text.push_str(&cursor.word("the rest of the term")?.text);
    }
    term.span = cursor.since(term.span);
    if !cursor.at_group(Bracket::Brace) {
        return Err(cursor.expected(&format!("`{{` with the fields of `{}`", term.text)));
    }
    Ok(term)
}

/// `{ name: value, …, ..object }`.
fn fields(cursor: &mut Cursor) -> Result<(Vec<FieldValue>, Vec<Expr>), Fault> {
    cursor.inside(Bracket::Brace, |inner| {
        let mut fields = Vec::new();
        let mut spreads = Vec::new();
        while !inner.is_empty() {
            let read = if inner.eat_marks("..") {
                expr(inner).map(|spread| spreads.push(spread))
            } else {
                field(inner).map(|field| fields.push(field))
            };
            let read = read.and_then(|()| if inner.is_empty() { Ok(()) } else { inner.marks(",") });
            if let Err(fault) = read {
                inner.faults.push(fault);
                inner.recover_in_list();
            }
        }
        Ok((fields, spreads))
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
        cursor.keyword("if")?;
        let condition = cond(cursor)?;
        if cursor.at_word("then") {
            let help = "steps are chosen with `if C { … }`, and values with `if C then A else B`";
            return Err(cursor.expected("`{`").help(help));
        }
        arms.push((Some(condition), steps(cursor)?));
        if !cursor.eat_word("else") {
            break;
        }
        if !cursor.at_word("if") {
            arms.push((None, steps(cursor)?));
            break;
        }
    }
    Ok(StepKind::When(arms))
}

/// `each` or `with` and its path; the flag tells `with`.
pub(super) fn over(cursor: &mut Cursor) -> Result<(bool, Path), Fault> {
    let single = cursor.eat_word("with");
    if !single {
        cursor.keyword("each")?;
    }
    Ok((single, path(cursor)?))
}

/// `as $name`.
pub(super) fn binder(cursor: &mut Cursor) -> Result<(), Fault> {
    if cursor.eat_word("as") {
        cursor.marks("$")?;
        let name = cursor.word("the name of the value")?;
        cursor.names.bind(&name);
    }
    Ok(())
}

/// `if CONDITION`, where there is one.
pub(super) fn guarded(cursor: &mut Cursor) -> Result<Option<Cond>, Fault> {
    if cursor.eat_word("if") { cond(cursor).map(Some) } else { Ok(None) }
}

fn each(cursor: &mut Cursor) -> Result<StepKind, Fault> {
    let (single, over) = over(cursor)?;
    let mark = cursor.names.mark();
    cursor.names.enter();
    let read = (|| {
        binder(cursor)?;
        let condition = guarded(cursor)?;
        if cursor.eat_word("by") {
            let by = path(cursor)?;
            return Ok((Some(by), arms(cursor, condition, arm_steps)?));
        }
        let span = cursor.span();
        let action = RuleAction::Steps(steps(cursor)?);
        Ok((None, vec![Arm { span, shape: ArmShape::Any, condition, action }]))
    })();
    cursor.names.leave();
    cursor.names.forget(mark);
    let (by, arms) = read?;
    Ok(StepKind::Each { single, over, by, arms })
}

/// What an arm does: steps in braces, one step, or `skip`.
pub(super) fn arm_steps(cursor: &mut Cursor) -> Result<Vec<Step>, Fault> {
    if cursor.eat_word("skip") {
        return Ok(Vec::new());
    }
    if cursor.at_empty(Bracket::Brace) {
        return Err(cursor.expected("a step").help("an arm that does nothing is `=> skip`"));
    }
    if cursor.at_group(Bracket::Brace) {
        return steps(cursor);
    }
    let (kind, _) = step(cursor)?;
    Ok(vec![Step { kind }])
}

/// `{ a | b if CONDITION => BODY, ignore c because "…" }`.
pub(super) fn arms(
    cursor: &mut Cursor,
    condition: Option<Cond>,
    body: fn(&mut Cursor) -> Result<Vec<Step>, Fault>,
) -> Result<Vec<Arm>, Fault> {
    cursor.inside(Bracket::Brace, |inner| {
        let mut arms = Vec::new();
        while !inner.is_empty() {
            let start = inner.position();
            match arm(inner, body).and_then(|arm| between_arms(inner).map(|()| arm)) {
                Ok(mut more) => {
                    for arm in &mut more {
                        arm.condition = both(condition.clone(), arm.condition.take());
                    }
                    arms.append(&mut more);
                }
                Err(fault) => {
                    inner.faults.push(fault);
                    if inner.position() == start || !inner.behind_braces() {
                        recover_in_arms(inner);
                    }
                }
            }
        }
        Ok(arms)
    })
}

fn both(one: Option<Cond>, other: Option<Cond>) -> Option<Cond> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Cond::All(vec![one, other])),
        (one, other) => one.or(other),
    }
}

/// What stands between arms: `,`, which may be missing behind braces.
pub(super) fn between_arms(cursor: &mut Cursor) -> Result<(), Fault> {
    if cursor.eat_marks(",") || cursor.is_empty() || cursor.behind_braces() {
        return Ok(());
    }
    if cursor.at_marks(";") {
        return Err(cursor.expected("`,`").help("a single step of an arm has no `;`; several need braces"));
    }
    Err(cursor.expected("`,`"))
}

/// Goes on after a fault in an arm: behind the next `,` or braces.
pub(super) fn recover_in_arms(cursor: &mut Cursor) {
    while !cursor.is_empty() && !cursor.eat_marks(",") {
        let braces = cursor.at_group(Bracket::Brace);
        cursor.advance();
        if braces && !cursor.at_group(Bracket::Brace) && !cursor.at_word("else") {
            cursor.eat_marks(",");
            return;
        }
    }
}

/// An arm; one that is for several kinds of shapes becomes several.
fn arm(cursor: &mut Cursor, body: fn(&mut Cursor) -> Result<Vec<Step>, Fault>) -> Result<Vec<Arm>, Fault> {
    let ignored = cursor.at_word("ignore") && !cursor.marks_ahead(1, "=>") && !cursor.marks_ahead(1, "|");
    if ignored {
        cursor.advance();
    }
    let span = cursor.span();
    let shapes = arm_shapes(cursor)?;
    let span = cursor.since(span);
    let condition = guarded(cursor)?;
    let action = if ignored {
        RuleAction::Ignore(reason(cursor)?)
    } else {
        cursor.marks("=>")?;
        RuleAction::Steps(body(cursor)?)
    };
    let arm = |shape| Arm { span, shape, condition: condition.clone(), action: action.clone() };
    Ok(shapes.into_iter().map(arm).collect())
}

fn arm_shapes(cursor: &mut Cursor) -> Result<Vec<ArmShape>, Fault> {
    let mut shapes: Vec<ArmShape> = Vec::new();
    loop {
        if cursor.at_word("_") {
            cursor.advance();
            shapes.push(ArmShape::Any);
        } else if let Some(kind) = cursor.word_ahead(0).and_then(json_kind) {
            cursor.advance();
            shapes.push(ArmShape::Kind(kind));
        } else {
            let tag = value(cursor)?;
            match shapes.last_mut() {
                Some(ArmShape::Tags(tags)) => tags.push(tag),
                _ => shapes.push(ArmShape::Tags(vec![tag])),
            }
        }
        if !cursor.eat_marks("|") {
            return Ok(shapes);
        }
    }
}

/// A native value: a word, or a text in quotes.
pub(super) fn value(cursor: &mut Cursor) -> Result<Word, Fault> {
    if cursor.at_text() {
        return cursor.text("a value");
    }
    if cursor.at_number() {
        return Err(cursor.expected("a value").help("quote a value that begins with a digit"));
    }
    cursor.word("a value")
}
