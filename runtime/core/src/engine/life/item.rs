//! How items start, are updated and completed.

use std::sync::Arc;

use super::outbox::Outbox;
use super::refs::{AgentRef, TurnRef};
use super::session::Session;
use super::store::closed::{CallPrint, Closed, fingerprint, parent_print};
use super::store::items::{CALL, Change, Class, Ends, Header, OpenItem, agent_number};
use super::store::slots::Slots;
use crate::engine::memory::hash::hash_of;
use crate::vocabulary::{
    BlockAssembler, CallId, ContentBlock, EventBody, Item, ItemId, ItemKind, ItemStatus, NativeItemId, Origin,
};

/// What an item starts as.
pub(crate) struct NewItem {
    pub(crate) class: Class,
    pub(crate) kind: ItemKind,
    /// The name by which messages name it within its class.
    pub(crate) key: Option<Arc<str>>,
    pub(crate) native: Option<Arc<str>>,
    pub(crate) call: Option<Arc<str>>,
    pub(crate) header: Header,
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) turn: Option<TurnRef>,
    pub(crate) agent: AgentRef,
    pub(crate) origin: Origin,
}

impl Session {
    /// Starts an item, with what is known of its content.
    pub(crate) fn start_item(&mut self, out: &mut Outbox, new: NewItem) -> u64 {
        let items = &mut self.items;
        let id = items.free_id(&new.kind, new.key.as_ref());
        self.start_item_as(out, id, new)
    }

    /// Starts an item under a universal id that is free.
    fn start_item_as(&mut self, out: &mut Outbox, id: ItemId, new: NewItem) -> u64 {
        if let Some((before, _)) = self.items.adjacent.take() {
            self.complete_item(out, before, ItemStatus::Completed, Origin::Daemon);
        }
        let items = &mut self.items;
        let serial = items.next;
        items.next += 1;
        let mut item = Item::new(id, new.kind);
        item.native_item_id = new.native.map(NativeItemId::from);
        item.call_id = match (new.class, new.call) {
            (_, Some(call)) => Some(CallId::from(call)),
            (Class::ToolCall, None) => Some(CallId::from(item.item_id.shared())),
            (_, None) => None,
        };
        item.parent_id = new.header.parent;
        item.role = new.header.role;
        item.source = new.header.source;
        item.superseded_by = new.header.superseded_by;
        item.merged_from = new.header.merged_from;
        item.index = new.header.index;
        let ends = new.header.ends.unwrap_or_default();
        item.outlives_turn = ends == Ends::AfterTurn;
        let mut content = BlockAssembler::new();
        for block in new.content {
            let index = content.next_index();
            content.start(index, block);
        }
        if let (Class::ToolCall, Some(call_id), Some(ContentBlock::ToolCall(call))) =
            (new.class, &item.call_id, content.block_mut(0))
        {
            call.call_id = call_id.clone();
        }
        if let (Class::ToolCall, Some(call)) = (new.class, &item.call_id) {
            self.renew_agent(call, &item.item_id, &new.agent, &new.turn);
        }
        let items = &mut self.items;
        if let Some(key) = &new.key {
            items.by_key[new.class as usize].insert(Arc::clone(key), serial);
        }
        if let (Class::ToolCall, Some(call)) = (new.class, &item.call_id) {
            items.by_call.insert(call.shared(), serial);
        }
        let mut said = item.clone();
        said.content = content.blocks().cloned().collect();
        let open = OpenItem {
            class: new.class,
            item,
            key: new.key,
            turn: new.turn,
            agent: new.agent,
            ends,
            content,
            slots: Slots::default(),
            change: Change::None,
            output: String::new(),
            carries: Default::default(),
            is_cut: false,
            refused: false,
            result: None,
            print: None,
        };
        let (turn, agent) = (open.turn.clone(), open.agent.clone());
        items.open.insert(serial, Box::new(open));
        self.place_item(serial, turn.as_ref(), ends);
        self.emit(out, turn.map(|turn| turn.id), &agent, new.origin, EventBody::ItemStarted(said.into()));
        serial
    }

