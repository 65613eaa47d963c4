//! Items: how they are found, started, updated and completed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::closed::{CallPrint, Closed, fingerprint, parent_print};
use super::outbox::Outbox;
use super::session::Session;
use super::slots::Slots;
use super::turn::{AgentRef, TurnRef};
use crate::engine::memory::hash::{FastMap, hash_of};
use crate::engine::memory::{UsedIds, Window};
use crate::vocabulary::{
    BlockAssembler, CallId, Channel, ContentBlock, EventBody, Item, ItemId, ItemKind, ItemRole, ItemStatus,
    MessageSource, NativeItemId, Origin,
};

/// The kinds of items that native ids are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Message,
    ToolCall,
    Plan,
    Status,
    Other,
    /// Found through its call only.
    ToolResult,
}

/// How many classes there are.
const CLASSES: usize = Class::ToolResult as usize + 1;

/// The classes whose items have native ids of their own.
pub(crate) const NAMED_CLASSES: [Class; 5] =
    [Class::Message, Class::ToolCall, Class::Plan, Class::Status, Class::Other];

impl Class {
    /// Whether items of this class lie in a turn always.
    pub(crate) fn needs_turn(self) -> bool {
        !matches!(self, Self::Status | Self::Other)
    }
}

/// What ends an item, besides its own message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ends {
    /// Nothing: its turn's end interrupts it.
    #[default]
    Itself,
    /// Its turn, as completed when that ends well.
    WithTurn,
    /// Nothing, and its turn's end lets it go on.
    AfterTurn,
}

/// What an `item.updated` has yet to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    None,
    /// Something new, which the item's completion says too.
    News,
    /// A text that is no longer what its deltas gave.
    Replaced,
}

/// An open item.
#[derive(Debug)]
pub(crate) struct OpenItem {
    pub(crate) class: Class,
    /// Everything but the content.
    pub(crate) item: Item,
    /// The name by which messages name it within its class.
    pub(crate) key: Option<Arc<str>>,
    pub(crate) turn: Option<TurnRef>,
    pub(crate) agent: AgentRef,
    pub(crate) ends: Ends,
    pub(crate) content: BlockAssembler,
    pub(crate) slots: Slots,
    pub(crate) change: Change,
    /// The joined live output of a result.
    pub(crate) output: String,
    /// Half characters at the end of a result's live output, by channel.
    pub(crate) carries: [Option<u16>; Channel::WORDS.len()],
    /// The item of a call's result, once it has started.
    pub(crate) result: Option<u64>,
    /// A fingerprint of what was said last, where the content holds more than that.
    pub(crate) print: Option<u32>,
}

/// What a message says about an item besides its content.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) parent: Option<ItemId>,
    pub(crate) role: Option<ItemRole>,
    pub(crate) source: Option<MessageSource>,
    pub(crate) superseded_by: Option<ItemId>,
    pub(crate) merged_from: Vec<ItemId>,
    pub(crate) ends: Option<Ends>,
    pub(crate) index: Option<u32>,
}

/// The items of a session.
#[derive(Debug)]
pub(crate) struct Items {
    open: FastMap<u64, Box<OpenItem>>,
    /// By class and native id.
    by_key: [FastMap<Arc<str>, u64>; CLASSES],
    by_call: FastMap<Arc<str>, u64>,
    /// Open items that lie in no turn, or outlive theirs.
    loose: BTreeSet<u64>,
    /// Items opened with `single`, by agent and class.
    singles: FastMap<(u64, Class), u64>,
    /// The item that was opened last, with the name of its rule, if the next message of that rule goes on with it.
    adjacent: Option<(u64, &'static str)>,
    closed: Window<Closed>,
    ids: UsedIds,
    made: FastMap<Arc<str>, u64>,
    /// Items with a change that was not said yet.
    pub(crate) changed: Vec<u64>,
    next: u64,
    /// Whether any item's key carries its turn.
    pub(crate) per_turn: bool,
}

/// Where a name leads.
#[derive(Debug, Clone)]
pub(crate) enum Located {
    /// To an open item.
    Open(u64),
    /// To an item that has closed.
    Closed(Closed),
    /// Nowhere.
    New,
}

impl Items {
    pub(crate) fn new(window: usize) -> Self {
        Self {
            open: FastMap::default(),
            by_key: Default::default(),
            by_call: FastMap::default(),
            loose: BTreeSet::new(),
            singles: FastMap::default(),
            adjacent: None,
            closed: Window::new(window),
            ids: UsedIds::new(window),
            made: FastMap::default(),
            changed: Vec::new(),
            next: 0,
            per_turn: false,
        }
    }

    #[inline]
    pub(crate) fn get(&self, serial: u64) -> Option<&OpenItem> {
        self.open.get(&serial).map(|item| &**item)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, serial: u64) -> Option<&mut OpenItem> {
        self.open.get_mut(&serial).map(|item| &mut **item)
    }

