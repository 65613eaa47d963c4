//! The entries of a conversation as HTML: messages, tool calls with their results, requests and errors.

use std::collections::HashMap;

use interlingua::transcript::Agent;
use interlingua::vocabulary::{
    ContentBlock, ErrorData, Item, ItemId, ItemKind, ItemRole, ItemStatus, ToolCall, TranscriptItem,
    TranscriptPermission, TranscriptQuestion, TranscriptSession, TurnId,
};
use maud::{Markup, html};

use super::format::{clean, count, duration, excerpt, name};
use super::members;
use super::pieces::{Pieces, not_recorded, source};
use super::trace::{Mark, MarkKind, SessionTrace, Source, Trace};
use crate::terminal::facts::facts;

/// How deep entries nest at most: deeper ones are left out.
const DEPTH: usize = 24;

/// Something that went wrong, for the list of failures.
pub struct Trouble {
    /// The entry.
    pub id: String,
    /// What kind of failure it is.
    pub what: &'static str,
    /// What it says.
    pub text: String,
}

/// An entry of a conversation.
pub struct Entry {
    /// The turn in which it lies.
    pub turn: Option<TurnId>,
    /// What the user said, when it is that.
    pub prompt: Option<String>,
    /// The entry.
    pub html: Markup,
}

/// Makes the entries of a page.
pub struct Entries<'t> {
    trace: &'t Trace,
    /// The pieces of the entries.
    pub pieces: Pieces,
    /// What went wrong, in order.
    pub troubles: Vec<Trouble>,
    /// The sessions of sub-agents, by the call that started them.
    children: HashMap<ItemId, Vec<&'t Agent<'t>>>,
    depth: usize,
}

/// The session that is written.
#[derive(Clone, Copy)]
struct Scene<'t> {
    session: &'t TranscriptSession,
    trace: &'t SessionTrace,
}

impl Scene<'_> {
    fn id(&self, source: &Source) -> String {
        format!("e{}-{}", self.trace.number, source.first)
    }

    fn source(&self, from: &Source) -> Markup {
        source(self.session.session_id.as_str(), from)
    }
}

