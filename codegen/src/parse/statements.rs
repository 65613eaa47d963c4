//! What stands at the top of a map: the provider, registers, value maps, blocks and rules.

use interlingua_table::RegisterScope;

use super::cond::cond;
use super::cursor::Cursor;
use super::expr::expr;
use super::lexer::Bracket;
use super::list::{block_value, list_block};
use super::path::{path, places};
use super::pattern::{joined, patterns};
use super::settings::{empty_provider, settings};
use super::steps::{all_steps, arm_steps, between_arms, binder, guarded, reason, recover_in_arms, steps};
use super::tables::{tools, value_map};
use super::target::target_settings;
use crate::ast::{
    Block, Cannot, Drop, FieldValue, Gives, Host, Map, Pattern, Provider, Register, Rule, RuleAction, Step,
    Word, Write,
};
use crate::diagnostic::Fault;
use crate::sources::{Sources, Span};

const STATEMENTS: &str = "`provider`, `target`, `include`, `register`, `values`, `tools`, `block`, `on`, `ignore`, `drop`, `to`, `emit`, `cannot` or `from`";

/// Reads a file that a map includes: its statements.
pub(super) type Include<'i> = dyn FnMut(&Word) -> Result<Map, Vec<Fault>> + 'i;

/// Reads all statements. One of a map is `provider`, and none of a file that a map includes.
pub(super) fn map(
    cursor: &mut Cursor,
    is_included: bool,
    include: &mut Include<'_>,
) -> Result<Map, Vec<Fault>> {
    let start = cursor.span();
    let mut provider = None;
    let mut map = Map {
        sources: Sources::default(),
        provider: empty_provider(Word { text: String::new(), span: start }),
        registers: Vec::new(),
        values: Vec::new(),
        tools: Vec::new(),
        blocks: Vec::new(),
        rules: Vec::new(),
        drops: Vec::new(),
        writes: Vec::new(),
        cannot: Vec::new(),
        hosts: Vec::new(),
    };
    while !cursor.is_empty() {
        let before = cursor.position();
        let names = cursor.names.mark();
        let read = statement(cursor, &mut map, &mut provider, is_included, include);
        cursor.names.forget(names);
        if let Err(fault) = read {
            cursor.faults.push(fault);
            if cursor.position() == before || !cursor.behind_braces() {
                cursor.recover();
            }
        }
    }
    match provider {
        Some(provider) => map.provider = provider,
        None if is_included => {}
        None => cursor
            .faults
            .push(Fault::new(start, "a map starts with `provider NAME { … }` or `target NAME { … }`")),
    }
    if cursor.faults.is_empty() { Ok(map) } else { Err(std::mem::take(&mut cursor.faults)) }
}

fn statement(
    cursor: &mut Cursor,
    map: &mut Map,
    provider: &mut Option<Provider>,
    is_included: bool,
    include: &mut Include<'_>,
) -> Result<(), Fault> {
    let span = cursor.span();
    let keyword = cursor.word_ahead(0).unwrap_or_default().to_owned();
    let known = [
        "provider", "target", "include", "register", "values", "tools", "block", "on", "ignore", "drop",
        "to", "emit", "cannot", "from",
    ];
    if !known.contains(&keyword.as_str()) {
        return Err(cursor.expected(STATEMENTS));
    }
    cursor.advance();
    match keyword.as_str() {
        "provider" | "target" => {
            let name = cursor.name("the name of the provider")?;
            if provider.is_some() {
                return Err(Fault::new(span, "a map has one `provider` or `target`, and this is the second"));
            }
            if is_included {
                let message =
                    format!("`{keyword}` is allowed only in the map itself, not in a file that it includes");
                return Err(Fault::new(span, message));
            }
            let of = if keyword == "target" { target_settings } else { settings };
            *provider = Some(cursor.inside(Bracket::Brace, |inner| Ok(of(inner, name)))?);
        }
        "include" => {
            let file = cursor.text("the path of the file, as a text")?;
            cursor.marks(";")?;
            match include(&file) {
                Ok(included) => map.append(included),
                Err(mut faults) => cursor.faults.append(&mut faults),
            }
        }
        "register" => map.registers.extend(registers(cursor)?),
        "values" => map.values.push(value_map(cursor)?),
        "tools" => {
            let (rows, values) = tools(cursor)?;
            map.tools.extend(rows);
            map.values.push(values);
        }
        "block" => map.blocks.push(block(cursor)?),
        "on" => map.rules.extend(rules(cursor, span)?),
        "ignore" => {
            let patterns = patterns(cursor)?;
            let condition = guarded(cursor)?;
            let action = RuleAction::Ignore(reason(cursor)?);
            cursor.marks(";")?;
            map.rules.push(Rule { span, patterns, condition, name: None, context: Vec::new(), action });
        }
        "drop" => {
            let paths = places(cursor)?;
            let mut rules = Vec::new();
            if cursor.eat_word("within") {
                rules.push(rule_name(cursor)?);
                while cursor.eat_marks(",") {
                    rules.push(rule_name(cursor)?);
                }
            }
            map.drops.push(Drop { paths, rules, span, reason: reason(cursor)? });
            cursor.marks(";")?;
        }
        "to" => map.writes.push(write(cursor, false)?),
        "emit" => map.writes.push(write(cursor, true)?),
        "cannot" => map.cannot.push(cannot(cursor)?),
        _ => map.hosts.push(host(cursor, span)?),
    }
    Ok(())
}

