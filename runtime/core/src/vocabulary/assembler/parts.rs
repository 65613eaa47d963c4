//! Working on parts by their index.

use super::BlockAssembler;
use super::slot::Slot;
use crate::vocabulary::ContentBlock;

/// Parts by their index.
impl BlockAssembler {
    /// The number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks().count()
    }

    /// Whether there is no block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks().next().is_none()
    }

    /// The index after the last one in use, where a new part can begin.
    #[must_use]
    pub fn next_index(&self) -> u32 {
        self.slots.last().map_or(0, |slot| slot.index.saturating_add(1))
    }

    /// A part's block.
    #[must_use]
    pub fn block(&self, index: u32) -> Option<&ContentBlock> {
        self.get(index)?.block()
    }

    /// A part's block, to change its fields. It makes no difference whether it has ended.
    #[must_use]
    pub fn block_mut(&mut self, index: u32) -> Option<&mut ContentBlock> {
        let place = self.find(index).ok()?;
        self.slots[place].block_mut()
    }

    /// The text that a part holds by now: that of a text or reasoning block, the arguments of
    /// a call, the last text in a tool result, or arguments that wait for their call.
    #[must_use]
    pub fn text_of(&self, index: u32) -> Option<&str> {
        self.get(index)?.text()
    }

    /// Whether a part has ended.
    #[must_use]
    pub fn has_ended(&self, index: u32) -> bool {
        self.get(index).is_some_and(|slot| slot.ended)
    }

    /// Begins a part. Arguments that waited for their call come before the call's own.
    ///
    /// `false`, counted as ignored, when the part is there already; it stays as it is.
    pub fn start(&mut self, index: u32, block: impl Into<ContentBlock>) -> bool {
        let taken = self.slot(index).start(block.into());
        self.counted(taken)
    }

    /// Appends to the text of a text or reasoning block, or to the last text in a tool
    /// result. Starts a text block when there is no such part.
    ///
    /// `false`, counted as ignored, when the part has ended or has no text.
    pub fn append_text(&mut self, index: u32, text: &str) -> bool {
        let taken = self.slot(index).append_text(text);
        self.counted(taken)
    }

    /// Appends to the text of a reasoning block; starts one when there is no such part.
    ///
    /// `false`, counted as ignored, when the part has ended or is something else.
    pub fn append_reasoning(&mut self, index: u32, text: &str) -> bool {
        let reasoning = self.slot(index).reasoning_mut();
        let taken = reasoning.map(|block| block.text.push_str(text)).is_some();
        self.counted(taken)
    }

    /// Appends to the arguments of a call. Without a call they wait for it, and are no block
    /// until [`start`](Self::start) gives it.
    ///
    /// `false`, counted as ignored, when the part has ended or is something else.
    pub fn append_arguments(&mut self, index: u32, text: &str) -> bool {
        let taken = self.slot(index).append_arguments(text);
        self.counted(taken)
    }

    /// Sets the signature of a reasoning block; starts one when there is no such part.
    ///
    /// `false`, counted as ignored, when the part has ended or is something else.
    pub fn set_signature(&mut self, index: u32, signature: impl Into<String>) -> bool {
        let reasoning = self.slot(index).reasoning_mut();
        let taken = reasoning.map(|block| block.signature = Some(signature.into())).is_some();
        self.counted(taken)
    }

    /// Puts another block in a part's place, or begins the part with it, and gives back the
    /// old one. A part that has ended stays ended.
    pub fn replace(&mut self, index: u32, block: impl Into<ContentBlock>) -> Option<ContentBlock> {
        self.slot(index).replace(block.into())
    }

    /// Ends a part. Arguments that were appended are checked for being JSON now.
    ///
    /// `false`, counted as ignored, when there is no such part or it had ended before.
    pub fn end(&mut self, index: u32) -> bool {
        let found = self.find(index);
        let taken = found.is_ok_and(|place| self.slots[place].end());
        self.counted(taken)
    }

    /// Takes a part away and leaves a gap: the other parts keep their indices, and a part
    /// may begin anew in the gap.
    pub fn remove(&mut self, index: u32) -> Option<ContentBlock> {
        let place = self.find(index).ok()?;
        self.slots.remove(place).into_block()
    }

    /// Numbers the parts 0, 1, 2 … in their order, which closes all gaps. Parts count that
    /// have no block yet.
    pub fn renumber(&mut self) {
        for (index, slot) in (0..).zip(&mut self.slots) {
            slot.index = index;
        }
    }

    /// Takes all blocks out, in the order of their indices, and leaves no part behind.
    pub fn take_blocks(&mut self) -> Vec<ContentBlock> {
        let slots = std::mem::take(&mut self.slots);
        slots.into_iter().filter_map(Slot::into_block).collect()
    }

    /// All blocks, in the order of their indices.
    #[must_use]
    pub fn into_blocks(mut self) -> Vec<ContentBlock> {
        self.take_blocks()
    }

    fn get(&self, index: u32) -> Option<&Slot> {
        self.find(index).ok().map(|place| &self.slots[place])
    }

    /// The part of an index, which begins to wait for its block when it is new.
    pub(super) fn slot(&mut self, index: u32) -> &mut Slot {
        let place = self.find(index).unwrap_or_else(|place| {
            self.slots.insert(place, Slot::new(index));
            place
        });
        &mut self.slots[place]
    }

    /// Where the part of an index stands, or where it would.
    pub(super) fn find(&self, index: u32) -> Result<usize, usize> {
        // Without gaps, which is usual, an index is a place.
        match self.slots.get(index as usize) {
            Some(slot) if slot.index == index => Ok(index as usize),
            _ => self.slots.binary_search_by_key(&index, |slot| slot.index),
        }
    }

    fn counted(&mut self, taken: bool) -> bool {
        self.ignored += u64::from(!taken);
        taken
    }
}
