//! What messages hold and no rule reads: counted, so that it does not disappear unseen.
//!
//! The steps of a rule say which members it reads, and its map which members it leaves out. Everything else that a
//! translated message holds is counted under the rule and the member's place. Null, an empty text, an empty list and an
//! empty object hold nothing.

mod reads;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use interlingua_table::Rule;

use self::reads::Node;
pub(crate) use self::reads::Reads;
use crate::engine::memory::hash::{FastHasher, FastMap};
use crate::json::Value;

/// So many places are counted each by itself; what stands at others counts together.
const PLACES: usize = 256;

/// The characters that are shown of a member's name.
const NAME: usize = 64;

/// Where members are counted whose place is not counted by itself.
const OTHERS: &str = "others";

/// The counts of a stream.
#[derive(Debug, Default, Clone)]
pub(crate) struct Unread {
    places: FastMap<u64, usize>,
    counts: Vec<(String, u64)>,
    others: u64,
}

/// The way from the message to a value in it.
struct Trail<'t, 'v> {
    before: Option<&'t Trail<'t, 'v>>,
    value: Value<'v>,
    is_element: bool,
    hash: u64,
}

impl Unread {
    /// Counts what a message holds that its rule does not read.
    pub(crate) fn note(&mut self, rule: &'static Rule, reads: &Reads, message: Value<'_>) {
        let mut hasher = FastHasher::default();
        rule.name.hash(&mut hasher);
        let start = Trail { before: None, value: message, is_element: false, hash: hasher.finish() };
        self.look(rule, reads, &[0], &start);
    }

    /// The counts by rule and place.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        // Long names that are the same where they are cut count together.
        for (place, count) in &self.counts {
            *counts.entry(place.clone()).or_default() += count;
        }
        if self.others > 0 {
            counts.insert(OTHERS.to_owned(), self.others);
        }
        counts
    }

    /// Looks at a value of which something is read. It recurses as deep as the map's paths lead.
    fn look(&mut self, rule: &'static Rule, reads: &Reads, nodes: &[usize], trail: &Trail<'_, '_>) {
        let value = trail.value;
        if is_empty(value) || reads.ignores(nodes, value) {
            return;
        }
        let nodes = reads.of_value(nodes, value);
        let any = |is: fn(&Node) -> bool| nodes.iter().any(|node| is(reads.node(*node)));
        if any(|node| node.is_whole) {
            return;
        }
        let elements: Vec<usize> = nodes.iter().filter_map(|node| reads.node(*node).element).collect();
        if value.is_array() {
            if elements.is_empty() {
                return self.count(rule, trail);
            }
            for item in value.items() {
                self.look(rule, reads, &elements, &trail.inside(item, true));
            }
        } else if value.is_object() {
            if elements.is_empty() && !any(Node::has_members) {
                return self.count(rule, trail);
            }
            for member in value.fields() {
                // An object that stands where a list was meant is its only element.
                let of = |nodes: &[usize]| -> Vec<usize> {
                    nodes.iter().filter_map(|node| reads.node(*node).member(member)).collect()
                };
                let mut known = of(&nodes);
                if known.is_empty() {
                    known = of(&reads.of_value(&elements, value));
                }
                if known.is_empty() {
                    known.clone_from(&elements);
                }
                let inner = trail.inside(member, false);
                if !known.is_empty() {
                    self.look(rule, reads, &known, &inner);
                } else if !is_empty(member) {
                    self.count(rule, &inner);
                }
            }
        } else if !any(Node::reads_value)
            // A value that stands where a list was meant is its only element.
            && !reads.of_value(&elements, value).iter().any(|node| reads.node(*node).reads_value())
        {
            self.count(rule, trail);
        }
    }

    fn count(&mut self, rule: &'static Rule, trail: &Trail<'_, '_>) {
        match self.places.get(&trail.hash) {
            Some(place) => self.counts[*place].1 += 1,
            None if self.counts.len() < PLACES => {
                self.places.insert(trail.hash, self.counts.len());
                self.counts.push((format!("{}: {}", rule.name, trail.text()), 1));
            }
            None => self.others += 1,
        }
    }
}

impl<'v> Trail<'_, 'v> {
    fn inside<'t>(&'t self, value: Value<'v>, is_element: bool) -> Trail<'t, 'v> {
        let mut hasher = FastHasher::default();
        self.hash.hash(&mut hasher);
        match value.key_id() {
            _ if is_element => 0_u64.hash(&mut hasher),
            key if key.is_known() => u64::from(key.get()).hash(&mut hasher),
            _ => value.key().hash(&mut hasher),
        }
        Trail { before: Some(self), value, is_element, hash: hasher.finish() }
    }

    /// The place, as maps write it.
    fn text(&self) -> String {
        let Some(before) = self.before else {
            return String::new();
        };
        let mut text = before.text();
        if self.is_element {
            text.push_str("[]");
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.extend(self.value.key().chars().take(NAME));
        }
        text
    }
}

/// Whether a value holds nothing.
fn is_empty(value: Value<'_>) -> bool {
    let has_children = || value.items().next().is_some() || value.fields().next().is_some();
    value.is_null() || value.raw() == "\"\"" || (value.is_array() || value.is_object()) && !has_children()
}
