//! What is remembered of a closed item.

use std::hash::{Hash, Hasher};

use super::hash::{FastHasher, hash_of};
use super::turn::{AgentRef, TurnRef};
use crate::vocabulary::{ContentBlock, ItemId, ItemStatus, Json};

/// A closed item: enough to tell a repetition from news, and to link to it.
#[derive(Debug, Clone)]
pub(super) struct Closed {
    /// Its universal id, where that is not the name it is found by.
    pub(super) item_id: Option<ItemId>,
    pub(super) status: ItemStatus,
    /// A fingerprint of what it belonged to; 0 for nothing.
    pub(super) parent: u32,
    /// A fingerprint of its content.
    pub(super) print: u32,
    pub(super) turn: Option<TurnRef>,
    pub(super) agent: AgentRef,
    /// A fingerprint of the call's result, once that has started; 0 while it is not whole.
    pub(super) answer: Option<u32>,
}

impl Closed {
    /// The entry for a name: it holds the id only where the two differ.
    pub(super) fn unless_named(mut self, id: &ItemId, name: &str) -> Self {
        self.item_id = (id.as_str() != name).then(|| id.clone());
        self
    }

    /// The entry found by a name, with its id.
    pub(super) fn named(&self, name: &str) -> Self {
        let mut closed = self.clone();
        closed.item_id.get_or_insert_with(|| name.into());
        closed
    }
}

/// A number that differs, most likely, when the parent does.
pub(super) fn parent_print(parent: Option<&ItemId>) -> u32 {
    parent.map_or(0, |parent| hash_of(parent.as_str()) as u32 | 1)
}

/// A number that differs, most likely, when the content does.
pub(super) fn fingerprint(content: &[ContentBlock]) -> u32 {
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
