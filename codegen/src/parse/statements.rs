//! What stands at the top of a map: the provider, registers, value maps, blocks and rules.

use interlingua_table::{Layer, RegisterScope, TimeUnit};
use proc_macro2::{Delimiter, Span, TokenTree};

use super::cursor::Cursor;
use super::expr::{cond, path, path_of_all, time_unit};
use super::reason;
use super::steps::{fields, steps, value};
use super::tools::tools;
use crate::ast::{
    Block, Cannot, Drop, Host, Map, Path, Pattern, Provider, Register, Rule, RuleAction, Segment, ValueMap,
    Word, Write,
};
use crate::diagnostic::Fault;

const STATEMENTS: &str = "`provider`, `include`, `register`, `values`, `tools`, `block`, `on`, `ignore`, `drop`, `to`, `cannot` or `from`";

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
        if let Err(fault) = statement(cursor, &mut map, &mut provider, is_included, include) {
            cursor.faults.push(fault);
            if cursor.position() == before || !cursor.behind_braces() {
                cursor.recover();
            }
        }
    }
    match provider {
        Some(provider) => map.provider = provider,
        None if is_included => {}
        None => cursor.faults.push(Fault::new(start, "a map starts with `provider NAME { … }`")),
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
    let keyword = cursor.word_ahead(0).unwrap_or_default();
    match keyword.as_str() {
        "provider" => {
            cursor.advance();
            let name = cursor.name("the name of the provider")?;
            if provider.is_some() {
                return Err(Fault::new(span, "a map has one `provider`, and this is the second"));
            }
            if is_included {
                return Err(Fault::new(
                    span,
                    "`provider` stands only in the map itself, not in a file that it includes",
                ));
            }
            *provider = Some(cursor.inside(Delimiter::Brace, |inner| Ok(settings(inner, name)))?);
        }
        "include" => {
            cursor.advance();
            let file = cursor.text("the path of the file, as a text")?;
            cursor.marks(";")?;
            match include(&file) {
                Ok(included) => map.append(included),
                Err(mut faults) => cursor.faults.append(&mut faults),
            }
        }
        "register" => {
            cursor.advance();
            map.registers.push(register(cursor)?);
        }
        "values" => {
            cursor.advance();
            map.values.push(value_map(cursor)?);
        }
        "tools" => {
            cursor.advance();
            let (rows, values) = tools(cursor)?;
            map.tools.extend(rows);
            map.values.push(values);
        }
        "block" => {
            cursor.advance();
            let name = cursor.name("the name of the block")?;
            map.blocks.push(Block { name, steps: steps(cursor)? });
        }
        "on" | "ignore" => {
            cursor.advance();
            map.rules.push(rule(cursor, span, keyword == "ignore")?);
        }
        "drop" => {
            cursor.advance();
            let mut paths = vec![path_of_all(cursor)?];
            while cursor.eat_marks(",") {
                paths.push(path_of_all(cursor)?);
            }
            let mut rules = Vec::new();
            if cursor.eat_word("in") {
                rules.push(rule_name(cursor)?);
                while cursor.eat_marks(",") {
                    rules.push(rule_name(cursor)?);
                }
            }
            map.drops.push(Drop { paths, rules, span, reason: reason(cursor)? });
        }
        "to" => {
            cursor.advance();
            map.writes.push(write(cursor)?);
        }
        "cannot" => {
            cursor.advance();
            map.cannot.push(cannot(cursor)?);
        }
        "from" => {
            cursor.advance();
            map.hosts.push(host(cursor, span)?);
        }
        _ => return Err(cursor.expected(STATEMENTS)),
    }
    Ok(())
}

/// The name of a rule, as a text where it is not made of words alone.
fn rule_name(cursor: &mut Cursor) -> Result<Word, Fault> {
    if matches!(cursor.token(0), Some(TokenTree::Literal(_))) {
        return cursor.text("the name of a rule");
    }
    cursor.name("the name of a rule")
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
            return Ok(name);
        };
        name.text.push(mark);
        name.text.push_str(&cursor.word("the rest of the command")?.text);
    }
}

