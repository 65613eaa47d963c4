//! The end of an answer, and what is to be sent back with it.

use std::collections::HashMap;

use super::answer::{Answer, Kind};
use super::run::checked;
use crate::engine::json_text::{object, quoted};
use crate::engine::slots::Place;
use crate::json::{Index, KeySet};
use crate::vocabulary::{ContentBlock, FinishReason, Json, StreamChunk};

/// The members of an object, in the order in which they came first, each byte for byte.
#[derive(Debug, Default)]
pub(super) struct Members {
    list: Vec<(String, String)>,
    places: HashMap<String, usize>,
}

impl Members {
    /// Sets a member; of one that comes again the later value counts.
    fn set(&mut self, key: String, value: String) {
        match self.places.get(&key) {
            Some(place) => self.list[*place].1 = value,
            None => {
                self.places.insert(key.clone(), self.list.len());
                self.list.push((key, value));
            }
        }
    }

    fn json(&self) -> String {
        object(self.list.iter().map(|(key, value)| (key, value)))
    }
}

impl Answer {
    /// Notes what the provider wants back for the block at a place, or for the last one.
    pub(super) fn replay(&mut self, at: Option<&Place<'_>>, value: &str) {
        let index = match at {
            Some(at) => self.index_at(at),
            None => self.recent,
        };
        let Some(index) = index.filter(|_| !self.is_over) else {
            return;
        };
        let keys = KeySet::new([""; 0]);
        let mut parsed = Index::new();
        let Ok(object) = parsed.parse_str(value, &keys) else {
            return;
        };
        for (key, value) in object.root().entries() {
            self.replay.entry(index).or_default().set(key.into_owned(), value.raw().to_owned());
        }
    }

    fn replay_state(&self) -> Option<Json> {
        if self.replay.is_empty() {
            return None;
        }
        let blocks = self.replay.iter().map(|(index, members)| (index.to_string(), members.json()));
        Some(checked(object([("provider", quoted(self.provider)), ("blocks", object(blocks))])))
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
        let finish = StreamChunk::Finish { reason, replay_state: self.replay_state() };
        self.assembler.push(finish.clone());
        self.tell(finish);
        self.is_over = true;
    }

    /// Flags the arguments of calls that were cut off.
    fn leave_open(&mut self) {
        for open in std::mem::take(&mut self.open) {
            if let (Kind::Call(_), Some(ContentBlock::ToolCall(call))) =
                (&open.kind, self.assembler.block_mut(open.index))
            {
                call.check_arguments();
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
