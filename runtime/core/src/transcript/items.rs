//! The position of each item, and how its events change it.

use std::collections::HashMap;

use super::apply::Scene;
use crate::vocabulary::{
    CallId, ChangeKind, Channel, ContentBlock, FileChange, Item, ItemDelta, ItemId, ItemKind, ItemStatus,
    TRANSCRIPT_DEPTH, ToolKind, TranscriptCalls, TranscriptFile, TranscriptItem, TranscriptSession, TurnId,
};

/// How many parts of an item a delta may skip. Parts without text, such as images, come with the whole item.
const SKIPPED_PARTS: usize = 64;

/// The positions of the items of a session.
#[derive(Debug, Default)]
pub(super) struct Items {
    places: HashMap<ItemId, Place>,
    /// The call of each call id, for results that do not name their parent.
    calls: HashMap<CallId, ItemId>,
    /// The place of each changed file.
    files: HashMap<String, usize>,
    /// The open calls, with the kind that each was counted under.
    counted: HashMap<ItemId, Option<ToolKind>>,
}

#[derive(Clone, Debug)]
enum Place {
    /// Among the session's items.
    Top(usize),
    /// The result of a call.
    Result(ItemId),
    /// Among the items below a call, so many levels down.
    Below(ItemId, usize, usize),
}

impl Items {
    /// Finds the items of a session that was stored.
    pub(super) fn resume(session: &TranscriptSession) -> Self {
        let mut items = Self::default();
        items.index(session);
        for entry in session.all_items().filter(|entry| entry.item.kind == ItemKind::ToolCall) {
            if entry.item.status == ItemStatus::InProgress {
                items.counted.insert(entry.item.item_id.clone(), tool_kind(&entry.item));
            }
        }
        items
    }

    fn index(&mut self, session: &TranscriptSession) {
        fn index(places: &mut HashMap<ItemId, Place>, entry: &TranscriptItem, level: usize) {
            let id = &entry.item.item_id;
            if let Some(result) = &entry.result {
                places.insert(result.item.item_id.clone(), Place::Result(id.clone()));
            }
            for (place, inner) in entry.items.iter().enumerate() {
                places.insert(inner.item.item_id.clone(), Place::Below(id.clone(), place, level + 1));
                index(places, inner, level + 1);
            }
        }
        self.places.clear();
        for (place, entry) in session.items.iter().enumerate() {
            self.places.insert(entry.item.item_id.clone(), Place::Top(place));
            index(&mut self.places, entry, 0);
        }
        self.calls.clear();
        for entry in session.all_items().filter(|entry| entry.item.kind == ItemKind::ToolCall) {
            if let Some(call) = &entry.item.call_id {
                self.calls.insert(call.clone(), entry.item.item_id.clone());
            }
        }
        let files = session.files.iter().enumerate();
        self.files = files.map(|(place, file)| (file.path.clone(), place)).collect();
    }

    /// Starts an item. One that exists is left unchanged.
    pub(super) fn started(&mut self, session: &mut TranscriptSession, item: Item, scene: Scene) {
        if !scene.whole {
            self.count_start(session, &item);
        } else if !self.places.contains_key(&item.item_id) {
            self.count_start(session, &item);
            take_plan(session, &item, &scene);
            self.add(session, item, scene);
        }
    }

    /// An item is stated anew.
    pub(super) fn updated(&mut self, session: &mut TranscriptSession, item: Item, scene: Scene) {
        take_plan(session, &item, &scene);
        self.count_kind(session, &item);
        if !scene.whole {
            return;
        }
        match self.entry(session, &item.item_id) {
            Some(entry) => entry.item = item,
            None => self.started(session, item, scene),
        }
    }

    /// An item is whole.
    pub(super) fn completed(&mut self, session: &mut TranscriptSession, item: Item, scene: Scene) {
        if scene.whole && !self.places.contains_key(&item.item_id) {
            let start = Scene {
                at: None,
                turn_id: scene.turn_id.clone(),
                agent_path: scene.agent_path.clone(),
                ..scene
            };
            self.started(session, item.clone(), start);
        }
        if !scene.whole && item.kind == ItemKind::ToolCall && !self.counted.contains_key(&item.item_id) {
            self.count_start(session, &item);
        }
        self.count_end(session, &item);
        self.take_changes(session, &item, scene.whole);
        take_plan(session, &item, &scene);
        if !scene.whole {
            return;
        }
        if let Some(entry) = self.entry(session, &item.item_id) {
            entry.item = item;
            entry.ended_at = scene.at;
            entry.live_output = None;
        }
    }

