//! Parts of items, and how their text becomes deltas (law 3).

use std::borrow::Cow;

use interlingua_table::BlockKind;

use super::outbox::Outbox;
use super::session::Session;
use super::store::items::Change;
use super::store::slots::{Find, KINDS, SlotKind, Waiting, kind_of};
use crate::engine::json_text::{object, quoted};
use crate::engine::piece::{Comparison, Fragment, PartKey, TextUpdate, compare};
use crate::vocabulary::{
    Channel, ContentBlock, ItemDelta, ItemStatus, Json, Origin, Reasoning, Text, Visibility,
};

/// An update of a text part.
#[derive(Debug)]
pub(crate) struct TextPart<'v> {
    pub(crate) kind: BlockKind,
    pub(crate) find: Find<'v>,
    pub(crate) text: TextUpdate<'v>,
    pub(crate) annotations: Vec<Json>,
    pub(crate) visibility: Option<Visibility>,
    pub(crate) signature: Option<String>,
}

impl Session {
    /// Adds or updates a text part of an open item.
    pub(crate) fn put_text(&mut self, out: &mut Outbox, serial: u64, part: TextPart<'_>) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let is_reasoning = part.kind == BlockKind::Reasoning;
        let waited = open.slots.waited(&part.find);
        let more = matches!(part.text, TextUpdate::Delta(_) | TextUpdate::Snapshot(_));
        let (number, is_new) = open.slots.find(SlotKind::Part(part.kind), part.find, more);
        let slot = &mut open.slots.list[number];
        if is_new {
            slot.part = open.content.next_index();
            let block: ContentBlock =
                if is_reasoning { Reasoning::default().into() } else { Text::default().into() };
            open.content.start(slot.part, block);
        }
        match open.content.block_mut(slot.part) {
            Some(ContentBlock::Text(block)) if !part.annotations.is_empty() => {
                // A whole text comes with all its annotations; otherwise they are added.
                if matches!(part.text, TextUpdate::Whole(_) | TextUpdate::Snapshot(_)) {
                    block.annotations.clear();
                }
                block.annotations.extend(part.annotations);
            }
            Some(ContentBlock::Reasoning(block)) => {
                block.visibility = part.visibility.or(block.visibility);
                if part.signature.is_some() {
                    block.signature = part.signature;
                }
            }
            _ => {}
        }
        let channel = if is_reasoning { Channel::Reasoning } else { Channel::Text };
        if let Some(Waiting { text, carry, .. }) = waited {
            self.say(out, serial, number, channel, TextUpdate::Delta(Fragment::Decoded(text.into())));
            if let Some(open) = self.items.get_mut(serial) {
                open.slots.list[number].carry = carry;
            }
        }
        self.say(out, serial, number, channel, part.text);
    }

