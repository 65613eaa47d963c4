//! JSON that grows: a block that is kept whole, what the provider wants back, arguments that come value by value.
//!
//! Texts and numbers stay the bytes that the provider wrote.

use crate::engine::json_text::object;
use crate::engine::memory::hash::FastMap;
use crate::json::{Index, KeySet, Kind, Value};

/// A list is made longer by one message up to so many elements: a path names its elements by their number.
const LONGEST_GAP: usize = 1024;

/// So deep may a path lead.
const DEEPEST: usize = 64;

/// A JSON value under construction.
#[derive(Debug, Clone)]
pub(super) enum Tree {
    /// What stands between a text's quotes, escapes and all: texts can be joined as they are.
    Text(String),
    /// A number, a truth value or null.
    Other(String),
    List(List),
    Object(Object),
}

/// The elements of a list, and where they are by what [`Growth::by`] names.
#[derive(Debug, Clone, Default)]
pub(super) struct List {
    elements: Vec<Tree>,
    places: FastMap<String, usize>,
}

/// The members of an object in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    members: Vec<(String, Tree)>,
    places: FastMap<String, usize>,
}

/// How a value grows by another one.
#[derive(Debug, Default)]
pub(super) struct Growth {
    /// The members whose texts go on; without it, all do.
    pub(super) texts: Option<Vec<String>>,
    /// The member by which the elements of a list are known again.
    pub(super) by: Option<String>,
}

impl Tree {
    /// Reads a JSON text; nothing when it is none.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let keys = KeySet::new([""; 0]);
        let mut index = Index::new();
        Some(Self::of(index.parse_str(json, &keys).ok()?.root()))
    }

    pub(super) fn empty_object() -> Self {
        Self::Object(Object::default())
    }

    /// Copies a value. It recurses as deep as an [`Index`] reads.
    fn of(value: Value<'_>) -> Self {
        match value.kind() {
            Kind::String | Kind::EscapedString => Self::Text(inside(value.raw()).to_owned()),
            Kind::Array => Self::List(List {
                elements: value.items().map(Self::of).collect(),
                places: FastMap::default(),
            }),
            Kind::Object => {
                let mut object = Object::default();
                for (key, value) in value.entries() {
                    object.set(key.into_owned(), Self::of(value));
                }
                Self::Object(object)
            }
            _ => Self::Other(value.raw().to_owned()),
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Other(text) if text == "null")
    }

    /// The value as JSON text.
    pub(super) fn json(&self) -> String {
        match self {
            Self::Text(text) => format!("\"{text}\""),
            Self::Other(text) => text.clone(),
            Self::List(list) => {
                let elements: Vec<String> = list.elements.iter().map(Self::json).collect();
                format!("[{}]", elements.join(","))
            }
            Self::Object(Object { members, .. }) => {
                object(members.iter().map(|(key, value)| (key, value.json())))
            }
        }
    }

    /// The object without members that are null.
    pub(super) fn without_nulls(self) -> Self {
        let mut said = Object::default();
        if let Self::Object(object) = self {
            let members = object.members.into_iter().filter(|(_, value)| !value.is_null());
            members.for_each(|(key, value)| said.set(key, value));
        }
        Self::Object(said)
    }

    /// Puts the members of an object in the place of those of the same name.
    pub(super) fn replace_members(&mut self, more: Self) {
        if let (Self::Object(known), Self::Object(more)) = (self, more) {
            for (key, value) in more.members {
                known.set(key, value);
            }
        }
    }

    /// Adds more of the same value.
    pub(super) fn grow(&mut self, more: Self, growth: &Growth) {
        match (self, more) {
            (Self::Object(known), Self::Object(more)) => {
                for (key, value) in more.members {
                    let goes_on = growth.texts.as_ref().is_none_or(|names| names.contains(&key));
                    match known.member(&key) {
                        Some(held) => held.grow_member(value, goes_on, growth),
                        None => known.set(key, value.begun(growth)),
                    }
                }
            }
            (Self::List(known), Self::List(more)) => {
                for element in more.elements {
                    known.grow(element, growth);
                }
            }
            (known, more) => *known = more,
        }
    }

    /// The value as the first of what grows: the elements of a list are known again.
    fn begun(self, growth: &Growth) -> Self {
        match self {
            Self::List(elements) => {
                let mut list = Self::List(List::default());
                list.grow(Self::List(elements), growth);
                list
            }
            other => other,
        }
    }

    fn grow_member(&mut self, more: Self, goes_on: bool, growth: &Growth) {
        match (self, more) {
            (Self::Text(text), Self::Text(more)) if goes_on => text.push_str(&more),
            (_, more) if more.is_null() => {}
            (known, more) => known.grow(more, growth),
        }
    }

    /// The value at a JSON path, which is made where it is missing; nothing when the path leads nowhere.
    pub(super) fn at(&mut self, path: &str) -> Option<&mut Self> {
        let mut value = self;
        for step in steps(path)? {
            value = match step {
                Step::Key(key) => {
                    if !matches!(value, Self::Object(_)) {
                        *value = Self::empty_object();
                    }
                    let Self::Object(object) = value else { return None };
                    if object.member(&key).is_none() {
                        object.set(key.clone(), Self::Other("null".to_owned()));
                    }
                    object.member(&key)?
                }
                Step::Place(place) => {
                    if !matches!(value, Self::List(_)) {
                        *value = Self::List(List::default());
                    }
                    let Self::List(list) = value else { return None };
                    if place > list.elements.len() + LONGEST_GAP {
                        return None;
                    }
                    while list.elements.len() <= place {
                        list.elements.push(Self::Other("null".to_owned()));
                    }
                    list.elements.get_mut(place)?
                }
            };
        }
        Some(value)
    }

    /// Appends to a text, or replaces another value by it.
    pub(super) fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Text(text), Self::Text(more)) => text.push_str(&more),
            (known, more) => *known = more,
        }
    }
}

