//! An event in one line for people: what it is about, and the beginning of what it says.

use interlingua::vocabulary::{ContentBlock, Event, EventBody, Item};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::output;

/// How many characters a line shows at most of what a stream says.
const SHOWN: usize = 110;

/// The data of an event in one line.
pub fn sketch(event: &Event) -> Result<String, serde_json::Error> {
    let text = match &event.body {
        EventBody::ItemStarted(state) | EventBody::ItemUpdated(state) | EventBody::ItemCompleted(state) => {
            item(&state.item)?
        }
        EventBody::ItemDelta(delta) => {
            format!("{} part {} {} {:?}", delta.item_id, delta.part, delta.channel, delta.delta)
        }
        _ => data(event)?,
    };
    Ok(excerpt(&text))
}

fn item(item: &Item) -> Result<String, serde_json::Error> {
    let mut text = format!("{} {} {}", item.kind, item.item_id, item.status);
    for block in &item.content {
        text.push(' ');
        text.push_str(&self::block(block)?);
    }
    Ok(text)
}

fn block(block: &ContentBlock) -> Result<String, serde_json::Error> {
    Ok(match block {
        ContentBlock::Text(text) => format!("{:?}", text.text),
        ContentBlock::Reasoning(reasoning) => format!("reasoning {:?}", reasoning.text),
        ContentBlock::ToolCall(call) => format!("{} {}", call.name, call.arguments),
        ContentBlock::ToolResult(result) => {
            let blocks: Result<Vec<String>, _> = result.content.iter().map(self::block).collect();
            blocks?.join(" ")
        }
        other => serde_json::to_string(other)?,
    })
}

/// The event's data as JSON, in the order in which it is written.
fn data(event: &Event) -> Result<String, serde_json::Error> {
    #[derive(Deserialize)]
    struct Written {
        data: Box<RawValue>,
    }
    let written: Written = serde_json::from_str(&serde_json::to_string(event)?)?;
    Ok(written.data.get().to_string())
}

/// The first characters of a text.
pub fn excerpt(text: &str) -> String {
    let text = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    };
    output::line(&text, SHOWN + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlingua::vocabulary::{Channel, ItemDelta, Origin, TurnStarted};

    fn sketched(body: impl Into<EventBody>) -> String {
        sketch(&Event::new("s1", 1, Origin::Agent, body)).expect("a line")
    }

    #[test]
    fn a_delta_is_its_text_and_other_events_their_data() {
        assert_eq!(sketched(ItemDelta::new("m", 0, Channel::Text, "a\nb")), r#"m part 0 text "a\nb""#);
        assert_eq!(sketched(TurnStarted::new("t")), r#"{"turn_id":"t"}"#);
    }

    #[test]
    fn an_item_is_its_kind_name_status_and_content() {
        let line = r#"{"event_id":"s1:1","sequence":1,"session_id":"s1","agent_path":[],"origin":"agent",
            "type":"item.completed","data":{"item":{"item_id":"c","kind":"tool-call","status":"completed",
            "content":[{"type":"tool-call","call_id":"c","name":"Bash","arguments":"{}"}]}}}"#;
        let event: Event = serde_json::from_str(line).expect("an event");
        assert_eq!(sketch(&event).expect("a line"), "tool-call c completed Bash {}");
    }

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        assert_eq!(excerpt("short"), "short");
        let long = "ä".repeat(SHOWN + 1);
        assert_eq!(excerpt(&long), format!("{}…", "ä".repeat(SHOWN)));
    }
}