/// The name of a rule, as a text where it is not made of words alone.
fn rule_name(cursor: &mut Cursor) -> Result<Word, Fault> {
    if cursor.at_text() { cursor.text("the name of a rule") } else { cursor.name("the name of a rule") }
}

/// The name of a command: words joined by `.` and `-`.
fn command(cursor: &mut Cursor) -> Result<Word, Fault> {
    let mut name = cursor.word("the name of a command")?;
    loop {
        let mark = if cursor.eat_marks(".") {
            '.'
        } else if cursor.eat_marks("-") {
            '-'
        } else {
            name.span = cursor.since(name.span);
            return Ok(name);
        };
        name.text.push(mark);
        name.text.push_str(&cursor.word("the rest of the command")?.text);
    }
}

/// `as NAME`, where there is one.
fn named(cursor: &mut Cursor) -> Result<Option<Word>, Fault> {
    if cursor.eat_word("as") { cursor.name("the name of the rule").map(Some) } else { Ok(None) }
}

/// What follows `to` or `emit`.
fn write(cursor: &mut Cursor, emits: bool) -> Result<Write, Fault> {
    let command = command(cursor)?;
    let mut needs = Vec::new();
    if !emits && cursor.eat_word("needs") {
        needs.push(path(cursor)?);
        while cursor.eat_marks(",") {
            needs.push(path(cursor)?);
        }
    }
    let condition = guarded(cursor)?;
    let name = named(cursor)?;
    Ok(Write { command, needs, condition, name, steps: steps(cursor)?, emits })
}

/// What follows `from`.
fn host(cursor: &mut Cursor, span: Span) -> Result<Host, Fault> {
    let http = if cursor.eat_word("http") {
        let method = cursor.word("the method, such as `POST`")?;
        Some((method, cursor.text("the pattern of the path, such as `\"/session/{session}\"`")?))
    } else {
        None
    };
    let condition = guarded(cursor)?;
    let (settings, steps) = cursor.inside(Bracket::Brace, rule_body)?;
    let mut session = None;
    for setting in settings {
        if setting.name.text != "session" {
            let message = format!("`{}` is no setting of a `from`, which has `session`", setting.name.text);
            return Err(Fault::new(setting.name.span, message));
        }
        session = Some(setting.expr());
    }
    Ok(Host { span, http, condition, session, steps })
}

/// What follows `cannot`.
fn cannot(cursor: &mut Cursor) -> Result<Cannot, Fault> {
    let command = command(cursor)?;
    let mut fields = Vec::new();
    if cursor.eat_marks(":") {
        fields.push(cursor.word("a field of the command")?);
        while cursor.eat_marks(",") {
            fields.push(cursor.word("a field of the command")?);
        }
    }
    let condition = if cursor.eat_word("if") { Some(cond(cursor)?) } else { None };
    let reason = reason(cursor)?;
    cursor.marks(";")?;
    Ok(Cannot { command, fields, condition, reason })
}

