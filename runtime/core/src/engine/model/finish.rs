//! The end of an answer, and what is to be sent back with it.

use super::answer::{Answer, Kind};
use super::tree::Tree;
use crate::engine::json_text::{object, quoted};
use crate::engine::piece::PartKey;
use crate::vocabulary::{BlockType, ContentBlock, FinishReason, Json, StreamChunk};

impl Answer {
    /// What the provider wants back for the answer as a whole, for the block at a place, or for the last one.
    pub(super) fn replay(&mut self, at: Option<&PartKey<'_>>, of_answer: bool) -> Option<&mut Tree> {
        if self.is_over {
            return None;
        }
        let index = match at {
            Some(at) => self.index_at(at),
            None => self.recent,
        };
        match of_answer {
            true => Some(self.replay_whole.get_or_insert_with(Tree::empty_object)),
            false => Some(self.replay.entry(index?).or_insert_with(Tree::empty_object)),
        }
    }

    /// Other details of the answer: later members replace earlier ones of the same name.
    pub(super) fn detail(&mut self, details: &str) {
        if let Some(details) = Tree::parse(details).filter(|_| !self.is_over) {
            self.details.get_or_insert_with(Tree::empty_object).replace_members(details.without_nulls());
        }
    }

    fn replay_state(&self) -> Option<Json> {
        let said = |tree: &Tree| Some(tree.json()).filter(|json| json != "{}");
        let blocks = self.replay.iter().filter_map(|(index, tree)| Some((index.to_string(), said(tree)?)));
        let blocks = Some(object(blocks)).filter(|json| json != "{}");
        let answer = self.replay_whole.as_ref().and_then(said);
        if blocks.is_none() && answer.is_none() {
            return None;
        }
        let parts = [("provider", Some(quoted(self.provider))), ("answer", answer), ("blocks", blocks)];
        Some(Json::checked(object(parts.into_iter().filter_map(|(key, value)| Some((key, value?))))))
    }

    fn said_details(&mut self) -> Option<Json> {
        if let Some(all) = self.log_probabilities.take().filter(|all| !all.is_empty()) {
            self.detail(&object([("log_probabilities", format!("[{}]", all.join(",")))]));
        }
        self.details.as_ref().map(Tree::json).filter(|json| json != "{}").map(Json::checked)
    }

    /// Gives the citations of the answer as a whole to its last text.
    fn annotate(&mut self) {
        let annotations = std::mem::take(&mut self.annotations);
        if annotations.is_empty() {
            return;
        }
        let last = self.open.iter().rev().find(|open| matches!(open.kind, Kind::Text)).map(|open| open.index);
        let index = match last {
            Some(index) => index,
            None => {
                let place = self.begin(None, BlockType::Text, Kind::Text, false);
                self.open[place].index
            }
        };
        if let Some(ContentBlock::Text(text)) = self.assembler.block_mut(index) {
            text.annotations.extend(annotations);
        }
        if last.is_none() {
            self.end(index, true);
        }
    }

    /// Ends the answer, unless it is over: open blocks, the usage, and why it is over.
    pub(super) fn conclude(&mut self) {
        if self.is_over {
            return;
        }
        let reason = match self.reason.take() {
            None => FinishReason::Aborted,
            Some(FinishReason::Stop) if self.calls_decide && self.calls_a_tool() => FinishReason::ToolCalls,
            Some(FinishReason::Stop) if self.says_nothing() => FinishReason::Empty,
            Some(reason) => reason,
        };
        self.annotate();
        match reason {
            // What was cut off did not end.
            FinishReason::Aborted | FinishReason::Error(_) => self.leave_open(),
            _ => {
                let is_cut = matches!(
                    reason,
                    FinishReason::MaxTokens | FinishReason::ContextWindow | FinishReason::ContentFilter
                );
                let open: Vec<u32> = self.open.iter().map(|open| open.index).collect();
                for index in open {
                    self.end(index, !is_cut);
                }
            }
        }
        if !self.usage.is_empty() {
            let usage = StreamChunk::Usage { usage: Box::new(self.usage.clone()) };
            self.assembler.push(usage.clone());
            self.tell(usage);
        }
        let details = self.said_details();
        let finish = StreamChunk::Finish { reason, replay_state: self.replay_state(), details };
        self.assembler.push(finish.clone());
        self.tell(finish);
        self.is_over = true;
    }

    /// Flags the arguments of calls that were cut off.
    fn leave_open(&mut self) {
        for open in std::mem::take(&mut self.open) {
            match (open.kind, self.assembler.block_mut(open.index)) {
                (Kind::Call(cut), Some(ContentBlock::ToolCall(call))) => {
                    if let Some(values) = cut.cut_values().filter(|_| call.arguments.is_empty()) {
                        call.arguments = values;
                    }
                    call.check_arguments();
                }
                (Kind::Whole(tree), _) => self.put_tree(open.index, tree),
                _ => {}
            }
        }
    }

    /// Whether it calls a tool that the provider does not run itself.
    fn calls_a_tool(&self) -> bool {
        let is_waiting = self.open.iter().any(|open| match &open.kind {
            Kind::Call(call) => !call.is_hosted(),
            _ => false,
        });
        let is_call = |block: &ContentBlock| matches!(block, ContentBlock::ToolCall(call) if !call.hosted);
        is_waiting || self.assembler.blocks().any(is_call)
    }

    /// Whether it has no block but empty texts.
    fn says_nothing(&self) -> bool {
        self.open.iter().all(|open| matches!(open.kind, Kind::Text | Kind::Ended))
            && self
                .assembler
                .blocks()
                .all(|block| matches!(block, ContentBlock::Text(text) if text.text.is_empty()))
    }
}
