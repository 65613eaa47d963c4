//! The page of several sessions: a table with a link to each, their totals, and charts.

use std::collections::BTreeMap;

use interlingua::vocabulary::{Timestamp, Usage};
use maud::{Markup, html};

use super::charts;
use super::format::{between, cost, count, duration, name, short, time, tokens};
use super::page::{Frame, document, title};
use super::session::Session;

/// A session in the table.
pub struct Row {
    /// The name of its page.
    pub page: String,
    title: String,
    agent: Option<&'static str>,
    model: Option<String>,
    started: Option<Timestamp>,
    millis: Option<u64>,
    turns: u64,
    calls: u64,
    failed: u64,
    errors: u64,
    usage: Option<Usage>,
}

impl Row {
    /// What the table says of a session.
    pub fn new(session: &Session, page: String) -> Self {
        let transcript = &session.transcript;
        let main = transcript.sessions.first();
        let calls = || transcript.sessions.iter().flat_map(|session| &session.counts.tool_calls);
        Self {
            page,
            title: title(session),
            agent: session.agent(),
            model: main.and_then(|main| main.model.clone()),
            started: main.and_then(|main| main.started_at),
            millis: main.and_then(|main| between(main.started_at, main.updated_at)),
            turns: transcript.sessions.iter().map(|session| session.counts.turns).sum(),
            calls: calls().map(|calls| calls.calls).sum(),
            failed: calls().map(|calls| calls.failed).sum(),
            errors: transcript.sessions.iter().map(|session| session.counts.errors).sum(),
            usage: transcript.usage(),
        }
    }

    fn tokens(&self) -> Option<u64> {
        self.usage.as_ref()?.total()
    }
}

/// The page.
pub fn rendered(rows: &[Row], redacted: Option<&str>) -> String {
    let unknown = || html! { span.quiet { "?" } };
    let usage = rows.iter().filter_map(|row| row.usage.clone()).reduce(|sum, usage| sum.plus(&usage));
    let content = html! {
        header.top {
            h1 { (count(rows.len() as u64)) " sessions" }
            dl.facts {
                div { dt { "turns" } dd { (count(rows.iter().map(|row| row.turns).sum())) } }
                div { dt { "tool calls" } dd { (count(rows.iter().map(|row| row.calls).sum())) } }
                div { dt { "failed" } dd { (count(rows.iter().map(|row| row.failed).sum())) } }
                div { dt { "errors" } dd { (count(rows.iter().map(|row| row.errors).sum())) } }
                div { dt { "tokens" } dd { @match &usage { Some(usage) => (tokens(usage)), None => (unknown()) } } }
                div { dt { "cost" } dd { (costs(rows)) } }
            }
        }
        section.charts aria-label="Charts" {
            h2 { "Charts" }
            div.grid {
                (chart("Tokens", "by day", rows, |row| row.started.map(|at| at.to_string()[..10].to_owned())))
                (chart("Tokens", "by agent", rows, |row| row.agent.map(str::to_owned)))
                (chart("Tokens", "by model", rows, |row| row.model.clone()))
            }
        }
        section aria-label="Sessions" {
            h2 { "Sessions" }
            div.scroll tabindex="0" role="group" aria-label="Table of sessions" {
                table.sessions {
                    thead { tr { @for head in ["session", "agent", "model", "started", "lasted", "turns", "tool calls", "failed", "errors", "tokens", "cost"] { th scope="col" { (head) } } } }
                    tbody {
                        @for row in rows {
                            tr.hit {
                                th scope="row" { a href=(row.page) { (row.title) } }
                                td { @match row.agent { Some(agent) => (agent), None => (unknown()) } }
                                td { @match &row.model { Some(model) => (name(model)), None => (unknown()) } }
                                td { @match row.started { Some(at) => (time(at)), None => (unknown()) } }
                                td { @match row.millis { Some(millis) => (duration(millis)), None => (unknown()) } }
                                td { (count(row.turns)) }
                                td { (count(row.calls)) }
                                td { (count(row.failed)) }
                                td { (count(row.errors)) }
                                td { @match row.tokens() { Some(tokens) => (short(tokens)), None => (unknown()) } }
                                td { @match row.usage.as_ref().and_then(|usage| usage.cost.as_ref()) { Some(amount) => (cost(amount)), None => (unknown()) } }
                            }
                        }
                    }
                }
            }
            p.quiet { "? means unknown, which is not zero. Each file is counted separately, so a call that is in two files counts twice." }
        }
    };
    let tools = html! {
        div.bar role="region" aria-label="Search" {
            div.js.find {
                label for="find" { "Search" }
                input type="search" id="find" autocomplete="off";
                span id="found" role="status" {}
            }
            div.js.buttons { button type="button" id="theme" { "Dark or light" } }
        }
    };
    let foot = html! {
        p { "Written by interlingua " (env!("CARGO_PKG_VERSION")) ". The page loads nothing and sends nothing."
            @if let Some(report) = redacted { " Redacted: " (report) "." }
        }
    };
    document(&Frame { title: "Sessions", tools, foot }, &content)
}

/// The costs by currency and by who says them, and how many sessions do not tell theirs.
fn costs(rows: &[Row]) -> Markup {
    let mut sums: Vec<interlingua::vocabulary::Cost> = Vec::new();
    let mut unknown = 0;
    for row in rows {
        match row.usage.as_ref().and_then(|usage| usage.cost.as_ref()) {
            Some(cost) => {
                let is_alike = |sum: &&mut interlingua::vocabulary::Cost| {
                    (&sum.currency, &sum.source) == (&cost.currency, &cost.source)
                };
                match sums.iter_mut().find(is_alike) {
                    Some(sum) => sum.amount += cost.amount,
                    None => sums.push(cost.clone()),
                }
            }
            None => unknown += 1,
        }
    }
    html! {
        @for sum in &sums { (cost(sum)) " " }
        @if unknown > 0 { span.quiet { (if sums.is_empty() { "unknown of " } else { "and unknown of " }) (unknown) " sessions" } }
    }
}

fn chart(title: &str, says: &str, rows: &[Row], key: impl Fn(&Row) -> Option<String>) -> Markup {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        if let Some(tokens) = row.tokens() {
            *sums.entry(key(row).unwrap_or_else(|| "unknown".to_owned())).or_default() += tokens;
        }
    }
    if sums.is_empty() {
        return html! {};
    }
    let rows: Vec<Vec<String>> = sums.iter().map(|(key, tokens)| vec![name(key), count(*tokens)]).collect();
    let mut lines: Vec<(String, u64, String)> =
        sums.into_iter().map(|(key, tokens)| (key, tokens, short(tokens))).collect();
    if !says.ends_with("day") {
        lines.sort_by_key(|(_, tokens, _)| std::cmp::Reverse(*tokens));
    } else if lines.len() > 8 {
        // The last days.
        lines.drain(..lines.len() - 8);
    }
    let svg = charts::lying(&format!("{title} {says}"), &lines);
    charts::figure(title, says, svg, &[says, "tokens"], &rows)
}
