//! Checks whether chunks contain what a scenario expects.

use std::collections::BTreeSet;

use super::scenarios::{Kind, Need, Scenario};
use crate::laws::ChunkChecker;
use crate::vocabulary::{BlockAssembler, ContentBlock, FinishReason, StreamChunk, ToolCall};

/// Everything that is wrong with the chunks of an answer.
pub(super) fn judge(scenario: &Scenario, chunks: &[StreamChunk]) -> Vec<String> {
    let mut checker = ChunkChecker::new();
    let mut wrong: Vec<String> = chunks.iter().flat_map(|chunk| checker.feed(chunk)).collect();
    wrong.extend(checker.finish());
    let mut assembler = BlockAssembler::new();
    for chunk in chunks {
        assembler.push(chunk.clone());
    }
    let kinds = kinds(&assembler);
    if kinds != scenario.blocks {
        wrong.push(format!("the blocks are {kinds:?}, not {:?}", scenario.blocks));
    }
    let tag = assembler.finish().map_or("nothing", FinishReason::tag);
    let is_right = match scenario.finish {
        [] => !FinishReason::TAGS.contains(&tag) && tag != "nothing",
        right => right.contains(&tag),
    };
    if !is_right {
        wrong.push(format!("it ends with `{tag}`, not {:?}", scenario.finish));
    }
    wrong.extend(
        scenario
            .needs
            .iter()
            .filter(|need| !holds(**need, &assembler))
            .map(|need| format!("{need:?} does not hold")),
    );
    wrong
}

/// The kinds of the blocks, neighbours of one kind taken together.
fn kinds(assembler: &BlockAssembler) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for block in assembler.blocks() {
        let kind = match block {
            ContentBlock::Text(text) if text.text.is_empty() => continue,
            ContentBlock::Text(_) => Kind::Text,
            ContentBlock::Reasoning(_) => Kind::Reasoning,
            ContentBlock::ToolCall(_) => Kind::Call,
            _ => continue,
        };
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

fn calls(assembler: &BlockAssembler) -> impl Iterator<Item = &ToolCall> {
    assembler.blocks().filter_map(|block| match block {
        ContentBlock::ToolCall(call) => Some(call),
        _ => None,
    })
}

fn holds(need: Need, assembler: &BlockAssembler) -> bool {
    let valid = |call: &ToolCall| {
        !call.arguments_invalid && serde_json::from_str::<serde::de::IgnoredAny>(&call.arguments).is_ok()
    };
    let usage = assembler.usage();
    match need {
        Need::Usage => usage.is_some_and(|usage| usage.input.is_some() && usage.output.is_some()),
        Need::CachedInput => usage.is_some_and(|usage| usage.cache_read.is_some_and(|cached| cached > 0)),
        Need::ValidArguments => calls(assembler).all(valid),
        Need::NoArguments => calls(assembler).all(|call| {
            serde_json::from_str(&call.arguments)
                .is_ok_and(|arguments: serde_json::Value| arguments == serde_json::json!({}))
        }),
        Need::InvalidArguments => {
            calls(assembler).last().is_some_and(|call| call.arguments_invalid && !call.arguments.is_empty())
        }
        Need::SeveralCalls => calls(assembler).count() > 1,
        Need::DistinctCalls => {
            let ids: BTreeSet<&str> = calls(assembler).map(|call| call.call_id.as_str()).collect();
            ids.len() == calls(assembler).count() && !ids.contains("")
        }
        Need::Replay => {
            let signed = assembler.blocks().any(|block| match block {
                ContentBlock::Reasoning(reasoning) => reasoning.signature.is_some(),
                _ => false,
            });
            signed || assembler.replay_state().is_some()
        }
        Need::CutBlock => assembler.interrupted_blocks().next().is_some(),
        Need::CleanText => {
            let texts = assembler.blocks().filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            });
            let texts: String = texts.collect();
            !texts.is_empty() && !texts.contains('\u{fffd}')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scenarios::scenarios;
    use super::*;
    use crate::vocabulary::{BlockType, Usage};

    #[test]
    fn an_answer_of_another_scenario_fails() {
        let chunks = [
            StreamChunk::BlockStart { index: 0, block_type: BlockType::Text },
            StreamChunk::TextDelta { index: 0, text: "hi".to_owned() },
            StreamChunk::BlockEnd { index: 0, block: Box::new(ContentBlock::text("hi")) },
            StreamChunk::Usage { usage: Box::new(Usage::default().with_input(1).with_output(1)) },
            StreamChunk::finish(FinishReason::Stop),
        ];
        let fine = ["text", "split-text", "line-ends", "no-last-line-end", "unknown-fields"];
        for scenario in scenarios() {
            let wrong = judge(scenario, &chunks);
            assert_eq!(wrong.is_empty(), fine.contains(&scenario.name), "{}: {wrong:?}", scenario.name);
        }
    }
}
