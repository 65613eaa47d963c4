//! Counts chunks by type.

use std::collections::BTreeMap;

use crate::vocabulary::StreamChunk;

/// Chunks counted by type, without hashing a name for each.
#[derive(Debug, Default, Clone)]
pub(super) struct ChunkCounts([u64; StreamChunk::TYPES.len()]);

impl ChunkCounts {
    pub(super) fn add(&mut self, chunk: &StreamChunk) {
        // The engine makes no chunk of an unknown type.
        if let Some(place) = chunk.place() {
            self.0[place] += 1;
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    pub(super) fn by_type(&self) -> BTreeMap<String, u64> {
        let named = StreamChunk::TYPES.iter().zip(self.0);
        named.filter(|(_, count)| *count > 0).map(|(name, count)| ((*name).to_owned(), count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{BlockType, FinishReason};

    #[test]
    fn chunks_are_counted_under_their_own_type() {
        let mut counts = ChunkCounts::default();
        let chunks = [
            StreamChunk::BlockStart { index: 0, block_type: BlockType::Text },
            StreamChunk::TextDelta { index: 0, text: "x".to_owned() },
            StreamChunk::finish(FinishReason::Stop),
        ];
        for chunk in &chunks {
            counts.add(chunk);
            let json = serde_json::to_value(chunk).expect("a chunk as JSON");
            let name = json["type"].as_str().expect("a type");
            assert_eq!(counts.by_type().get(name), Some(&1), "{name}");
        }
        assert_eq!(counts.total(), 3);
    }
}
