//! Blocks are put together from their pieces as the protocol says, and by index.

use interlingua::vocabulary::{
    BlockAssembler, ContentBlock, FinishReason, Json, MessageSource, Reasoning, StreamChunk, ToolCall, Usage,
};
use serde::Deserialize;

/// A stream of chunks and what comes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    chunks: Vec<StreamChunk>,
    blocks: Vec<ContentBlock>,
    interrupted: Vec<u32>,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    replay_state: Option<Json>,
    ignored: u64,
}

#[test]
fn streams_give_their_blocks() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vocabulary/assembler");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display();
        let case: Case = serde_json::from_slice(&std::fs::read(&path).unwrap())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut assembler = BlockAssembler::new();
        for chunk in case.chunks {
            assembler.push(chunk);
        }
        let interrupted: Vec<u32> = assembler.interrupted_blocks().map(|(index, _)| index).collect();
        assert_eq!(interrupted, case.interrupted, "{name}");
        assert_eq!(assembler.usage(), case.usage.as_ref(), "{name}");
        assert_eq!(assembler.finish(), case.finish.as_ref(), "{name}");
        assert_eq!(assembler.replay_state(), case.replay_state.as_ref(), "{name}");
        assert_eq!(assembler.ignored(), case.ignored, "{name}");
        let message = assembler.message("m", MessageSource::User);
        assert_eq!(message.content, case.blocks, "{name}");
        assert_eq!(message.replay_state.as_ref(), assembler.replay_state(), "{name}");
        assert_eq!(assembler.into_blocks(), case.blocks, "{name}");
        seen += 1;
    }
    assert!(seen >= 3, "only {seen} cases in {folder}");
}

#[test]
fn arguments_wait_for_their_call() {
    let mut parts = BlockAssembler::new();
    assert!(parts.append_arguments(0, "{\"a\":"));
    assert!(parts.append_arguments(0, "1"));
    assert_eq!(parts.text_of(0), Some("{\"a\":1"));
    assert!(parts.is_empty());
    assert!(!parts.append_text(0, "text"), "arguments are waiting here");
    assert!(parts.start(0, ToolCall::new("c", "Edit", "}")));
    assert!(!parts.start(0, ToolCall::new("d", "Edit", "")));
    assert!(parts.end(0));
    assert!(!parts.end(0));
    assert_eq!(parts.block(0), Some(&ContentBlock::tool_call("c", "Edit", "{\"a\":1}")));
    assert_eq!(parts.ignored(), 3);
}

#[test]
fn ended_parts_change_by_replacement_only() {
    let mut parts = BlockAssembler::new();
    parts.append_text(0, "a");
    parts.end(0);
    assert!(!parts.append_text(0, "b"));
    assert!(!parts.append_reasoning(0, "b"));
    assert!(!parts.append_arguments(0, "b"));
    assert!(!parts.set_signature(0, "b"));
    assert_eq!(parts.replace(0, ContentBlock::text("c")), Some(ContentBlock::text("a")));
    assert!(parts.has_ended(0));
    assert_eq!(parts.take_blocks(), [ContentBlock::text("c")]);
    assert_eq!(parts.next_index(), 0);
}

#[test]
fn removing_leaves_a_gap_until_parts_are_renumbered() {
    let mut parts = BlockAssembler::new();
    for (index, text) in [(2, "c"), (0, "a"), (u32::MAX, "z"), (1, "b")] {
        parts.append_text(index, text);
    }
    assert_eq!(parts.remove(1), Some(ContentBlock::text("b")));
    assert_eq!(parts.remove(1), None);
    assert_eq!(parts.text_of(2), Some("c"));
    parts.append_text(1, "anew");
    assert_eq!(parts.remove(0), Some(ContentBlock::text("a")));
    parts.renumber();
    assert_eq!((parts.len(), parts.next_index()), (3, 3));
    let texts: Vec<_> = (0..3).map(|index| parts.text_of(index).unwrap()).collect();
    assert_eq!(texts, ["anew", "c", "z"]);
}

#[test]
fn text_goes_where_the_part_holds_text() {
    let mut parts = BlockAssembler::new();
    parts.start(0, ContentBlock::tool_result("c", Vec::new()));
    parts.append_text(0, "out");
    parts.append_text(0, "put");
    assert_eq!(parts.text_of(0), Some("output"));
    let expected = ContentBlock::tool_result("c", vec![ContentBlock::text("output")]);
    assert_eq!(parts.block(0), Some(&expected));

    parts.set_signature(1, "c2ln");
    parts.append_text(1, "hm");
    let expected = Reasoning::new("hm").with_signature("c2ln");
    assert_eq!(parts.block(1), Some(&expected.into()));

    parts.start(2, ContentBlock::json(Json::null()));
    assert!(!parts.append_text(2, "nowhere"));
    assert_eq!(parts.text_of(2), None);
    assert_eq!(parts.ignored(), 1);
}
