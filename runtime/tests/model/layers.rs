//! The two layers join: an agent that passes the stream of its model on gives the same blocks for the same bytes as that
//! stream itself, since both maps read its events with the same steps.

use interlingua::framing::{Framer, FramingKind};
use interlingua::vocabulary::{ContentBlock, Event, EventBody, ItemKind};
use interlingua::{Options, Translator};
use serde_json::{Value, json};

use super::answer::parsed;
use super::recordings::{all, translate};

#[test]
fn an_agent_that_passes_a_stream_on_says_the_same_blocks() {
    let agent = interlingua::provider("claude").expect("the agent's map");
    let (mut compared, mut blocks) = (0, 0);
    for recording in all().iter().filter(|recording| recording.provider == "anthropic-messages") {
        let mut lines = String::new();
        let mut is_whole = true;
        let mut framer = Framer::new(FramingKind::Sse);
        let mut wrap = |frame: interlingua::framing::Frame<'_>| {
            let event: Result<Value, _> = serde_json::from_slice(frame.bytes);
            is_whole &= event.as_ref().is_ok_and(|event| event["type"] != "error");
            if event.is_ok() {
                let event = String::from_utf8_lossy(frame.bytes).replace('\n', " ");
                let start = r#"{"type":"stream_event","session_id":"s","uuid":"u","event":"#;
                lines.push_str(&format!("{start}{event}}}\n"));
            }
        };
        framer.push(&recording.wire, &mut wrap);
        framer.finish(&mut wrap);
        // Input that stands at the start of a call is taken from the agent's whole message, which is not part of this stream.
        if !is_whole || lines.is_empty() || recording.scenario == "text-in-start" {
            continue;
        }
        let mut translator = Translator::new(agent, Options::default());
        let mut events: Vec<Event> = translator.push(lines.as_bytes()).collect();
        events.extend(translator.finish());

        let direct = translate(recording.table(), [&recording.wire[..]]);
        let direct: Vec<Value> = direct.message.content.iter().filter_map(shown).collect();
        let through: Vec<Value> = through(&events);
        for kind in ["text", "reasoning", "tool-call"] {
            let of = |all: &[Value]| -> Vec<Value> {
                all.iter().filter(|block| block["type"] == kind).cloned().collect()
            };
            assert_eq!(of(&through), of(&direct), "{}: {kind}", recording.name());
        }
        compared += 1;
        blocks += direct.len();
    }
    assert!(compared > 25 && blocks > 40, "{compared} streams with {blocks} blocks were compared");
}

/// The blocks of the items that the events complete.
fn through(events: &[Event]) -> Vec<Value> {
    let mut all = Vec::new();
    for event in events {
        if let EventBody::ItemCompleted(state) = &event.body
            && matches!(state.item.kind, ItemKind::Message | ItemKind::ToolCall)
        {
            all.extend(state.item.content.iter().filter_map(shown));
        }
    }
    all
}

/// A block as both layers have it. Blocks that are not streamed come with the agent's own messages, and what a tool is good
/// for is each map's own knowledge.
fn shown(block: &ContentBlock) -> Option<Value> {
    Some(match block {
        ContentBlock::Text(block) => {
            let notes: Vec<&str> = block.annotations.iter().map(|note| note.get()).collect();
            json!({"type": "text", "text": block.text, "annotations": notes})
        }
        ContentBlock::Reasoning(block) => {
            json!({"type": "reasoning", "text": block.text, "signature": block.signature,
                "visibility": block.visibility.map(|visibility| visibility.as_str())})
        }
        ContentBlock::ToolCall(call) => {
            json!({"type": "tool-call", "id": call.call_id.as_str(), "name": call.name,
                "input": parsed(&call.arguments), "hosted": call.hosted})
        }
        _ => return None,
    })
}