    /// Text is appended.
    pub(super) fn delta(&mut self, session: &mut TranscriptSession, delta: &ItemDelta) {
        let Some(entry) = self.entry(session, &delta.item_id) else { return };
        if entry.item.status != ItemStatus::InProgress {
            return;
        }
        match delta.channel {
            Channel::Output | Channel::ErrorOutput => {
                entry.live_output.get_or_insert_default().push_str(&delta.delta);
            }
            // The tool itself shows what is typed into it, if it does.
            Channel::Input => {}
            channel => append(&mut entry.item, delta, channel),
        }
    }

    /// Puts a new item where it belongs.
    fn add(&mut self, session: &mut TranscriptSession, item: Item, scene: Scene) {
        let id = item.item_id.clone();
        if item.kind == ItemKind::ToolCall
            && let Some(call) = &item.call_id
        {
            self.calls.insert(call.clone(), id.clone());
        }
        let mut entry = TranscriptItem::new(item);
        entry.turn_id = scene.turn_id;
        entry.started_at = scene.at;
        let place = match self.call_of(&entry.item).and_then(|call| self.entry(session, &call)) {
            Some(call) if call.result.is_none() => {
                let place = Place::Result(call.item.item_id.clone());
                call.result = Some(Box::new(entry));
                place
            }
            _ => self.add_beside(session, entry, &scene.agent_path),
        };
        self.places.insert(id, place);
    }

    /// The call that an item is the result of.
    fn call_of(&self, item: &Item) -> Option<ItemId> {
        if item.kind != ItemKind::ToolResult {
            return None;
        }
        let parent = item.parent_id.as_ref().filter(|parent| self.places.contains_key(*parent));
        let by_call = || item.call_id.as_ref().and_then(|call| self.calls.get(call));
        parent.or_else(by_call).cloned()
    }

    /// Puts an item below the call that started its agent, or at the session's end.
    fn add_beside(
        &mut self,
        session: &mut TranscriptSession,
        entry: TranscriptItem,
        agent_path: &[ItemId],
    ) -> Place {
        let level = |place: &Place| match place {
            Place::Top(_) => Some(0),
            Place::Below(_, _, level) => Some(*level),
            Place::Result(_) => None,
        };
        // The nearest call that is known and not too deep.
        let above = agent_path.iter().rev().find_map(|id| {
            let level = level(self.places.get(id)?)?;
            (level < TRANSCRIPT_DEPTH).then(|| (id.clone(), level))
        });
        if let Some((id, level)) = above
            && let Some(call) = self.entry(session, &id)
        {
            call.items.push(entry);
            return Place::Below(id, call.items.len() - 1, level + 1);
        }
        session.items.push(entry);
        Place::Top(session.items.len() - 1)
    }

