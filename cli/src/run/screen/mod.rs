//! Events as a person reads them on a terminal: what was asked, texts as they are written, tools when they start and how
//! they ended, what sub-agents do indented below their names, and what a turn used.

mod calls;
#[cfg(test)]
mod tests;
mod waiting;
mod words;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::time::Instant;

use anstyle::Style;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{
    Channel, ContentBlock, Event, EventBody, FileChange, Item, ItemId, ItemKind, ItemRole, ItemStatus,
    PlanEntry, SessionId, Status, ToolResult, UsageReported,
};

use self::calls::{Calls, title};
use self::waiting::Waiting;
use super::view::View;
use crate::failure::Failure;
use crate::output::{self, name};
use crate::terminal::facts::facts;
use crate::terminal::style::{ADDED, PERSON, QUIET, SUBAGENT, TOOL, TROUBLE};
use crate::terminal::{cost as cost_of, diff, duration, plan_entry};

/// How much of something that is shown on one line is shown, in characters.
const WIDTH: usize = 160;

/// How many lines of a result are shown.
const LINES: usize = 5;

/// How many lines of a diff are shown.
const DIFF: usize = 40;

/// A terminal.
pub struct Screen<W> {
    output: W,
    waiting: Waiting,
    /// How many bytes of each text of an open item are on the screen.
    shown: HashMap<(SessionId, ItemId, usize), usize>,
    /// What is being written, when the line is not at its end.
    writing: Option<(ItemId, usize)>,
    /// Open messages of the person, which are shown when they are whole.
    told: HashSet<(SessionId, ItemId)>,
    /// What the person said, as it is on the screen already. Some agents repeat it.
    said: Vec<String>,
    calls: Calls,
    /// The call whose lines are the last ones on the screen.
    last_call: Option<String>,
    /// The sub-agent whose lines are the last ones on the screen.
    speaker: Option<ItemId>,
    /// What stands before each line: the marks of sub-agents.
    prefix: String,
    /// The plan of each session as it is on the screen.
    plans: HashMap<SessionId, Vec<PlanEntry>>,
    /// How many tokens the context of each session holds, and how many it can hold.
    contexts: HashMap<SessionId, (Option<u64>, Option<u64>)>,
    turns: HashMap<SessionId, Instant>,
    /// What each session used.
    totals: Fold,
    /// The costs as they are on the screen.
    costs: HashMap<SessionId, String>,
    /// The sessions of sub-agents.
    children: HashSet<SessionId>,
}

impl<W: Write> Screen<W> {
    /// An empty screen, on which nothing moves.
    pub fn new(output: W) -> Self {
        Self {
            output,
            waiting: Waiting::default(),
            shown: HashMap::new(),
            writing: None,
            told: HashSet::new(),
            said: Vec::new(),
            calls: Calls::default(),
            last_call: None,
            speaker: None,
            prefix: String::new(),
            plans: HashMap::new(),
            contexts: HashMap::new(),
            turns: HashMap::new(),
            totals: Fold::new().totals_only().keep_turns(1),
            costs: HashMap::new(),
            children: HashSet::new(),
        }
    }

