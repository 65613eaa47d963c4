//! The rows of each table.

use std::collections::HashMap;

use interlingua::Event;
use interlingua::vocabulary::{
    ChangeKind, Cost, EventBody, FileChange, Item, ItemId, ItemKind, ItemRole, ItemStatus, MessageSource,
    Timestamp, TranscriptItem, TranscriptSession, Usage, UsageScope,
};
use serde::Deserialize;

use crate::column::{Rows, Value};
use crate::schema::Table;
use crate::tables::{Call, Outcome, Source, Tables};

/// What a map says of a session beside the vocabulary's own fields.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    branch: Option<String>,
    parent: Option<String>,
    part_of: Option<String>,
}

pub(crate) fn source(
    rows: &mut Rows,
    source: &Source,
    first: Option<(&str, Option<&str>)>,
    events: u64,
    outcome: &Outcome,
) {
    rows.push([
        source.provider.as_deref().into(),
        (&source.name).into(),
        first.map(|(id, _)| id).into(),
        first.and_then(|(_, native)| native).into(),
        source.agent.as_deref().into(),
        source.bytes.into(),
        source.modified.into(),
        outcome.messages.into(),
        events.into(),
        outcome.unparsed.into(),
        outcome.error.as_deref().into(),
    ]);
}

pub(crate) fn event(rows: &mut Rows, source: &Source, event: &Event) {
    rows.push([
        source.provider.as_deref().into(),
        (&source.name).into(),
        event.session_id.as_str().into(),
        event.native_session_id.as_ref().map(|id| id.as_str()).into(),
        event.turn_id.as_ref().map(|id| id.as_str()).into(),
        event.sequence.into(),
        event.time.into(),
        event.body.event_type().into(),
        event.origin.as_str().into(),
        path(&event.agent_path),
        item_of(&event.body).into(),
        event.native.as_ref().map(|native| native.line).into(),
        // An event that cannot be written as JSON does not exist: numbers are finite, keys are texts.
        event.body.data_json().ok().into(),
    ]);
}

/// The item that an event is about.
fn item_of(body: &EventBody) -> Option<&str> {
    let id = match body {
        EventBody::ItemStarted(state) | EventBody::ItemUpdated(state) | EventBody::ItemCompleted(state) => {
            &state.item.item_id
        }
        EventBody::ItemDelta(delta) => &delta.item_id,
        EventBody::PermissionRequested(request) => request.item_id.as_ref()?,
        EventBody::QuestionRequested(request) => request.item_id.as_ref()?,
        _ => return None,
    };
    Some(id.as_str())
}

fn path(path: &[ItemId]) -> Value<'_> {
    path.iter().map(ItemId::as_str).collect::<Vec<_>>().into()
}

/// A session while its rows are made.
struct Rest<'t> {
    source: &'t Source,
    session: &'t TranscriptSession,
    /// All items, each with the calls that lead to its agent.
    items: Vec<(&'t TranscriptItem, Vec<ItemId>)>,
}

pub(crate) fn session(tables: &mut Tables, source: &Source, session: &TranscriptSession, calls: &[Call]) {
    let mut items = Vec::new();
    let mut path = Vec::new();
    session.items.iter().for_each(|entry| walk(entry, &mut path, &mut items));
    let rest = Rest { source, session, items };
    if let Some(rows) = tables.rows(Table::Sessions) {
        rest.session(rows);
    }
    if let Some(rows) = tables.rows(Table::Turns) {
        rest.turns(rows);
    }
    if let Some(rows) = tables.rows(Table::Items) {
        rest.items(rows);
    }
    if let Some(rows) = tables.rows(Table::ToolCalls) {
        rest.tool_calls(rows);
    }
    if tables.rows(Table::Usage).is_some() {
        rest.usage(tables, calls);
    }
    if let Some(rows) = tables.rows(Table::Files) {
        rest.files(rows);
    }
}

fn walk<'t>(
    entry: &'t TranscriptItem,
    path: &mut Vec<ItemId>,
    items: &mut Vec<(&'t TranscriptItem, Vec<ItemId>)>,
) {
    items.push((entry, path.clone()));
    items.extend(entry.result.as_deref().map(|result| (result, path.clone())));
    path.push(entry.item.item_id.clone());
    entry.items.iter().for_each(|inner| walk(inner, path, items));
    path.pop();
}

