//! The page of a session.

use hmac_sha256::Hash;
use interlingua::vocabulary::{
    CostSource, Item, ItemKind, ItemRole, MessageSource, TranscriptSession, TranscriptTurn, TurnEndReason,
};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::charts;
use super::entries::{Entries, Entry, Trouble};
use super::format::{between, clean, cost, count, duration, excerpt, name, time, tokens};
use super::pieces::{Pieces, source};
use super::session::Session;

const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");

/// From how many bytes of entries on a page keeps its parts compressed.
const WHOLE: usize = 700 << 10;

/// How many bytes of entries a compressed part has.
const PART: usize = 96 << 10;

/// How large a page becomes at most, in bytes: native lines that exceed it are left out.
const PAGE: usize = 4_800_000;

/// What is on a page beside its content.
pub struct Frame<'t> {
    /// The title.
    pub title: &'t str,
    /// What stands above the content, for the keyboard and for searching.
    pub tools: Markup,
    /// What stands at the end.
    pub foot: Markup,
}

/// A whole document around a content. It may load nothing, and runs only the script that stands in it.
pub fn document(frame: &Frame<'_>, content: &Markup) -> String {
    let hash = |text: &str| STANDARD.encode(Hash::hash(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (frame.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (frame.tools)
                main id="main" tabindex="-1" { (content) }
                footer { (frame.foot) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The page of a session.
pub fn rendered(session: &Session) -> String {
    let long = if session.bytes.len() > 1 << 20 { 4 << 10 } else { 16 << 10 };
    let agents = session.transcript.agents();
    let mut entries = Entries::new(&session.trace, Pieces::new(long), &agents);
    let mut parts = Vec::new();
    // Sub-agents stand in the calls that started them. The others stand here.
    let mut mains = Vec::new();
    let mut pending: Vec<_> = agents.iter().rev().map(|agent| (agent, true)).collect();
    while let Some((agent, is_main)) = pending.pop() {
        if is_main || agent.call.is_none() {
            mains.push((agent, is_main));
        }
        let same =
            |inner: &interlingua::transcript::Agent<'_>| inner.session.session_id == agent.session.session_id;
        pending.extend(agent.agents.iter().rev().filter(|inner| !same(inner)).map(|inner| (inner, false)));
    }
    for (agent, is_main) in &mains {
        if *is_main {
            parts.extend(conversation(&mut entries, agent.session, session));
        } else {
            let html = entries.child(agent);
            parts.push(Part { html: html.into_string(), prompt: None, nav: None });
        }
    }
    let nav: Vec<(String, String)> = parts.iter_mut().filter_map(|part| part.nav.take()).collect();
    let Entries { pieces, troubles, .. } = entries;
    let mut store = pieces.store;
    let size: usize = parts.iter().map(|part| part.html.len()).sum();
    let conversation = if size <= WHOLE {
        html! { @for part in &parts { (PreEscaped(&part.html)) } }
    } else {
        let mut stubs = Vec::new();
        let mut begin = 0;
        while begin < parts.len() {
            let mut end = begin;
            let mut text = String::new();
            while end < parts.len() && text.len() < PART {
                text.push_str(&parts[end].html);
                end += 1;
            }
            let number = store.part(&text);
            let prompts: Vec<&String> =
                parts[begin..end].iter().filter_map(|part| part.prompt.as_ref()).collect();
            stubs.push(html! {
                div.part data-p=(number) {
                    p.quiet { (end - begin) " entries, which are shown when you scroll to them" }
                    @if !prompts.is_empty() { ul { @for prompt in prompts.iter().take(40) { li { (prompt) } } } }
                }
            });
            begin = end;
        }
        html! {
            noscript { p { "This session is long: without JavaScript only its prompts are shown." } }
            @for stub in stubs { (stub) }
        }
    };
    session.natives().for_each(|(line, text)| store.native(line, &text));
    let main = session.transcript.sessions.first();
    let title = title(session);
    let content = html! {
        header.top {
            h1 { (title) }
            @if let Some(main) = main { (facts(session, main)) }
        }
        @for (agent, _) in mains.iter().filter(|(agent, is_main)| *is_main && !agent.session.items.is_empty()).take(3) {
            @if let Some(trace) = session.trace.session(&agent.session.session_id) { (charts::rendered(agent.session, trace)) }
        }
        (failures(&troubles))
        @if nav.len() > 1 {
            nav.turns aria-label="Turns" {
                details open[nav.len() <= 12] {
                    summary { h2 { "Turns" } span.quiet { " " (nav.len()) } }
                    ol { @for (id, text) in nav.iter().take(2000) { li { a href={ "#" (id) } { (text) } } } }
                }
            }
        }
        section.talk id="talk" aria-label="Conversation" {
            h2 { "Conversation" }
            @if parts.is_empty() { p.quiet { "Nothing was recorded." } }
            (conversation)
        }
    };
    let rest = PAGE.saturating_sub(content.0.len());
    let (packs, left_out) = store.written(rest);
    let foot = html! {
        p { "Written by interlingua " (env!("CARGO_PKG_VERSION")) ". The page loads nothing and sends nothing."
            @if left_out > 0 {
                " " (count(left_out)) " native lines are left out to keep it small: "
                code { "interlingua explain FILE --line N" } " shows them."
            }
            @if let Some(report) = &session.redacted { " Redacted: " (report) ". Native lines are left out." }
        }
    };
    let content = html! { (content) (packs) };
    document(&Frame { title: &title, tools: tools(), foot }, &content)
}

/// The title of a session.
pub fn title(session: &Session) -> String {
    let main = session.transcript.sessions.first();
    match main.and_then(|main| main.title.as_ref()) {
        Some(title) => excerpt(title, 120),
        None => {
            let is_prompt = |item: &Item| {
                let by_user = matches!(item.source, None | Some(MessageSource::User));
                item.role == Some(ItemRole::User) && item.kind == ItemKind::Message && by_user
            };
            let prompt = main.and_then(|main| {
                let prompts = main.items.iter().filter(|entry| is_prompt(&entry.item));
                prompts.map(|entry| excerpt(&entry.item.text(), 80)).find(|text| !text.is_empty())
            });
            prompt.unwrap_or_else(|| {
                let id = main.and_then(|main| main.native_session_id.as_ref());
                let id = id.map_or_else(|| name(&session.name), |id| name(id.as_str()));
                format!("{} session {id}", session.agent().unwrap_or_default()).trim().to_owned()
            })
        }
    }
}

fn tools() -> Markup {
    let filters = [
        ("user", "user"),
        ("agent", "assistant"),
        ("reason", "reasoning"),
        ("tool", "tools"),
        ("plan", "plans"),
        ("ask", "requests"),
        ("error", "errors"),
        ("note", "notices"),
    ];
    html! {
        div.bar role="region" aria-label="Search and filters" {
            div.js.find {
                label for="find" { "Search" }
                input type="search" id="find" autocomplete="off";
                span id="found" role="status" {}
            }
            fieldset {
                legend { "Show" }
                @for (kind, label) in filters {
                    label { input type="checkbox" checked id={ "f-" (kind) }; " " (label) }
                }
            }
            div.js.buttons {
                button type="button" id="open" aria-pressed="false" { "Open all" }
                button type="button" id="split" aria-pressed="false" { "Diffs side by side" }
                button type="button" id="theme" { "Dark or light" }
                button type="button" id="help" aria-expanded="false" { "Keys" }
            }
        }
        div id="keys" hidden {
            p { kbd { "/" } " search, " kbd { "j" } " " kbd { "k" } " next and previous entry, " kbd { "n" } " " kbd { "p" }
                " next and previous turn, " kbd { "f" } " next failure, " kbd { "Enter" } " open or fold, " kbd { "o" }
                " open or fold all, " kbd { "s" } " diffs side by side, " kbd { "t" } " dark or light" }
        }
        ol id="hits" hidden aria-label="Search results" {}
    }
}

fn facts(session: &Session, main: &TranscriptSession) -> Markup {
    let usage = main.usage.total.as_ref();
    let calls: u64 = main.counts.tool_calls.iter().map(|calls| calls.calls).sum();
    let failed: u64 = main.counts.tool_calls.iter().map(|calls| calls.failed).sum();
    let text = |text: Option<&String>| text.map(|text| html! { (name(text)) });
    let facts: Vec<(&str, Option<Markup>)> = vec![
        (
            "agent",
            session.agent().map(
                |agent| html! { (agent) @if let Some(version) = &main.agent_version { " " (name(version)) } },
            ),
        ),
        ("model", text(main.model.as_ref())),
        ("folder", text(main.cwd.as_ref())),
        ("session", main.native_session_id.as_ref().map(|id| html! { code { (name(id.as_str())) } })),
        ("started", main.started_at.map(time)),
        ("lasted", between(main.started_at, main.updated_at).map(|millis| html! { (duration(millis)) })),
        ("turns", Some(html! { (count(main.counts.turns)) })),
        ("tool calls", Some(html! { (count(calls)) @if failed > 0 { ", " (count(failed)) " failed" } })),
        ("tokens", usage.map(tokens).filter(|text| !text.is_empty()).map(|text| html! { (text) })),
        ("cost", usage.and_then(|usage| usage.cost.as_ref()).map(|amount| html! { (cost(amount)) @if amount.source == CostSource::PriceList { span.quiet { " by the price list" } } })),
        ("files changed", (!main.files.is_empty()).then(|| html! { (main.files.len()) })),
        ("permission mode", text(main.permission_mode.as_ref())),
    ];
    let number = session.trace.session(&main.session_id);
    html! {
        dl.facts {
            @for (label, value) in facts {
                div {
                    dt { (label) }
                    dd { @match value { Some(value) => (value), None => span.quiet { "not recorded" } } }
                }
            }
        }
        @if let Some(trace) = number { (source(main.session_id.as_str(), &trace.about)) }
        @if let Some(plan) = &main.plan {
            details.plan-now { summary { "Latest plan" }
                ul { @for entry in &plan.entries { li { (name(entry.status.as_str())) ": " (clean(&entry.text)) } } }
            }
        }
    }
}

fn failures(troubles: &[Trouble]) -> Markup {
    html! {
        @if !troubles.is_empty() {
            section.failures aria-label="Failures" {
                details open[troubles.len() <= 12] {
                    summary { h2 { "Failures" } span.quiet { " " (troubles.len()) } }
                    ol {
                        @for trouble in troubles.iter().take(1000) {
                            li { a href={ "#" (trouble.id) } { (trouble.what) } " " (trouble.text) }
                        }
                        @if troubles.len() > 1000 { li { "and " (troubles.len() - 1000) " more" } }
                    }
                }
            }
        }
    }
}

/// A piece of the conversation.
struct Part {
    html: String,
    prompt: Option<String>,
    /// The place and the text of a turn's link.
    nav: Option<(String, String)>,
}

/// The entries of a main session with a heading for each turn, and how it ended.
fn conversation<'t>(
    entries: &mut Entries<'t>,
    main: &'t TranscriptSession,
    session: &'t Session,
) -> Vec<Part> {
    let Some(trace) = session.trace.session(&main.session_id) else { return Vec::new() };
    let mut parts: Vec<Part> = Vec::new();
    let mut last: Option<usize> = None;
    let all = entries.session(main);
    let places: std::collections::HashMap<_, _> =
        main.turns.iter().enumerate().map(|(place, turn)| (&turn.turn_id, place)).collect();
    let mut heading: Option<usize> = None;
    for Entry { turn, prompt, html } in all {
        let place = turn.as_ref().and_then(|id| places.get(id).copied());
        if place.is_some() && place != last {
            if let Some(before) = last {
                parts.extend(ending(entries, &main.turns[before], trace.number, before));
            }
            last = place;
            let number = place.unwrap_or_default();
            let turn = &main.turns[number];
            let from = trace.turn(&turn.turn_id);
            let id = format!("t{}-{}", trace.number, number + 1);
            let html = html! {
                div.turn id=(id) {
                    h3 { a href={ "#" (id) } { "Turn " (number + 1) } }
                    span.quiet { (about(turn)) }
                    (source(main.session_id.as_str(), &from))
                }
            };
            heading = Some(parts.len());
            parts.push(Part {
                html: html.into_string(),
                prompt: None,
                nav: Some((id, format!("Turn {}", number + 1))),
            });
        }
        if let (Some(at), Some(prompt)) = (heading, &prompt)
            && let Some((_, text)) = &mut parts[at].nav
        {
            // The first prompt of a turn names it.
            text.clone_from(prompt);
            heading = None;
        }
        parts.push(Part { html: html.into_string(), prompt, nav: None });
    }
    if let Some(before) = last {
        parts.extend(ending(entries, &main.turns[before], trace.number, before));
    }
    parts
}

fn about(turn: &TranscriptTurn) -> String {
    let mut facts = vec![turn.reason.as_ref().map_or("running".to_owned(), |reason| name(reason.tag()))];
    facts.extend(between(turn.started_at, turn.ended_at).map(duration));
    if let Some(usage) = &turn.usage {
        facts.extend(Some(tokens(usage)).filter(|text| !text.is_empty()));
        facts.extend(usage.cost.as_ref().map(cost));
    }
    facts.join(" · ")
}

/// How a turn ended, when it did not complete.
fn ending(entries: &mut Entries<'_>, turn: &TranscriptTurn, session: usize, place: usize) -> Option<Part> {
    let reason = turn.reason.as_ref().filter(|reason| !matches!(reason, TurnEndReason::Completed))?;
    let id = format!("t{session}-{}-end", place + 1);
    let text = turn.error.as_ref().map(|error| excerpt(&error.message, 160)).unwrap_or_default();
    let what = match reason {
        TurnEndReason::Interrupted => "turn interrupted",
        TurnEndReason::Failed => "turn failed",
        _ => "turn did not complete",
    };
    entries.troubles.push(Trouble {
        id: id.clone(),
        what,
        text: if text.is_empty() { name(reason.tag()) } else { text },
    });
    let error = turn.error.as_ref().map(|error| entries.error(error));
    let html = html! {
        article.e.k-error id=(id) aria-label=(what) {
            div.head { strong { "Turn " (place + 1) " ended: " (name(reason.tag())) } }
            @if let Some(error) = error { (error) }
        }
    };
    Some(Part { html: html.into_string(), prompt: None, nav: None })
}
