//! The answer: its blocks as they come, and what is known of it as a whole.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::counts::ChunkCounts;
use super::open_call::OpenCall;
use super::tree::{Growth, Tree};
use crate::engine::memory::hash::FastMap;
use crate::engine::piece::PartKey;
use crate::vocabulary::{
    BlockAssembler, BlockType, ContentBlock, ErrorClass, FinishError, FinishReason, Json, Message, MessageId,
    MessageSource, ModelSource, StreamChunk, Usage,
};

/// A block that has not ended.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) index: u32,
    pub(super) kind: Kind,
    /// Whether it ends when another block begins.
    pub(super) adjacent: bool,
    /// Half a character that may go on with the next delta.
    pub(super) carry: Option<u16>,
    /// Whether it started with a text that the first delta may repeat.
    pub(super) is_seeded: bool,
    /// Whether the provider has announced it; pieces may arrive earlier.
    pub(super) is_announced: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text,
    Reasoning,
    Call(Box<OpenCall>),
    /// A block that is given as a whole, and what it is with all that was added to it.
    Whole(Option<Box<Tree>>),
    /// One that has ended. It is kept until such are most of all: taking each out would move all behind it.
    Ended,
}

impl Open {
    /// A call that is about to end.
    pub(super) fn ending(index: u32, call: OpenCall) -> Self {
        Self {
            index,
            kind: Kind::Call(Box::new(call)),
            adjacent: false,
            carry: None,
            is_seeded: false,
            is_announced: true,
        }
    }
}

/// One answer of a model.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) chunks: VecDeque<StreamChunk>,
    pub(super) counts: ChunkCounts,
    /// The blocks, whole or not: their text so far is here and nowhere else.
    pub(super) assembler: BlockAssembler,
    pub(super) provider: &'static str,
    id: Option<String>,
    /// What the message is called without a native id.
    fallback: MessageId,
    model: Option<String>,
    /// In the order of their indexes. Some have ended, but never the last one.
    pub(super) open: Vec<Open>,
    /// How many of those have ended.
    ended: usize,
    /// The indexes of blocks by their native places, ended or not.
    pub(super) places: FastMap<PartKey<'static>, u32>,
    /// The indexes of tool calls by their ids.
    pub(super) calls: FastMap<String, u32>,
    pub(super) last: Option<u32>,
    /// The block that was spoken of last.
    pub(super) recent: Option<u32>,
    pub(super) last_call: Option<u32>,
    /// The indexes of texts and of reasoning, and how many of each the current message has restated.
    pub(super) texts: [Vec<u32>; 2],
    pub(super) restated: [usize; 2],
    /// What the provider wants back, by block, and for the answer as a whole.
    pub(super) replay: BTreeMap<u32, Tree>,
    pub(super) replay_whole: Option<Tree>,
    /// Citations of the answer as a whole.
    pub(super) annotations: Vec<Json>,
    /// Other details of the answer, in the provider's form.
    pub(super) details: Option<Tree>,
    /// Log probabilities of the tokens, if they are kept.
    pub(super) log_probabilities: Option<Vec<String>>,
    pub(super) usage: Usage,
    pub(super) reason: Option<FinishReason>,
    /// Whether `stop` means `tool-calls` when there are calls.
    pub(super) calls_decide: bool,
    pub(super) is_over: bool,
    /// How many updates arrived too late.
    pub(super) late: u64,
    /// How many updates arrived in total.
    pub(super) said: u64,
    /// Which of several candidates it is.
    pub(super) candidate: i64,
    /// The other candidates that messages have spoken of, and how often.
    pub(super) other_candidates: BTreeSet<i64>,
    pub(super) of_other_candidates: u64,
}

/// So many other candidates are known by their number. Providers allow fewer.
const CANDIDATES: usize = 128;

impl Answer {
    pub(super) fn new(provider: &'static str, fallback: &MessageId, log_probabilities: bool) -> Self {
        Self {
            candidate: 0,
            other_candidates: BTreeSet::new(),
            of_other_candidates: 0,
            chunks: VecDeque::new(),
            counts: ChunkCounts::default(),
            assembler: BlockAssembler::new(),
            provider,
            id: None,
            fallback: fallback.clone(),
            model: None,
            open: Vec::new(),
            ended: 0,
            places: FastMap::default(),
            calls: FastMap::default(),
            last: None,
            recent: None,
            last_call: None,
            texts: [Vec::new(), Vec::new()],
            restated: [0, 0],
            replay: BTreeMap::new(),
            replay_whole: None,
            annotations: Vec::new(),
            details: None,
            log_probabilities: log_probabilities.then(Vec::new),
            usage: Usage::default(),
            reason: None,
            calls_decide: false,
            is_over: false,
            late: 0,
            said: 0,
        }
    }

