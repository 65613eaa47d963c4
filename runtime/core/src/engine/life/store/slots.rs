//! The places of an item's blocks: how a step finds the part that it is about.

use std::collections::BTreeSet;

use interlingua_table::BlockKind;

use crate::engine::memory::hash::{FastMap, hash_of};
use crate::engine::piece::PartKey;

/// What takes a place among the blocks of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SlotKind {
    Part(BlockKind),
    Tool,
}

/// How many kinds of slots there are.
pub(crate) const KINDS: usize = BlockKind::Other as usize + 2;

impl SlotKind {
    fn number(self) -> usize {
        match self {
            Self::Part(kind) => kind as usize,
            Self::Tool => KINDS - 1,
        }
    }
}

/// How a step finds its part.
#[derive(Debug, Clone)]
pub(crate) enum Find<'v> {
    /// At this native place.
    At(PartKey<'v>),
    /// The next one of its kind that was not restated.
    Next,
    /// It is the only one of its kind: the place 0, if nothing else is there.
    Only,
    /// It is a new one.
    New,
}

/// One block of an item, or a tool call among the blocks of its message.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) place: Option<PartKey<'static>>,
    pub(crate) kind: SlotKind,
    /// The part's index in the item's content; for a tool call, the call's item.
    pub(crate) part: u32,
    pub(crate) tool: u64,
    pub(crate) restated: bool,
    pub(crate) sealed: bool,
    /// Whether deltas came, and no end yet.
    pub(crate) streaming: bool,
    /// Whether the arguments of a call came by deltas.
    pub(crate) had_deltas: bool,
    pub(crate) gone: bool,
    /// Half a character at the end of the last delta.
    pub(crate) carry: Option<u16>,
}

/// The blocks of an item in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub(crate) list: Vec<Slot>,
    pub(crate) gone: u32,
    /// By place and kind, once there are many.
    places: FastMap<u64, usize>,
    /// For each kind, where the search for the next part starts.
    next: [usize; KINDS],
    /// Slots before that place which more text has made unsaid again, by the number of their kind.
    again: BTreeSet<(usize, usize)>,
    /// Texts for places at which no part is known yet.
    waiting: FastMap<PartKey<'static>, Waiting>,
    /// How many texts have waited.
    waited: u64,
}

/// A text whose part is not known yet.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// Which of the texts that have waited it is.
    number: u64,
    pub(crate) text: String,
    pub(crate) carry: Option<u16>,
}

/// Up to so many slots are searched one by one.
const FEW: usize = 16;

impl Slots {
    /// The latest slot of this place and kind.
    pub(crate) fn at(&self, place: &PartKey<'_>, kind: SlotKind) -> Option<usize> {
        let fits = |slot: &Slot| !slot.gone && slot.kind == kind && slot.place.as_ref() == Some(place);
        if self.list.len() <= FEW {
            return self.list.iter().rposition(fits);
        }
        let found = *self.places.get(&hash_of(&(place, kind)))?;
        fits(&self.list[found]).then_some(found)
    }

    fn add(&mut self, kind: SlotKind, place: Option<PartKey<'_>>, restated: bool) -> usize {
        let number = self.list.len();
        self.list.push(Slot {
            place: place.map(PartKey::owned),
            kind,
            part: 0,
            tool: 0,
            restated,
            sealed: false,
            streaming: false,
            had_deltas: false,
            gone: false,
            carry: None,
        });
        if self.list.len() > FEW {
            let known = if self.list.len() == FEW + 1 { 0 } else { number };
            self.note_places(known);
        }
        number
    }

    /// The slot that a step means, and whether it is new. More text for a sealed part is the
    /// text of a new one.
    pub(crate) fn find(&mut self, kind: SlotKind, find: Find<'_>, more: bool) -> (usize, bool) {
        match find {
            Find::At(place) => match self.at(&place, kind) {
                Some(found) if !(more && self.list[found].sealed) => (found, false),
                _ => (self.add(kind, Some(place), false), true),
            },
            Find::Next => match self.next(kind) {
                Some(found) => (found, false),
                None => (self.add(kind, None, true), true),
            },
            Find::Only => {
                let last = || self.list.iter().rposition(|slot| slot.kind == kind && !slot.gone);
                match self.at(&PartKey::Number(0), kind).or_else(last) {
                    Some(found) if !(more && self.list[found].sealed) => (found, false),
                    _ => (self.add(kind, Some(PartKey::Number(0)), false), true),
                }
            }
            Find::New => (self.add(kind, None, false), true),
        }
    }

