//! One part under assembly.

use crate::vocabulary::{ContentBlock, Reasoning, Text};

/// A part and how far it is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Slot {
    pub(super) index: u32,
    pub(super) ended: bool,
    /// Whether the arguments changed since their validity was last looked at.
    unchecked: bool,
    part: Part,
}

#[derive(Clone, PartialEq, Debug)]
enum Part {
    /// Announced, without a block yet. Arguments that come before their call wait here.
    Waiting(String),
    Block(ContentBlock),
}

impl Slot {
    pub(super) fn new(index: u32) -> Self {
        Self { index, ended: false, unchecked: false, part: Part::Waiting(String::new()) }
    }

    pub(super) fn block(&self) -> Option<&ContentBlock> {
        match &self.part {
            Part::Block(block) => Some(block),
            Part::Waiting(_) => None,
        }
    }

    pub(super) fn block_mut(&mut self) -> Option<&mut ContentBlock> {
        match &mut self.part {
            Part::Block(block) => Some(block),
            Part::Waiting(_) => None,
        }
    }

    pub(super) fn into_block(self) -> Option<ContentBlock> {
        match self.part {
            Part::Block(block) => Some(block),
            Part::Waiting(_) => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.part {
            Part::Waiting(arguments) => Some(arguments),
            Part::Block(ContentBlock::Text(block)) => Some(&block.text),
            Part::Block(ContentBlock::Reasoning(block)) => Some(&block.text),
            Part::Block(ContentBlock::ToolCall(call)) => Some(&call.arguments),
            Part::Block(ContentBlock::ToolResult(result)) => {
                result.content.iter().rev().find_map(|block| match block {
                    ContentBlock::Text(text) => Some(text.text.as_str()),
                    _ => None,
                })
            }
            Part::Block(_) => None,
        }
    }

    /// Gives the part its first block. Arguments that waited come before a call's own.
    pub(super) fn start(&mut self, mut block: ContentBlock) -> bool {
        let Part::Waiting(waiting) = &mut self.part else {
            return false;
        };
        if self.ended {
            return false;
        }
        if let ContentBlock::ToolCall(call) = &mut block
            && !waiting.is_empty()
        {
            waiting.push_str(&call.arguments);
            call.arguments = std::mem::take(waiting);
            self.unchecked = true;
        }
        self.part = Part::Block(block);
        true
    }

    pub(super) fn replace(&mut self, block: ContentBlock) -> Option<ContentBlock> {
        self.unchecked = false;
        match std::mem::replace(&mut self.part, Part::Block(block)) {
            Part::Block(old) => Some(old),
            Part::Waiting(_) => None,
        }
    }

    pub(super) fn append_text(&mut self, text: &str) -> bool {
        self.begin_as(|| Text::default().into());
        self.open_block_mut().is_some_and(|block| block.append_text(text))
    }

    /// The reasoning of an open part, which begins as reasoning when nothing is there yet.
    pub(super) fn reasoning_mut(&mut self) -> Option<&mut Reasoning> {
        self.begin_as(|| Reasoning::default().into());
        match self.open_block_mut() {
            Some(ContentBlock::Reasoning(block)) => Some(block),
            _ => None,
        }
    }

    pub(super) fn append_arguments(&mut self, text: &str) -> bool {
        if self.ended {
            return false;
        }
        match &mut self.part {
            Part::Waiting(waiting) => waiting.push_str(text),
            Part::Block(block) => {
                let is_call = block.append_arguments(text);
                self.unchecked |= is_call;
                return is_call;
            }
        }
        true
    }

    pub(super) fn end(&mut self) -> bool {
        self.check_arguments();
        !std::mem::replace(&mut self.ended, true)
    }

    /// Flags arguments that are not valid JSON, when they were put together here: whoever
    /// gave them whole has set the flag already.
    pub(super) fn check_arguments(&mut self) {
        if std::mem::take(&mut self.unchecked)
            && let Part::Block(ContentBlock::ToolCall(call)) = &mut self.part
        {
            call.check_arguments();
        }
    }

    /// Begins a part of which nothing is there yet.
    fn begin_as(&mut self, block: fn() -> ContentBlock) {
        if !self.ended && matches!(&self.part, Part::Waiting(waiting) if waiting.is_empty()) {
            self.part = Part::Block(block());
        }
    }

    fn open_block_mut(&mut self) -> Option<&mut ContentBlock> {
        if self.ended { None } else { self.block_mut() }
    }
}