    /// The same on a terminal, where it shows while nothing arrives.
    pub fn on_terminal(output: W) -> Self {
        Self { waiting: Waiting::on_terminal(), ..Self::new(output) }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        if !matches!(event.body, EventBody::ItemDelta(_)) {
            self.totals.push(event.clone());
        }
        let session = &event.session_id;
        match &event.body {
            EventBody::ItemDelta(delta) => {
                let place = delta.part as usize;
                if self.told.contains(&(session.clone(), delta.item_id.clone())) {
                    return Ok(());
                }
                match delta.channel {
                    Channel::Text | Channel::Reasoning => {
                        self.speaks(event)?;
                        *self.shown.entry((session.clone(), delta.item_id.clone(), place)).or_default() +=
                            delta.delta.len();
                        self.write(&delta.item_id, place, &delta.delta, delta.channel == Channel::Reasoning)
                    }
                    Channel::Arguments => {
                        let is_whole = self
                            .calls
                            .delta(session, delta)
                            .is_some_and(|call| call.is_whole() && !call.shown);
                        if is_whole { self.started(event, &delta.item_id) } else { Ok(()) }
                    }
                    _ => Ok(()),
                }
            }
            EventBody::ItemStarted(state) | EventBody::ItemUpdated(state) => self.open(event, &state.item),
            EventBody::ItemCompleted(state) => {
                let item = &state.item;
                self.open(event, item)?;
                self.told.remove(&(session.clone(), item.item_id.clone()));
                self.shown.retain(|(of, id, _), _| !(of == session && *id == item.item_id));
                if self.writing.as_ref().is_some_and(|(open, _)| *open == item.item_id) {
                    self.break_line()?;
                }
                self.completed(event, item)
            }
            EventBody::SessionStarted(started) => {
                if started.parent.is_some() {
                    self.children.insert(session.clone());
                }
                let facts = [&started.model, &started.agent_version, &started.cwd];
                let facts: Vec<String> = facts.into_iter().flatten().map(|fact| name(fact)).collect();
                let what = if started.parent.is_some() { "sub-agent's session" } else { "session" };
                self.line(QUIET, &format!("{what} {}: {}", name(session.as_str()), facts.join(", ")))
            }
            EventBody::SessionUpdated(updated) => match &updated.title {
                Some(title) => {
                    self.line(QUIET, &format!("session {}: {}", name(session.as_str()), one_line(title)))
                }
                None => Ok(()),
            },
            EventBody::TurnStarted(_) => {
                self.turns.insert(session.clone(), Instant::now());
                Ok(())
            }
            EventBody::TurnEnded(ended) => {
                if !self.children.contains(session) {
                    self.silent()?;
                    for call in self.calls.clear() {
                        self.line(TROUBLE, &format!("  {call}: failed"))?;
                    }
                }
                let begun = self.turns.remove(session);
                let millis =
                    begun.map(|begun| u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX));
                let (what, facts) = words::ending(ended, millis, self.contexts.get(session).copied());
                let style = match ended.error {
                    None if ended.reason.tag() == "completed" => QUIET,
                    _ => TROUBLE,
                };
                self.line(style, &what)?;
                if !facts.is_empty() {
                    self.line(QUIET, &facts)?;
                }
                self.cost(session)
            }
            EventBody::UsageReported(report) => {
                self.usage(event, report);
                // Some tell the cost after the turn.
                if self.turns.contains_key(session) { Ok(()) } else { self.cost(session) }
            }
            EventBody::PermissionRequested(asked) => {
                let item = asked.item_id.clone();
                match item {
                    Some(item) => self.started(event, &item),
                    None => Ok(()),
                }
            }
            EventBody::PermissionResolved(done) => {
                let by = done.decided_by.map(|by| format!(", decided by the {by}")).unwrap_or_default();
                self.line(QUIET, &format!("permission: {}{by}", name(done.outcome.as_str())))
            }
            EventBody::QuestionResolved(done) => {
                self.line(QUIET, &format!("question: {}", name(done.outcome.as_str())))
            }
            EventBody::Error(error) => {
                self.speaks(event)?;
                self.line(TROUBLE, &words::error(error))
            }
            EventBody::AgentUnparsed(unparsed) => self
                .line(TROUBLE, &format!("a message that could not be parsed: {}", one_line(&unparsed.error))),
            _ => Ok(()),
        }
    }

    /// What a session has cost so far, when that has changed.
    fn cost(&mut self, session: &SessionId) -> io::Result<()> {
        let known = self.totals.transcript().session(session.as_str());
        let cost = known.and_then(|session| session.usage.total.as_ref()?.cost.clone());
        let text = cost.map(|amount| cost_of(&amount));
        match text {
            Some(text) if self.costs.get(session) != Some(&text) => {
                let line = format!("cost so far {text}");
                self.costs.insert(session.clone(), text);
                self.line(QUIET, &line)
            }
            _ => Ok(()),
        }
    }

    fn usage(&mut self, event: &Event, report: &UsageReported) {
        let context = self.contexts.entry(event.session_id.clone()).or_default();
        context.1 = report.context_window.or(context.1);
        if event.agent_path.is_empty() {
            context.0 = report.context().or(context.0);
        }
    }

    /// Says who speaks when that changes, and indents what a sub-agent does.
    fn speaks(&mut self, event: &Event) -> io::Result<()> {
        let depth = event.agent_path.len() + usize::from(self.children.contains(&event.session_id));
        let prefix = format!("{SUBAGENT}┃{SUBAGENT:#} ").repeat(depth.min(8));
        let speaker = event.agent_path.last();
        if self.speaker.as_ref() != speaker {
            self.break_line()?;
            if let Some(call) = speaker {
                let title = self.calls.name_of(&event.session_id, call);
                let title = format!("sub-agent {title}").trim_end().to_owned();
                let outer = format!("{SUBAGENT}┃{SUBAGENT:#} ").repeat(depth.saturating_sub(1).min(8));
                self.prefix = outer;
                self.line(SUBAGENT, &title)?;
            }
            self.speaker = speaker.cloned();
        }
        if self.prefix != prefix {
            self.break_line()?;
            self.prefix = prefix;
        }
        Ok(())
    }

    /// Ends what sub-agents said.
    fn silent(&mut self) -> io::Result<()> {
        self.break_line()?;
        self.speaker = None;
        self.prefix.clear();
        Ok(())
    }

    /// What is said of an item that is open.
    fn open(&mut self, event: &Event, item: &Item) -> io::Result<()> {
        if let Some(call) = item.call() {
            let running = self.calls.know(&event.session_id, &item.item_id, call);
            let is_new = !running.shown && running.is_whole();
            return if is_new { self.started(event, &item.item_id) } else { Ok(()) };
        }
        for block in &item.content {
            if let ContentBlock::Plan(plan) = block {
                self.plan(event, &plan.entries)?;
            }
        }
        self.texts(event, item)
    }

    /// Writes the line of a call, once.
    fn started(&mut self, event: &Event, item: &ItemId) -> io::Result<()> {
        let Some((tool, what)) = self.calls.show(&event.session_id, item) else { return Ok(()) };
        self.speaks(event)?;
        self.line(Style::new(), &format!("{TOOL}● {tool}{TOOL:#} {what}"))?;
        self.last_call = Some(format!("{tool} {what}").trim_end().to_owned());
        Ok(())
    }

    /// Writes what of an item's texts is not on the screen.
    fn texts(&mut self, event: &Event, item: &Item) -> io::Result<()> {
        let session = &event.session_id;
        if item.role == Some(ItemRole::User) {
            self.told.insert((session.clone(), item.item_id.clone()));
            return Ok(());
        }
        for (place, block) in item.content.iter().enumerate() {
            let (text, is_reasoning) = match block {
                ContentBlock::Text(text) => (&text.text, false),
                ContentBlock::Reasoning(reasoning) => (&reasoning.text, true),
                _ => continue,
            };
            let known = self.shown.entry((session.clone(), item.item_id.clone(), place)).or_default();
            // A text that was changed in what is shown already cannot be shown anew.
            let more = text.get(*known..).unwrap_or_default().to_owned();
            *known = text.len();
            if !more.is_empty() {
                self.speaks(event)?;
                self.write(&item.item_id, place, &more, is_reasoning)?;
            }
        }
        Ok(())
    }

    /// What is said of an item when it is whole.
    fn completed(&mut self, event: &Event, item: &Item) -> io::Result<()> {
        for block in &item.content {
            match block {
                ContentBlock::ToolCall(call) => {
                    self.started(event, &item.item_id)?;
                    let trouble = match item.status {
                        ItemStatus::Completed | ItemStatus::InProgress => continue,
                        ItemStatus::Failed => {
                            self.calls.fail(&event.session_id, &item.item_id);
                            continue;
                        }
                        ItemStatus::Declined => "not permitted",
                        other => other.as_str(),
                    };
                    self.speaks(event)?;
                    self.line(TROUBLE, &format!("  {}: {trouble}", title(call)))?;
                }
                ContentBlock::ToolResult(result) => self.result(event, result)?,
                ContentBlock::FileChange(change) => self.change(event, change)?,
                ContentBlock::Status(status) => self.status(event, status)?,
                ContentBlock::Text(text)
                    if item.role == Some(ItemRole::User) && item.kind == ItemKind::Message =>
                {
                    self.asked(event, &text.text)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What somebody asked of an agent. What the person said is on the screen already; what a sub-agent is asked never
    /// looks like that.
    fn asked(&mut self, event: &Event, text: &str) -> io::Result<()> {
        if !event.agent_path.is_empty() || self.children.contains(&event.session_id) {
            self.speaks(event)?;
            return self.line(QUIET, &format!("(asked: {})", one_line(text)));
        }
        if let Some(place) = self.said.iter().position(|said| said.trim() == text.trim()) {
            self.said.remove(place);
            return Ok(());
        }
        self.silent()?;
        self.line(PERSON, &format!("> {}", one_line(text)))
    }

    fn status(&mut self, event: &Event, status: &Status) -> io::Result<()> {
        self.speaks(event)?;
        let mut parts = vec![name(&status.label)];
        parts.extend(status.detail.as_deref().map(one_line));
        let is_retry = status.label == "retry";
        // Why and when it tries again stands there; other data would only disturb.
        let data = status.data.as_ref().filter(|_| is_retry);
        let told = facts(data, status.detail.as_deref());
        let told = if told.is_empty() { told } else { format!(" ({told})") };
        let style = if is_retry { TROUBLE } else { QUIET };
        self.line(style, &format!("{}{told}", parts.join(": ")))
    }

    fn result(&mut self, event: &Event, result: &ToolResult) -> io::Result<()> {
        let running = self.calls.close(&event.session_id, &result.call_id);
        let millis = result.duration_ms.or_else(|| running.as_ref().map(calls::Running::millis));
        let mut facts = Vec::new();
        facts.extend(
            running
                .as_ref()
                .map(calls::Running::title)
                .filter(|title| Some(title) != self.last_call.as_ref()),
        );
        if result.is_error {
            facts.push("failed".to_owned());
        }
        facts.extend(result.exit_code.map(|code| format!("exit code {code}")));
        facts.extend(millis.map(duration));
        let (style, mark) = if result.is_error { (TROUBLE, "✗") } else { (ADDED, "✓") };
        self.speaks(event)?;
        self.line(Style::new(), &format!("  {style}{mark}{style:#} {QUIET}{}{QUIET:#}", facts.join(", ")))?;
        for block in &result.content {
            match block {
                ContentBlock::Text(text) => self.excerpt(&text.text)?,
                ContentBlock::FileChange(change) => self.change(event, change)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn change(&mut self, event: &Event, change: &FileChange) -> io::Result<()> {
        self.speaks(event)?;
        self.line(Style::new(), &format!("  {} {}", change.change, name(&change.path)))?;
        let lines = change.diff.as_deref().map(diff::lines).unwrap_or_default();
        for line in lines.iter().take(DIFF) {
            self.line(Style::new(), &format!("  {line}"))?;
        }
        self.more(lines.len().saturating_sub(DIFF))
    }

    /// What has changed in a plan.
    fn plan(&mut self, event: &Event, entries: &[PlanEntry]) -> io::Result<()> {
        let before = self.plans.insert(event.session_id.clone(), entries.to_vec()).unwrap_or_default();
        if before == entries {
            return Ok(());
        }
        self.speaks(event)?;
        let done = entries.iter().filter(|entry| entry.status.as_str() == "completed").count();
        self.line(PERSON, &format!("plan: {done} of {} done", entries.len()))?;
        for entry in entries.iter().filter(|entry| !before.contains(entry)) {
            self.line(QUIET, &format!("  {}", plan_entry(entry)))?;
        }
        Ok(())
    }

    fn excerpt(&mut self, text: &str) -> io::Result<()> {
        let text = anstream::adapter::strip_str(text).to_string();
        let mut lines = text.trim_end().lines();
        for line in lines.by_ref().take(LINES) {
            self.line(QUIET, &format!("  {}", one_line(line)))?;
        }
        self.more(lines.count())
    }

    fn more(&mut self, count: usize) -> io::Result<()> {
        match count {
            0 => Ok(()),
            more => self.line(QUIET, &format!("  … {more} more lines")),
        }
    }

    /// Goes on with a text.
    fn write(&mut self, item: &ItemId, place: usize, text: &str, is_quiet: bool) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.last_call = None;
        if self.writing.as_ref().is_none_or(|(open, part)| open != item || *part != place) {
            self.break_line()?;
            write!(self.output, "{}", self.prefix)?;
            self.writing = Some((item.clone(), place));
        }
        let text = output::text(text).replace('\n', &format!("\n{}", self.prefix));
        if is_quiet { write!(self.output, "{QUIET}{text}{QUIET:#}") } else { write!(self.output, "{text}") }
    }

    /// Writes a line, whose parts are safe already.
    fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.break_line()?;
        writeln!(self.output, "{}{style}{text}{style:#}", self.prefix)
    }

    fn break_line(&mut self) -> io::Result<()> {
        if self.writing.take().is_some() { writeln!(self.output) } else { Ok(()) }
    }
}

impl<W: Write> View for Screen<W> {
    fn show(&mut self, events: &[Event]) -> Result<(), Failure> {
        self.waiting.stop();
        events
            .iter()
            .try_for_each(|event| self.event(event))
            .and_then(|()| self.output.flush())
            .map_err(|error| Failure::output(&error))
    }

    fn ask(&mut self, text: &str) -> Result<(), Failure> {
        self.waiting.stop();
        self.break_line()
            .and_then(|()| write!(self.output, "{PERSON}{text}{PERSON:#}"))
            .and_then(|()| self.output.flush())
            .map_err(|error| Failure::output(&error))
    }

    fn said(&mut self, text: &str, is_typed: bool) -> Result<(), Failure> {
        self.said.push(text.to_owned());
        if is_typed {
            return Ok(());
        }
        let text = output::text(text);
        let written = text.trim_end().lines().try_for_each(|line| self.line(PERSON, &format!("> {line}")));
        written.and_then(|()| self.output.flush()).map_err(|error| Failure::output(&error))
    }

    fn note(&mut self, text: &str) -> Result<(), Failure> {
        self.waiting.stop();
        self.line(QUIET, text).and_then(|()| self.output.flush()).map_err(|error| Failure::output(&error))
    }

    fn wait(&mut self, long: bool) -> bool {
        if self.writing.is_some() && !(long && self.break_line().and_then(|()| self.output.flush()).is_ok()) {
            return false;
        }
        let message = match (self.calls.last(), self.calls.count()) {
            (None, _) => "waiting for the agent".to_owned(),
            (Some(call), 1) => format!("{} is running", call.name()),
            (Some(call), count) => format!("{} and {} more are running", call.name(), count - 1),
        };
        self.waiting.start(&message);
        true
    }

    fn rest(&mut self) {
        self.waiting.stop();
    }
}

/// The beginning of a text, as one line.
fn one_line(text: &str) -> String {
    output::line(text, WIDTH)
}
