//! Messages, and what stands in them: texts, reasoning and other blocks.

use super::signals::{At, Signals};
use super::state::{Key, Part, PartKind};
use crate::vocabulary::{
    BlockShown, Channel, ContentBlock, Item, ItemDelta, ItemKind, ItemRole, ItemStatus, Json, JsonValue,
    MessageEnded, MessageStarted, PartDelta, PartStarted, ReasoningEnded, ReasoningSigned, Signal, TextEnded,
};

impl Signals {
    pub(super) fn message_started(&mut self, at: &At, key: &Key, item: &Item) {
        self.ensure_run(at);
        let is_answer = item.role.is_none_or(|role| role == ItemRole::Assistant);
        if is_answer && self.items.get(key).is_some_and(|open| !open.of_sub_agent) {
            self.enter_step(at, true);
        }
        self.enter(at, key);
        self.say_message_started(at, key, item.source.clone());
    }

    fn say_message_started(&mut self, at: &At, key: &Key, source: Option<crate::vocabulary::MessageSource>) {
        let Some(open) = self.items.get(key) else { return };
        let started = MessageStarted {
            message_id: open.id.clone(),
            parent_id: open.parent.clone(),
            role: open.role,
            source,
        };
        self.say_of(at, key, Signal::MessageStarted(started));
    }

    /// The item is heard of in the present run, maybe again.
    fn enter_item(&mut self, at: &At, key: &Key) {
        let is_message = self.items.get(key).is_some_and(|open| open.kind == ItemKind::Message);
        if self.enter(at, key) && is_message {
            self.say_message_started(at, key, None);
        }
    }

    pub(super) fn message_completed(&mut self, at: &At, key: &Key, item: &Item) {
        self.close_parts(at, key, Some(item));
        let name = self.name(&key.0, &key.1);
        self.ready_children(at, &name);
        self.enter_item(at, key);
        let Some(open) = self.items.get(key) else { return };
        let ended = MessageEnded {
            message_id: open.id.clone(),
            role: open.role,
            status: item.status,
            superseded_by: item.superseded_by.as_ref().map(|other| self.name(&key.0, other)),
            merged_from: item.merged_from.iter().map(|other| self.name(&key.0, other)).collect(),
        };
        self.say_of(at, key, Signal::MessageEnded(ended));
        self.forget(key);
    }

    /// The run ends, and a message goes on.
    pub(super) fn leave_message(&mut self, at: &At, key: &Key) {
        let Some(open) = self.items.get(key) else { return };
        let ended = MessageEnded {
            message_id: open.id.clone(),
            role: open.role,
            status: ItemStatus::InProgress,
            superseded_by: None,
            merged_from: Vec::new(),
        };
        self.say_of(at, key, Signal::MessageEnded(ended));
    }

    pub(super) fn item_delta(&mut self, at: &At, delta: &ItemDelta) {
        let key = (at.session.clone(), delta.item_id.clone());
        match delta.channel {
            Channel::Text => self.append(at, &key, delta.part, PartKind::Text, &delta.delta),
            Channel::Reasoning => self.append(at, &key, delta.part, PartKind::Reasoning, &delta.delta),
            Channel::Arguments => self.call_arguments(at, &key, &delta.delta),
            _ => self.call_output(at, &key, delta),
        }
    }

    /// Brings what was said of an item's blocks to what they are now.
    pub(super) fn reconcile(&mut self, at: &At, key: &Key, item: &Item) {
        for (place, block) in item.content.iter().enumerate() {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            match block {
                ContentBlock::Text(text) => self.set(at, key, place, PartKind::Text, &text.text),
                ContentBlock::Reasoning(reasoning) => {
                    self.set(at, key, place, PartKind::Reasoning, &reasoning.text);
                }
                ContentBlock::ToolCall(_) | ContentBlock::ToolResult(_) => {}
                block => self.show(at, key, place, block),
            }
        }
        let given_up = self.items.get(key).map_or(0, |open| open.parts.len());
        for place in item.content.len()..given_up {
            self.close_part(at, key, place as u32, true, None);
            if let Some(part) = self.part(key, place as u32) {
                *part = Part { generation: part.generation + 1, ..Part::default() };
            }
        }
    }

