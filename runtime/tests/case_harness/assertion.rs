//! The assertions of a case: what must be true of the universal events.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

use super::pattern::{matches, mistake};

/// The file `case.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The provider whose map is used.
    pub from: String,
    /// The kind of mistake that it would catch: cases of one kind share what goes wrong, not where.
    pub kind: String,
    /// What the case is about, in a sentence or two.
    pub about: String,
    /// What must hold.
    pub assert: Vec<Assertion>,
}

/// One assertion.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Assertion {
    /// So many events match.
    Count {
        #[serde(rename = "match")]
        pattern: Value,
        is: usize,
    },
    /// At least one event matches.
    Some(Value),
    /// No event matches.
    None(Value),
    /// Events match in this order; others may stand between them.
    Sequence(Vec<Value>),
    /// A part's deltas, joined, and its text in `item.completed` are both this.
    Text { item: String, part: usize, is: String },
    /// These counts of the statistics have these values.
    Stats(BTreeMap<String, Value>),
}

/// How many events a failure shows at most.
const SHOWN: usize = 12;

/// What is wrong, if anything, with the events and statistics; with the events that show it.
pub fn check(assertion: &Assertion, events: &[Value], stats: &Value) -> Result<(), String> {
    let patterns: Vec<&Value> = match assertion {
        Assertion::Count { pattern, .. } => vec![pattern],
        Assertion::Some(pattern) | Assertion::None(pattern) => vec![pattern],
        Assertion::Sequence(patterns) => patterns.iter().collect(),
        Assertion::Text { .. } | Assertion::Stats(_) => Vec::new(),
    };
    if let Some(mistake) = patterns.iter().find_map(|pattern| mistake(pattern)) {
        return Err(format!("the pattern is wrong: {mistake}"));
    }
    match assertion {
        Assertion::Count { pattern, is } => {
            let found: Vec<&Value> = events.iter().filter(|event| matches(pattern, Some(event))).collect();
            if found.len() == *is {
                return Ok(());
            }
            let alike = if found.is_empty() { alike(pattern, events) } else { shown(&found) };
            Err(format!("count: {} events match, not {is}: {pattern}\n{alike}", found.len()))
        }
        Assertion::Some(pattern) => {
            if events.iter().any(|event| matches(pattern, Some(event))) {
                return Ok(());
            }
            Err(format!("some: no event matches {pattern}\n{}", alike(pattern, events)))
        }
        Assertion::None(pattern) => {
            let found: Vec<&Value> = events.iter().filter(|event| matches(pattern, Some(event))).collect();
            if found.is_empty() {
                return Ok(());
            }
            Err(format!("none: {} events match {pattern}\n{}", found.len(), shown(&found)))
        }
        Assertion::Sequence(patterns) => sequence(patterns, events),
        Assertion::Text { item, part, is } => text(item, *part, is, events),
        Assertion::Stats(wanted) => statistics(wanted, stats),
    }
}

fn sequence(patterns: &[Value], events: &[Value]) -> Result<(), String> {
    let mut rest = events;
    for (step, pattern) in patterns.iter().enumerate() {
        match rest.iter().position(|event| matches(pattern, Some(event))) {
            Some(place) => rest = &rest[place + 1..],
            None => {
                return Err(format!(
                    "sequence: step {} of {} matches none of the {} events after step {step}: {pattern}\n{}",
                    step + 1,
                    patterns.len(),
                    rest.len(),
                    alike(pattern, rest)
                ));
            }
        }
    }
    Ok(())
}

fn text(item: &str, part: usize, wanted: &str, events: &[Value]) -> Result<(), String> {
    let mut joined: Option<String> = None;
    let mut whole: Option<String> = None;
    let mut about: Vec<&Value> = Vec::new();
    for event in events {
        let data = &event["data"];
        match event["type"].as_str() {
            Some("item.delta") if data["item_id"] == item && data["part"] == part => {
                // The live channels of a result are not the part's own text.
                if let Some("text" | "reasoning" | "arguments") = data["channel"].as_str() {
                    joined.get_or_insert_default().push_str(data["delta"].as_str().unwrap_or_default());
                    about.push(event);
                }
            }
            Some("item.started" | "item.updated") if data["item"]["item_id"] == item => {
                about.push(event);
                if let Some(stated) = part_text(&data["item"], part) {
                    joined = Some(stated);
                }
            }
            Some("item.completed") if data["item"]["item_id"] == item => {
                about.push(event);
                whole = part_text(&data["item"], part);
            }
            _ => {}
        }
    }
    let mut wrong = Vec::new();
    for (what, found) in [("the joined deltas are", joined), ("item.completed has", whole)] {
        if found.as_deref() != Some(wanted) {
            wrong.push(format!("text: {item} part {part}: {what} {found:?}, not {wanted:?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n{}", wrong.join("\n"), shown(&about))) }
}

/// The text that deltas of a part build up.
fn part_text(item: &Value, part: usize) -> Option<String> {
    let block = item["content"].get(part)?;
    let field = if block["type"] == "tool-call" { "arguments" } else { "text" };
    block[field].as_str().map(str::to_string)
}

fn statistics(wanted: &BTreeMap<String, Value>, stats: &Value) -> Result<(), String> {
    let wrong: Vec<String> = wanted
        .iter()
        .filter(|(name, value)| !matches(value, stats.get(name.as_str())))
        .map(|(name, value)| {
            format!("stats: {name} is {}, not {value}", stats.get(name).unwrap_or(&Value::Null))
        })
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n    {stats}", wrong.join("\n"))) }
}

/// The events of the type that a pattern is about, or else the types of all events.
fn alike(pattern: &Value, events: &[Value]) -> String {
    let wanted = pattern.get("type").and_then(Value::as_str);
    let found: Vec<&Value> =
        events.iter().filter(|event| wanted.is_some() && event["type"].as_str() == wanted).collect();
    if !found.is_empty() {
        return shown(&found);
    }
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    format!("    the events are: {}", types.join(" "))
}

fn shown(events: &[&Value]) -> String {
    let mut lines: Vec<String> = events.iter().take(SHOWN).map(|event| format!("    {event}")).collect();
    if events.len() > SHOWN {
        lines.push(format!("    … and {} more", events.len() - SHOWN));
    }
    lines.join("\n")
}
