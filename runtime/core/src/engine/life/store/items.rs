//! The items of a session, by all that a message can name them by.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::closed::Closed;
use super::slots::Slots;
use crate::engine::life::refs::{AgentRef, TurnRef};
use crate::engine::memory::hash::{FastMap, hash_of};
use crate::engine::memory::{UsedIds, Window};
use crate::vocabulary::{BlockAssembler, Channel, Item, ItemId, ItemKind, ItemRole, MessageSource};

/// The classes of items within which native ids are unique.
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
pub(crate) const CLASSES: usize = Class::ToolResult as usize + 1;

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

/// Whether an `item.updated` is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    None,
    /// Something new, which `item.completed` will contain as well.
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
    /// A part of the live output was never seen.
    pub(crate) is_cut: bool,
    /// The permission for this call was refused.
    pub(crate) refused: bool,
    /// Half characters at the end of a result's live output, by channel.
    pub(crate) carries: [Option<u16>; Channel::WORDS.len()],
    /// The item of a call's result, once it has started.
    pub(crate) result: Option<u64>,
    /// A fingerprint of the last message, if the content holds more than it.
    pub(crate) print: Option<u32>,
}

/// The fields of an item besides its content, as a message gives them.
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
    pub(crate) open: FastMap<u64, Box<OpenItem>>,
    /// By class and native id.
    pub(crate) by_key: [FastMap<Arc<str>, u64>; CLASSES],
    pub(crate) by_call: FastMap<Arc<str>, u64>,
    /// Open items that lie in no turn, or outlive theirs.
    pub(crate) loose: BTreeSet<u64>,
    /// Items opened with `single`, by agent and class.
    pub(crate) singles: FastMap<(u64, Class), u64>,
    /// The item that was opened last, with the name of its rule, if the next message of that rule continues it.
    pub(crate) adjacent: Option<(u64, &'static str)>,
    pub(crate) closed: Window<Closed>,
    pub(crate) ids: UsedIds,
    pub(crate) made: FastMap<Arc<str>, u64>,
    /// Items with a pending update.
    pub(crate) changed: Vec<u64>,
    pub(crate) next: u64,
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
    pub(crate) fn free_id(&mut self, kind: &ItemKind, key: Option<&Arc<str>>) -> ItemId {
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
pub(crate) const CALL: &str = "call";

pub(crate) fn agent_number(agent: &AgentRef) -> u64 {
    agent.as_ref().map_or(0, |agent| hash_of(&agent.path))
}
