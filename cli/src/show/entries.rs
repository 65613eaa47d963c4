//! The entries of a transcript as lines.

use std::collections::HashMap;
use std::io::{self, Write};

use interlingua::transcript::Agent;
use interlingua::vocabulary::{
    ContentBlock, ErrorData, Item, ItemKind, ItemRole, ItemStatus, SessionId, Transcript, TranscriptItem,
    TranscriptPermission, TranscriptSession, TranscriptTurn, TurnEndReason, TurnId,
};

use crate::html::entries::summary;
use crate::html::trace::{Mark, MarkKind, Trace};
use crate::output::{line, name};
use crate::terminal::style::{HEADING, PERSON, QUIET, SUBAGENT, TOOL, TROUBLE};
use crate::terminal::{columns, cost, diff, duration, markdown, plan_entry, tokens};

/// How many lines of an output are shown.
const LINES: usize = 12;

/// How many characters of a line are shown.
const WIDTH: usize = 400;

/// How deep sub-agents are shown.
const DEPTH: usize = 24;

/// Prints entries, each once.
#[derive(Default)]
pub struct Printer {
    /// Whether long outputs are shown in full.
    pub full: bool,
    /// How many items and marks of each session are printed, and the turn in which the last one lies.
    done: HashMap<SessionId, Done>,
}

#[derive(Default)]
struct Done {
    begun: bool,
    items: usize,
    marks: usize,
    turn: Option<TurnId>,
    ended: usize,
}

/// The session that is printed, and where.
struct Scene<'t, 'w> {
    transcript: &'t Transcript,
    trace: &'t Trace,
    session: &'t TranscriptSession,
    to: &'w mut dyn Write,
    columns: Option<usize>,
    /// The marks of all levels of sub-agents that lead here.
    prefix: String,
    depth: usize,
}

impl Scene<'_, '_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        let prefix = &self.prefix;
        writeln!(self.to, "{}", format!("{prefix}{text}").trim_end())
    }

    fn blank(&mut self) -> io::Result<()> {
        self.line("")
    }
}

impl Printer {
    /// Prints what was not printed yet: all of it, or only what is complete.
    pub fn print(
        &mut self,
        transcript: &Transcript,
        trace: &Trace,
        to: &mut dyn Write,
        all: bool,
    ) -> io::Result<()> {
        for agent in transcript.agents() {
            self.main(transcript, trace, &agent, to, all)?;
        }
        Ok(())
    }

    fn main(
        &mut self,
        transcript: &Transcript,
        trace: &Trace,
        agent: &Agent<'_>,
        to: &mut dyn Write,
        all: bool,
    ) -> io::Result<()> {
        let session = agent.session;
        let Some(marks) = trace.session(&session.session_id) else { return Ok(()) };
        let scene = &mut Scene {
            transcript,
            trace,
            session,
            to,
            columns: columns(),
            prefix: String::new(),
            depth: 0,
        };
        let mut done = self.done.remove(&session.session_id).unwrap_or_default();
        let is_ready = |entry: &TranscriptItem| all || is_complete(session, entry);
        // Facts come with the first events; nothing is lost when they are shown with the first entry.
        if !done.begun && (all || session.items.first().is_some_and(is_ready)) {
            done.begun = true;
            self.heading(scene)?;
        }
        let main_marks: Vec<&Mark> = marks.marks.iter().filter(|mark| mark.agent_path.is_empty()).collect();
        while let Some(entry) = session.items.get(done.items).filter(|entry| is_ready(entry)) {
            let first = marks.item(&entry.item.item_id).first;
            while let Some(mark) = main_marks.get(done.marks).filter(|mark| mark.source.first < first) {
                self.turn(scene, mark.turn_id.as_ref(), &mut done)?;
                self.mark(scene, mark)?;
                done.marks += 1;
            }
            self.turn(scene, entry.turn_id.as_ref(), &mut done)?;
            self.item(scene, entry)?;
            done.items += 1;
        }
        if done.items == session.items.len() {
            while let Some(mark) = main_marks.get(done.marks) {
                self.turn(scene, mark.turn_id.as_ref(), &mut done)?;
                self.mark(scene, mark)?;
                done.marks += 1;
            }
            self.endings(scene, &mut done)?;
        }
        if all {
            for inner in agent.agents.iter().filter(|inner| inner.call.is_none()) {
                self.child(scene, inner.session)?;
            }
        }
        if all && done.begun {
            self.total(scene)?;
        }
        self.done.insert(session.session_id.clone(), done);
        Ok(())
    }

