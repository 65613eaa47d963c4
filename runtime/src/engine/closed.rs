//! What is remembered of a closed item.

use std::hash::Hasher;
use std::io::{self, Write};

use super::hash::FastHasher;
use super::turn::{AgentRef, TurnRef};
use crate::vocabulary::{ContentBlock, ItemId, ItemStatus};

/// A closed item: enough to tell a repetition from news, and to link to it.
#[derive(Debug, Clone)]
pub(super) struct Closed {
    /// Its universal id, where that is not the name it is found by.
    pub(super) item_id: Option<ItemId>,
    pub(super) status: ItemStatus,
    /// A fingerprint of its content.
    pub(super) print: u32,
    pub(super) turn: Option<TurnRef>,
    pub(super) agent: AgentRef,
    /// A fingerprint of the call's result, once that has started; 0 while it is not whole.
    pub(super) answer: Option<u32>,
}

impl Closed {
    /// The entry for a name: it holds the id only where the two differ.
    pub(super) fn unless_named(&self, id: &ItemId, name: &str) -> Self {
        Self { item_id: (id.as_str() != name).then(|| id.clone()), ..self.clone() }
    }

    /// The entry found by a name, with its id.
    pub(super) fn named(&self, name: &str) -> Self {
        let mut closed = self.clone();
        closed.item_id.get_or_insert_with(|| name.into());
        closed
    }
}

/// A number that differs, most likely, when the content does.
pub(super) fn fingerprint(content: &[ContentBlock]) -> u32 {
    let mut hash = Print(FastHasher::default());
    for block in content {
        match block {
            ContentBlock::Text(text) if text.annotations.is_empty() => hash.add("text", &text.text),
            ContentBlock::ToolCall(call) => {
                hash.add("tool-call", &call.name);
                hash.add("", &call.arguments);
            }
            // Without the signature: it may come with only one of two tellings.
            ContentBlock::Reasoning(reasoning) => hash.add("reasoning", &reasoning.text),
            // Writing to a hash cannot fail, and what fails to be written counts as equal.
            other => drop(serde_json::to_writer(&mut hash, other)),
        }
    }
    hash.0.finish() as u32
}

struct Print(FastHasher);

impl Print {
    fn add(&mut self, kind: &str, text: &str) {
        self.0.write(kind.as_bytes());
        self.0.write(text.as_bytes());
        self.0.write_usize(text.len());
    }
}

impl Write for Print {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