    fn entry<'s>(&self, session: &'s mut TranscriptSession, id: &ItemId) -> Option<&'s mut TranscriptItem> {
        match self.places.get(id)? {
            Place::Top(place) => session.items.get_mut(*place),
            Place::Result(call) => self.entry(session, call)?.result.as_deref_mut(),
            Place::Below(call, place, _) => self.entry(session, call)?.items.get_mut(*place),
        }
    }

    /// Lets go of the items of turns.
    pub(super) fn drop_turns(
        &mut self,
        session: &mut TranscriptSession,
        goes: &impl Fn(&Option<TurnId>) -> bool,
    ) {
        // A notice outside any turn goes with what came after it.
        let last = session.items.iter().rposition(|entry| goes(&entry.turn_id)).unwrap_or_default();
        let mut place = 0;
        session.items.retain(|entry| {
            let is_old =
                entry.turn_id.is_none() && place < last && entry.item.status != ItemStatus::InProgress;
            place += 1;
            !is_old && !goes(&entry.turn_id)
        });
        self.index(session);
        for file in &mut session.files {
            file.items.retain(|id| self.places.contains_key(id));
        }
    }

    fn count_start(&mut self, session: &mut TranscriptSession, item: &Item) {
        session.counts.items += 1;
        if item.kind == ItemKind::ToolCall {
            let kind = tool_kind(item);
            calls_of(session, kind.as_ref()).calls += 1;
            self.counted.insert(item.item_id.clone(), kind);
        }
    }

    /// Moves a call to another kind, where that was not known before.
    fn count_kind(&mut self, session: &mut TranscriptSession, item: &Item) {
        let Some(counted) = self.counted.get_mut(&item.item_id) else { return };
        let kind = tool_kind(item);
        if kind != *counted {
            calls_of(session, counted.as_ref()).calls -= 1;
            calls_of(session, kind.as_ref()).calls += 1;
            session.counts.tool_calls.retain(|calls| calls.calls > 0);
            *counted = kind;
        }
    }

    fn count_end(&mut self, session: &mut TranscriptSession, item: &Item) {
        self.count_kind(session, item);
        if let Some(kind) = self.counted.remove(&item.item_id) {
            let calls = calls_of(session, kind.as_ref());
            calls.failed += u64::from(item.status == ItemStatus::Failed);
            calls.declined += u64::from(item.status == ItemStatus::Declined);
        }
    }

    /// Takes the changes of files that an item brought about.
    fn take_changes(&mut self, session: &mut TranscriptSession, item: &Item, whole: bool) {
        if item.status != ItemStatus::Completed {
            return;
        }
        for block in &item.content {
            if let ContentBlock::FileChange(change) = block {
                let place = self.file(session, change);
                let file = &mut session.files[place];
                file.changes += 1;
                if whole && file.items.last() != Some(&item.item_id) {
                    file.items.push(item.item_id.clone());
                }
            }
        }
    }

    /// The place of a changed file, with what the change makes of it.
    fn file(&mut self, session: &mut TranscriptSession, change: &FileChange) -> usize {
        let known = self.files.get(&change.path).or_else(|| self.files.get(change.from.as_ref()?));
        let place = known.copied().unwrap_or_else(|| {
            session.files.push(TranscriptFile {
                path: change.path.clone(),
                change: change.change,
                from: change.from.clone(),
                changes: 0,
                items: Vec::new(),
            });
            session.files.len() - 1
        });
        let file = &mut session.files[place];
        if file.path != change.path {
            self.files.remove(&file.path);
            file.from.get_or_insert_with(|| std::mem::take(&mut file.path));
            file.path.clone_from(&change.path);
        }
        self.files.insert(change.path.clone(), place);
        file.change = match (file.change, change.change) {
            (ChangeKind::Create, ChangeKind::Update | ChangeKind::Rename) => ChangeKind::Create,
            (ChangeKind::Rename, ChangeKind::Update) => ChangeKind::Rename,
            (ChangeKind::Delete, ChangeKind::Create) => ChangeKind::Update,
            (_, change) => change,
        };
        place
    }
}

/// What the tool of a call does.
fn tool_kind(item: &Item) -> Option<ToolKind> {
    item.call().and_then(|call| call.tool_kind.clone())
}

fn calls_of<'s>(session: &'s mut TranscriptSession, kind: Option<&ToolKind>) -> &'s mut TranscriptCalls {
    let all = &mut session.counts.tool_calls;
    let place = all.iter().position(|calls| calls.tool_kind.as_ref() == kind).unwrap_or_else(|| {
        all.push(TranscriptCalls { tool_kind: kind.cloned(), calls: 0, failed: 0, declined: 0 });
        all.len() - 1
    });
    &mut all[place]
}

/// Takes the main agent's plan.
fn take_plan(session: &mut TranscriptSession, item: &Item, scene: &Scene) {
    if !scene.agent_path.is_empty() {
        return;
    }
    for block in &item.content {
        if let ContentBlock::Plan(plan) = block {
            session.plan = Some(plan.clone());
        }
    }
}

/// Appends text to a part of an item, which begins when it is new.
fn append(item: &mut Item, delta: &ItemDelta, channel: Channel) {
    let part = delta.part as usize;
    if part > item.content.len() + SKIPPED_PARTS {
        return;
    }
    while item.content.len() <= part {
        let is_it = item.content.len() == part;
        item.content.push(match channel {
            Channel::Reasoning if is_it => ContentBlock::reasoning(""),
            _ => ContentBlock::text(""),
        });
    }
    let block = &mut item.content[part];
    match channel {
        Channel::Arguments => block.append_arguments(&delta.delta),
        _ => block.append_text(&delta.delta),
    };
}
