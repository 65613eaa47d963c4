//! The text of an item's parts, as deltas build it up (law 3).

use std::collections::BTreeMap;

use super::Law;
use crate::vocabulary::{Channel, ContentBlock, ItemDelta};

/// A part and the channel of its text.
type PartChannel = (u32, &'static str);

/// The texts of an open item, as its events have told them so far.
#[derive(Debug, Default)]
pub(super) struct Texts(BTreeMap<PartChannel, String>);

impl Texts {
    /// The texts that a content states.
    pub(super) fn of(content: &[ContentBlock]) -> Self {
        let texts = (0..).zip(content).filter_map(|(part, block)| {
            let (channel, text) = match block {
                ContentBlock::Text(block) => (Channel::Text, &block.text),
                ContentBlock::Reasoning(block) => (Channel::Reasoning, &block.text),
                ContentBlock::ToolCall(block) => (Channel::Arguments, &block.arguments),
                _ => return None,
            };
            Some(((part, channel.as_str()), text.clone()))
        });
        Self(texts.collect())
    }

    /// Appends a delta; live views build up nothing.
    pub(super) fn append(&mut self, delta: &ItemDelta) {
        if !matches!(delta.channel, Channel::Output | Channel::ErrorOutput | Channel::Input) {
            self.0.entry((delta.part, delta.channel.as_str())).or_default().push_str(&delta.delta);
        }
    }

    /// Where the deltas and the final content differ, and how.
    pub(super) fn differences(&self, last: &Self) -> Vec<String> {
        let empty = String::new();
        let mut places: Vec<&PartChannel> = self.0.keys().chain(last.0.keys()).collect();
        places.sort_unstable();
        places.dedup();
        let differences = places.into_iter().filter_map(|place| {
            let told = self.0.get(place).unwrap_or(&empty);
            let stated = last.0.get(place).unwrap_or(&empty);
            (told != stated).then(|| {
                let (part, channel) = place;
                format!(
                    "the {channel} of part {part} is {} bytes by its deltas, {} bytes when completed",
                    told.len(),
                    stated.len()
                )
            })
        });
        differences.collect()
    }
}

/// What is wrong with the blocks of an item of this kind.
pub(super) fn block_errors(kind: &str, content: &[ContentBlock]) -> Vec<(Law, String)> {
    let mut errors = Vec::new();
    for (part, block) in content.iter().enumerate() {
        let misplaced = match block {
            ContentBlock::ToolCall(_) => kind != "tool-call" || part != 0,
            ContentBlock::ToolResult(_) => kind != "tool-result" || part != 0,
            _ => false,
        };
        if misplaced {
            let tag = block.tag();
            errors
                .push((Law::Links, format!("part {part} is a `{tag}`, which should be an item of its own")));
        }
    }
    let leads = match kind {
        "tool-call" => matches!(content.first(), Some(ContentBlock::ToolCall(_))),
        "tool-result" => content.is_empty() || matches!(content.first(), Some(ContentBlock::ToolResult(_))),
        _ => true,
    };
    if !leads {
        errors.push((Law::Links, format!("the content of a {kind} does not begin with its `{kind}` block")));
    }
    errors
}

/// What is wrong with the blocks of an item that is whole.
pub(super) fn final_errors(kind: &str, content: &[ContentBlock]) -> Vec<(Law, String)> {
    let mut errors = block_errors(kind, content);
    if kind == "tool-result" && content.is_empty() {
        errors.push((Law::Links, "a tool result is completed without its block".to_owned()));
    }
    for block in content {
        if let ContentBlock::ToolCall(call) = block
            && !call.arguments.is_empty()
        {
            let mut checked = call.clone();
            checked.check_arguments();
            if checked.arguments_invalid != call.arguments_invalid {
                let not = if checked.arguments_invalid { "not " } else { "" };
                errors
                    .push((Law::Truth, format!("the arguments are {not}JSON, and the flag says otherwise")));
            }
        }
    }
    errors
}
