//! The settings of a provider.

use interlingua_table::{Layer, TimeUnit};

use super::cursor::Cursor;
use super::expr::{absent, expr};
use super::lexer::Bracket;
use super::path::path;
use super::pattern::patterns;
use crate::ast::{Path, PathStep, Provider, Start, Word};
use crate::demands;
use crate::diagnostic::Fault;

pub(super) fn empty_provider(name: Word) -> Provider {
    Provider {
        name,
        title: None,
        install: None,
        files: Vec::new(),
        written_by: None,
        resume: None,
        layer: Layer::Agent,
        target: None,
        dialect_of: None,
        schema: None,
        framing: Vec::new(),
        end: Vec::new(),
        listens: None,
        turn_ends_with_input: false,
        demands: interlingua_table::Demands::NONE,
        events: None,
        receives: Vec::new(),
        accepts: Vec::new(),
        tag: Vec::new(),
        further_tags: Vec::new(),
        envelope: Vec::new(),
        body: None,
        message_id: Vec::new(),
        session: Vec::new(),
        turn: Vec::new(),
        agent: Vec::new(),
        time: Vec::new(),
        asks: None,
        answers: None,
        turn_answered_at_end: false,
    }
}

pub(super) fn settings(cursor: &mut Cursor, name: Word) -> Provider {
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
    let lonely = match (provider.files.first(), &provider.written_by) {
        (Some(lonely), None) => Some(lonely),
        (None, lonely) => lonely.as_ref().filter(|_| !given.iter().any(|setting| setting == "files")),
        (Some(_), Some(_)) => None,
    };
    if let Some(lonely) = lonely {
        let message =
            "`files` and `written_by` are given together: the session files, and the agent that writes them";
        cursor.faults.push(Fault::new(lonely.span, message));
    }
    if let (Some(lonely), None) | (None, Some(lonely)) = (&provider.listens, &provider.events) {
        let message =
            "`listens` and `events` are given together: where the server is, and where it sends events";
        cursor.faults.push(Fault::new(lonely.span, message));
    }
    provider
}

fn setting(cursor: &mut Cursor, provider: &mut Provider, given: &mut Vec<String>) -> Result<(), Fault> {
    const KNOWN: [&str; 30] = [
        "dialect_of",
        "title",
        "install",
        "files",
        "written_by",
        "resume",
        "layer",
        "schema",
        "framing",
        "end",
        "listens",
        "events",
        "turn_ends",
        "call_ids",
        "results",
        "blank_texts",
        "receives",
        "accepts",
        "envelope",
        "body",
        "message_id",
        "tag",
        "session",
        "turn",
        "agent",
        "time",
        "asks",
        "answers",
        "answered",
        "turn_answered",
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
        "files" => provider.files = listed(cursor, file_pattern)?,
        "written_by" => provider.written_by = Some(cursor.name("the name of the agent's provider")?),
        "resume" => provider.resume = Some(cursor.text("the command that continues a session, as a text")?),
        "layer" => provider.layer = layer(cursor)?,
        "dialect_of" => provider.dialect_of = Some(cursor.name("the name of a provider")?),
        "end" => provider.end = listed(cursor, |cursor| cursor.text("a text that ends the stream"))?,
        "turn_ends" => provider.turn_ends_with_input = turn_ends(cursor)?,
        "turn_answered" => provider.turn_answered_at_end = turn_answered(cursor)?,
        "call_ids" => {
            provider.demands.call_ids = demands::call_ids(&cursor.text("a pattern, as a text")?)?;
        }
        "results" => {
            provider.demands.results = demands::results(&cursor.name("`after-message` or `after-turn`")?)?;
        }
        "blank_texts" => {
            provider.demands.no_blank_texts = demands::blank_texts(&cursor.name("`refused` or `taken`")?)?;
        }
        "listens" => {
            provider.listens = Some(cursor.text("the text before the server's address, as a text")?);
        }
        "events" => provider.events = Some(cursor.text("the path of the stream of events, as a text")?),
        "schema" => provider.schema = Some(cursor.text("the path of the schema file, as a text")?),
        "framing" => provider.framing = listed(cursor, framing)?,
        "receives" => provider.receives = listed(cursor, |cursor| cursor.word("the name of a definition"))?,
        "accepts" => provider.accepts = listed(cursor, |cursor| cursor.word("the name of a definition"))?,
        "tag" => provider.tag = listed(cursor, plain_path)?,
        "message_id" => provider.message_id = listed(cursor, plain_path)?,
        "envelope" => provider.envelope = listed(cursor, plain_path)?,
        "body" => provider.body = Some(plain_path(cursor)?),
        "session" => provider.session = listed(cursor, plain_path)?,
        "turn" => provider.turn = listed(cursor, plain_path)?,
        "agent" => provider.agent = listed(cursor, plain_path)?,
        "asks" => provider.asks = Some(expr(cursor)?),
        "answers" => {
            let member = provider.answers.take().and_then(|(_, member)| member);
            provider.answers = Some((expr(cursor)?, member));
        }
        "answered" => {
            let member = Some(cursor.word("the name of a member")?);
            let id = provider.answers.take().map_or_else(|| absent(name.span), |(id, _)| id);
            provider.answers = Some((id, member));
        }
        _ => provider.time = listed(cursor, timed_path)?,
    }
    Ok(())
}