    pub(crate) fn is_open(&self, serial: u64) -> bool {
        self.open.contains_key(&serial)
    }

    /// The item of a class that a native id names.
    pub(crate) fn locate(&self, class: Class, key: &str) -> Located {
        if let Some(serial) = self.by_key[class as usize].get(key) {
            return Located::Open(*serial);
        }
        match self.closed.get(hash_of(&(class, key))) {
            Some(closed) => Located::Closed(closed.named(key)),
            None => Located::New,
        }
    }

    /// The tool call of this call id.
    pub(crate) fn locate_call(&self, call: &str) -> Located {
        if let Some(serial) = self.by_call.get(call) {
            return Located::Open(*serial);
        }
        match self.closed.get(hash_of(&(CALL, call))) {
            Some(closed) => Located::Closed(closed.named(call)),
            None => Located::New,
        }
    }

    /// Marks a closed call as answered by a result of this fingerprint.
    pub(crate) fn answered(&mut self, call: &str, print: u32) {
        if let Some(closed) = self.closed.get_mut(hash_of(&(CALL, call))) {
            closed.answer = Some(print);
        }
    }

    /// The agent's open item of this class that was opened last as the current one.
    pub(crate) fn current(&self, agent: &AgentRef, class: Class) -> Option<u64> {
        let serial = *self.singles.get(&(agent_number(agent), class))?;
        self.is_open(serial).then_some(serial)
    }

    /// Whether a closed call was answered by the very result of this fingerprint.
    pub(crate) fn was_answered(&self, call: &str, print: u32) -> bool {
        self.closed.get(hash_of(&(CALL, call))).is_some_and(|closed| closed.answer == Some(print))
    }

    /// The serial number of the item that starts next.
    pub(crate) fn next_serial(&self) -> u64 {
        self.next
    }

    /// The universal id of what a native id names, whatever its kind, if it was started.
    pub(crate) fn started_id(&self, name: &str) -> Option<ItemId> {
        let located = NAMED_CLASSES.iter().map(|class| self.locate(*class, name));
        let mut located = located.chain(std::iter::once_with(|| self.locate_call(name)));
        located.find_map(|located| match located {
            Located::Open(serial) => Some(self.get(serial)?.item.item_id.clone()),
            Located::Closed(closed) => closed.item_id,
            Located::New => None,
        })
    }

    /// A universal id that no item has yet.
    fn free_id(&mut self, kind: &ItemKind, key: Option<&Arc<str>>) -> ItemId {
        if let Some(key) = key {
            return self.ids.take(key).into();
        }
        let count = match self.made.get_mut(kind.as_str()) {
            Some(count) => count,
            None => self.made.entry(kind.as_str().into()).or_default(),
        };
        *count += 1;
        self.ids.take(&format!("{kind}-{count}").into()).into()
    }

    pub(crate) fn len(&self) -> usize {
        let content = |item: &OpenItem| 1 + item.slots.len();
        self.open.values().map(|item| content(item)).sum::<usize>()
            + self.by_key.iter().map(FastMap::len).sum::<usize>()
            + self.by_call.len()
            + self.singles.len()
            + self.closed.len()
            + self.ids.len()
            + self.made.len()
    }
}

/// The mark of closed calls under their call ids.
const CALL: &str = "call";

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

    /// Puts an item where its turn's end, or that of the session, finds it.
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

    /// Takes up what is said anew about an open item.
    pub(crate) fn restate_item(&mut self, serial: u64, header: Header) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let item = &mut open.item;
        let mut news = replace_some(&mut item.role, header.role);
        news |= replace_some(&mut item.source, header.source);
        news |= replace_some(&mut item.superseded_by, header.superseded_by);
        // A parent is told once; what names another one later is not believed to move it.
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

    /// Says what has changed and was not said yet.
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

    /// The open item with which this agent's next message of this rule goes on: no other item has begun since.
    pub(crate) fn adjacent(&self, agent: &AgentRef, rule: &str) -> Option<u64> {
        let (serial, opened_by) = self.items.adjacent?;
        let open = self.items.get(serial)?;
        let same_agent = agent_number(&open.agent) == agent_number(agent);
        (opened_by == rule && same_agent && open.key.is_none()).then_some(serial)
    }

    /// Notes that the next message of this rule goes on with an item.
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

fn agent_number(agent: &AgentRef) -> u64 {
    agent.as_ref().map_or(0, |agent| hash_of(&agent.path))
}

/// Takes over a value that is given and differs, and says whether one was.
pub(crate) fn replace_some<T: PartialEq>(known: &mut Option<T>, said: Option<T>) -> bool {
    if said.is_none() || said == *known {
        return false;
    }
    *known = said;
    true
}