    /// The provider's next message comes.
    /// Whether a part of a message is about this candidate.
    pub(super) fn is_about(&mut self, candidate: i64) -> bool {
        if candidate == self.candidate {
            return true;
        }
        if self.other_candidates.len() < CANDIDATES {
            self.other_candidates.insert(candidate);
        }
        self.of_other_candidates += 1;
        self.said += 1;
        false
    }

    pub(super) fn next_message(&mut self) {
        self.restated = [0, 0];
    }

    /// Counts an update; `false` if the answer is over.
    pub(super) fn takes(&mut self) -> bool {
        self.said += 1;
        self.late += u64::from(self.is_over);
        !self.is_over
    }

    pub(super) fn tell(&mut self, chunk: StreamChunk) {
        self.counts.add(&chunk);
        self.chunks.push_back(chunk);
    }

    /// What the provider calls the answer and the model. An answer keeps its first id, though a server may give each of
    /// its messages another one: ids that are made of it must not change in its course.
    pub(super) fn name(&mut self, id: Option<String>, model: Option<String>, begins: bool) {
        if self.is_over {
            return;
        }
        self.said += 1;
        let given = |text: &String| !text.is_empty();
        if begins && self.last.is_some() {
            // Two answers in one would be a mixture of both, under the id of one.
            let error = FinishError::new("another answer begins before this one has ended");
            return self.fail(error.with_class(ErrorClass::Network));
        }
        if begins && id.as_ref().is_some_and(given) {
            self.id = None;
        }
        self.id = self.id.take().or(id.filter(given));
        self.model = model.filter(given).or(self.model.take());
    }

    /// The provider's id.
    pub(super) fn native_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(super) fn message_id(&self) -> &str {
        self.id.as_deref().unwrap_or(self.fallback.as_str())
    }

    pub(super) fn message(&self, fallback: &MessageId) -> Message {
        let id = self.id.as_deref().map_or_else(|| fallback.clone(), MessageId::from);
        self.assembler.message(id, MessageSource::Model(ModelSource { model: self.model.clone() }))
    }

    /// The index of the block at a native place.
    pub(super) fn index_at(&self, at: &PartKey<'_>) -> Option<u32> {
        self.places.get(at).copied()
    }

    /// The place of a block in the list of open ones.
    pub(super) fn open_place(&self, index: u32) -> Option<usize> {
        let place = self.open.binary_search_by_key(&index, |open| open.index).ok()?;
        (!matches!(self.open[place].kind, Kind::Ended)).then_some(place)
    }

    /// Takes a block out of the list of open ones.
    fn take_open(&mut self, index: u32) -> Option<Open> {
        let place = self.open_place(index)?;
        let open = &mut self.open[place];
        let taken = Open {
            index,
            kind: std::mem::replace(&mut open.kind, Kind::Ended),
            adjacent: open.adjacent,
            carry: open.carry.take(),
            is_seeded: false,
            is_announced: true,
        };
        self.ended += 1;
        while self.open.pop_if(|open| matches!(open.kind, Kind::Ended)).is_some() {
            self.ended -= 1;
        }
        if self.ended * 2 > self.open.len() {
            self.open.retain(|open| !matches!(open.kind, Kind::Ended));
            self.ended = 0;
        }
        Some(taken)
    }

    /// Begins a block.
    pub(super) fn begin(
        &mut self,
        at: Option<PartKey<'_>>,
        block_type: BlockType,
        kind: Kind,
        adjacent: bool,
    ) -> usize {
        if let Some(before) = self.open.last().filter(|open| open.adjacent).map(|open| open.index) {
            self.end(before, true);
        }
        let index = self.last.map_or(0, |last| last + 1);
        self.last = Some(index);
        self.recent = self.last;
        if let Some(at) = at {
            self.places.insert(at.owned(), index);
        }
        let start = StreamChunk::BlockStart { index, block_type };
        self.assembler.push(start.clone());
        self.tell(start);
        match kind {
            Kind::Text => self.texts[0].push(index),
            Kind::Reasoning => self.texts[1].push(index),
            _ => {}
        }
        self.open.push(Open { index, kind, adjacent, carry: None, is_seeded: false, is_announced: false });
        self.open.len() - 1
    }

    /// Ends what is open at a place where something else begins, unless nothing was said of it yet. Says whether that
    /// place is free now.
    pub(super) fn make_way(&mut self, at: &PartKey<'_>) -> bool {
        let Some(index) = self.index_at(at) else {
            return true;
        };
        let is_empty = self.assembler.text_of(index).is_none_or(str::is_empty);
        let goes_on = |place: usize| {
            let open = &self.open[place];
            matches!(open.kind, Kind::Text | Kind::Reasoning) && (is_empty || !open.is_announced)
        };
        if self.open_place(index).is_some_and(goes_on) {
            return false;
        }
        self.end(index, true);
        true
    }