impl<'t> Entries<'t> {
    /// For the sessions of these agents.
    pub fn new(trace: &'t Trace, pieces: Pieces, agents: &'t [Agent<'t>]) -> Self {
        let mut children = HashMap::new();
        agents.iter().for_each(|agent| collect(agent, &mut children));
        Self { trace, pieces, troubles: Vec::new(), children, depth: 0 }
    }

    /// The entries of a session, in order.
    pub fn session(&mut self, session: &'t TranscriptSession) -> Vec<Entry> {
        let Some(trace) = self.trace.session(&session.session_id) else { return Vec::new() };
        self.flow(Scene { session, trace }, &session.items, None)
    }

    /// Items, and what happened between them.
    fn flow(&mut self, scene: Scene<'t>, items: &'t [TranscriptItem], call: Option<&ItemId>) -> Vec<Entry> {
        if self.depth > DEPTH {
            return Vec::new();
        }
        self.depth += 1;
        let marks = scene.trace.marks.iter().filter(|mark| mark.agent_path.last() == call);
        let mut marks = marks.filter(|mark| !belongs_to_item(scene.session, mark)).peekable();
        let mut entries = Vec::new();
        for item in items {
            let first = scene.trace.item(&item.item.item_id).first;
            while let Some(mark) = marks.next_if(|mark| mark.source.first < first) {
                entries.push(self.mark(scene, mark));
            }
            entries.push(self.item(scene, item));
        }
        for mark in marks {
            entries.push(self.mark(scene, mark));
        }
        self.depth -= 1;
        entries
    }

    fn item(&mut self, scene: Scene<'t>, entry: &'t TranscriptItem) -> Entry {
        let from = scene.trace.item(&entry.item.item_id);
        let html = match entry.item.kind {
            ItemKind::ToolCall => self.call(scene, entry, &from),
            ItemKind::Status => self.status(scene, entry, &from),
            _ => self.message(scene, entry, &from),
        };
        let is_prompt = entry.item.kind == ItemKind::Message && entry.item.role == Some(ItemRole::User);
        let prompt = is_prompt.then(|| excerpt(&entry.item.text(), 160));
        Entry { turn: entry.turn_id.clone(), prompt, html }
    }

    fn message(&mut self, scene: Scene<'t>, entry: &'t TranscriptItem, from: &Source) -> Markup {
        let item = &entry.item;
        let (class, who) = voice(item, self.depth > 1);
        let nothing = item.content.is_empty();
        if nothing && item.status == ItemStatus::Completed && entry.items.is_empty() {
            // A message of nothing but calls, which stand below with the same native line.
            return html! {};
        }
        let is_reasoning = |block: &ContentBlock| matches!(block, ContentBlock::Reasoning(_));
        let class = if !nothing && item.content.iter().all(is_reasoning) { "k-reason" } else { class };
        html! {
            article.e.(class).replaced[item.superseded_by.is_some()] id=(scene.id(from)) aria-label=(who) {
                div.head {
                    strong { (who) } (state(item))
                    @if item.superseded_by.is_some() { span.badge { "replaced by a later attempt" } }
                    (scene.source(from))
                }
                @for block in &item.content {
                    @match block {
                        ContentBlock::Text(text) => (self.pieces.markdown(&text.text)),
                        ContentBlock::Reasoning(reasoning) => div.k-reason {
                            details.reason {
                                summary { "Reasoning" @if !reasoning.text.is_empty() { span.quiet { " " (excerpt(&reasoning.text, 90)) } } }
                                @if reasoning.text.trim().is_empty() { (not_recorded()) }
                                @else { (self.pieces.markdown(&reasoning.text)) }
                            }
                        },
                        other => (self.pieces.block(other)),
                    }
                }
                @if nothing { (not_recorded()) }
                (self.below(scene, entry))
            }
        }
    }

    fn status(&mut self, scene: Scene<'t>, entry: &'t TranscriptItem, from: &Source) -> Markup {
        let status = entry.item.content.iter().find_map(|block| match block {
            ContentBlock::Status(status) => Some(status),
            _ => None,
        });
        let Some(status) = status else { return self.message(scene, entry, from) };
        let is_compaction = status.label == "compaction";
        let class = if status.label == "retry" { "k-error" } else { "k-note" };
        let tokens = scene.trace.context_before(from.first).filter(|_| is_compaction);
        html! {
            article.e.(class).divider[is_compaction] id=(scene.id(from)) aria-label=(name(&status.label)) {
                div.head {
                    strong { @if is_compaction { "Context compacted" } @else { (name(&status.label)) } }
                    @if let Some(tokens) = tokens { span { (count(tokens)) " tokens in the context before it" } }
                    @if let Some(detail) = &status.detail { span { (excerpt(detail, 300)) } }
                    @if status.label == "retry" { span { (facts(status.data.as_ref(), status.detail.as_deref())) } }
                    (state(&entry.item))
                    (scene.source(from))
                }
                @if let Some(detail) = status.detail.as_ref().filter(|detail| detail.len() > 300 || detail.contains('\n')) {
                    details { summary { "Whole text" } (self.pieces.text(detail)) }
                }
                @if let Some(data) = &status.data {
                    details { summary { "Data" } (self.pieces.arguments(data.get())) }
                }
            }
        }
    }

    fn call(&mut self, scene: Scene<'t>, entry: &'t TranscriptItem, from: &Source) -> Markup {
        let item = &entry.item;
        let Some(call) = item.call() else { return self.message(scene, entry, from) };
        let result = entry.result.as_deref().and_then(|result| result.item.tool_result());
        let exit = result.and_then(|result| result.exit_code);
        let failed = item.status == ItemStatus::Failed || result.is_some_and(|result| result.is_error);
        let declined = item.status == ItemStatus::Declined;
        let id = scene.id(from);
        if failed || declined {
            let text = match result {
                Some(result) => excerpt(&result.text(), 160),
                None => summary(call),
            };
            let what = if declined { "not permitted" } else { "tool failed" };
            self.troubles.push(Trouble {
                id: id.clone(),
                what,
                text: format!("{}: {text}", name(&call.name)),
            });
        }
        let mut whole = from.clone();
        if let Some(result) = &entry.result {
            whole.runs.extend(scene.trace.item(&result.item.item_id).runs);
        }
        let millis = result.and_then(|result| result.duration_ms).or_else(|| entry.duration_ms());
        let changes = item.file_changes().count()
            + entry.result.as_ref().map_or(0, |result| result.item.file_changes().count());
        let is_delegation = !entry.items.is_empty() || self.children.contains_key(&item.item_id);
        html! {
            article.e.k-tool.bad[failed || declined] id=(id) aria-label={ "Tool " (name(&call.name)) } {
                details open[failed || changes > 0] {
                    summary {
                        strong { (name(&call.name)) } " "
                        code.what { (summary(call)) }
                        (state(item))
                        @if failed && item.status == ItemStatus::Completed { span.badge.bad { "failed" } }
                        @if let Some(exit) = exit { span.badge.bad[exit != 0] { "exit code " (exit) } }
                        @if let Some(millis) = millis { span.quiet { (duration(millis)) } }
                        @if call.hosted { span.badge { "run by the provider" } }
                        @if is_delegation { span.badge { "sub-agent" } }
                        (self.decisions(scene, item, call))
                    }
                    div.body {
                        (self.pieces.arguments(&call.arguments))
                        @if call.arguments_invalid { p.quiet { "The arguments are not valid JSON." } }
                        @for block in item.content.iter().filter(|block| !matches!(block, ContentBlock::ToolCall(_))) {
                            (self.pieces.block(block))
                        }
                        (self.requests(scene, item, call))
                        (self.below(scene, entry))
                        (self.result(entry))
                    }
                }
                (scene.source(&whole))
            }
        }
    }

    fn result(&mut self, entry: &TranscriptItem) -> Markup {
        let Some(result) = entry.result.as_deref() else {
            return html! { p.quiet { "no result was recorded" } };
        };
        if let Some(live) = &result.live_output {
            return html! { div.out { p.quiet { "output so far" } (self.pieces.text(live)) } };
        }
        html! {
            div.out {
                @for block in &result.item.content { (self.pieces.block(block)) }
                @if result.item.content.is_empty() { p.quiet { "empty result" } }
            }
        }
    }

    /// What sub-agents did.
    fn below(&mut self, scene: Scene<'t>, entry: &'t TranscriptItem) -> Markup {
        let inner = match entry.items.is_empty() {
            true => Vec::new(),
            false => self.flow(scene, &entry.items, Some(&entry.item.item_id)),
        };
        let agents = self.children.remove(&entry.item.item_id).unwrap_or_default();
        html! {
            @if !inner.is_empty() {
                section.sub aria-label="Sub-agent" {
                    p.who { "Sub-agent" span.quiet { " " (inner.len()) " entries" } }
                    @for entry in &inner { (entry.html) }
                }
            }
            @for agent in agents { (self.child(agent)) }
        }
    }

    /// The session of a sub-agent.
    pub fn child(&mut self, agent: &'t Agent<'t>) -> Markup {
        let session = agent.session;
        let entries = self.session(session);
        let title = session.title.as_deref().unwrap_or(session.session_id.as_str());
        html! {
            section.sub aria-label={ "Sub-agent " (name(title)) } {
                p.who { "Sub-agent " (name(title))
                    @if let Some(model) = &session.model { span.quiet { " " (name(model)) } }
                    span.quiet { " " (entries.len()) " entries" }
                }
                @for entry in &entries { (entry.html) }
            }
        }
    }

    fn decisions(&self, scene: Scene<'t>, item: &Item, call: &ToolCall) -> Markup {
        html! {
            @for asked in permissions(scene.session, item, call) {
                span.badge { "permission: " (outcome(asked)) }
            }
        }
    }

    fn requests(&mut self, scene: Scene<'t>, item: &Item, call: &ToolCall) -> Markup {
        let asked: Vec<_> = permissions(scene.session, item, call).collect();
        let questions = scene.session.questions.iter().filter(|asked| {
            asked.requested.item_id.as_ref() == Some(&item.item_id)
                || asked.requested.call_id.as_ref() == Some(&call.call_id)
        });
        html! {
            @for asked in asked { div.ask { (self.permission(asked)) } }
            @for asked in questions { div.ask { (question(asked)) } }
        }
    }

    fn permission(&mut self, asked: &TranscriptPermission) -> Markup {
        let action = &asked.requested.action;
        html! {
            p { "Permission for " strong { (name(&action.name)) } ": " (outcome(asked)) }
            @if let Some(reason) = &action.reason { p { (excerpt(reason, 400)) } }
            @if !action.paths.is_empty() { p { @for path in &action.paths { code { (name(path)) } " " } } }
            @if let Some(message) = asked.resolved.as_ref().and_then(|resolved| resolved.message.as_ref()) {
                p { "Message: " (excerpt(message, 400)) }
            }
            @if !asked.requested.options.is_empty() {
                p.quiet { "Options: "
                    @for (place, option) in asked.requested.options.iter().enumerate() {
                        @if place > 0 { ", " }
                        (name(option.label.as_deref().unwrap_or(option.outcome.as_str())))
                    }
                }
            }
            @if let Some(input) = asked.resolved.as_ref().and_then(|resolved| resolved.updated_input.as_ref()) {
                details { summary { "Changed arguments" } (self.pieces.arguments(input.get())) }
            }
        }
    }

    fn mark(&mut self, scene: Scene<'t>, mark: &'t Mark) -> Entry {
        let id = scene.id(&mark.source);
        let from = scene.source(&mark.source);
        let entry = |class: &str, who: &str, body: Markup| {
            html! {
                article.e.(class) id=(id) aria-label=(who) {
                    div.head { strong { (who) } (from) }
                    (body)
                }
            }
        };
        let html = match &mark.kind {
            MarkKind::Error(error) => {
                let retried = error.will_retry == Some(true);
                let what = if retried { "error, tried again" } else { "error" };
                self.troubles.push(Trouble { id: id.clone(), what, text: excerpt(&error.message, 160) });
                entry("k-error", if retried { "Error, tried again" } else { "Error" }, self.error(error))
            }
            MarkKind::Permission(wanted) => {
                let asked =
                    scene.session.permissions.iter().find(|asked| asked.requested.permission_id == *wanted);
                let body = asked.map_or_else(not_recorded, |asked| {
                    let arguments = asked.requested.action.arguments.clone().unwrap_or_default();
                    html! { (self.permission(asked)) (self.pieces.arguments(&arguments)) }
                });
                entry("k-ask", "Permission", body)
            }
            MarkKind::Question(wanted) => {
                let asked =
                    scene.session.questions.iter().find(|asked| asked.requested.question_id == *wanted);
                entry("k-ask", "Question", asked.map_or_else(not_recorded, question))
            }
            MarkKind::HostCall(wanted) => {
                let asked =
                    scene.session.host_calls.iter().find(|asked| asked.requested.request_id == *wanted);
                let body = asked.map_or_else(not_recorded, |asked| html! {
                    p { (asked.requested.kind) ": "
                        (asked.resolved.as_ref().map_or("no answer was recorded", |resolved| resolved.outcome.as_str()))
                    }
                    details { summary { "Request" } (self.pieces.arguments(asked.requested.payload.get())) }
                });
                entry("k-ask", "Request to the host", body)
            }
            MarkKind::Model(model) => {
                entry("k-note", "Model", html! { p { "from here on " code { (name(model)) } } })
            }
            MarkKind::Unparsed(error) => {
                let text = excerpt(error, 300);
                self.troubles.push(Trouble {
                    id: id.clone(),
                    what: "message that could not be parsed",
                    text: text.clone(),
                });
                entry("k-error", "A message that could not be parsed", html! { p { (text) } })
            }
        };
        Entry { turn: mark.turn_id.clone(), prompt: None, html }
    }

    /// What an error says.
    pub fn error(&mut self, error: &ErrorData) -> Markup {
        html! {
            p { span.badge.bad { (error.class) } " " (clean(&error.message))
                @if let Some(code) = &error.code { " " code { (name(code)) } }
            }
            @if let Some(details) = &error.details {
                details { summary { "Details" } (self.pieces.arguments(details.get())) }
            }
        }
    }
}

fn collect<'t>(agent: &'t Agent<'t>, children: &mut HashMap<ItemId, Vec<&'t Agent<'t>>>) {
    for inner in &agent.agents {
        if inner.session.session_id != agent.session.session_id
            && let Some(call) = inner.call
        {
            children.entry(call.item.item_id.clone()).or_default().push(inner);
        }
        collect(inner, children);
    }
}

