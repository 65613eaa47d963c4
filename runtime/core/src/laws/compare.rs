//! The laws that the events of one stream cannot show: they compare it with its input, or with another stream.

use std::collections::BTreeMap;

use super::{Law, Violation};
use crate::engine::Stats;
use crate::vocabulary::{Event, EventBody};

/// Law 7: every message is counted as translated, ignored or unparsed.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::{Stats, laws};
///
/// let mut stats = Stats::default();
/// assert_eq!(laws::totality(&stats), None);
/// stats.messages = 1;
/// let violation = laws::totality(&stats).expect("one message is not counted");
/// assert_eq!(violation.law.number(), 7);
/// ```
#[must_use]
pub fn totality(stats: &Stats) -> Option<Violation> {
    let sum = stats.translated + stats.ignored_total() + stats.unparsed;
    (sum != stats.messages).then(|| {
        let message = format!(
            "{} messages, but {} translated + {} ignored + {} unparsed = {sum}",
            stats.messages,
            stats.translated,
            stats.ignored_total(),
            stats.unparsed
        );
        Violation { law: Law::Totality, event: "end".to_owned(), message }
    })
}

/// Law 8: two translations of the same bytes give the same events.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::laws;
/// use interlingua::vocabulary::{Event, Origin, SessionStarted};
///
/// let event = Event::new("s1", 1, Origin::Agent, SessionStarted::default());
/// assert_eq!(laws::determinism(&[event.clone()], &[event.clone()]), None);
/// assert!(laws::determinism(&[event], &[]).is_some());
/// ```
#[must_use]
pub fn determinism(first: &[Event], second: &[Event]) -> Option<Violation> {
    difference(first, second)
        .or_else(|| {
            let longer = first.get(second.len()).or_else(|| second.get(first.len()))?;
            Some((longer, "only one of two translations of the same bytes has this event".to_owned()))
        })
        .map(|(event, message)| violation(Law::Determinism, event, message))
}

/// Law 9: the events for a prefix of the input are a prefix of the events for the whole input.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::laws;
/// use interlingua::vocabulary::{Event, Origin, SessionStarted};
///
/// let event = Event::new("s1", 1, Origin::Agent, SessionStarted::default());
/// assert_eq!(laws::prefix(&[], &[event.clone()]), None);
/// assert!(laws::prefix(&[event], &[]).is_some());
/// ```
#[must_use]
pub fn prefix(of_prefix: &[Event], of_whole: &[Event]) -> Option<Violation> {
    difference(of_prefix, of_whole)
        .or_else(|| {
            let missing = of_prefix.get(of_whole.len())?;
            Some((missing, "the whole input does not give this event".to_owned()))
        })
        .map(|(event, message)| violation(Law::Prefix, event, message))
}

/// Law 11: what a translator remembers does not grow with the stream. `sizes` are values of
/// [`state_len`](crate::Translator::state_len) at equal distances in a stream that leaves nothing open: from the third
/// tenth on, when all windows are full, they grow by a tenth at most.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::laws;
///
/// assert_eq!(laws::bounds(&[400, 800, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000]), None);
/// assert!(laws::bounds(&[100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]).is_some());
/// ```
#[must_use]
pub fn bounds(sizes: &[usize]) -> Option<Violation> {
    let early = sizes.get(sizes.len().div_ceil(10) * 3 - usize::from(!sizes.is_empty()))?;
    let last = sizes.last()?;
    (*last > early + early / 10).then(|| {
        let message =
            format!("{early} things are remembered after three tenths of the stream, and {last} at its end");
        Violation { law: Law::Bounds, event: "end".to_owned(), message }
    })
}

/// Law 12: each text of the native messages is in an event, or in the joined deltas of a part.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::laws;
///
/// let lost = laws::nothing_lost(&["a text"], &[]);
/// assert_eq!(lost[0].message, "no event has the text \"a text\"");
/// ```
#[must_use]
pub fn nothing_lost(texts: &[&str], events: &[Event]) -> Vec<Violation> {
    let mut deltas: BTreeMap<(&str, u32, &str), String> = BTreeMap::new();
    let mut values = Vec::new();
    for event in events {
        if let EventBody::ItemDelta(delta) = &event.body {
            let part = (delta.item_id.as_str(), delta.part, delta.channel.as_str());
            deltas.entry(part).or_default().push_str(&delta.delta);
        }
        values.extend(serde_json::to_value(event).ok());
    }
    let is_there = |text: &str| {
        deltas.values().any(|joined| joined.contains(text))
            || values.iter().any(|value| contains(value, text))
    };
    let lost = texts.iter().filter(|text| !is_there(text));
    lost.map(|text| {
        let message = format!("no event has the text {text:?}");
        Violation { law: Law::NothingLost, event: "end".to_owned(), message }
    })
    .collect()
}

/// Whether a string of the value contains the text.
fn contains(value: &serde_json::Value, text: &str) -> bool {
    match value {
        serde_json::Value::String(string) => string.contains(text),
        serde_json::Value::Array(values) => values.iter().any(|value| contains(value, text)),
        serde_json::Value::Object(members) => members.values().any(|value| contains(value, text)),
        _ => false,
    }
}

/// The first event of two streams that differs.
fn difference<'e>(first: &'e [Event], second: &[Event]) -> Option<(&'e Event, String)> {
    let (event, other) = first.iter().zip(second).find(|(event, other)| event != other)?;
    Some((event, format!("the other stream has `{}` of {} here", other.body.event_type(), other.event_id())))
}

fn violation(law: Law, event: &Event, message: String) -> Violation {
    Violation { law, event: event.event_id().to_string(), message }
}
