//! What is told of a session.

use std::path::PathBuf;

use interlingua::table::Table;
use interlingua::vocabulary::{Cost, Timestamp, ToolKind, TranscriptCalls, TranscriptSession};
use serde::{Deserialize, Serialize};

use super::tokens::Tokens;

/// A session with its counts.
pub struct Record {
    /// Who wrote it; not known of a stored stream.
    pub table: Option<&'static Table>,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
    /// The session, without its items. Its counts include those of its sub-agents that have files of their own.
    pub session: TranscriptSession,
    /// What it used.
    pub tokens: Option<Tokens>,
}

/// What a map tells of a session beside the vocabulary's own fields.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    branch: Option<String>,
    parent: Option<String>,
    part_of: Option<String>,
}

impl Record {
    fn metadata(&self) -> Metadata {
        let metadata = self.session.metadata.as_ref();
        metadata.and_then(|metadata| metadata.to().ok()).unwrap_or_default()
    }

    /// The provider's name of the session.
    pub fn native(&self) -> Option<&str> {
        self.session.native_session_id.as_ref().map(|id| id.as_str())
    }

    /// The agent's name of the session that this one is a part of: a sub-agent without a session of its own.
    pub fn part_of(&self) -> Option<String> {
        self.metadata().part_of
    }

    /// The agent by its provider name.
    pub fn agent(&self) -> Option<&'static str> {
        let table = self.table?;
        Some(if table.written_by.is_empty() { table.provider } else { table.written_by })
    }

    /// The session's name for people: its title, the provider's name of it, or the file.
    pub fn name(&self) -> String {
        let native = || self.native().map(str::to_owned);
        let file = || self.files.first().map_or(String::new(), |file| file.display().to_string());
        self.session.title.clone().or_else(native).unwrap_or_else(file)
    }

    /// How long the session took in milliseconds, from its first event to its last one, where they have times.
    pub fn took(&self) -> Option<u64> {
        let (start, end) = (self.session.started_at?, self.session.updated_at?);
        u64::try_from(end.unix_millis() - start.unix_millis()).ok()
    }

    /// The number of tool calls.
    pub fn calls(&self) -> u64 {
        self.calls_by_kind().iter().map(|calls| calls.calls).sum()
    }

    /// The tool calls by kind.
    pub fn calls_by_kind(&self) -> &[TranscriptCalls] {
        &self.session.counts.tool_calls
    }

    /// Takes what is told of the same session elsewhere: in another file of it, or of one of its sub-agents, whose
    /// turns are none of the session's own.
    pub fn take(&mut self, other: Self, is_sub_agent: bool) {
        for file in other.files {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
        match (&mut self.tokens, other.tokens) {
            (Some(tokens), Some(other)) => tokens.add(&other),
            (tokens @ None, other) => *tokens = other,
            (Some(_), None) => {}
        }
        let (session, other) = (&mut self.session, other.session);
        session.started_at = earliest(session.started_at, other.started_at);
        session.updated_at = session.updated_at.max(other.updated_at);
        session.counts.errors += other.counts.errors;
        session.counts.unparsed += other.counts.unparsed;
        for calls in other.counts.tool_calls {
            let is_kind = |known: &&mut TranscriptCalls| known.tool_kind == calls.tool_kind;
            match session.counts.tool_calls.iter_mut().find(is_kind) {
                Some(known) => {
                    known.calls += calls.calls;
                    known.failed += calls.failed;
                    known.declined += calls.declined;
                }
                None => session.counts.tool_calls.push(calls),
            }
        }
        for file in other.files {
            if !session.files.iter().any(|known| known.path == file.path) {
                session.files.push(file);
            }
        }
        if !is_sub_agent {
            session.counts.turns += other.counts.turns;
            session.title = other.title.or(session.title.take());
            session.model = other.model.or(session.model.take());
            session.cwd = session.cwd.take().or(other.cwd);
            session.metadata = session.metadata.take().or(other.metadata);
        }
    }

    /// The record as JSON. What is not known is null.
    pub fn line(&self) -> Line<'_> {
        let session = &self.session;
        let native = self.native();
        let metadata = self.metadata();
        let command = self.table.map(|table| table.resume).filter(|command| !command.is_empty());
        Line {
            provider: self.agent(),
            session_id: session.session_id.as_str(),
            native_session_id: native,
            parent: metadata.parent.or_else(|| Some(session.parent.as_ref()?.session_id.as_str().to_owned())),
            files: self.files.iter().map(|file| file.display().to_string()).collect(),
            title: session.title.as_deref(),
            cwd: session.cwd.as_deref(),
            model: session.model.as_deref(),
            branch: metadata.branch,
            started: session.started_at,
            ended: session.updated_at,
            turns: session.counts.turns,
            calls: self.calls(),
            tools: self.calls_by_kind().iter().map(Tools::of).collect(),
            errors: session.counts.errors,
            unparsed: session.counts.unparsed,
            changed_files: session.files.len(),
            usage: self.tokens.as_ref(),
            cost: self.tokens.as_ref().and_then(|tokens| tokens.cost.as_deref()),
            resume: command.zip(native).map(|(command, id)| format!("{command} {id}")),
        }
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
    parent: Option<String>,
    files: Vec<String>,
    title: Option<&'r str>,
    cwd: Option<&'r str>,
    model: Option<&'r str>,
    branch: Option<String>,
    started: Option<Timestamp>,
    ended: Option<Timestamp>,
    turns: u64,
    calls: u64,
    tools: Vec<Tools<'r>>,
    errors: u64,
    unparsed: u64,
    changed_files: usize,
    usage: Option<&'r Tokens>,
    cost: Option<&'r Cost>,
    resume: Option<String>,
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