/// Whether a request is shown in the call that it is about.
fn belongs_to_item(session: &TranscriptSession, mark: &Mark) -> bool {
    let about = match &mark.kind {
        MarkKind::Permission(wanted) => {
            let mut all = session.permissions.iter().map(|asked| &asked.requested);
            all.find(|asked| asked.permission_id == *wanted).map(|asked| (&asked.item_id, &asked.call_id))
        }
        MarkKind::Question(wanted) => {
            let mut all = session.questions.iter().map(|asked| &asked.requested);
            all.find(|asked| asked.question_id == *wanted).map(|asked| (&asked.item_id, &asked.call_id))
        }
        _ => None,
    };
    let Some((item_id, call_id)) = about else { return false };
    (item_id.is_some() || call_id.is_some())
        && session
            .all_items()
            .filter_map(|entry| Some((&entry.item.item_id, &entry.item.call()?.call_id)))
            .any(|(item, call)| item_id.as_ref() == Some(item) || call_id.as_ref() == Some(call))
}

fn permissions<'t>(
    session: &'t TranscriptSession,
    item: &'t Item,
    call: &'t ToolCall,
) -> impl Iterator<Item = &'t TranscriptPermission> {
    session.permissions.iter().filter(|asked| {
        asked.requested.item_id.as_ref() == Some(&item.item_id)
            || asked.requested.call_id.as_ref() == Some(&call.call_id)
    })
}

