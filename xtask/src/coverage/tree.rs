//! The ledger's places as a tree, so that a message can be gone through once.

use std::collections::BTreeMap;

use interlingua_codegen::{FieldStep, FieldUse};
use serde_json::Value;

/// What is known of each variant, by its tag's value; none is for objects without the tag.
type Variants = BTreeMap<Option<String>, Node>;

/// A place in messages of one type, and what the ledger knows there.
#[derive(Debug, Default)]
struct Node {
    /// The number of the ledger's entry about this place.
    entry: Option<usize>,
    members: BTreeMap<String, Node>,
    element: Option<Box<Node>>,
    /// Tags of variants, with the variants.
    variants: Vec<(Vec<String>, Variants)>,
}

/// The places of a ledger, by message type.
#[derive(Debug, Default)]
pub struct Tree {
    types: BTreeMap<String, Node>,
}

/// What stands at a place of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A field, which has this entry in the ledger.
    Entry(usize),
    /// A value of a kind that the ledger does not take apart, where it takes apart others: a text instead of a list.
    Other,
    /// A member or a variant that the schema does not know.
    Strange,
}

impl Tree {
    /// The tree of a ledger.
    pub fn new(ledger: &[FieldUse]) -> Self {
        let mut tree = Self::default();
        for (number, field) in ledger.iter().enumerate() {
            let mut node = tree.types.entry(field.message.clone()).or_default();
            for step in &field.place {
                node = node.step(step);
            }
            node.entry = Some(number);
        }
        tree
    }

    /// Calls `each` for every field of a message that is there and not null, with its place. Of a message type that
    /// the ledger does not have, the whole message is strange.
    pub fn walk(&self, message_type: &str, message: &Value, each: &mut impl FnMut(Found, &str, &Value)) {
        match self.types.get(message_type) {
            Some(node) => node.walk(message, "", each),
            None => each(Found::Strange, "", message),
        }
    }
}

impl Node {
    fn step(&mut self, step: &FieldStep) -> &mut Node {
        match step {
            FieldStep::Member(name) => self.members.entry(name.clone()).or_default(),
            FieldStep::Element => self.element.get_or_insert_default(),
            FieldStep::Variant { tag, value } => {
                let known = self.variants.iter().position(|(known, _)| known == tag);
                let place = known.unwrap_or_else(|| {
                    self.variants.push((tag.clone(), BTreeMap::new()));
                    self.variants.len() - 1
                });
                self.variants[place].1.entry(value.clone()).or_default()
            }
        }
    }

    fn walk(&self, value: &Value, place: &str, each: &mut impl FnMut(Found, &str, &Value)) {
        if value.is_null() {
            return;
        }
        if let Some(entry) = self.entry {
            return each(Found::Entry(entry), place, value);
        }
        match (value, &self.element) {
            (Value::Array(elements), Some(element)) => {
                let place = format!("{place}[]");
                elements.iter().for_each(|inner| element.walk(inner, &place, each));
            }
            (Value::Object(entries), Some(element)) => {
                let place = format!("{place}[]");
                entries.values().for_each(|inner| element.walk(inner, &place, each));
            }
            (Value::Object(members), None) if self.variants.is_empty() => {
                for (name, inner) in members.iter().filter(|(_, inner)| !inner.is_null()) {
                    let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                    match self.members.get(name) {
                        Some(known) => known.walk(inner, &place, each),
                        None => each(Found::Strange, &place, inner),
                    }
                }
            }
            (Value::Object(_), None) => {
                for (tag, variants) in &self.variants {
                    let found = tag.iter().try_fold(value, |at, key| at.get(key)).and_then(Value::as_str);
                    let place = format!("{place}({})", found.unwrap_or("object"));
                    match variants.get(&found.map(str::to_owned)) {
                        Some(variant) => variant.walk(value, &place, each),
                        None => each(Found::Strange, &place, value),
                    }
                }
            }
            _ => each(Found::Other, place, value),
        }
    }
}