/// What follows `to`.
fn write(cursor: &mut Cursor) -> Result<Write, Fault> {
    let command = command(cursor)?;
    let mut needs = Vec::new();
    if cursor.eat_word("needs") {
        needs.push(path(cursor)?);
        while cursor.eat_marks(",") {
            needs.push(path(cursor)?);
        }
    }
    let condition = if cursor.eat_word("where") { Some(cond(cursor)?) } else { None };
    let name = if cursor.eat_word("as") { Some(cursor.name("the name of the rule")?) } else { None };
    Ok(Write { command, needs, condition, name, steps: steps(cursor)? })
}

/// What follows `from`.
fn host(cursor: &mut Cursor, span: Span) -> Result<Host, Fault> {
    let http = if cursor.eat_word("http") {
        let method = cursor.text("the method, such as `\"POST\"`")?;
        Some((method, cursor.text("the pattern of the path, such as `\"/session/{session}\"`")?))
    } else {
        None
    };
    let condition = if cursor.eat_word("where") { Some(cond(cursor)?) } else { None };
    let session = if cursor.eat_word("for") { Some(super::expr::expr(cursor)?) } else { None };
    Ok(Host { span, http, condition, session, steps: steps(cursor)? })
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
    let condition = if cursor.eat_word("where") { Some(cond(cursor)?) } else { None };
    Ok(Cannot { command, fields, condition, reason: reason(cursor)? })
}

fn empty_provider(name: Word) -> Provider {
    Provider {
        name,
        title: None,
        install: None,
        layer: Layer::Agent,
        dialect_of: None,
        schema: None,
        framing: Vec::new(),
        end: Vec::new(),
        listens: None,
        turn_ends_with_input: false,
        events: None,
        receives: Vec::new(),
        accepts: Vec::new(),
        tag: Vec::new(),
        further_tags: Vec::new(),
        envelope: Vec::new(),
        session: Vec::new(),
        turn: Vec::new(),
        agent: Vec::new(),
        time: Vec::new(),
        asks: None,
        answers: None,
    }
}

fn settings(cursor: &mut Cursor, name: Word) -> Provider {
    let mut provider = empty_provider(name);
    let mut given: Vec<String> = Vec::new();
    while !cursor.is_empty() {
        let read = setting(cursor, &mut provider, &mut given).and_then(|()| cursor.marks(";"));
        if let Err(fault) = read {
            cursor.faults.push(fault);
            cursor.recover();
        }
    }
    let needed = [
        ("title", provider.title.is_some()),
        ("schema", provider.schema.is_some()),
        ("framing", !provider.framing.is_empty()),
        ("receives", !provider.receives.is_empty()),
        ("tag", !provider.tag.is_empty()),
    ];
    for (setting, there) in needed {
        if !there && !given.iter().any(|known| known == setting) {
            let message = format!("the setting `{setting}` of provider `{}` is missing", provider.name.text);
            cursor.faults.push(Fault::new(provider.name.span, message));
        }
    }
    if let (Some(lonely), None) | (None, Some(lonely)) = (&provider.listens, &provider.events) {
        let message =
            "`listens` and `events` are given together: where the server is, and where it tells events";
        cursor.faults.push(Fault::new(lonely.span, message));
    }
    provider
}

