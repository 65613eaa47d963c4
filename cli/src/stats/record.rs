//! What is told of a session.

use std::path::PathBuf;

use interlingua::table::Table;
use interlingua::vocabulary::{Cost, Timestamp, ToolKind, TranscriptCalls};
use jiff::civil::Date;
use serde::Serialize;

use super::reading::Summary;
use super::sum::Sum;
use super::tokens::Tokens;

/// A session with its counts.
pub struct Record {
    /// Who wrote it; not known of a stored stream.
    pub table: Option<&'static Table>,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
    /// The session. Its counts include those of its sub-agents that have files of their own.
    pub summary: Summary,
    /// What it used, with its sub-agents.
    pub sum: Sum,
    /// The same by model.
    pub models: Vec<(Option<String>, Sum)>,
    /// The same by day, in order, where the calls have times. Most sessions have one day and one model, so that a list
    /// without room to spare is smallest.
    pub days: Vec<(Date, Sum)>,
    /// The sub-agents that have files of their own.
    pub parts: Vec<Part>,
    /// How many of its calls are copies from another session, which are not counted here.
    pub copied: u64,
}

/// A sub-agent of a session.
pub struct Part {
    /// The agent's name of it.
    pub native: Option<String>,
    /// What it was asked, or its title.
    pub title: Option<String>,
    /// Its files.
    pub files: Vec<PathBuf>,
    /// What it used.
    pub sum: Sum,
}

impl Summary {
    /// The session that this one is a part of, of which nothing else is known.
    pub fn stand_in(&self, native: String) -> Self {
        Self {
            id: self.id.clone(),
            native: Some(native),
            cwd: self.cwd.clone(),
            model: self.model.clone(),
            ..Self::default()
        }
    }
}

impl Record {
    /// A session of which nothing has been counted.
    pub fn new(table: Option<&'static Table>, file: PathBuf, summary: Summary) -> Self {
        Self {
            table,
            files: vec![file],
            summary,
            sum: Sum::default(),
            models: Vec::new(),
            days: Vec::new(),
            parts: Vec::new(),
            copied: 0,
        }
    }

    /// Counts what calls of a model used on a day.
    pub fn count(&mut self, model: Option<&str>, day: Option<Date>, sum: &Sum) {
        self.sum.add(sum);
        self.of_model(model).add(sum);
        if let Some(day) = day {
            self.of_day(day).add(sum);
        }
    }

    fn of_day(&mut self, day: Date) -> &mut Sum {
        let place = self.days.binary_search_by_key(&day, |(known, _)| *known).unwrap_or_else(|place| {
            self.days.reserve_exact(1);
            self.days.insert(place, (day, Sum::default()));
            place
        });
        &mut self.days[place].1
    }

    fn of_model(&mut self, model: Option<&str>) -> &mut Sum {
        let place =
            self.models.iter().position(|(known, _)| known.as_deref() == model).unwrap_or_else(|| {
                self.models.reserve_exact(1);
                self.models.push((model.map(str::to_owned), Sum::default()));
                self.models.len() - 1
            });
        &mut self.models[place].1
    }

    /// The agent's name of the session.
    pub fn native(&self) -> Option<&str> {
        self.summary.native.as_deref()
    }