impl Object {
    fn member(&mut self, key: &str) -> Option<&mut Tree> {
        let place = *self.places.get(key)?;
        self.members.get_mut(place).map(|(_, value)| value)
    }

    fn set(&mut self, key: String, value: Tree) {
        match self.member(&key) {
            Some(known) => *known = value,
            None => {
                self.places.insert(key.clone(), self.members.len());
                self.members.push((key, value));
            }
        }
    }
}

impl List {
    fn grow(&mut self, element: Tree, growth: &Growth) {
        let Some(name) = growth.by.as_ref().and_then(|by| name_of(&element, by)) else {
            self.elements.push(element);
            return;
        };
        match self.places.get(&name).copied() {
            Some(place) => self.elements[place].grow(element, growth),
            None => {
                self.places.insert(name, self.elements.len());
                self.elements.push(element);
            }
        }
    }
}

/// The member by which an element is recognized.
fn name_of(element: &Tree, by: &str) -> Option<String> {
    let Tree::Object(Object { members, places }) = element else {
        return None;
    };
    match &members[*places.get(by)?].1 {
        member if member.is_null() => None,
        Tree::Text(text) | Tree::Other(text) => Some(text.clone()),
        Tree::List(_) | Tree::Object(_) => None,
    }
}

/// A JSON text without its quotes.
fn inside(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(quoted)
}

/// One step of a JSON path.
#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Place(usize),
}

/// The steps of a JSON path such as `$.a[0]['b c']`; nothing when it is none, or too long.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == DEEPEST {
            return None;
        }
        if let Some(bracket) = rest.strip_prefix('[') {
            let quote = bracket.chars().next().filter(|first| matches!(first, '\'' | '"'));
            let (step, behind) = match quote {
                Some(quote) => {
                    let (key, behind) = bracket[1..].split_once(quote)?;
                    (Step::Key(key.to_owned()), behind.strip_prefix(']')?)
                }
                None => {
                    let (place, behind) = bracket.split_once(']')?;
                    (Step::Place(place.parse().ok()?), behind)
                }
            };
            steps.push(step);
            rest = behind;
        } else {
            let key = rest.strip_prefix('.').unwrap_or(rest);
            let end = key.find(['.', '[']).unwrap_or(key.len());
            if end == 0 {
                return None;
            }
            steps.push(Step::Key(key[..end].to_owned()));
            rest = &key[end..];
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(json: &str) -> Tree {
        Tree::parse(json).expect("JSON")
    }

    #[test]
    fn texts_go_on_and_elements_are_known_again() {
        let growth = Growth { texts: Some(vec!["text".to_owned()]), by: Some("index".to_owned()) };
        let mut details = Tree::empty_object();
        for piece in [
            r#"{"d":[{"index":0,"id":"a","text":"Pl\u00e4"}]}"#,
            r#"{"d":[{"index":0,"id":"a","text":"n"},{"index":1,"text":"b"}]}"#,
            r#"{"d":[{"index":0,"id":null,"n":1.50},{"text":"loose"}]}"#,
        ] {
            details.grow(tree(piece), &growth);
        }
        let whole = r#"{"d":[{"index":0,"id":"a","text":"Pl\u00e4n","n":1.50},{"index":1,"text":"b"},{"text":"loose"}]}"#;
        assert_eq!(details.json(), whole);
    }

    #[test]
    fn a_path_makes_what_it_leads_through() {
        let mut arguments = Tree::empty_object();
        for (path, value) in [("$.a", "\"x\""), ("$.l[1].b", "2"), ("$['c d']", "true"), ("$.a", "\"y\"")] {
            arguments.at(path).expect("a path").append(tree(value));
        }
        assert_eq!(arguments.json(), r#"{"a":"xy","l":[null,{"b":2}],"c d":true}"#);
        for broken in ["$.", "$[x]", "$['a", "$[99999999]", &"$.a".repeat(DEEPEST + 1)] {
            assert!(tree("{}").at(broken).is_none(), "{broken}");
        }
    }
}
