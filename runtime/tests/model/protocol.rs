//! What holds for every stream, whatever is in it.

use std::collections::BTreeMap;

use interlingua::laws::ChunkChecker;
use interlingua::vocabulary::{BlockAssembler, ContentBlock, FinishReason, StreamChunk};

use super::recordings::{Outcome, all, translate};

#[test]
fn however_a_stream_is_cut_it_says_the_same() {
    for recording in all() {
        let whole = translate(recording.table(), [&recording.wire[..]]);
        let reads = translate(recording.table(), recording.reads());
        assert_eq!(reads, whole, "{}: as it was read", recording.name());
        if recording.wire.len() < 100_000 {
            let bytes = translate(recording.table(), recording.wire.chunks(1));
            assert_eq!(bytes, whole, "{}: byte by byte", recording.name());
        }
    }
}

#[test]
fn every_stream_keeps_the_protocol() {
    for recording in all() {
        let Outcome { chunks, message, stats } = translate(recording.table(), [&recording.wire[..]]);
        let name = recording.name();
        let faults = faults(&chunks);
        assert!(faults.is_empty(), "{name}: {}", faults.join("; "));
        let accounted = stats.translated + stats.ignored_total() + stats.unparsed;
        assert_eq!(stats.messages, accounted, "{name}: messages that are not accounted for");

        // Whoever assembles the chunks has the same message.
        let mut assembler = BlockAssembler::new();
        for chunk in chunks {
            assembler.push(chunk);
        }
        assert_eq!(assembler.ignored(), 0, "{name}");
        let again = assembler.message(message.id.clone(), message.source.clone());
        let is_cut = matches!(assembler.finish(), Some(FinishReason::Aborted | FinishReason::Error(_)));
        // The flags of what was cut off are the stream's own.
        if !is_cut {
            assert_eq!(again, message, "{name}");
        }
        assert_eq!(again.content.len(), message.content.len(), "{name}");
    }
}

/// What breaks the protocol. Of the bundled recordings no one says a text again in other words, so that each block ends with
/// what its deltas made up.
fn faults(chunks: &[StreamChunk]) -> Vec<String> {
    let mut checker = ChunkChecker::new();
    let mut faults: Vec<String> = chunks.iter().flat_map(|chunk| checker.feed(chunk)).collect();
    faults.extend(checker.finish());
    let mut told: BTreeMap<u32, String> = BTreeMap::new();
    for chunk in chunks {
        match chunk {
            StreamChunk::TextDelta { index, text }
            | StreamChunk::ReasoningDelta { index, text }
            | StreamChunk::ToolCallDelta { index, arguments_delta: text, .. } => {
                told.entry(*index).or_default().push_str(text);
            }
            StreamChunk::BlockEnd { index, block } => {
                let whole = match &**block {
                    ContentBlock::Text(block) => &block.text,
                    ContentBlock::Reasoning(block) => &block.text,
                    ContentBlock::ToolCall(block) => &block.arguments,
                    _ => continue,
                };
                let told = told.get(index).map_or("", String::as_str);
                if whole != told {
                    faults.push(format!("block {index} ends as {whole:?}, but its deltas are {told:?}"));
                }
            }
            _ => {}
        }
    }
    faults
}
