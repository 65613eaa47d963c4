//! How a translated recording is written down for review.
//!
//! The snapshots themselves lie beside this package's `src`, one per recording:
//! `<provider>/<version>__<scenario>.snap`. How to review them: CONTRIBUTING.md.

#![forbid(unsafe_code)]

pub mod pairs;

use interlingua::vocabulary::{Event, StreamChunk};
use interlingua::{Stats, model};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The text of a snapshot: the statistics, then one event a line.
///
/// # Errors
///
/// When an event cannot be written as JSON, which does not happen.
pub fn render(events: &[Event], stats: &Stats) -> Result<String, serde_json::Error> {
    let mut text = heading(stats);
    let mut native_session = String::new();
    for event in events {
        text.push('\n');
        text.push_str(&line(event, &mut native_session)?);
    }
    Ok(text)
}

/// The text of a snapshot of a model's stream: the statistics, then one chunk a line.
///
/// # Errors
///
/// When a chunk cannot be written as JSON, which does not happen.
pub fn render_chunks(chunks: &[StreamChunk], stats: &model::Stats) -> Result<String, serde_json::Error> {
    let mut text = format!(
        "{} messages = {} translated ({} silent) + {} ignored + {} unparsed\n",
        stats.messages,
        stats.translated,
        stats.silent,
        stats.ignored_total(),
        stats.unparsed
    );
    for (reason, count) in &stats.ignored {
        text.push_str(&format!("ignored {count}: {reason}\n"));
    }
    for (what, count) in &stats.left_out {
        text.push_str(&format!("left out {count}: {what}\n"));
    }
    if stats.late > 0 {
        text.push_str(&format!("late: {}\n", stats.late));
    }
    for problem in &stats.problems {
        text.push_str(&format!("problem: {problem}\n"));
    }
    for chunk in chunks {
        text.push('\n');
        text.push_str(&serde_json::to_string(chunk)?);
    }
    Ok(text)
}

/// The statistics in words, with every reason for which a message is ignored.
fn heading(stats: &Stats) -> String {
    let mut text = format!(
        "{} messages = {} translated ({} silent) + {} ignored + {} unparsed\n",
        stats.messages,
        stats.translated,
        stats.silent,
        stats.ignored_total(),
        stats.unparsed
    );
    for (reason, count) in &stats.ignored {
        text.push_str(&format!("ignored {count}: {reason}\n"));
    }
    let events: Vec<String> =
        stats.events.iter().map(|(event_type, count)| format!("{count} {event_type}")).collect();
    text.push_str(&format!("events: {}\n", events.join(", ")));
    text
}

/// An event as it stands in a snapshot: what is short and tells events apart comes first. Left out is
/// only what another field says too, and where in the file the native line begins and ends.
#[derive(Serialize)]
struct Shown<'a> {
    event_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    origin: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    /// Only where it differs from the event before.
    #[serde(skip_serializing_if = "Option::is_none")]
    native_session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agent_path: &'a Vec<String>,
    #[serde(rename = "type")]
    event_type: &'a str,
    data: &'a RawValue,
}

/// The fields of an event's JSON.
#[derive(Deserialize)]
struct Written {
    event_id: String,
    native: Option<Native>,
    origin: String,
    time: Option<String>,
    native_session_id: Option<String>,
    turn_id: Option<String>,
    agent_path: Vec<String>,
    #[serde(rename = "type")]
    event_type: String,
    data: Box<RawValue>,
}

#[derive(Deserialize)]
struct Native {
    line: u64,
    rule: String,
}

fn line(event: &Event, native_session: &mut String) -> Result<String, serde_json::Error> {
    // Read back from its own JSON, so that the snapshot shows exactly what users get.
    let written: Written = serde_json::from_str(&serde_json::to_string(event)?)?;
    let new_session = written.native_session_id.filter(|id| id != native_session);
    let shown = Shown {
        event_id: &written.event_id,
        line: written.native.as_ref().map(|native| native.line),
        rule: written.native.as_ref().map(|native| native.rule.as_str()),
        origin: &written.origin,
        time: written.time.as_deref(),
        native_session_id: new_session.as_deref(),
        turn_id: written.turn_id.as_deref(),
        agent_path: &written.agent_path,
        event_type: &written.event_type,
        data: &written.data,
    };
    let text = serde_json::to_string(&shown)?;
    if let Some(id) = new_session {
        *native_session = id;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlingua::vocabulary::{Channel, ItemDelta, Origin};

    #[test]
    fn an_event_is_one_line_and_names_its_native_session_when_it_changes() {
        let mut event = Event::new("s1", 4, Origin::Daemon, ItemDelta::new("m", 0, Channel::Text, "a\nb"));
        event.native_session_id = Some("n-1".into());
        let mut stats = Stats::default();
        stats.messages = 2;
        stats.translated = 1;
        stats.unparsed = 1;
        let text = render(&[event.clone(), event], &stats).expect("a text");
        let delta = r#""type":"item.delta","data":{"item_id":"m","part":0,"channel":"text","delta":"a\nb"}}"#;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "2 messages = 1 translated (0 silent) + 0 ignored + 1 unparsed");
        assert_eq!(
            lines[3],
            format!(r#"{{"event_id":"s1:4","origin":"daemon","native_session_id":"n-1",{delta}"#)
        );
        assert_eq!(lines[4], format!(r#"{{"event_id":"s1:4","origin":"daemon",{delta}"#));
    }
}