fn setting(cursor: &mut Cursor, provider: &mut Provider, given: &mut Vec<String>) -> Result<(), Fault> {
    const KNOWN: [&str; 20] = [
        "dialect_of",
        "title",
        "install",
        "layer",
        "schema",
        "framing",
        "end",
        "listens",
        "events",
        "turn_ends",
        "receives",
        "accepts",
        "envelope",
        "tag",
        "session",
        "turn",
        "agent",
        "time",
        "asks",
        "answers",
    ];
    let name = cursor.word("the name of a setting")?;
    if !KNOWN.contains(&name.text.as_str()) {
        return Err(
            Fault::new(name.span, format!("unknown setting `{}`", name.text)).suggest(&name.text, KNOWN)
        );
    }
    if name.text == "tag" && !cursor.at_marks(":") {
        let patterns = patterns(cursor)?;
        cursor.marks(":")?;
        provider.further_tags.push((patterns, listed(cursor, plain_path)?));
        return Ok(());
    }
    if given.contains(&name.text) {
        return Err(Fault::new(name.span, format!("the setting `{}` is given twice", name.text)));
    }
    given.push(name.text.clone());
    cursor.marks(":")?;
    match name.text.as_str() {
        "title" => provider.title = Some(cursor.text("a text")?),
        "install" => provider.install = Some(cursor.text("how to install the program, as a text")?),
        "layer" => provider.layer = layer(cursor)?,
        "dialect_of" => provider.dialect_of = Some(cursor.name("the name of a provider")?),
        "end" => provider.end = listed(cursor, |cursor| cursor.text("a text that ends the stream"))?,
        "turn_ends" => provider.turn_ends_with_input = turn_ends(cursor)?,
        "listens" => {
            provider.listens = Some(cursor.text("the text before the server's address, as a text")?);
        }
        "events" => provider.events = Some(cursor.text("the path of the stream of events, as a text")?),
        "schema" => provider.schema = Some(cursor.text("the path of the schema file, as a text")?),
        "framing" => provider.framing = listed(cursor, framing)?,
        "receives" => provider.receives = listed(cursor, |cursor| cursor.word("the name of a definition"))?,
        "accepts" => provider.accepts = listed(cursor, |cursor| cursor.word("the name of a definition"))?,
        "tag" => provider.tag = listed(cursor, plain_path)?,
        "envelope" => provider.envelope = listed(cursor, plain_path)?,
        "session" => provider.session = listed(cursor, plain_path)?,
        "turn" => provider.turn = listed(cursor, plain_path)?,
        "agent" => provider.agent = listed(cursor, plain_path)?,
        "asks" => provider.asks = Some(super::expr::expr(cursor)?),
        "answers" => {
            let id = super::expr::expr(cursor)?;
            let member =
                if cursor.eat_word("in") { Some(cursor.word("the name of a member")?) } else { None };
            provider.answers = Some((id, member));
        }
        _ => provider.time = listed(cursor, timed_path)?,
    }
    Ok(())
}

fn layer(cursor: &mut Cursor) -> Result<Layer, Fault> {
    let layer = match cursor.word_ahead(0).as_deref() {
        Some("agent") => Layer::Agent,
        Some("model") => Layer::Model,
        _ => return Err(cursor.expected("`agent` or `model`")),
    };
    cursor.advance();
    Ok(layer)
}

/// Whether the program ends its turn only when its input has ended.
fn turn_ends(cursor: &mut Cursor) -> Result<bool, Fault> {
    const KNOWN: [&str; 2] = ["by-itself", "with-input"];
    let how = cursor.name("`by-itself` or `with-input`")?;
    if KNOWN.contains(&how.text.as_str()) {
        return Ok(how.text == "with-input");
    }
    Err(Fault::new(how.span, format!("unknown end of turns `{}`", how.text)).suggest(&how.text, KNOWN))
}

fn framing(cursor: &mut Cursor) -> Result<Word, Fault> {
    const KNOWN: [&str; 4] = ["jsonl", "sse", "json-rpc", "json"];
    let framing = cursor.name("`jsonl`, `sse`, `json-rpc` or `json`")?;
    if KNOWN.contains(&framing.text.as_str()) {
        return Ok(framing);
    }
    Err(Fault::new(framing.span, format!("unknown framing `{}`", framing.text)).suggest(&framing.text, KNOWN))
}

/// One or more, with `,` between them.
fn listed<T>(
    cursor: &mut Cursor,
    mut read: impl FnMut(&mut Cursor) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut all = vec![read(cursor)?];
    while cursor.eat_marks(",") {
        all.push(read(cursor)?);
    }
    Ok(all)
}

/// A path of keys from the message's root, as settings have them.
fn plain_path(cursor: &mut Cursor) -> Result<Path, Fault> {
    let path = path(cursor)?;
    let only_keys = path.steps.iter().all(|step| matches!(step, crate::ast::PathStep::Key(_)));
    if path.scope == interlingua_table::Scope::Here && only_keys && !path.steps.is_empty() {
        return Ok(path);
    }
    Err(Fault::new(path.span, "a setting takes a path of keys from the message's root, such as `a.b`"))
}

fn timed_path(cursor: &mut Cursor) -> Result<(Path, TimeUnit), Fault> {
    let path = plain_path(cursor)?;
    cursor.keyword("as")?;
    let unit = cursor
        .word_ahead(0)
        .as_deref()
        .and_then(time_unit)
        .ok_or_else(|| cursor.expected("`seconds`, `milliseconds` or `rfc3339`"))?;
    cursor.advance();
    Ok((path, unit))
}