    /// The text that waits for the part that a step means.
    pub(crate) fn waited(&mut self, find: &Find<'_>) -> Option<Waiting> {
        match find {
            Find::At(place) if !self.waiting.is_empty() => self.waiting.remove(&place.clone().owned()),
            _ => None,
        }
    }

    /// The text that waits for the part at a place: an empty one if none does yet.
    pub(crate) fn waiting_at(&mut self, place: PartKey<'_>) -> &mut Waiting {
        self.waiting.entry(place.owned()).or_insert_with(|| {
            self.waited += 1;
            Waiting { number: self.waited, ..Waiting::default() }
        })
    }

    /// Takes all texts that wait, in the order in which they began.
    pub(crate) fn take_waiting(&mut self) -> Vec<(PartKey<'static>, Waiting)> {
        let mut waiting: Vec<_> = std::mem::take(&mut self.waiting).into_iter().collect();
        waiting.sort_unstable_by_key(|(_, waiting)| waiting.number);
        waiting
    }

    /// Forgets the text that waits for the part at a place, or all of them.
    pub(crate) fn forget_waiting(&mut self, place: Option<&PartKey<'_>>) {
        match place {
            Some(place) => drop(self.waiting.remove(&place.clone().owned())),
            None => self.waiting.clear(),
        }
    }

    /// The first slot of a kind that was not restated; marks it as restated.
    fn next(&mut self, kind: SlotKind) -> Option<usize> {
        while let Some(&(own, number)) = self.again.range((kind.number(), 0)..).next()
            && own == kind.number()
        {
            self.again.remove(&(own, number));
            let slot = &mut self.list[number];
            if !slot.gone && !std::mem::replace(&mut slot.restated, true) {
                return Some(number);
            }
        }
        let from = self.next[kind.number()];
        let fits = |slot: &Slot| slot.kind == kind && !slot.restated && !slot.gone;
        let found = self.list[from..].iter().position(fits).map(|found| from + found);
        self.next[kind.number()] = found.map_or(self.list.len(), |found| found + 1);
        let found = found?;
        self.list[found].restated = true;
        Some(found)
    }

    /// More text has arrived for a part, so its restatement was not complete.
    pub(crate) fn streams(&mut self, number: usize) {
        let slot = &mut self.list[number];
        slot.streaming = true;
        if std::mem::take(&mut slot.restated) && number < self.next[slot.kind.number()] {
            self.again.insert((slot.kind.number(), number));
        }
    }

    /// Forgets the slots of parts that were given up, once they are most of all.
    pub(crate) fn forget_gone(&mut self) {
        if self.gone as usize * 2 <= self.list.len() {
            return;
        }
        self.list.retain(|slot| !slot.gone);
        self.gone = 0;
        self.next = [0; KINDS];
        self.again.clear();
        self.places.clear();
        if self.list.len() > FEW {
            self.note_places(0);
        }
    }

    /// Notes the places of the slots from this number on.
    fn note_places(&mut self, from: usize) {
        for (number, slot) in self.list.iter().enumerate().skip(from) {
            if let Some(place) = &slot.place {
                self.places.insert(hash_of(&(place, slot.kind)), number);
            }
        }
    }

    /// A tool call's place among the blocks: of those there are, not of those given up.
    pub(crate) fn tool_index(&mut self, find: Find<'_>, tool: u64) -> u32 {
        let place = match find {
            Find::At(place) => Some(place),
            Find::Next | Find::Only | Find::New => None,
        };
        let number = self.add(SlotKind::Tool, place, false);
        self.list[number].tool = tool;
        number as u32 - self.gone
    }

    /// The item of the tool call at a place.
    pub(crate) fn tool_at(&self, place: &PartKey<'_>) -> Option<u64> {
        self.at(place, SlotKind::Tool).map(|found| self.list[found].tool)
    }

    /// Whether the last text is still being written.
    pub(crate) fn is_streaming(&self) -> bool {
        self.list.iter().rev().find(|slot| !slot.gone).is_some_and(|slot| slot.streaming)
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len() + self.places.len() + self.waiting.len()
    }
}

/// The kind of this number.
pub(crate) fn kind_of(number: usize) -> SlotKind {
    const PARTS: [BlockKind; KINDS - 1] = [
        BlockKind::None,
        BlockKind::Text,
        BlockKind::Reasoning,
        BlockKind::Image,
        BlockKind::FileChange,
        BlockKind::Plan,
        BlockKind::Json,
        BlockKind::Status,
        BlockKind::Other,
    ];
    PARTS.get(number).map_or(SlotKind::Tool, |kind| SlotKind::Part(*kind))
}
