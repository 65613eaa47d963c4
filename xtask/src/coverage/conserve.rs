//! Whether every longer string of a translated message reaches an event.
//!
//! A string that a message says is conserved when it stands in an event: alone, in a longer string, or line by line in one, as
//! in a diff. So an echo of an earlier string counts as conserved. It is also conserved when the map leaves its field out and
//! says why.

use std::collections::{BTreeMap, HashMap, HashSet};

use interlingua::framing::{DEFAULT_LIMIT, Frame, Framer};
use interlingua::model::{self, ModelStream};
use interlingua::{Event, Options, Translator};
use interlingua_codegen::{FieldUse, Handling};
use interlingua_table::{Layer, Table};
use serde::Serialize;
use serde_json::Value;

use super::route::{message_type, unwrapped};
use super::tree::{Found, Tree};

/// From how many characters on a string must be conserved. Shorter ones are ids, names and states, which may become
/// terms of the universal vocabulary.
pub const LONG: usize = 24;

/// How the ledger names the provider's settings among the readers of a field.
const SETTINGS: &str = "settings";

/// What became of the longer strings of recordings.
#[derive(Debug, Default)]
pub struct Conservation {
    /// Strings that reached an event.
    pub reached: usize,
    /// Strings in fields that the map leaves out, with the reason.
    pub left: usize,
    /// Strings that got lost: by message type and place, how many, and the first one.
    pub lost: BTreeMap<(String, String), (usize, String)>,
}

impl Conservation {
    /// How many strings there were.
    pub fn seen(&self) -> usize {
        self.reached + self.left + self.lost()
    }

    /// How many strings got lost.
    pub fn lost(&self) -> usize {
        self.lost.values().map(|(count, _)| count).sum()
    }

    /// What got lost, a place a line; empty when nothing did.
    pub fn report(&self) -> String {
        let lines = self.lost.iter().map(|((message, place), (count, first))| {
            let shown: String = first.chars().take(100).collect();
            format!("{message}  {place}  {count} times, first {shown:?}\n")
        });
        lines.collect()
    }

    /// Follows the strings of one stream.
    pub fn add(&mut self, table: &'static Table, ledger: &[FieldUse], tree: &Tree, stream: &[u8]) {
        let mut said = Said::default();
        let messages = match table.layer {
            Layer::Agent => of_agent(table, stream, &mut said),
            Layer::Model => of_model(table, stream, &mut said),
        };
        for message in &messages {
            let message = unwrapped(table, message);
            let name = message_type(table, message);
            tree.walk(&name, message, &mut |found, place, value| {
                let handling = match found {
                    Found::Entry(number) => Some(&ledger[number].handling),
                    Found::Other | Found::Strange => None,
                };
                // What names the session or the turn, or tells the time, is part of an event's frame.
                if matches!(handling, Some(Handling::Read(rules)) if rules.iter().any(|rule| rule == SETTINGS)) {
                    return;
                }
                let left = matches!(handling, Some(Handling::Left(_)));
                strings(value, place, &mut |place, text| {
                    let left = left || is_dropped(table, place);
                    if is_tag(&name, place, text) || is_word(table, text) {
                        // The rule is chosen by it, or a value map gives its universal word: the terms say it.
                    } else if said.holds(text) {
                        self.reached += 1;
                    } else if left {
                        self.left += 1;
                    } else {
                        let lost = self.lost.entry((name.clone(), place.to_owned()));
                        lost.or_insert_with(|| (0, text.to_owned())).0 += 1;
                    }
                });
            });
        }
    }
}

/// Takes in what the events of an agent's stream say, and gives the messages that were translated. What is ignored has
/// its reason, and what is unparsed is kept whole in its event.
fn of_agent(table: &'static Table, stream: &[u8], said: &mut Said) -> Vec<Value> {
    let mut translator = Translator::new(table, Options::new());
    let mut messages = Vec::new();
    let mut each = |frame: Frame<'_>| {
        let before = translator.stats().translated;
        translator.push_message(frame.bytes).for_each(|event| said.event(&event));
        if translator.stats().translated > before {
            messages.extend(serde_json::from_slice::<Value>(frame.bytes));
        }
    };
    let mut framer = Framer::for_table(table, DEFAULT_LIMIT);
    framer.push(stream, &mut each);
    framer.finish(&mut each);
    translator.finish().for_each(|event| said.event(&event));
    messages
}