/// The pattern of session files: an absolute path, which may begin with the home folder or with a variable.
fn file_pattern(cursor: &mut Cursor) -> Result<Word, Fault> {
    let pattern = cursor.text("the pattern of the session files, as a text")?;
    let begin = pattern.text.trim_start_matches(|letter| letter != '$' && letter != '~' && letter != '/');
    if begin.len() != pattern.text.len() || begin.is_empty() {
        let message = format!("the pattern `{}` is not an absolute path", pattern.text);
        return Err(
            Fault::new(pattern.span, message).help("begin it with `~/`, `/` or `${VARIABLE:-~/folder}/`")
        );
    }
    Ok(pattern)
}

fn layer(cursor: &mut Cursor) -> Result<Layer, Fault> {
    let layer = match cursor.word_ahead(0) {
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

/// Whether the message that begins a turn is answered only when that turn ends.
fn turn_answered(cursor: &mut Cursor) -> Result<bool, Fault> {
    const KNOWN: [&str; 2] = ["at-start", "at-end"];
    let when = cursor.name("`at-start` or `at-end`")?;
    if KNOWN.contains(&when.text.as_str()) {
        return Ok(when.text == "at-end");
    }
    Err(Fault::new(when.span, format!("unknown time of the answer `{}`", when.text))
        .suggest(&when.text, KNOWN))
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
pub(super) fn listed<T>(
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
pub(super) fn plain_path(cursor: &mut Cursor) -> Result<Path, Fault> {
    let path = path(cursor)?;
    let only_keys = path.steps.iter().all(|step| matches!(step, PathStep::Key(_)));
    if path.start == Start::Here && only_keys && !path.steps.is_empty() {
        return Ok(path);
    }
    Err(Fault::new(path.span, "a setting takes a path of keys from the message's root, such as `a.b`"))
}

/// A path with its unit: `seconds(a.b)`.
fn timed_path(cursor: &mut Cursor) -> Result<(Path, TimeUnit), Fault> {
    let unit = match cursor.word_ahead(0) {
        Some("seconds") => TimeUnit::Seconds,
        Some("milliseconds") => TimeUnit::Milliseconds,
        Some("rfc3339") => TimeUnit::Rfc3339,
        _ => return Err(cursor.expected("`seconds(PATH)`, `milliseconds(PATH)` or `rfc3339(PATH)`")),
    };
    cursor.advance();
    Ok((cursor.inside(Bracket::Round, plain_path)?, unit))
}