    /// Appends to the part with this key, of any kind. Without a part, the text waits for it.
    pub(crate) fn put_more(
        &mut self,
        out: &mut Outbox,
        serial: u64,
        place: PartKey<'_>,
        delta: Fragment<'_>,
    ) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let slots = &mut open.slots;
        for (kind, channel) in [(BlockKind::Text, Channel::Text), (BlockKind::Reasoning, Channel::Reasoning)]
        {
            if let Some(number) = slots.at(&place, SlotKind::Part(kind)) {
                return self.say(out, serial, number, channel, TextUpdate::Delta(delta));
            }
        }
        if let Some(tool) = slots.tool_at(&place) {
            return self.put_arguments(out, tool, TextUpdate::Delta(delta));
        }
        let waiting = slots.waiting_at(place);
        let (text, carry) = delta.decode(waiting.carry);
        waiting.text.push_str(&text);
        waiting.carry = carry;
    }

    /// Keeps texts that waited in vain for their part, now that their item closes.
    pub(crate) fn keep_waiting(&mut self, serial: u64) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        for (place, Waiting { mut text, carry, .. }) in open.slots.take_waiting() {
            if carry.is_some() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
            let at = match &place {
                PartKey::Number(number) => number.to_string(),
                PartKey::Name(name) => quoted(name),
            };
            let block = object([("type", quoted("unknown")), ("at", at), ("text", quoted(&text))]);
            if let Ok(block) = Json::parse(block) {
                let index = open.content.next_index();
                open.content.start(index, ContentBlock::from_native(block));
            }
        }
    }

    /// Compares a text with what the part holds, and gives what is new.
    fn say(&mut self, out: &mut Outbox, serial: u64, number: usize, channel: Channel, said: TextUpdate<'_>) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let slot = &mut open.slots.list[number];
        let part = slot.part;
        let (text, origin) = match said {
            TextUpdate::None => return,
            TextUpdate::Delta(value) => {
                let (text, carry) = value.decode(slot.carry);
                slot.carry = carry;
                slot.streaming = true;
                if !text.is_empty() {
                    open.slots.streams(number);
                }
                self.append(out, serial, part, channel, text, Origin::Agent);
                return;
            }
            TextUpdate::Snapshot(value) => {
                let (text, carry) = value.decode(None);
                slot.carry = carry;
                open.slots.streams(number);
                (Cow::Owned(text), Origin::Agent)
            }
            TextUpdate::Whole(value) => {
                slot.carry = None;
                slot.restated = true;
                slot.streaming = false;
                (value.text(), Origin::Daemon)
            }
        };
        match compare(open.content.text_of(part).unwrap_or_default(), &text) {
            Comparison::Same => {}
            Comparison::Longer(from) => {
                let rest = if from == 0 { text.into_owned() } else { text[from..].to_owned() };
                self.append(out, serial, part, channel, rest, origin);
            }
            Comparison::Different => {
                match open.content.block_mut(part) {
                    Some(ContentBlock::Text(block)) => block.text = text.into_owned(),
                    Some(ContentBlock::Reasoning(block)) => block.text = text.into_owned(),
                    _ => {}
                }
                self.mark(serial, Change::Replaced);
            }
        }
    }

    /// Appends to a part and gives the delta.
    #[inline]
    pub(crate) fn append(
        &mut self,
        out: &mut Outbox,
        serial: u64,
        part: u32,
        channel: Channel,
        text: String,
        origin: Origin,
    ) {
        if text.is_empty() {
            return;
        }
        let Some(mut open) = self.items.get_mut(serial) else {
            return;
        };
        // Consumers must know the parts before this one before it grows.
        if open.change != Change::None && matches!(channel, Channel::Text | Channel::Reasoning) {
            self.say_change(out, serial, Origin::Agent);
            match self.items.get_mut(serial) {
                Some(again) => open = again,
                None => return,
            }
        }
        match channel {
            Channel::Text | Channel::Reasoning => drop(open.content.append_text(part, &text)),
            Channel::Arguments => drop(open.content.append_arguments(part, &text)),
            Channel::Output | Channel::ErrorOutput => {
                if open.output.capacity() == 0 {
                    open.output = std::mem::take(&mut self.spare_output);
                }
                open.output.push_str(&text);
            }
            Channel::Input => {}
        }
        let delta = ItemDelta {
            item_id: open.item.item_id.clone(),
            native_item_id: open.item.native_item_id.clone(),
            part,
            channel,
            delta: text,
        };
        let turn = open.turn.as_ref().map(|turn| turn.id.clone());
        let agent = open.agent.clone();
        self.emit(out, turn, &agent, origin, delta);
    }

    /// Puts a block that is not text into an open item.
    pub(crate) fn put_block(&mut self, serial: u64, kind: BlockKind, find: Find<'_>, block: ContentBlock) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let (number, is_new) = open.slots.find(SlotKind::Part(kind), find, false);
        let slot = &mut open.slots.list[number];
        if is_new {
            slot.part = open.content.next_index();
            open.content.start(slot.part, block);
        } else if open.content.block(slot.part) == Some(&block) {
            return;
        } else {
            open.content.replace(slot.part, block);
        }
        self.mark(serial, Change::News);
    }

    /// Makes slots for the blocks that an item started with, so that a later message finds them.
    pub(crate) fn adopt_parts(&mut self, serial: u64, first: u32, parts: Vec<(BlockKind, Find<'_>)>) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        for (index, (kind, find)) in (first..).zip(parts) {
            let (number, _) = open.slots.find(SlotKind::Part(kind), find, false);
            open.slots.list[number].part = index;
        }
    }

    /// Marks the part with this key as final: it gets no more deltas.
    pub(crate) fn seal(&mut self, out: &mut Outbox, serial: u64, place: &PartKey<'_>) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let mut found = Vec::new();
        for number in 0..KINDS {
            let kind = kind_of(number);
            if let Some(slot) = open.slots.at(place, kind) {
                found.push(slot);
            }
        }
        for number in found {
            self.flush_carry(out, serial, number);
            let Some(open) = self.items.get_mut(serial) else {
                return;
            };
            let slot = &mut open.slots.list[number];
            slot.sealed = true;
            slot.streaming = false;
            if slot.kind == SlotKind::Tool {
                let tool = slot.tool;
                self.end_parts(out, tool);
            }
        }
    }

    /// Writes the half character that waits at a part's end, since its other half never came.
    fn flush_carry(&mut self, out: &mut Outbox, serial: u64, number: usize) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let slot = &mut open.slots.list[number];
        if slot.carry.take().is_none() {
            return;
        }
        let (part, kind) = (slot.part, slot.kind);
        let channel = match kind {
            SlotKind::Part(BlockKind::Reasoning) => Channel::Reasoning,
            SlotKind::Part(BlockKind::Text) => Channel::Text,
            _ => Channel::Arguments,
        };
        let half = char::REPLACEMENT_CHARACTER.to_string();
        self.append(out, serial, part, channel, half, Origin::Daemon);
    }

    /// Ends all parts of an item that is about to be complete.
    pub(crate) fn end_parts(&mut self, out: &mut Outbox, serial: u64) {
        let slots = self.items.get(serial).map_or(0, |open| open.slots.list.len());
        for number in 0..slots {
            self.flush_carry(out, serial, number);
        }
    }

    /// Gives up a part for a retry, or all of them. Calls among them are interrupted.
    pub(crate) fn drop_parts(&mut self, out: &mut Outbox, serial: u64, place: Option<&PartKey<'_>>) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let numbers: Vec<usize> = match place {
            Some(place) => (0..KINDS).filter_map(|number| open.slots.at(place, kind_of(number))).collect(),
            None => (0..open.slots.list.len()).filter(|number| !open.slots.list[*number].gone).collect(),
        };
        open.slots.forget_waiting(place);
        let mut tools = Vec::new();
        let mut removed = false;
        // From the last one on: taking the last of many parts away moves no others.
        for number in numbers.into_iter().rev() {
            let slot = &mut open.slots.list[number];
            slot.gone = true;
            slot.carry = None;
            open.slots.gone += 1;
            match slot.kind {
                SlotKind::Tool => tools.push(slot.tool),
                SlotKind::Part(_) => {
                    open.content.remove(slot.part);
                    removed = true;
                }
            }
        }
        if removed {
            open.content.renumber();
            let parts = open.slots.list.iter_mut();
            let parts = parts.filter(|slot| !slot.gone && slot.kind != SlotKind::Tool);
            for (index, slot) in (0..).zip(parts) {
                slot.part = index;
            }
        }
        open.slots.forget_gone();
        if removed {
            self.mark(serial, Change::Replaced);
        }
        for tool in tools.into_iter().rev() {
            self.complete_item(out, tool, ItemStatus::Interrupted, Origin::Daemon);
        }
    }

    /// Adds to the arguments of a call.
    pub(crate) fn put_arguments(&mut self, out: &mut Outbox, call: u64, said: TextUpdate<'_>) {
        let Some(open) = self.items.get_mut(call) else {
            return;
        };
        let (number, is_new) = open.slots.find(SlotKind::Tool, Find::At(PartKey::Number(0)), false);
        let slot = &mut open.slots.list[number];
        if is_new {
            slot.part = 0;
        }
        slot.had_deltas |= matches!(said, TextUpdate::Delta(_) | TextUpdate::Snapshot(_));
        let (text, origin) = match said {
            TextUpdate::None => return,
            TextUpdate::Delta(value) => {
                let (text, carry) = value.decode(slot.carry);
                slot.carry = carry;
                slot.streaming = true;
                self.append(out, call, 0, Channel::Arguments, text, Origin::Agent);
                return;
            }
            TextUpdate::Snapshot(value) => {
                let (text, carry) = value.decode(None);
                slot.carry = carry;
                slot.streaming = true;
                (Cow::Owned(text), Origin::Agent)
            }
            TextUpdate::Whole(value) => (value.text(), Origin::Daemon),
        };
        // Where deltas came, they are the arguments.
        let settled = origin == Origin::Daemon && slot.had_deltas;
        match compare(open.content.text_of(0).unwrap_or_default(), &text) {
            Comparison::Same => {}
            Comparison::Longer(from) => {
                let rest = if from == 0 { text.into_owned() } else { text[from..].to_owned() };
                self.append(out, call, 0, Channel::Arguments, rest, origin);
            }
            Comparison::Different if settled => {}
            Comparison::Different => {
                if let Some(ContentBlock::ToolCall(block)) = open.content.block_mut(0) {
                    block.arguments = text.into_owned();
                    block.check_arguments();
                }
                self.mark(call, Change::Replaced);
            }
        }
    }
}
