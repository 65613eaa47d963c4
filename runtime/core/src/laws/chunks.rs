//! The protocol of a model's answer, as code.

use std::collections::BTreeMap;

use crate::vocabulary::{FinishReason, StreamChunk};

/// Checks the chunks of one answer against their protocol.
///
/// Each block begins once, ends at most once, and has deltas only in between; a tool call's first delta has its name, and
/// all have its id; `usage` comes at most once and before `finish`, and
/// nothing comes after that; only an answer that was aborted or has failed leaves blocks open.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::laws::ChunkChecker;
/// use interlingua::vocabulary::{FinishReason, StreamChunk};
///
/// let mut checker = ChunkChecker::new();
/// let finish = StreamChunk::finish(FinishReason::Stop);
/// assert!(checker.feed(&finish).is_empty());
/// assert_eq!(checker.feed(&finish), ["`finish` comes after the finish"]);
/// assert!(checker.finish().is_empty());
/// ```
#[derive(Debug, Default)]
pub struct ChunkChecker {
    blocks: BTreeMap<u32, Block>,
    has_usage: bool,
    is_over: bool,
}

#[derive(Debug, Default)]
struct Block {
    /// Whether the deltas were those of a call.
    is_call: bool,
    ended: bool,
}

impl ChunkChecker {
    /// A checker for one answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next chunk, and says what is wrong with it.
    pub fn feed(&mut self, chunk: &StreamChunk) -> Vec<String> {
        let mut faults = Vec::new();
        if self.is_over {
            faults.push(format!("`{}` comes after the finish", chunk.chunk_type()));
            return faults;
        }
        match chunk {
            StreamChunk::BlockStart { index, .. } => {
                if self.blocks.insert(*index, Block::default()).is_some() {
                    faults.push(format!("block {index} begins twice"));
                }
            }
            StreamChunk::TextDelta { index, text } | StreamChunk::ReasoningDelta { index, text } => {
                if text.is_empty() {
                    faults.push(format!("a delta of block {index} is empty"));
                }
                self.delta(*index, &mut faults);
            }
            StreamChunk::ToolCallDelta { index, call_id, name, .. } => {
                if call_id.as_str().is_empty() {
                    faults.push(format!("the call in block {index} has no id"));
                }
                if let Some(block) = self.delta(*index, &mut faults)
                    && !std::mem::replace(&mut block.is_call, true)
                    && name.is_none()
                {
                    faults.push(format!("the first delta of the call in block {index} has no name"));
                }
            }
            StreamChunk::BlockEnd { index, .. } => self.end(*index, &mut faults),
            StreamChunk::Usage { .. } => {
                if std::mem::replace(&mut self.has_usage, true) {
                    faults.push("`usage` comes twice".to_owned());
                }
            }
            StreamChunk::Finish { reason, .. } => {
                self.is_over = true;
                let is_cut = matches!(reason, FinishReason::Aborted | FinishReason::Error(_));
                for (index, _) in self.blocks.iter().filter(|(_, block)| !is_cut && !block.ended) {
                    faults.push(format!("block {index} does not end, and the answer is not cut"));
                }
            }
            // Its rules are a later version's.
            StreamChunk::Other(_) => {}
        }
        faults
    }

    /// Says what is wrong with the stream as a whole.
    #[must_use]
    pub fn finish(&self) -> Vec<String> {
        if self.is_over { Vec::new() } else { vec!["there is no `finish`".to_owned()] }
    }

    fn delta(&mut self, index: u32, faults: &mut Vec<String>) -> Option<&mut Block> {
        match self.blocks.get_mut(&index).filter(|block| !block.ended) {
            Some(block) => Some(block),
            None => {
                faults.push(format!("a delta of block {index}, which is not open"));
                None
            }
        }
    }

    fn end(&mut self, index: u32, faults: &mut Vec<String>) {
        let Some(block) = self.blocks.get_mut(&index).filter(|block| !block.ended) else {
            faults.push(format!("block {index} ends, and is not open"));
            return;
        };
        block.ended = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{BlockType, ContentBlock};

    fn faults(chunks: &[StreamChunk]) -> Vec<String> {
        let mut checker = ChunkChecker::new();
        let mut faults: Vec<String> = chunks.iter().flat_map(|chunk| checker.feed(chunk)).collect();
        faults.extend(checker.finish());
        faults
    }

    #[test]
    fn a_broken_stream_is_found_to_be_one() {
        let finish = || StreamChunk::finish(FinishReason::Stop);
        let cut = || StreamChunk::finish(FinishReason::Aborted);
        let text = |text: &str| StreamChunk::TextDelta { index: 0, text: text.to_owned() };
        let start = || StreamChunk::BlockStart { index: 0, block_type: BlockType::Text };
        let end = |text: &str| StreamChunk::BlockEnd { index: 0, block: Box::new(ContentBlock::text(text)) };
        let call = |name: Option<&str>| StreamChunk::ToolCallDelta {
            index: 0,
            call_id: "c".into(),
            name: name.map(str::to_owned),
            arguments_delta: String::new(),
        };
        let usage = || StreamChunk::Usage { usage: Box::default() };
        for right in [
            vec![start(), text("a"), end("a"), usage(), finish()],
            vec![start(), text("a"), cut()],
            vec![start(), call(Some("f")), call(None), cut()],
        ] {
            assert_eq!(faults(&right), Vec::<String>::new(), "{right:?}");
        }
        for broken in [
            vec![],
            vec![text("a"), finish()],
            vec![start(), text("a"), finish()],
            vec![start(), end(""), text("a"), finish()],
            vec![start(), end(""), end(""), finish()],
            vec![start(), start(), end(""), finish()],
            vec![start(), text(""), end(""), finish()],
            vec![start(), call(None), cut()],
            vec![usage(), usage(), finish()],
            vec![finish(), usage()],
        ] {
            assert!(!faults(&broken).is_empty(), "{broken:?}");
        }
    }
}
