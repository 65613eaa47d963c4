//! The texts of an answer and its reasoning: which block an update is for, and what of it is new.

use super::answer::{Answer, Kind, Open};
use crate::engine::piece::{Comparison, PartKey, TextUpdate, compare};
use crate::vocabulary::{BlockType, ContentBlock, Json, Reasoning, StreamChunk, Text, Visibility};

/// An update of a text block.
pub(super) struct TextSaid<'v> {
    pub(super) is_reasoning: bool,
    pub(super) adjacent: bool,
    /// Whether a block begins here, whatever stood there.
    pub(super) begins: bool,
    /// Whether it restates the next block of its kind.
    pub(super) is_next: bool,
    pub(super) text: TextUpdate<'v>,
    pub(super) annotations: Vec<Json>,
    pub(super) visibility: Option<Visibility>,
    pub(super) signature: Option<String>,
}

/// Where a step's block is.
enum Found {
    /// The place in the list of open blocks.
    Open(usize),
    /// It has ended, or the key belongs to another block.
    Gone,
    /// The key belongs to text and the update is reasoning, or the reverse.
    Other(u32),
    New,
}

impl Answer {
    /// The next text of a kind that this message has not restated.
    fn next_text(&mut self, is_reasoning: bool) -> Found {
        let kind = usize::from(is_reasoning);
        let number = self.restated[kind];
        self.restated[kind] += 1;
        match self.texts[kind].get(number) {
            Some(index) => self.open_place(*index).map_or(Found::Gone, Found::Open),
            None => Found::New,
        }
    }

    fn find_text(&self, at: Option<&PartKey<'_>>, is_reasoning: bool, adjacent: bool) -> Found {
        let fits = |open: &Open| match open.kind {
            Kind::Text => !is_reasoning,
            Kind::Reasoning => is_reasoning,
            _ => false,
        };
        match at {
            Some(at) => match self.index_at(at) {
                None => Found::New,
                Some(index) => match self.open_place(index) {
                    Some(place) if fits(&self.open[place]) => Found::Open(place),
                    Some(place) if matches!(self.open[place].kind, Kind::Text | Kind::Reasoning) => {
                        Found::Other(index)
                    }
                    _ => Found::Gone,
                },
            },
            None => match self.open.last() {
                Some(open) if adjacent && open.adjacent && fits(open) => Found::Open(self.open.len() - 1),
                _ => Found::New,
            },
        }
    }

    pub(super) fn put_text(&mut self, at: Option<PartKey<'_>>, said: TextSaid<'_>) {
        let TextSaid { is_reasoning, adjacent, begins, is_next, text, annotations, visibility, signature } =
            said;
        let is_loose = at.is_none();
        if is_loose && signature.is_none() && annotations.is_empty() && is_nothing(&text, adjacent, is_next) {
            return;
        }
        if !self.takes() {
            return;
        }
        let found = match &at {
            Some(at) if begins && self.make_way(at) => Found::New,
            None if is_next => self.next_text(is_reasoning),
            _ => self.find_text(at.as_ref(), is_reasoning, adjacent),
        };
        let place = match found {
            Found::Open(place) => place,
            Found::Gone => {
                // A full repetition is not new.
                self.late += u64::from(matches!(text, TextUpdate::Delta(_)));
                return;
            }
            Found::Other(_) if !matches!(text, TextUpdate::Delta(_)) => return,
            found => {
                // Reasoning where a text began, or the other way round, goes on at this place as a block of its own.
                if let Found::Other(index) = found {
                    self.end(index, true);
                }
                let (block_type, kind) = match is_reasoning {
                    true => (BlockType::Reasoning, Kind::Reasoning),
                    false => (BlockType::Text, Kind::Text),
                };
                self.begin(at, block_type, kind, is_loose && adjacent)
            }
        };
        let index = self.open[place].index;
        self.recent = Some(index);
        self.open[place].is_announced |= begins;
        match self.assembler.block_mut(index) {
            Some(ContentBlock::Text(block)) if !annotations.is_empty() => {
                // A whole text comes with all its annotations; otherwise they are added.
                if matches!(text, TextUpdate::Whole(_) | TextUpdate::Snapshot(_)) {
                    block.annotations.clear();
                }
                block.annotations.extend(annotations);
            }
            Some(ContentBlock::Reasoning(block)) => {
                block.visibility = visibility.or(block.visibility);
                if signature.is_some() {
                    block.signature = signature;
                }
            }
            _ => {}
        }
        match text {
            TextUpdate::None => {}
            TextUpdate::Delta(delta) => {
                let (text, carry) = delta.decode(self.open[place].carry);
                let was_seeded =
                    std::mem::replace(&mut self.open[place].is_seeded, begins && !text.is_empty());
                if was_seeded && self.assembler.text_of(index) == Some(&text) {
                    return;
                }
                self.open[place].carry = carry;
                self.append_text(index, is_reasoning, text);
            }
            TextUpdate::Snapshot(whole) | TextUpdate::Whole(whole) => {
                let (text, carry) = whole.decode(None);
                let text = match carry {
                    Some(_) => text + "\u{fffd}",
                    None => text,
                };
                self.open[place].carry = None;
                let held = self.assembler.text_of(index).unwrap_or_default();
                match compare(held, &text) {
                    Comparison::Same => {}
                    Comparison::Longer(from) => {
                        self.append_text(index, is_reasoning, text[from..].to_owned())
                    }
                    // The block's end will say it.
                    Comparison::Different => match self.assembler.block_mut(index) {
                        Some(ContentBlock::Text(Text { text: held, .. }))
                        | Some(ContentBlock::Reasoning(Reasoning { text: held, .. })) => *held = text,
                        _ => {}
                    },
                }
            }
        }
        // A block without a key cannot be referred to again.
        if is_loose && !adjacent {
            self.end(index, true);
        }
    }

    pub(super) fn append_text(&mut self, index: u32, is_reasoning: bool, text: String) {
        if text.is_empty() {
            return;
        }
        self.assembler.append_text(index, &text);
        self.tell(match is_reasoning {
            true => StreamChunk::ReasoningDelta { index, text },
            false => StreamChunk::TextDelta { index, text },
        });
    }
}

/// Whether this text begins no block of its own.
fn is_nothing(text: &TextUpdate<'_>, adjacent: bool, is_next: bool) -> bool {
    match text {
        TextUpdate::None => true,
        TextUpdate::Whole(delta) | TextUpdate::Snapshot(delta) if is_next => delta.clone().text().is_empty(),
        TextUpdate::Delta(delta) if adjacent => delta.clone().text().is_empty(),
        _ => false,
    }
}