    /// What the session used, when that says more than its only turn.
    fn total(&self, scene: &mut Scene<'_, '_>) -> io::Result<()> {
        let Some(usage) = &scene.session.usage.total else { return Ok(()) };
        if scene.session.turns.len() == 1 && scene.session.turns[0].usage.as_ref() == Some(usage) {
            return Ok(());
        }
        let mut facts = vec![tokens(usage)];
        facts.extend(usage.cost.as_ref().map(cost));
        scene.line(&format!("{QUIET}session: {}{QUIET:#}", facts.join(" · ")))
    }

    fn heading(&self, scene: &mut Scene<'_, '_>) -> io::Result<()> {
        let session = scene.session;
        let id = session.native_session_id.as_ref().map_or(session.session_id.as_str(), |id| id.as_str());
        let title = session
            .title
            .as_deref()
            .map_or_else(|| format!("Session {}", name(id)), |title| line(title, 120));
        scene.line(&format!("{HEADING}{title}{HEADING:#}"))?;
        let facts = [
            session.model.as_deref().map(name),
            session.agent_version.as_deref().map(name),
            session.cwd.as_deref().map(name),
            session.started_at.map(|at| at.to_string()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        if !facts.is_empty() {
            scene.line(&format!("{QUIET}{}{QUIET:#}", facts.join(" · ")))?;
        }
        scene.blank()
    }

    /// The heading of a turn, when another one begins, and how the one before ended.
    fn turn(&self, scene: &mut Scene<'_, '_>, turn: Option<&TurnId>, done: &mut Done) -> io::Result<()> {
        if turn.is_none() || turn == done.turn.as_ref() {
            return Ok(());
        }
        self.endings(scene, done)?;
        done.turn = turn.cloned();
        let Some(number) = scene.session.turns.iter().position(|known| Some(&known.turn_id) == turn) else {
            return Ok(());
        };
        scene.line(&format!("{HEADING}── Turn {} ──{HEADING:#}", number + 1))?;
        scene.blank()
    }

    /// How the turns ended whose end was not told yet.
    fn endings(&self, scene: &mut Scene<'_, '_>, done: &mut Done) -> io::Result<()> {
        let session = scene.session;
        let Some(place) = session.turns.iter().position(|turn| Some(&turn.turn_id) == done.turn.as_ref())
        else {
            return Ok(());
        };
        let turn = &session.turns[place];
        if done.ended > place || turn.is_running() {
            return Ok(());
        }
        done.ended = place + 1;
        scene.line(&ending(turn))?;
        scene.blank()
    }

    fn item(&mut self, scene: &mut Scene<'_, '_>, entry: &TranscriptItem) -> io::Result<()> {
        match entry.item.kind {
            ItemKind::ToolCall => self.call(scene, entry)?,
            _ => self.message(scene, entry)?,
        }
        self.below(scene, entry)
    }

    fn message(&mut self, scene: &mut Scene<'_, '_>, entry: &TranscriptItem) -> io::Result<()> {
        let item = &entry.item;
        if item.content.is_empty() && item.status == ItemStatus::Completed {
            return Ok(());
        }
        // What a sub-agent is asked does not come from the user.
        let is_user = item.role == Some(ItemRole::User) && item.kind == ItemKind::Message && scene.depth == 0;
        if !matches!(item.status, ItemStatus::Completed) {
            scene.line(&format!("{TROUBLE}({}){TROUBLE:#}", state(item)))?;
        }
        for block in &item.content {
            match block {
                ContentBlock::Text(text) if is_user => {
                    for text in
                        markdown::lines(&text.text, scene.columns.map(|columns| columns.saturating_sub(2)))
                    {
                        scene.line(&format!("{PERSON}❯{PERSON:#} {text}"))?;
                    }
                }
                ContentBlock::Text(text) => {
                    for text in markdown::lines(&text.text, scene.columns) {
                        scene.line(&text)?;
                    }
                }
                ContentBlock::Reasoning(reasoning) if reasoning.text.trim().is_empty() => {
                    scene.line(&format!("{QUIET}(reasoning: not recorded){QUIET:#}"))?;
                }
                ContentBlock::Reasoning(reasoning) => self.output(scene, &reasoning.text, "reasoning")?,
                other => self.block(scene, other)?,
            }
        }
        scene.blank()
    }

    fn call(&mut self, scene: &mut Scene<'_, '_>, entry: &TranscriptItem) -> io::Result<()> {
        let item = &entry.item;
        let Some(call) = item.call() else { return self.message(scene, entry) };
        let result = entry.result.as_deref().and_then(|result| result.item.tool_result());
        let failed = item.status == ItemStatus::Failed || result.is_some_and(|result| result.is_error);
        let style = if failed { TROUBLE } else { TOOL };
        let mut facts = Vec::new();
        if item.status != ItemStatus::Completed {
            facts.push(state(item).to_owned());
        } else if failed {
            facts.push("failed".to_owned());
        }
        facts.extend(result.and_then(|result| result.exit_code).map(|code| format!("exit code {code}")));
        let millis = result.and_then(|result| result.duration_ms).or_else(|| entry.duration_ms());
        facts.extend(millis.map(duration));
        let facts = facts.join(", ");
        scene.line(&format!(
            "{style}● {}{style:#} {} {QUIET}{facts}{QUIET:#}",
            name(&call.name),
            line(&summary(call), 160)
        ))?;
        for asked in &scene.session.permissions {
            let is_its = asked.requested.item_id.as_ref() == Some(&item.item_id)
                || asked.requested.call_id.as_ref() == Some(&call.call_id);
            if is_its {
                scene.line(&format!("{QUIET}  permission: {}{QUIET:#}", outcome(asked)))?;
            }
        }
        let results = entry.result.as_deref().map(|result| &result.item);
        let changes = item.file_changes().chain(results.into_iter().flat_map(Item::file_changes));
        for change in changes {
            self.block(scene, &ContentBlock::FileChange(change.clone()))?;
        }
        match entry.output() {
            Some(output) if !output.trim().is_empty() => self.output(scene, &output, "")?,
            Some(_) => {}
            None => scene.line(&format!("{QUIET}  (no result was recorded){QUIET:#}"))?,
        }
        scene.blank()
    }

    fn block(&self, scene: &mut Scene<'_, '_>, block: &ContentBlock) -> io::Result<()> {
        match block {
            ContentBlock::Text(text) => self.output(scene, &text.text, ""),
            ContentBlock::FileChange(change) => {
                scene.line(&format!("  {} {}", change.change, name(&change.path)))?;
                let Some(changes) = &change.diff else { return Ok(()) };
                let lines = diff::lines(changes);
                let most = if self.full { usize::MAX } else { LINES * 3 };
                for line in lines.iter().take(most) {
                    scene.line(&format!("  {line}"))?;
                }
                more(scene, lines.len().saturating_sub(most))
            }
            ContentBlock::Plan(plan) => {
                for entry in &plan.entries {
                    scene.line(&format!("  {}", plan_entry(entry)))?;
                }
                Ok(())
            }
            ContentBlock::Status(status) => {
                let detail = status.detail.as_deref().map(|detail| format!(": {}", line(detail, WIDTH)));
                scene.line(&format!(
                    "{QUIET}({}{}){QUIET:#}",
                    name(&status.label),
                    detail.unwrap_or_default()
                ))
            }
            ContentBlock::Image(image) => {
                let what = image.mime.as_deref().or(image.uri.as_deref()).unwrap_or("not recorded");
                scene.line(&format!("{QUIET}[picture: {}]{QUIET:#}", line(what, 100)))
            }
            ContentBlock::ToolResult(result) => {
                result.content.iter().try_for_each(|inner| self.block(scene, inner))
            }
            other => self.output(scene, &serde_json::to_string(other).unwrap_or_default(), ""),
        }
    }

    /// The first lines of an output, or all of them.
    fn output(&self, scene: &mut Scene<'_, '_>, text: &str, what: &str) -> io::Result<()> {
        // Colours that the program itself wrote are of no use here.
        let text = anstream::adapter::strip_str(text).to_string();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let most = if self.full { usize::MAX } else { LINES };
        let width = if self.full { usize::MAX } else { WIDTH };
        if !what.is_empty() {
            scene.line(&format!("{QUIET}  ({what}){QUIET:#}"))?;
        }
        for text in lines.iter().take(most) {
            scene.line(&format!("{QUIET}  │ {}{QUIET:#}", line(text, width)))?;
        }
        more(scene, lines.len().saturating_sub(most))
    }

    fn mark(&self, scene: &mut Scene<'_, '_>, mark: &Mark) -> io::Result<()> {
        match &mark.kind {
            MarkKind::Error(error) => scene.line(&trouble(error))?,
            MarkKind::Permission(id) => {
                let mut all = scene.session.permissions.iter();
                let Some(asked) = all.find(|asked| asked.requested.permission_id == *id) else {
                    return Ok(());
                };
                // One about a call stands in it.
                if asked.requested.item_id.is_some() || asked.requested.call_id.is_some() {
                    return Ok(());
                }
                let action = name(&asked.requested.action.name);
                scene.line(&format!("permission for {action}: {}", outcome(asked)))?;
            }
            MarkKind::Question(id) => {
                let mut all = scene.session.questions.iter();
                let Some(asked) = all.find(|asked| asked.requested.question_id == *id) else { return Ok(()) };
                for (place, question) in asked.requested.questions.iter().enumerate() {
                    scene.line(&format!("{PERSON}? {}{PERSON:#}", line(&question.text, WIDTH)))?;
                    let answers = asked.resolved.as_ref().and_then(|resolved| resolved.answers.as_ref());
                    if let Some(answer) =
                        answers.and_then(|answers| answers.get(place)).filter(|_| !question.secret)
                    {
                        scene.line(&format!("  {}", line(&answer.join(", "), WIDTH)))?;
                    }
                }
            }
            MarkKind::HostCall(_) => return Ok(()),
            MarkKind::Model(model) => scene.line(&format!("{QUIET}(model: {}){QUIET:#}", name(model)))?,
            MarkKind::Unparsed(error) => {
                scene.line(&format!(
                    "{TROUBLE}a message that could not be parsed: {}{TROUBLE:#}",
                    line(error, WIDTH)
                ))?;
            }
        }
        scene.blank()
    }

    /// What sub-agents did, indented.
    fn below(&mut self, scene: &mut Scene<'_, '_>, entry: &TranscriptItem) -> io::Result<()> {
        if !entry.items.is_empty() && scene.depth < DEPTH {
            scene.line(&format!("{SUBAGENT}  sub-agent{SUBAGENT:#}"))?;
            let before = scene.prefix.clone();
            scene.prefix.push_str(&format!("{SUBAGENT}  ┃ {SUBAGENT:#}"));
            scene.depth += 1;
            for inner in &entry.items {
                self.item(scene, inner)?;
            }
            scene.depth -= 1;
            scene.prefix = before;
        }
        let is_its = |child: &&TranscriptSession| {
            let parent = child.parent.as_ref();
            parent.and_then(|parent| parent.item_id.as_ref()) == Some(&entry.item.item_id)
        };
        let transcript = scene.transcript;
        for child in transcript.children(scene.session).filter(is_its) {
            self.child(scene, child)?;
        }
        Ok(())
    }

    fn child(&mut self, scene: &mut Scene<'_, '_>, child: &TranscriptSession) -> io::Result<()> {
        if scene.depth >= DEPTH {
            return Ok(());
        }
        let title = child.title.as_deref().unwrap_or(child.session_id.as_str());
        scene.line(&format!("{SUBAGENT}  sub-agent {}{SUBAGENT:#}", line(title, 100)))?;
        let inner = &mut Scene {
            transcript: scene.transcript,
            trace: scene.trace,
            session: child,
            to: &mut *scene.to,
            columns: scene.columns,
            prefix: format!("{}{SUBAGENT}  ┃ {SUBAGENT:#}", scene.prefix),
            depth: scene.depth + 1,
        };
        child.items.iter().try_for_each(|entry| self.item(inner, entry))
    }
}

fn more(scene: &mut Scene<'_, '_>, count: usize) -> io::Result<()> {
    match count {
        0 => Ok(()),
        count => scene.line(&format!("{QUIET}  … {count} more lines (--full shows them){QUIET:#}")),
    }
}

fn is_complete(session: &TranscriptSession, entry: &TranscriptItem) -> bool {
    let over = session.end.is_some()
        || session
            .turns
            .iter()
            .any(|turn| Some(&turn.turn_id) == entry.turn_id.as_ref() && !turn.is_running());
    let closed = entry.item.status != ItemStatus::InProgress;
    let answered = entry.item.kind != ItemKind::ToolCall
        || entry.result.as_ref().is_some_and(|result| result.item.status != ItemStatus::InProgress);
    over || (closed && answered)
}

fn state(item: &Item) -> &'static str {
    match item.status {
        ItemStatus::InProgress => "not finished",
        ItemStatus::Declined => "not permitted",
        other => other.as_str(),
    }
}

fn outcome(asked: &TranscriptPermission) -> String {
    match &asked.resolved {
        None => "no answer was recorded".to_owned(),
        Some(resolved) => match &resolved.decided_by {
            Some(by) => format!("{}, decided by the {by}", resolved.outcome),
            None => resolved.outcome.to_string(),
        },
    }
}

/// How a turn ended, with what it used.
pub fn ending(turn: &TranscriptTurn) -> String {
    let mut facts = Vec::new();
    let millis = turn.started_at.zip(turn.ended_at).map(|(from, to)| to.unix_millis() - from.unix_millis());
    facts.extend(millis.and_then(|millis| u64::try_from(millis).ok()).map(duration));
    if let Some(usage) = &turn.usage {
        facts.extend(Some(tokens(usage)).filter(|text| !text.is_empty()));
        facts.extend(usage.cost.as_ref().map(cost));
    }
    let (style, what) = match &turn.reason {
        Some(TurnEndReason::Completed) => (QUIET, "turn completed".to_owned()),
        Some(reason) => (TROUBLE, format!("turn ended: {}", name(reason.tag()))),
        None => (QUIET, "turn is running".to_owned()),
    };
    let error =
        turn.error.as_ref().map(|error| format!(": {}", line(&error.message, WIDTH))).unwrap_or_default();
    let facts = facts.join(" · ");
    format!("{style}{what}{error}{style:#} {QUIET}{facts}{QUIET:#}")
}

fn trouble(error: &ErrorData) -> String {
    let again = if error.will_retry == Some(true) { ", tried again" } else { "" };
    format!("{TROUBLE}error ({}{again}): {}{TROUBLE:#}", error.class, line(&error.message, WIDTH))
}