impl Rest<'_> {
    /// The columns that begin each row.
    fn begin(&self) -> [Value<'_>; 4] {
        [
            self.source.provider.as_deref().into(),
            (&self.source.name).into(),
            self.session.session_id.as_str().into(),
            self.session.native_session_id.as_ref().map(|id| id.as_str()).into(),
        ]
    }

    fn session(&self, rows: &mut Rows) {
        let session = self.session;
        let more: Metadata = session.metadata.as_ref().and_then(|data| data.to().ok()).unwrap_or_default();
        let usage = session.usage.total.clone().unwrap_or_default();
        let calls = &session.counts.tool_calls;
        let [provider, source, id, native] = self.begin();
        rows.push([
            provider,
            source,
            id,
            native,
            self.source.agent.as_deref().into(),
            session.parent.as_ref().map(|parent| parent.session_id.as_str()).into(),
            more.part_of.or(more.parent).into(),
            session.resumed_from.as_ref().map(|id| id.as_str()).into(),
            session.title.as_deref().into(),
            self.prompt().into(),
            session.cwd.as_deref().into(),
            more.branch.into(),
            session.model.as_deref().into(),
            session.agent_version.as_deref().into(),
            session.permission_mode.as_deref().into(),
            session.started_at.into(),
            session.updated_at.into(),
            duration(session.started_at, session.updated_at).into(),
            session.end.as_ref().map(|end| end.reason.as_str()).into(),
            session.counts.turns.into(),
            session.counts.items.into(),
            calls.iter().map(|calls| calls.calls).sum::<u64>().into(),
            calls.iter().map(|calls| calls.failed).sum::<u64>().into(),
            session.permissions.len().into(),
            session.counts.errors.into(),
            session.counts.unparsed.into(),
            session.files.len().into(),
            usage.input.into(),
            usage.cache_read.into(),
            usage.cache_write.into(),
            usage.output.into(),
            usage.reasoning.into(),
            usage.cost.as_ref().map(|cost| cost.amount).into(),
            usage.cost.as_ref().map(|cost| cost.currency.as_str()).into(),
            session.last_error().map(|error| error.message.as_str()).into(),
        ]);
    }

    /// The first message of the user, but none that a program wrote in the user's name, which is tagged.
    fn prompt(&self) -> Option<String> {
        let is_users = |item: &Item| {
            item.kind == ItemKind::Message
                && item.role == Some(ItemRole::User)
                && item.source.as_ref().is_none_or(|source| *source == MessageSource::User)
        };
        let texts =
            self.session.items.iter().filter(|entry| is_users(&entry.item)).map(|entry| entry.item.text());
        texts.into_iter().find(|text| !text.trim().is_empty() && !text.trim_start().starts_with('<'))
    }

    fn turns(&self, rows: &mut Rows) {
        for (position, turn) in self.session.turns.iter().enumerate() {
            let items = || self.session.items_of(&turn.turn_id);
            let usage = turn.usage.clone().unwrap_or_default();
            let [provider, source, id, native] = self.begin();
            rows.push([
                provider,
                source,
                id,
                native,
                turn.turn_id.as_str().into(),
                position.into(),
                turn.trigger.as_ref().map(|trigger| trigger.tag()).into(),
                turn.started_at.into(),
                turn.ended_at.into(),
                duration(turn.started_at, turn.ended_at).into(),
                turn.reason.as_ref().map(|reason| reason.tag()).into(),
                turn.error.as_ref().map(|error| error.class.as_str()).into(),
                turn.error.as_ref().map(|error| error.message.as_str()).into(),
                items().map(|entry| 1 + usize::from(entry.result.is_some())).sum::<usize>().into(),
                items().filter(|entry| entry.item.kind == ItemKind::ToolCall).count().into(),
                usage.input.into(),
                usage.cache_read.into(),
                usage.cache_write.into(),
                usage.output.into(),
                usage.reasoning.into(),
                usage.cost.as_ref().map(|cost| cost.amount).into(),
                usage.cost.as_ref().map(|cost| cost.currency.as_str()).into(),
            ]);
        }
    }

    fn items(&self, rows: &mut Rows) {
        for (position, (entry, agent_path)) in self.items.iter().enumerate() {
            let item = &entry.item;
            let (text, reasoning) = (item.text(), item.reasoning());
            let [provider, source, id, native] = self.begin();
            rows.push([
                provider,
                source,
                id,
                native,
                entry.turn_id.as_ref().map(|id| id.as_str()).into(),
                item.item_id.as_str().into(),
                item.native_item_id.as_ref().map(|id| id.as_str()).into(),
                position.into(),
                path(agent_path),
                item.kind.as_str().into(),
                item.role.map(|role| role.as_str()).into(),
                item.source.as_ref().map(|source| source.tag()).into(),
                item.status.as_str().into(),
                entry.started_at.into(),
                entry.ended_at.into(),
                item.call_id.as_ref().map(|id| id.as_str()).into(),
                item.superseded_by.as_ref().map(|id| id.as_str()).into(),
                (!text.is_empty()).then_some(text).into(),
                (!reasoning.is_empty()).then_some(reasoning).into(),
                serde_json::to_string(&item.content).ok().into(),
            ]);
        }
    }

    fn tool_calls(&self, rows: &mut Rows) {
        let mut permissions = HashMap::new();
        for request in &self.session.permissions {
            let outcome = request.resolved.as_ref().map(|resolved| resolved.outcome.as_str());
            if let Some(call) = &request.requested.call_id {
                permissions.insert(call.as_str(), outcome);
            }
        }
        for (entry, agent_path) in &self.items {
            let Some(call) = entry.item.call().filter(|_| entry.item.kind == ItemKind::ToolCall) else {
                continue;
            };
            let result = entry.result.as_ref().and_then(|result| result.item.tool_result());
            let status = match entry.item.status {
                // The call is complete; whether it went well stands in the result.
                ItemStatus::Completed => {
                    entry.result.as_ref().map_or(entry.item.status, |result| result.item.status)
                }
                status => status,
            };
            let ended = entry.result.as_ref().and_then(|result| result.ended_at).or(entry.ended_at);
            let [provider, source, id, native] = self.begin();
            rows.push([
                provider,
                source,
                id,
                native,
                entry.turn_id.as_ref().map(|id| id.as_str()).into(),
                entry.item.item_id.as_str().into(),
                call.call_id.as_str().into(),
                path(agent_path),
                (&call.name).into(),
                call.tool_kind.as_ref().map(|kind| kind.as_str()).into(),
                call.title.as_deref().into(),
                (&call.arguments).into(),
                call.arguments_invalid.into(),
                call.locations.iter().map(|location| location.path.as_str()).collect::<Vec<_>>().into(),
                status.as_str().into(),
                entry.started_at.into(),
                ended.into(),
                result
                    .and_then(|result| result.duration_ms)
                    .or_else(|| duration(entry.started_at, ended))
                    .into(),
                permissions.get(call.call_id.as_str()).copied().flatten().into(),
                result.map(|result| result.is_error).into(),
                result.and_then(|result| result.exit_code).into(),
                entry.output().into(),
            ]);
        }
    }

    /// The calls of models, or what each model used where the calls are not told or do not sum up to the total.
    fn usage(&self, tables: &mut Tables, calls: &[Call]) {
        let whole = self.session.usage.total.clone().unwrap_or_default();
        let sum: u64 = calls.iter().filter_map(|call| call.report.usage.total()).sum();
        // A resumed session may have a total that includes calls of the session before.
        if !calls.is_empty()
            && (self.session.resumed_from.is_some() || sum >= whole.total().unwrap_or_default())
        {
            for call in calls {
                let report = &call.report;
                let model = report.model.as_deref();
                let cost =
                    tables.price(model.unwrap_or_default(), &report.usage, report.billing.as_ref(), call.at);
                let row = Used {
                    turn: call.turn.as_ref().map(|id| id.as_str()),
                    key: report.has_native_key().then_some(report.key.as_str()),
                    scope: UsageScope::Call,
                    path: &call.path,
                    model,
                    at: call.at,
                    calls: Some(1),
                    usage: &report.usage,
                    context: report.context(),
                };
                self.used(tables, row, cost);
            }
            return;
        }
        let models = &self.session.usage.models;
        let parts: u64 = models.iter().filter_map(|part| part.usage.total()).sum();
        let at = self.session.updated_at;
        let mut row = |model: Option<&str>, calls, usage: &Usage| {
            let cost = tables.price(model.unwrap_or_default(), usage, None, at);
            let row = Used {
                turn: None,
                key: None,
                scope: UsageScope::Session,
                path: &[],
                model,
                at,
                calls,
                usage,
                context: None,
            };
            self.used(tables, row, cost);
        };
        if !models.is_empty() && parts == whole.total().unwrap_or_default() {
            models.iter().for_each(|part| row(part.model.as_deref(), part.calls, &part.usage));
        } else if !whole.is_empty() {
            row(self.session.model.as_deref(), None, &whole);
        }
    }

    fn used(&self, tables: &mut Tables, row: Used<'_>, priced: Option<Cost>) {
        let Some(rows) = tables.rows(Table::Usage) else { return };
        let told = row.usage.cost.as_ref();
        let cost = priced.as_ref().or(told);
        let [provider, source, id, native] = self.begin();
        rows.push([
            provider,
            source,
            id,
            native,
            row.turn.into(),
            row.key.into(),
            row.scope.as_str().into(),
            path(row.path),
            row.model.into(),
            row.at.into(),
            row.calls.into(),
            row.usage.input.into(),
            row.usage.cache_read.into(),
            row.usage.cache_write.into(),
            row.usage.output.into(),
            row.usage.reasoning.into(),
            row.context.into(),
            cost.map(|cost| cost.amount).into(),
            cost.map(|cost| cost.currency.as_str()).into(),
            cost.map(|cost| cost.source.as_str()).into(),
            told.map(|cost| cost.amount).into(),
            Value::Null,
        ]);
    }

    fn files(&self, rows: &mut Rows) {
        for changed in self.session.changed_files() {
            let lines: Option<Vec<(u64, u64)>> =
                changed.changes.iter().map(|change| lines_of(change)).collect();
            let lines = lines.filter(|lines| !lines.is_empty());
            let sum = |side: fn(&(u64, u64)) -> u64| {
                lines.as_ref().map(|lines| lines.iter().map(side).sum::<u64>())
            };
            let file = changed.file;
            let [provider, source, id, native] = self.begin();
            rows.push([
                provider,
                source,
                id,
                native,
                (&file.path).into(),
                file.change.as_str().into(),
                file.from.as_deref().into(),
                file.changes.into(),
                sum(|(added, _)| *added).into(),
                sum(|(_, removed)| *removed).into(),
            ]);
        }
    }
}