/// The same for a model's stream, of its chunks and its message.
fn of_model(table: &'static Table, stream: &[u8], said: &mut Said) -> Vec<Value> {
    let mut answer = ModelStream::new(table, model::Options::new());
    let mut messages = Vec::new();
    let mut each = |frame: Frame<'_>| {
        let before = answer.stats().translated;
        answer.push_message(frame.bytes).for_each(|chunk| said.whole(&chunk));
        if answer.stats().translated > before {
            messages.extend(serde_json::from_slice::<Value>(frame.bytes));
        }
    };
    let mut framer = Framer::for_table(table, DEFAULT_LIMIT);
    framer.push(stream, &mut each);
    framer.finish(&mut each);
    answer.finish().for_each(|chunk| said.whole(&chunk));
    said.whole(&answer.message());
    messages
}

/// Whether a string is the type of its message, or the tag of the variant that it stands in.
fn is_tag(message: &str, place: &str, text: &str) -> bool {
    message.split('/').any(|step| step.trim_matches('"') == text) || place.contains(&format!("({text})"))
}

/// Whether a value map of the table gives a universal word for it.
fn is_word(table: &Table, text: &str) -> bool {
    table.values.iter().any(|values| values.pairs.iter().any(|(native, _)| *native == text))
}

/// Whether the map drops the field at this place of all messages, perhaps only where no rule reads it: a field that is
/// read on one condition and an echo otherwise. What is dropped of single rules' messages stands in the ledger.
fn is_dropped(table: &Table, place: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0;
    for character in place.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    table.dropped.iter().filter(|dropped| dropped.rules.is_empty()).any(|dropped| {
        let path = dropped.path.replace('"', "");
        plain.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// Calls `each` for every longer string in a value, with its place.
fn strings(value: &Value, place: &str, each: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) if text.chars().nth(LONG - 1).is_some() => each(place, text),
        Value::Array(elements) => {
            elements.iter().for_each(|inner| strings(inner, &format!("{place}[]"), each));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, inner)| strings(inner, &format!("{place}.{name}"), each));
        }
        _ => {}
    }
}

/// Everything that events say.
#[derive(Default)]
struct Said {
    whole: HashSet<String>,
    /// The same strings, one after the other, to find parts of them.
    text: String,
    /// Strings that were looked for in them.
    known: HashMap<String, bool>,
}

impl Said {
    /// Something that is all said: a chunk, a message.
    fn whole(&mut self, said: &impl Serialize) {
        self.value(&serde_json::to_value(said).expect("it can be written"));
    }

    fn event(&mut self, event: &Event) {
        let mut value = serde_json::to_value(event).expect("an event can be written");
        if let Some(members) = value.as_object_mut() {
            // Where an event comes from is nothing that it says.
            members.remove("native");
        }
        self.value(&value);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(elements) => elements.iter().for_each(|inner| self.value(inner)),
            Value::Object(members) => {
                for (name, inner) in members {
                    self.string(name);
                    self.value(inner);
                }
            }
            _ => {}
        }
    }

    fn string(&mut self, text: &str) {
        if !self.whole.insert(text.to_owned()) {
            return;
        }
        self.text.push_str(text);
        self.text.push('\0');
        // Arguments are JSON in a string.
        if text.starts_with(['{', '['])
            && let Ok(inner) = serde_json::from_str::<Value>(text)
        {
            self.value(&inner);
        }
    }

    fn holds(&mut self, text: &str) -> bool {
        if self.whole.contains(text) {
            return true;
        }
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let found = self.text.contains(text) || self.whole.iter().any(|said| has_lines(said, text));
        self.known.insert(text.to_owned(), found);
        found
    }
}

/// Whether a string has each line of a text of several lines, in their order: a diff has them with other lines between.
fn has_lines(said: &str, text: &str) -> bool {
    let mut rest = said;
    text.contains('\n')
        && text.lines().all(|line| match rest.find(line) {
            Some(place) => {
                rest = &rest[place + line.len()..];
                true
            }
            None => false,
        })
}
