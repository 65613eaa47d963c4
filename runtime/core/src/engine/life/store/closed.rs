//! What is remembered of a closed item.

use std::hash::{Hash, Hasher};

use crate::engine::life::refs::{AgentRef, TurnRef};
use crate::engine::memory::hash::{FastHasher, hash_of};
use crate::vocabulary::{ContentBlock, ItemId, ItemStatus, Json};

/// A closed item: enough to detect a repetition, and to link to it.
#[derive(Debug, Clone)]
pub(crate) struct Closed {
    /// Its universal id, where that is not the name it is found by.
    pub(crate) item_id: Option<ItemId>,
    pub(crate) status: ItemStatus,
    /// A fingerprint of what it belonged to; 0 for nothing.
    pub(crate) parent: u32,
    /// A fingerprint of its content.
    pub(crate) print: u32,
    /// Fingerprints of the parts of a call: a message that repeats the call may leave some of them out.
    pub(crate) call: Option<CallPrint>,
    pub(crate) turn: Option<TurnRef>,
    pub(crate) agent: AgentRef,
    /// A fingerprint of the call's result, once that has started; 0 while it is not whole.
    pub(crate) answer: Option<u32>,
}

/// What a call was, part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallPrint {
    name: u32,
    arguments: u32,
    attached: u32,
}

impl CallPrint {
    /// Of the content of a call's item.
    pub(crate) fn of(content: &[ContentBlock]) -> Option<Self> {
        let (ContentBlock::ToolCall(call), attached) = content.split_first()? else {
            return None;
        };
        let print = |text: &str| if text.is_empty() { 0 } else { hash_of(text) as u32 | 1 };
        let attached = if attached.is_empty() { 0 } else { fingerprint(attached) | 1 };
        Some(Self { name: print(&call.name), arguments: print(&call.arguments), attached })
    }

    /// Whether nothing differs; absent parts do not differ.
    fn is_repeated_by(self, said: Self) -> bool {
        let same = |known: u32, said: u32| said == 0 || known == said;
        same(self.name, said.name)
            && same(self.arguments, said.arguments)
            && same(self.attached, said.attached)
    }
}

impl Closed {
    /// Whether a message repeats the known content.
    pub(crate) fn is_repeated_by(&self, content: &[ContentBlock]) -> bool {
        match (self.call, CallPrint::of(content)) {
            (Some(known), Some(said)) => known.is_repeated_by(said),
            _ => content.is_empty() || fingerprint(content) == self.print,
        }
    }

    /// The entry for a name: it holds the id only where the two differ.
    pub(crate) fn unless_named(mut self, id: &ItemId, name: &str) -> Self {
        self.item_id = (id.as_str() != name).then(|| id.clone());
        self
    }

    /// The entry found by a name, with its id.
    pub(crate) fn named(&self, name: &str) -> Self {
        let mut closed = self.clone();
        closed.item_id.get_or_insert_with(|| name.into());
        closed
    }
}

/// A number that differs, most likely, when the parent does.
pub(crate) fn parent_print(parent: Option<&ItemId>) -> u32 {
    parent.map_or(0, |parent| hash_of(parent.as_str()) as u32 | 1)
}

/// A number that differs, most likely, when the content does.
pub(crate) fn fingerprint(content: &[ContentBlock]) -> u32 {
    let mut print = FastHasher::default();
    add_blocks(content, &mut print);
    print.finish() as u32
}

fn add_blocks(content: &[ContentBlock], print: &mut FastHasher) {
    content.len().hash(print);
    for block in content {
        block.tag().hash(print);
        match block {
            ContentBlock::Text(block) => {
                block.text.hash(print);
                block.annotations.iter().for_each(|note| note.get().hash(print));
            }
            // Without the signature: it may come with only one of two tellings.
            ContentBlock::Reasoning(block) => block.text.hash(print),
            ContentBlock::ToolCall(call) => (&call.name, &call.arguments).hash(print),
            // Results hold no results: this goes one level down.
            ContentBlock::ToolResult(result) => {
                (result.is_error, result.exit_code, result.duration_ms).hash(print);
                add_blocks(&result.content, print);
            }
            ContentBlock::Image(image) => (&image.mime, &image.uri, &image.data).hash(print),
            ContentBlock::FileChange(change) => {
                (&change.path, change.change, &change.from, &change.diff).hash(print);
            }
            ContentBlock::Plan(plan) => {
                for entry in &plan.entries {
                    (&entry.text, &entry.status, &entry.priority).hash(print);
                }
            }
            ContentBlock::Json(block) => block.value.get().hash(print),
            ContentBlock::Status(status) => {
                (&status.label, &status.detail, status.data.as_ref().map(Json::get)).hash(print);
            }
            ContentBlock::Other(object) => object.json().get().hash(print),
        }
    }
}