    fn part(&mut self, key: &Key, place: u32) -> Option<&mut Part> {
        let parts = &mut self.items.get_mut(key)?.parts;
        let place = place as usize;
        // A part's place is small: items have few blocks.
        if place >= MOST_PARTS {
            return None;
        }
        if parts.len() <= place {
            parts.resize_with(place + 1, Part::default);
        }
        parts.get_mut(place)
    }

    fn set(&mut self, at: &At, key: &Key, place: u32, kind: PartKind, text: &str) {
        let Some(part) = self.part(key, place) else { return };
        if part.kind != PartKind::Nothing && part.kind != kind {
            self.close_part(at, key, place, true, None);
            if let Some(part) = self.part(key, place) {
                *part = Part { generation: part.generation + 1, ..Part::default() };
            }
        }
        let Some(part) = self.part(key, place) else { return };
        if let Some(rest) = text.strip_prefix(part.said.as_str()) {
            let rest = rest.to_owned();
            if !rest.is_empty() {
                self.append(at, key, place, kind, &rest);
            }
            return;
        }
        // The text is another one.
        if !part.open {
            // It has been said to its end: begin again, so that its end says that it was replaced.
            part.open = true;
            part.generation += 1;
            self.say_part_started(at, key, place, kind);
        }
        self.close_part(at, key, place, true, None);
        if let Some(part) = self.part(key, place) {
            *part = Part { generation: part.generation + 1, ..Part::default() };
        }
        if !text.is_empty() {
            self.append(at, key, place, kind, text);
        }
    }

    fn append(&mut self, at: &At, key: &Key, place: u32, kind: PartKind, delta: &str) {
        if delta.is_empty() || self.part(key, place).is_none() {
            return;
        }
        self.enter_item(at, key);
        let Some(part) = self.part(key, place) else { return };
        let is_first = part.kind == PartKind::Nothing;
        part.kind = kind;
        if !part.open {
            part.open = true;
            if !is_first {
                part.generation += 1;
                part.reopened = true;
            }
            if is_first {
                let name = self.name(&key.0, &key.1);
                self.close_earlier(at, key, place);
                self.ready_children(at, &name);
            }
            self.say_part_started(at, key, place, kind);
        }
        let Some(part) = self.part(key, place) else { return };
        part.said.push_str(delta);
        let part_id = self.part_id(key, place);
        let Some(open) = self.items.get(key) else { return };
        let piece =
            PartDelta { part_id, message_id: open.id.clone(), role: open.role, delta: delta.to_owned() };
        let is_main = !open.of_sub_agent;
        self.say_of(
            at,
            key,
            if kind == PartKind::Text { Signal::TextDelta(piece) } else { Signal::ReasoningDelta(piece) },
        );
        if is_main {
            self.use_step(at);
        }
    }

    fn say_part_started(&mut self, at: &At, key: &Key, place: u32, kind: PartKind) {
        let part_id = self.part_id(key, place);
        let Some(open) = self.items.get(key) else { return };
        let started = PartStarted { part_id, message_id: open.id.clone(), part: place, role: open.role };
        self.say_of(
            at,
            key,
            if kind == PartKind::Text {
                Signal::TextStarted(started)
            } else {
                Signal::ReasoningStarted(started)
            },
        );
    }

    /// The first text of a message has the message's name; all else has a name of its own.
    fn part_id(&self, key: &Key, place: u32) -> String {
        let Some(open) = self.items.get(key) else { return String::new() };
        let part = open.parts.get(place as usize);
        let is_first = open.kind == ItemKind::Message
            && part.is_some_and(|part| part.kind == PartKind::Text)
            && !open.parts[..place as usize].iter().any(|part| part.kind == PartKind::Text);
        let generation = part.map_or(0, |part| part.generation);
        let name = if is_first { open.id.clone() } else { format!("{}/{place}", open.id) };
        if generation == 0 { name } else { format!("{name}~{}", generation + 1) }
    }

    /// Texts that stand before a new part or call of their message have ended, unless it turned out otherwise.
    pub(super) fn close_earlier(&mut self, at: &At, key: &Key, before: u32) {
        let Some(open) = self.items.get(key) else { return };
        let places: Vec<u32> = (0..before.min(open.parts.len() as u32))
            .filter(|place| open.parts.get(*place as usize).is_some_and(|part| part.open && !part.reopened))
            .collect();
        for place in places {
            self.close_part(at, key, place, false, None);
        }
    }