/// `a, b per OWNER;`.
fn registers(cursor: &mut Cursor) -> Result<Vec<Register>, Fault> {
    let mut names = vec![cursor.word("the name of the register")?];
    while cursor.eat_marks(",") {
        names.push(cursor.word("the name of the register")?);
    }
    cursor.keyword("per")?;
    let scope = match cursor.word_ahead(0) {
        Some("session") => RegisterScope::Session,
        Some("agent") => RegisterScope::Agent,
        Some("turn") => RegisterScope::Turn,
        Some("command") => RegisterScope::Command,
        _ => return Err(cursor.expected("`session`, `agent`, `turn` or `command`")),
    };
    cursor.advance();
    cursor.marks(";")?;
    Ok(names.into_iter().map(|name| Register { name, scope }).collect())
}

/// `NAME { STEPS }` or `NAME = VALUE;`, with `as $name` for the current value.
fn block(cursor: &mut Cursor) -> Result<Block, Fault> {
    let name = cursor.name("the name of the block")?;
    binder(cursor)?;
    if !cursor.eat_marks("=") {
        return Ok(Block { name, steps: steps(cursor)?, gives: Gives::Steps });
    }
    let block = if cursor.at_group(Bracket::Square) {
        Block { name, steps: list_block(cursor)?, gives: Gives::List }
    } else {
        let (steps, value) = block_value(cursor)?;
        Block { name, steps, gives: Gives::Value(value) }
    };
    cursor.marks(";")?;
    Ok(block)
}

/// What follows `on`: one rule, or those that have a pattern in common.
fn rules(cursor: &mut Cursor, span: Span) -> Result<Vec<Rule>, Fault> {
    let patterns = patterns(cursor)?;
    if cursor.eat_marks("/") {
        return cursor.inside(Bracket::Brace, |inner| {
            let mut rules = Vec::new();
            while !inner.is_empty() {
                let start = inner.position();
                let read = arm(inner, &patterns).and_then(|rule| between_arms(inner).map(|()| rule));
                match read {
                    Ok(rule) => rules.push(rule),
                    Err(fault) => {
                        inner.faults.push(fault);
                        if inner.position() == start || !inner.behind_braces() {
                            recover_in_arms(inner);
                        }
                    }
                }
            }
            Ok(rules)
        });
    }
    let condition = guarded(cursor)?;
    let name = named(cursor)?;
    let (context, steps) = cursor.inside(Bracket::Brace, rule_body)?;
    Ok(vec![Rule { span, patterns, condition, name, context, action: RuleAction::Steps(steps) }])
}

/// One of the rules that have a pattern in common: `a | b if CONDITION as NAME => BODY`.
fn arm(cursor: &mut Cursor, before: &[Pattern]) -> Result<Rule, Fault> {
    let ignored = cursor.at_word("ignore") && !cursor.marks_ahead(1, "=>") && !cursor.marks_ahead(1, "|");
    if ignored {
        cursor.advance();
    }
    let span = cursor.span();
    let patterns = joined(before, &patterns(cursor)?);
    let condition = guarded(cursor)?;
    if ignored {
        let action = RuleAction::Ignore(reason(cursor)?);
        return Ok(Rule { span, patterns, condition, name: None, context: Vec::new(), action });
    }
    let name = named(cursor)?;
    cursor.marks("=>")?;
    let (context, steps) = if cursor.at_group(Bracket::Brace) && !cursor.at_empty(Bracket::Brace) {
        cursor.inside(Bracket::Brace, rule_body)?
    } else {
        (Vec::new(), arm_steps(cursor)?)
    };
    Ok(Rule { span, patterns, condition, name, context, action: RuleAction::Steps(steps) })
}

/// The settings of a rule, and its steps.
fn rule_body(cursor: &mut Cursor) -> Result<(Vec<FieldValue>, Vec<Step>), Fault> {
    let mut settings = Vec::new();
    while cursor.word_ahead(0).is_some() && cursor.marks_ahead(1, ":") && !cursor.marks_ahead(1, "::") {
        let name = cursor.word("the name of a setting")?;
        cursor.marks(":")?;
        let value = Some(expr(cursor)?);
        cursor.marks(";")?;
        settings.push(FieldValue { name, value });
    }
    Ok((settings, all_steps(cursor)?))
}