    /// The agent by its provider name.
    pub fn agent(&self) -> Option<&'static str> {
        let table = self.table?;
        Some(if table.written_by.is_empty() { table.provider } else { table.written_by })
    }

    /// The session's name for people: its title, its first prompt, the agent's name of it, or the file.
    pub fn name(&self) -> String {
        let native = || self.native().map(str::to_owned);
        let file = || self.files.first().map_or(String::new(), |file| file.display().to_string());
        self.title().map(str::to_owned).or_else(native).unwrap_or_else(file)
    }

    /// Its title or its first prompt.
    pub fn title(&self) -> Option<&str> {
        let title = self.summary.title.as_deref().filter(|title| !title.trim().is_empty());
        title.or(self.summary.prompt.as_deref())
    }

    /// How long the session took in milliseconds, from its first event to its last one, where they have times.
    pub fn took(&self) -> Option<u64> {
        let (start, end) = (self.summary.started?, self.summary.ended?);
        u64::try_from(end.unix_millis() - start.unix_millis()).ok()
    }

    /// The command that continues the session.
    pub fn resume(&self) -> Option<String> {
        let command = self.table?.resume;
        let native = self.native()?;
        // A name that a shell would take for more than a word is no name of an agent.
        let is_word = native.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/@+".contains(&byte));
        (!command.is_empty() && is_word && !native.starts_with('-')).then(|| format!("{command} {native}"))
    }

    /// Takes what is told of the same session in another file of it.
    pub fn take(&mut self, mut other: Self) {
        let summary = &mut self.summary;
        let earlier = other.summary.started.is_some_and(|at| summary.started.is_none_or(|known| at < known));
        let later = other.summary.ended >= summary.ended;
        summary.turns += other.summary.turns;
        newer(&mut summary.title, other.summary.title.take(), later);
        newer(&mut summary.model, other.summary.model.take(), later);
        newer(&mut summary.more.branch, other.summary.more.branch.take(), later);
        newer(&mut summary.prompt, other.summary.prompt.take(), earlier);
        newer(&mut summary.cwd, other.summary.cwd.take(), earlier);
        newer(&mut summary.resumed_from, other.summary.resumed_from.take(), earlier);
        self.copied += other.copied;
        self.parts.append(&mut other.parts);
        self.take_counts(other);
    }

    /// Adds the counts of another record.
    pub fn take_counts(&mut self, other: Self) {
        for file in other.files {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
        self.sum.add(&other.sum);
        for (model, sum) in &other.models {
            self.of_model(model.as_deref()).add(sum);
        }
        for (day, sum) in &other.days {
            self.of_day(*day).add(sum);
        }
        let (summary, other) = (&mut self.summary, other.summary);
        summary.started = earliest(summary.started, other.started);
        summary.ended = summary.ended.max(other.ended);
        summary.errors += other.errors;
        summary.unparsed += other.unparsed;
        for calls in other.tools {
            let is_kind = |known: &&mut TranscriptCalls| known.tool_kind == calls.tool_kind;
            match summary.tools.iter_mut().find(is_kind) {
                Some(known) => {
                    known.calls += calls.calls;
                    known.failed += calls.failed;
                    known.declined += calls.declined;
                }
                None => summary.tools.push(calls),
            }
        }
        for path in other.changed {
            if !summary.changed.contains(&path) {
                summary.changed.push(path);
            }
        }
    }

    /// The record as JSON. What is not known is null.
    pub fn line(&self) -> Line<'_> {
        let summary = &self.summary;
        let part = |part| Share::of_part(part);
        Line {
            provider: self.agent(),
            session_id: &summary.id,
            native_session_id: self.native(),
            parent: summary.more.parent.as_deref().or(summary.parent.as_deref()),
            resumed_from: summary.resumed_from.as_deref(),
            files: self.files.iter().map(|file| file.display().to_string()).collect(),
            title: summary.title.as_deref(),
            prompt: summary.prompt.as_deref(),
            cwd: summary.cwd.as_deref(),
            model: summary.model.as_deref(),
            branch: summary.more.branch.as_deref(),
            started: summary.started,
            ended: summary.ended,
            turns: summary.turns,
            calls: Some(self.sum.calls).filter(|calls| *calls > 0 || self.usage().is_none()),
            tool_calls: summary.tools.iter().map(|calls| calls.calls).sum(),
            tools: summary.tools.iter().map(Tools::of).collect(),
            errors: summary.errors,
            unparsed: summary.unparsed,
            changed_files: summary.changed.len(),
            copied_calls: self.copied,
            usage: self.usage(),
            cost: self.sum.cost(),
            agent_cost: self.sum.agent_cost(),
            models: self.models.iter().map(|(model, sum)| Share::of_model(model.as_deref(), sum)).collect(),
            days: self.days.iter().map(|(day, sum)| Share::of_day(*day, sum)).collect(),
            sub_agents: self.parts.iter().map(part).collect(),
            resume: self.resume(),
        }
    }

    /// The same for a list: a session without a title has its first prompt as such.
    pub fn listed(&self) -> Line<'_> {
        Line { title: self.title(), ..self.line() }
    }

    /// What it used, where anything is known of that.
    pub fn usage(&self) -> Option<&Tokens> {
        Some(&self.sum.tokens).filter(|tokens| **tokens != Tokens::default())
    }
}

/// Takes over a value that is known, if it is the newer one or the only one.
fn newer<T>(known: &mut Option<T>, other: Option<T>, is_newer: bool) {
    if other.is_some() && (is_newer || known.is_none()) {
        *known = other;
    }
}

fn earliest(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// A record as a JSON line.
#[derive(Serialize)]
pub struct Line<'r> {
    provider: Option<&'static str>,
    session_id: &'r str,
    native_session_id: Option<&'r str>,
    parent: Option<&'r str>,
    resumed_from: Option<&'r str>,
    files: Vec<String>,
    title: Option<&'r str>,
    prompt: Option<&'r str>,
    cwd: Option<&'r str>,
    model: Option<&'r str>,
    branch: Option<&'r str>,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
    turns: u64,
    calls: Option<u64>,
    tool_calls: u64,
    tools: Vec<Tools<'r>>,
    errors: u64,
    unparsed: u64,
    changed_files: usize,
    copied_calls: u64,
    usage: Option<&'r Tokens>,
    cost: Option<Cost>,
    agent_cost: Option<Cost>,
    models: Vec<Share<'r>>,
    days: Vec<Share<'r>>,
    sub_agents: Vec<Share<'r>>,
    resume: Option<String>,
}

/// A share of what a session used.
#[derive(Serialize)]
pub struct Share<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    day: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    native_session_id: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'r str>,
    calls: u64,
    usage: &'r Tokens,
    cost: Option<Cost>,
}

impl<'r> Share<'r> {
    fn of(sum: &'r Sum) -> Self {
        Self {
            model: None,
            day: None,
            native_session_id: None,
            title: None,
            calls: sum.calls,
            usage: &sum.tokens,
            cost: sum.cost(),
        }
    }

    fn of_model(model: Option<&'r str>, sum: &'r Sum) -> Self {
        Self { model, ..Self::of(sum) }
    }

    /// What was used on a day.
    pub fn of_day(day: Date, sum: &'r Sum) -> Self {
        Self { day: Some(day.to_string()), ..Self::of(sum) }
    }

    fn of_part(part: &'r Part) -> Self {
        Self {
            native_session_id: part.native.as_deref(),
            title: part.title.as_deref(),
            ..Self::of(&part.sum)
        }
    }
}

#[derive(Serialize)]
struct Tools<'r> {
    kind: Option<&'r str>,
    calls: u64,
    failed: u64,
    declined: u64,
}

impl<'r> Tools<'r> {
    fn of(calls: &'r TranscriptCalls) -> Self {
        let TranscriptCalls { tool_kind, calls, failed, declined, .. } = calls;
        Self {
            kind: tool_kind.as_ref().map(ToolKind::as_str),
            calls: *calls,
            failed: *failed,
            declined: *declined,
        }
    }
}
