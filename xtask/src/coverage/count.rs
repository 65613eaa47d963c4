//! How often each field occurs in recordings, and with how many values.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use interlingua_codegen::{FieldStep, FieldUse};
use serde_json::Value;

/// How often a field was seen.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Seen {
    /// In how many places of messages it was there and not null.
    pub times: usize,
    /// Its different values, as hashes.
    values: HashSet<u64>,
}

impl Seen {
    fn add(&mut self, value: &Value) {
        self.times += 1;
        // Members of an object are sorted, so that equal values have equal texts.
        let mut hasher = DefaultHasher::new();
        value.to_string().hash(&mut hasher);
        self.values.insert(hasher.finish());
    }

    /// How many different values it had.
    pub fn values(&self) -> usize {
        self.values.len()
    }
}

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

/// The fields of a ledger, with what was seen of each.
#[derive(Debug, Default)]
pub struct Counts {
    types: BTreeMap<String, Node>,
    /// For each entry of the ledger, in its order.
    pub fields: Vec<Seen>,
    /// How many messages of each type were seen.
    pub messages: BTreeMap<String, usize>,
    /// What messages hold that the schema does not know: the message's type and the place.
    pub strange: BTreeMap<(String, String), Seen>,
}

impl Counts {
    /// Counts nothing yet.
    pub fn new(ledger: &[FieldUse]) -> Self {
        let mut counts = Self { fields: vec![Seen::default(); ledger.len()], ..Self::default() };
        for (number, field) in ledger.iter().enumerate() {
            let mut node = counts.types.entry(field.message.clone()).or_default();
            for step in &field.place {
                node = node.step(step);
            }
            node.entry = Some(number);
        }
        counts
    }

    /// Counts the fields of a message of this type.
    pub fn add(&mut self, message_type: &str, message: &Value) {
        *self.messages.entry(message_type.to_owned()).or_default() += 1;
        if let Some(node) = self.types.get(message_type) {
            let mut walk = Walk { fields: &mut self.fields, strange: &mut self.strange, message_type };
            walk.value(node, message, "");
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
}

/// One message that is gone through.
struct Walk<'c> {
    fields: &'c mut Vec<Seen>,
    strange: &'c mut BTreeMap<(String, String), Seen>,
    message_type: &'c str,
}

impl Walk<'_> {
    fn value(&mut self, node: &Node, value: &Value, place: &str) {
        if value.is_null() {
            return;
        }
        if let Some(entry) = node.entry {
            return self.fields[entry].add(value);
        }
        if let Some(element) = &node.element {
            let place = format!("{place}[*]");
            match value {
                Value::Array(elements) => {
                    elements.iter().for_each(|inner| self.value(element, inner, &place));
                }
                Value::Object(entries) => {
                    entries.values().for_each(|inner| self.value(element, inner, &place))
                }
                _ => {}
            }
        } else if let Value::Object(members) = value {
            match node.variants.as_slice() {
                [] => {
                    for (name, inner) in members {
                        let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                        match node.members.get(name) {
                            Some(known) => self.value(known, inner, &place),
                            None if inner.is_null() => {}
                            None => self.strange(place, inner),
                        }
                    }
                }
                variants => variants.iter().for_each(|(tag, variants)| {
                    let found = tag.iter().try_fold(value, |at, key| at.get(key)).and_then(Value::as_str);
                    let place = format!("{place}({})", found.unwrap_or("object"));
                    match variants.get(&found.map(str::to_owned)) {
                        Some(variant) => self.value(variant, value, &place),
                        None => self.strange(place, value),
                    }
                }),
            }
        }
    }

    fn strange(&mut self, place: String, value: &Value) {
        self.strange.entry((self.message_type.to_owned(), place)).or_default().add(value);
    }
}

#[cfg(test)]
mod tests {
    use interlingua_codegen::Usage;
    use serde_json::json;

    use super::*;

    fn field(path: &str, place: Vec<FieldStep>) -> FieldUse {
        FieldUse { message: "say".to_owned(), path: path.to_owned(), place, usage: Usage::Unmapped }
    }

    fn member(name: &str) -> FieldStep {
        FieldStep::Member(name.to_owned())
    }

    #[test]
    fn fields_are_counted_where_the_ledger_has_them_and_others_are_named() {
        let text = FieldStep::Variant { tag: vec!["type".to_owned()], value: Some("text".to_owned()) };
        let untagged = FieldStep::Variant { tag: vec!["type".to_owned()], value: None };
        let ledger = [
            field("id", vec![member("id")]),
            field(
                "content[*](text).text",
                vec![member("content"), FieldStep::Element, text.clone(), member("text")],
            ),
            field("content[*](text).type", vec![member("content"), FieldStep::Element, text, member("type")]),
            field("content[*](object)", vec![member("content"), FieldStep::Element, untagged]),
        ];
        let mut counts = Counts::new(&ledger);
        counts.add(
            "say",
            &json!({"id": 1, "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
        );
        counts
            .add("say", &json!({"id": 1, "content": [{"odd": 1}, {"type": "new"}, "bare"], "mood": "good"}));
        counts.add("say", &json!({"id": null, "content": null}));
        counts.add("other", &json!({"id": 1}));

        let seen: Vec<_> = counts.fields.iter().map(|seen| (seen.times, seen.values())).collect();
        assert_eq!(seen, [(2, 1), (2, 2), (2, 1), (1, 1)]);
        let strange: Vec<&str> = counts.strange.keys().map(|(_, place)| place.as_str()).collect();
        assert_eq!(strange, ["content[*](new)", "mood"]);
        assert_eq!(counts.messages.into_values().collect::<Vec<_>>(), [1, 3]);
    }
}
