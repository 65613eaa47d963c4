//! How often each field occurs in recordings, and with how many values.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::tree::{Found, Tree};

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

/// What was seen of the fields of a ledger.
#[derive(Debug, Default)]
pub struct Counts {
    /// For each entry of the ledger, in its order.
    pub fields: Vec<Seen>,
    /// How many messages of each type were seen.
    pub messages: BTreeMap<String, usize>,
    /// What messages hold that the schema does not know: the message's type and the place.
    pub strange: BTreeMap<(String, String), Seen>,
}

impl Counts {
    /// Nothing was seen yet of so many fields.
    pub fn new(fields: usize) -> Self {
        Self { fields: vec![Seen::default(); fields], ..Self::default() }
    }

    /// Counts the fields of a message.
    pub fn add(&mut self, tree: &Tree, message_type: &str, message: &Value) {
        *self.messages.entry(message_type.to_owned()).or_default() += 1;
        tree.walk(message_type, message, &mut |found, place, value| match found {
            Found::Entry(number) => self.fields[number].add(value),
            Found::Strange => {
                self.strange.entry((message_type.to_owned(), place.to_owned())).or_default().add(value);
            }
            Found::Other => {}
        });
    }
}

#[cfg(test)]
mod tests {
    use interlingua_codegen::{FieldStep, FieldUse, Handling};
    use serde_json::json;

    use super::*;

    fn field(path: &str, place: Vec<FieldStep>) -> FieldUse {
        FieldUse { message: "say".to_owned(), path: path.to_owned(), place, handling: Handling::Unmapped }
    }

    fn member(name: &str) -> FieldStep {
        FieldStep::Member(name.to_owned())
    }

    #[test]
    fn fields_are_counted_where_the_ledger_has_them_and_others_are_named() {
        let text = FieldStep::Variant { tag: vec!["type".to_owned()], value: Some("text".to_owned()) };
        let untagged = FieldStep::Variant { tag: vec!["type".to_owned()], value: None };
        let inside = |variant: FieldStep| vec![member("content"), FieldStep::Element, variant];
        let ledger = [
            field("id", vec![member("id")]),
            field("content[](text).text", [inside(text.clone()), vec![member("text")]].concat()),
            field("content[](text).type", [inside(text), vec![member("type")]].concat()),
            field("content[](object)", inside(untagged)),
        ];
        let tree = Tree::new(&ledger);
        let mut counts = Counts::new(ledger.len());
        let two_texts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
        counts.add(&tree, "say", &json!({"id": 1, "content": two_texts}));
        let odd = json!([{"odd": 1}, {"type": "new"}, "bare"]);
        counts.add(&tree, "say", &json!({"id": 1, "content": odd, "mood": "good"}));
        counts.add(&tree, "say", &json!({"id": null, "content": null}));
        counts.add(&tree, "other", &json!({"id": 1}));

        let seen: Vec<_> = counts.fields.iter().map(|seen| (seen.times, seen.values())).collect();
        assert_eq!(seen, [(2, 1), (2, 2), (2, 1), (1, 1)]);
        let strange: Vec<String> =
            counts.strange.keys().map(|(message, place)| format!("{message} {place}")).collect();
        assert_eq!(strange, ["other ", "say content[](new)", "say mood"]);
        assert_eq!(counts.messages.into_values().collect::<Vec<_>>(), [1, 3]);
    }
}