/// What was used, for a row.
struct Used<'u> {
    turn: Option<&'u str>,
    key: Option<&'u str>,
    scope: UsageScope,
    path: &'u [ItemId],
    model: Option<&'u str>,
    at: Option<Timestamp>,
    calls: Option<u64>,
    usage: &'u Usage,
    context: Option<u64>,
}

fn duration(start: Option<Timestamp>, end: Option<Timestamp>) -> Option<u64> {
    u64::try_from(end?.unix_millis() - start?.unix_millis()).ok()
}

/// How many lines a change adds and removes. Some providers give the text of a new or a deleted file in place of a diff; of
/// other changes without hunks nothing is known.
fn lines_of(change: &FileChange) -> Option<(u64, u64)> {
    let diff = change.diff.as_deref()?;
    if !diff.contains("@@") {
        let lines = diff.lines().count() as u64;
        return match change.change {
            ChangeKind::Create => Some((lines, 0)),
            ChangeKind::Delete => Some((0, lines)),
            _ => None,
        };
    }
    let (mut added, mut removed, mut in_hunk) = (0, 0, false);
    for line in diff.lines() {
        match line.as_bytes().first() {
            Some(b'@') if line.starts_with("@@") => in_hunk = true,
            Some(b'+') if in_hunk => added += 1,
            Some(b'-') if in_hunk => removed += 1,
            _ => {}
        }
    }
    Some((added, removed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(change: ChangeKind, diff: &str) -> Option<(u64, u64)> {
        lines_of(&FileChange::new("f", change).with_diff(diff))
    }

    #[test]
    fn the_header_of_a_diff_is_no_change() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n+++z\n w\n";
        assert_eq!(lines(ChangeKind::Update, diff), Some((2, 1)));
    }

    #[test]
    fn a_text_in_place_of_a_diff_counts_whole() {
        assert_eq!(lines(ChangeKind::Create, "first line\n- second line\n"), Some((2, 0)));
        assert_eq!(lines(ChangeKind::Delete, "remove me\n"), Some((0, 1)));
        assert_eq!(lines(ChangeKind::Update, "+ no hunk\n"), None);
        assert_eq!(lines_of(&FileChange::new("f", ChangeKind::Create)), None);
    }
}