    /// Adds a block that arrives whole.
    pub(super) fn put_block(&mut self, at: Option<PartKey<'_>>, block: ContentBlock, begins: bool) {
        if !self.takes() {
            return;
        }
        let known = at.as_ref().and_then(|at| self.index_at(at));
        if let Some(index) = known.filter(|_| begins) {
            self.end(index, true);
        }
        let known = known.filter(|_| !begins);
        if let Some(index) = known {
            match self.open_place(index).map(|place| &mut self.open[place].kind) {
                Some(Kind::Whole(tree)) => {
                    *tree = None;
                    self.assembler.replace(index, block);
                }
                Some(_) => self.late += 1,
                None => {}
            }
            return;
        }
        let is_loose = at.is_none();
        let place = self.begin(at, block.block_type(), Kind::Whole(None), false);
        let index = self.open[place].index;
        self.assembler.start(index, block);
        if is_loose {
            self.end(index, true);
        }
    }

    /// Adds to a block that is given as a whole, or begins one.
    pub(super) fn add_to_block(&mut self, at: Option<PartKey<'_>>, value: &str, growth: &Growth) {
        let Some(index) = at.as_ref().and_then(|at| self.index_at(at)) else {
            return self.put_block(at, ContentBlock::from_native(Json::checked(value.to_owned())), false);
        };
        if !self.takes() {
            return;
        }
        let held = self.assembler.block(index).and_then(native);
        match self.open_place(index).map(|place| &mut self.open[place].kind) {
            Some(Kind::Whole(tree)) => {
                if tree.is_none() {
                    *tree = held.and_then(|held| Tree::parse(&held)).map(Box::new);
                }
                if let (Some(tree), Some(more)) = (tree, Tree::parse(value)) {
                    tree.grow(more, growth);
                }
            }
            _ => self.late += 1,
        }
    }

    /// Ends the block at a place, or the last one. One that has ended already stays so.
    pub(super) fn seal(&mut self, at: Option<&PartKey<'_>>) {
        if self.is_over {
            return;
        }
        self.said += 1;
        let index = match at {
            Some(at) => self.index_at(at),
            None => self.recent,
        };
        if let Some(index) = index {
            self.end(index, true);
        }
    }

    /// Ends a block. `whole` says that a call without arguments is one, and has not been cut before they came.
    pub(super) fn end(&mut self, index: u32, whole: bool) {
        let Some(open) = self.take_open(index) else {
            return;
        };
        let half = open.carry.map(|_| char::REPLACEMENT_CHARACTER.to_string());
        match open.kind {
            Kind::Call(call) => self.end_call(index, *call, half, whole),
            Kind::Text | Kind::Reasoning => {
                let is_reasoning = matches!(open.kind, Kind::Reasoning);
                self.append_text(index, is_reasoning, half.unwrap_or_default());
            }
            Kind::Whole(tree) => self.put_tree(index, tree),
            Kind::Ended => {}
        }
        self.assembler.end(index);
        if let Some(block) = self.assembler.block(index) {
            let block = Box::new(block.clone());
            self.tell(StreamChunk::BlockEnd { index, block });
        }
    }

    /// Gives a block all that was added to it.
    pub(super) fn put_tree(&mut self, index: u32, tree: Option<Box<Tree>>) {
        if let Some(tree) = tree {
            self.assembler.replace(index, ContentBlock::from_native(Json::checked(tree.json())));
        }
    }

    /// Reported counts replace earlier ones of the same name.
    pub(super) fn use_up(&mut self, usage: Usage) {
        if !self.takes() {
            return;
        }
        let Usage { input, cache_read, cache_write, output, reasoning, cost } = usage;
        let known = &mut self.usage;
        known.input = input.or(known.input);
        known.cache_read = cache_read.or(known.cache_read);
        known.cache_write = cache_write.or(known.cache_write);
        known.output = output.or(known.output);
        known.reasoning = reasoning.or(known.reasoning);
        known.cost = cost.or(known.cost.take());
    }

    /// Why the answer is over; that it is, comes with its end.
    pub(super) fn stop(&mut self, reason: FinishReason, calls_decide: bool) {
        if self.takes() {
            self.reason = Some(reason);
            self.calls_decide = calls_decide;
        }
    }

    /// The answer has failed, and is over.
    pub(super) fn fail(&mut self, error: FinishError) {
        if self.takes() {
            self.reason = Some(FinishReason::Error(error));
            self.conclude();
        }
    }
}

/// The native form of a block that is kept whole.
fn native(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Json(json) => Some(json.value.get().to_owned()),
        ContentBlock::Other(_) => serde_json::to_string(block).ok(),
        _ => None,
    }
}