fn outcome(asked: &TranscriptPermission) -> String {
    match &asked.resolved {
        None => "no answer was recorded".to_owned(),
        Some(resolved) => match &resolved.decided_by {
            Some(by) => format!("{}, decided by the {by}", resolved.outcome),
            None => format!("{}, not recorded who decided", resolved.outcome),
        },
    }
}

fn question(asked: &TranscriptQuestion) -> Markup {
    let answers = asked.resolved.as_ref().and_then(|resolved| resolved.answers.as_ref());
    html! {
        @for (place, question) in asked.requested.questions.iter().enumerate() {
            p { strong { (clean(&question.text)) } }
            @if !question.options.is_empty() {
                ul { @for option in &question.options {
                    li { (name(&option.label))
                        @if let Some(more) = &option.description { span.quiet { " " (excerpt(more, 200)) } }
                    }
                } }
            }
            @if let Some(answer) = answers.and_then(|answers| answers.get(place)) {
                p { "Answer: " @if question.secret { "(secret)" } @else { (clean(&answer.join(", "))) } }
            }
        }
        @match &asked.resolved {
            None => p.quiet { "no answer was recorded" },
            Some(resolved) => p.quiet { (resolved.outcome)
                @if let Some(by) = &resolved.decided_by { ", decided by the " (by) }
                @if let Some(message) = &resolved.message { ": " (excerpt(message, 300)) }
            },
        }
    }
}