    /// Ends all texts of an item.
    pub(super) fn close_parts(&mut self, at: &At, key: &Key, item: Option<&Item>) {
        let count = self.items.get(key).map_or(0, |open| open.parts.len());
        for place in 0..count {
            let block = item.and_then(|item| item.content.get(place));
            self.close_part(at, key, place as u32, false, block);
        }
    }

    fn close_part(&mut self, at: &At, key: &Key, place: u32, replaced: bool, block: Option<&ContentBlock>) {
        let part_id = self.part_id(key, place);
        let Some(open) = self.items.get_mut(key) else { return };
        let (message_id, role) = (open.id.clone(), open.role);
        let Some(part) = open.parts.get_mut(place as usize) else { return };
        let signature = match block {
            Some(ContentBlock::Reasoning(reasoning)) => reasoning.signature.clone(),
            _ => None,
        };
        let visibility = match block {
            Some(ContentBlock::Reasoning(reasoning)) => reasoning.visibility,
            _ => None,
        };
        let annotations = match block {
            Some(ContentBlock::Text(text)) => text.annotations.clone(),
            _ => Vec::new(),
        };
        let is_hidden = part.kind == PartKind::Nothing && signature.is_some();
        if !part.open && !is_hidden {
            if let Some(signature) = signature
                && part.kind == PartKind::Reasoning
                && !part.signed
            {
                part.signed = true;
                self.say_of(
                    at,
                    key,
                    Signal::ReasoningSigned(ReasoningSigned { part_id, message_id, signature }),
                );
            }
            return;
        }
        part.open = false;
        part.signed |= signature.is_some();
        if is_hidden {
            // Reasoning of which only the signature is shown.
            part.kind = PartKind::Reasoning;
            self.enter_item(at, key);
            self.say_part_started(at, key, place, PartKind::Reasoning);
        }
        let kind = self.part(key, place).map(|part| part.kind);
        let part_id = self.part_id(key, place);
        if kind == Some(PartKind::Text) {
            self.say_of(
                at,
                key,
                Signal::TextEnded(TextEnded { part_id, message_id, role, replaced, annotations }),
            );
        } else {
            let ended = ReasoningEnded { part_id, message_id, replaced, visibility, signature };
            self.say_of(at, key, Signal::ReasoningEnded(ended));
        }
    }

    /// A block that is neither text nor call, when it is new or has changed.
    fn show(&mut self, at: &At, key: &Key, place: u32, block: &ContentBlock) {
        let Ok(json) = Json::from_value(block) else { return };
        let is_weak =
            self.items.get(key).is_some_and(|open| !matches!(open.kind, ItemKind::Message | ItemKind::Plan));
        let Some(part) = self.part(key, place) else { return };
        if part.kind == PartKind::Block && part.said == json.get() {
            return;
        }
        if part.kind != PartKind::Block && part.kind != PartKind::Nothing {
            self.close_part(at, key, place, true, None);
        }
        let Some(part) = self.part(key, place) else { return };
        part.kind = PartKind::Block;
        json.get().clone_into(&mut part.said);
        if !is_weak {
            self.enter_item(at, key);
        }
        let part_id = format!("{}/{place}", self.name(&key.0, &key.1));
        let Some(open) = self.items.get(key) else { return };
        let (message_id, role) = (open.id.clone(), open.role);
        let signal = match block {
            ContentBlock::Image(block) => {
                Signal::Image(BlockShown { part_id, message_id, role, block: block.clone() })
            }
            ContentBlock::FileChange(block) => {
                Signal::FileChange(BlockShown { part_id, message_id, role, block: block.clone() })
            }
            ContentBlock::Plan(block) => {
                Signal::Plan(BlockShown { part_id, message_id, role, block: block.clone() })
            }
            ContentBlock::Status(block) => {
                Signal::Status(BlockShown { part_id, message_id, role, block: block.clone() })
            }
            ContentBlock::Json(block) => {
                let block = JsonValue { value: block.value.clone() };
                Signal::Json(BlockShown { part_id, message_id, role, block })
            }
            _ => Signal::Json(BlockShown { part_id, message_id, role, block: JsonValue { value: json } }),
        };
        self.say_in_run(at, signal);
    }
}

/// More blocks than any item has.
const MOST_PARTS: usize = 1 << 16;