    /// Starts the item of a call's result, whose id is made from the call's.
    pub(crate) fn start_result_item(&mut self, out: &mut Outbox, id: &str, new: NewItem) -> u64 {
        let id = self.items.ids.take(&id.into()).into();
        self.start_item_as(out, id, new)
    }

    /// Registers an item with its turn, or with the session, whose end closes it.
    fn place_item(&mut self, serial: u64, turn: Option<&TurnRef>, ends: Ends) {
        match turn {
            Some(turn) if ends != Ends::AfterTurn && self.turns.is_open(turn) => {
                let items = &self.items;
                self.turns.add_item(turn, serial, |item| items.is_open(item));
            }
            _ => {
                self.items.loose.insert(serial);
            }
        }
    }

    /// Updates the header of an open item.
    pub(crate) fn restate_item(&mut self, serial: u64, header: Header) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let item = &mut open.item;
        let mut news = replace_some(&mut item.role, header.role);
        news |= replace_some(&mut item.source, header.source);
        news |= replace_some(&mut item.superseded_by, header.superseded_by);
        // The parent is set once; a later message with another parent does not move the item.
        if item.parent_id.is_none() && header.parent.as_ref() != Some(&item.item_id) {
            news |= replace_some(&mut item.parent_id, header.parent);
            news |= replace_some(&mut item.index, header.index);
        }
        if !header.merged_from.is_empty() && item.merged_from != header.merged_from {
            item.merged_from = header.merged_from;
            news = true;
        }
        if let Some(ends) = header.ends
            && open.ends != ends
        {
            open.ends = ends;
            let outlives = ends == Ends::AfterTurn;
            if outlives != item.outlives_turn {
                item.outlives_turn = outlives;
                news = true;
                let turn = open.turn.clone();
                self.items.loose.remove(&serial);
                self.place_item(serial, turn.as_ref(), ends);
            }
        }
        if news {
            self.mark(serial, Change::News);
        }
    }

    /// Notes that an item's update is due at the end of the message.
    pub(crate) fn mark(&mut self, serial: u64, change: Change) {
        if let Some(open) = self.items.open.get_mut(&serial) {
            if open.change == Change::None {
                self.items.changed.push(serial);
            }
            open.change = open.change.max(change);
        }
    }

    /// Emits the pending updates of all items.
    pub(crate) fn say_changes(&mut self, out: &mut Outbox, origin: Origin) {
        if self.items.changed.is_empty() {
            return;
        }
        for serial in std::mem::take(&mut self.items.changed) {
            self.say_change(out, serial, origin);
        }
    }

    pub(crate) fn say_change(&mut self, out: &mut Outbox, serial: u64, origin: Origin) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        if std::mem::replace(&mut open.change, Change::None) == Change::None {
            return;
        }
        let mut item = open.item.clone();
        item.content = open.content.blocks().cloned().collect();
        let (turn, agent) = (open.turn.clone(), open.agent.clone());
        let body = EventBody::ItemUpdated(item.into());
        self.emit(out, turn.map(|turn| turn.id), &agent, origin, body);
    }

    /// Completes an open item.
    pub(crate) fn complete_item(
        &mut self,
        out: &mut Outbox,
        serial: u64,
        status: ItemStatus,
        origin: Origin,
    ) {
        self.end_parts(out, serial);
        self.keep_waiting(serial);
        self.fill_cut_result(out, serial);
        if let Some(open) = self.items.get_mut(serial)
            && open.class == Class::ToolCall
        {
            // Looks whether the arguments are JSON, now that they are whole.
            open.content.end(0);
        }
        let replaced = self.items.get(serial).is_some_and(|open| open.change == Change::Replaced);
        if replaced {
            self.say_change(out, serial, origin);
        }
        let Some(mut open) = self.items.open.remove(&serial) else {
            return;
        };
        let items = &mut self.items;
        items.loose.remove(&serial);
        let single = (agent_number(&open.agent), open.class);
        if items.singles.get(&single) == Some(&serial) {
            items.singles.remove(&single);
        }
        let mut item = open.item;
        item.status = status;
        item.content = open.content.take_blocks();
        let closed = Closed {
            item_id: None,
            status,
            parent: parent_print(item.parent_id.as_ref()),
            print: open.print.unwrap_or_else(|| fingerprint(&item.content)),
            call: CallPrint::of(&item.content),
            turn: open.turn.clone(),
            agent: open.agent.clone(),
            answer: open.result.map(|_| 0),
        };
        let for_call = (open.class == Class::ToolCall).then(|| closed.clone());
        if let Some(key) = &open.key {
            items.by_key[open.class as usize].remove(key);
            items.closed.insert(hash_of(&(open.class, &**key)), closed.unless_named(&item.item_id, key));
        }
        if let (Some(closed), Some(call)) = (for_call, &item.call_id) {
            let call = call.as_str();
            items.by_call.remove(call);
            items.closed.insert(hash_of(&(CALL, call)), closed.unless_named(&item.item_id, call));
        }
        let body = EventBody::ItemCompleted(item.into());
        self.emit(out, open.turn.map(|turn| turn.id), &open.agent, origin, body);
    }

    /// Closes what is open in a turn that ends, in the order of opening.
    pub(crate) fn close_items_of_turn(&mut self, out: &mut Outbox, items: &[u64], ended_well: bool) {
        for serial in items {
            let Some(open) = self.items.get(*serial) else {
                continue;
            };
            let status = match open.ends {
                Ends::AfterTurn => continue,
                Ends::WithTurn if ended_well => ItemStatus::Completed,
                Ends::WithTurn | Ends::Itself => ItemStatus::Interrupted,
            };
            self.complete_item(out, *serial, status, Origin::Daemon);
        }
    }

    /// Closes what is open at the session's end, in the order of opening. What ends with its turn, and began
    /// only after that had ended (a sub-agent's last words), is whole when the session ends well.
    pub(crate) fn close_all_items(&mut self, out: &mut Outbox, ended_well: bool) {
        for serial in std::mem::take(&mut self.items.loose) {
            let whole = |open: &OpenItem| open.ends == Ends::WithTurn && !open.slots.is_streaming();
            let status = match self.items.get(serial) {
                Some(open) if ended_well && whole(open) => ItemStatus::Completed,
                _ => ItemStatus::Interrupted,
            };
            self.complete_item(out, serial, status, Origin::Daemon);
        }
    }

    /// The open item that this agent's next message of this rule continues: no other item has started since.
    pub(crate) fn adjacent(&self, agent: &AgentRef, rule: &str) -> Option<u64> {
        let (serial, opened_by) = self.items.adjacent?;
        let open = self.items.get(serial)?;
        let same_agent = agent_number(&open.agent) == agent_number(agent);
        (opened_by == rule && same_agent && open.key.is_none()).then_some(serial)
    }

    /// Notes that the next message of this rule continues an item.
    pub(crate) fn set_adjacent(&mut self, serial: u64, rule: &'static str) {
        self.items.adjacent = Some((serial, rule));
    }

    /// The open item of this agent and class that was opened as the single one; `next` takes
    /// its place.
    pub(crate) fn replace_single(&mut self, agent: &AgentRef, class: Class, next: u64) -> Option<u64> {
        let before = self.items.singles.insert((agent_number(agent), class), next)?;
        (before != next && self.items.is_open(before)).then_some(before)
    }
}

/// Replaces the known value if a different one is given, and returns whether it did.
pub(crate) fn replace_some<T: PartialEq>(known: &mut Option<T>, said: Option<T>) -> bool {
    if said.is_none() || said == *known {
        return false;
    }
    *known = said;
    true
}