fn register(cursor: &mut Cursor) -> Result<Register, Fault> {
    let name = cursor.word("the name of the register")?;
    cursor.keyword("per")?;
    let scope = match cursor.word_ahead(0).as_deref() {
        Some("session") => RegisterScope::Session,
        Some("agent") => RegisterScope::Agent,
        Some("turn") => RegisterScope::Turn,
        Some("command") => RegisterScope::Command,
        _ => return Err(cursor.expected("`session`, `agent`, `turn` or `command`")),
    };
    cursor.advance();
    cursor.marks(";")?;
    Ok(Register { name, scope })
}

fn value_map(cursor: &mut Cursor) -> Result<ValueMap, Fault> {
    let name = cursor.word("the name of the value map")?;
    cursor.inside(Delimiter::Brace, |inner| {
        let mut map = ValueMap { name, pairs: Vec::new(), otherwise: None };
        while !inner.is_empty() {
            if let Err(fault) = value_line(inner, &mut map) {
                inner.faults.push(fault);
                inner.recover();
            }
        }
        Ok(map)
    })
}

/// `a | b => "x";`, with `else` for the values that the schema does not know.
fn value_line(cursor: &mut Cursor, map: &mut ValueMap) -> Result<(), Fault> {
    let span = cursor.span();
    let mut natives = Vec::new();
    let mut is_else = false;
    loop {
        if cursor.eat_word("else") {
            is_else = true;
        } else {
            natives.push(value(cursor)?);
        }
        if !cursor.eat_marks("|") {
            break;
        }
    }
    cursor.marks("=>")?;
    let universal = if cursor.eat_word("absent") { None } else { Some(cursor.text("a text or `absent`")?) };
    cursor.marks(";")?;
    if is_else && map.otherwise.replace(universal.clone()).is_some() {
        return Err(Fault::new(span, "`else` is given twice"));
    }
    map.pairs.extend(natives.into_iter().map(|native| (native, universal.clone())));
    Ok(())
}

/// Patterns with `|` between them.
fn patterns(cursor: &mut Cursor) -> Result<Vec<Pattern>, Fault> {
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
            return Err(Fault::new(cursor.span(), "`*` stands only in the last place of a pattern"));
        }
        segments.push(segment(cursor, segments.is_empty())?);
        if !cursor.eat_marks("/") {
            return Ok(Pattern { span, segments });
        }
    }
}

fn segment(cursor: &mut Cursor, first: bool) -> Result<Segment, Fault> {
    if cursor.at_marks("?") {
        if !first {
            return Err(Fault::new(cursor.span(), "`?member` stands only in the first place of a pattern"));
        }
        cursor.advance();
        return Ok(Segment::Member(plain_path(cursor)?));
    }
    if cursor.at_group(Delimiter::Parenthesis) {
        return cursor.inside(Delimiter::Parenthesis, |inner| {
            let mut values = vec![value_or_star(inner)?];
            while inner.eat_marks("|") {
                values.push(value_or_star(inner)?);
            }
            Ok(Segment::Values(values))
        });
    }
    Ok(Segment::Values(vec![value_or_star(cursor)?]))
}

fn value_or_star(cursor: &mut Cursor) -> Result<Option<Word>, Fault> {
    if cursor.eat_marks("*") { Ok(None) } else { value(cursor).map(Some) }
}

fn rule(cursor: &mut Cursor, span: Span, ignored: bool) -> Result<Rule, Fault> {
    let patterns = patterns(cursor)?;
    let condition = if cursor.eat_word("where") { Some(cond(cursor)?) } else { None };
    let (name, context, action) = if ignored {
        (None, Vec::new(), RuleAction::Ignore(reason(cursor)?))
    } else {
        let name = if cursor.eat_word("as") { Some(cursor.name("the name of the rule")?) } else { None };
        let context = if cursor.eat_word("with") { fields(cursor)? } else { Vec::new() };
        (name, context, RuleAction::Steps(steps(cursor)?))
    };
    Ok(Rule { span, patterns, condition, name, context, action })
}