/// The class and the name of who says something.
fn voice(item: &Item, by_agent: bool) -> (&'static str, String) {
    let (class, who) = match (&item.kind, item.role) {
        // What a sub-agent is asked does not come from the user.
        (ItemKind::Message, Some(ItemRole::User)) if by_agent => ("k-note", "Asked by the agent"),
        (ItemKind::Message, Some(ItemRole::User)) => ("k-user", "User"),
        (ItemKind::Message, Some(ItemRole::Assistant)) => ("k-agent", "Assistant"),
        (ItemKind::Message, Some(ItemRole::System)) => ("k-note", "System"),
        (ItemKind::Message, _) => ("k-note", "Message"),
        (ItemKind::Plan, _) => ("k-plan", "Plan"),
        (ItemKind::ToolResult, _) => ("k-tool", "Result"),
        (other, _) => return ("k-note", name(other.as_str())),
    };
    (class, who.to_owned())
}

fn state(item: &Item) -> Markup {
    match item.status {
        ItemStatus::Completed => html! {},
        ItemStatus::InProgress => html! { span.badge { "not finished" } },
        ItemStatus::Failed => html! { span.badge.bad { "failed" } },
        ItemStatus::Declined => html! { span.badge.bad { "not permitted" } },
        ItemStatus::Interrupted => html! { span.badge.bad { "interrupted" } },
        _ => html! { span.badge { (item.status) } },
    }
}

/// A call in a few words: its title, or the first text among its arguments.
pub fn summary(call: &ToolCall) -> String {
    if let Some(title) = &call.title {
        return excerpt(title, 160);
    }
    let Some(members) = members::of(&call.arguments) else { return excerpt(&call.arguments, 160) };
    let mut texts = members.iter().filter_map(|(_, value)| value.as_str());
    excerpt(texts.find(|text| !text.trim().is_empty()).unwrap_or_default(), 160)
}
