//! Lists that are written element by element.

use std::collections::HashSet;

use crate::engine::json_text::object;
use crate::json::{Index, KeySet};

/// The elements of a list, as JSON texts.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    texts: Vec<String>,
    /// The last element, while others may be put into it.
    growing: Option<Growing>,
}

/// An object whose list grows by those of the elements behind it. It is written when no more can come: writing it anew
/// for each of them would cost the square of their number.
#[derive(Debug)]
struct Growing {
    /// The keys by which elements belong together, and of the list.
    merge: (&'static str, &'static str),
    /// The value under the first of these keys.
    by: String,
    /// The members in their order, with their JSON texts; that of the list is empty.
    members: Vec<(String, String)>,
    known: HashSet<String>,
    list: Vec<String>,
}

impl Elements {
    /// Adds an element. With `merge`, one that has the same value under the first key as the element before is
    /// put into that one: their lists under the second key become one.
    pub(crate) fn add(&mut self, text: String, merge: Option<(&'static str, &'static str)>) {
        let Some(element) = merge.and_then(|merge| Growing::read(&text, merge)) else {
            self.end();
            self.texts.push(text);
            return;
        };
        match self.last(element.merge) {
            Some(last) if last.takes(&element) => last.merge(element),
            _ => {
                self.end();
                self.growing = Some(element);
            }
        }
    }

    /// The last element, if it can grow by these keys.
    fn last(&mut self, merge: (&'static str, &'static str)) -> Option<&mut Growing> {
        if self.growing.as_ref().is_none_or(|last| last.merge != merge) {
            self.end();
            self.growing = self.texts.last().and_then(|last| Growing::read(last, merge));
            if self.growing.is_some() {
                self.texts.pop();
            }
        }
        self.growing.as_mut()
    }

    /// Writes the element that could have grown.
    fn end(&mut self) {
        self.texts.extend(self.growing.take().map(Growing::into_json));
    }

    /// The list as JSON; nothing when it has no element.
    pub(crate) fn into_json(mut self) -> Option<String> {
        self.end();
        (!self.texts.is_empty()).then(|| format!("[{}]", self.texts.join(",")))
    }
}

impl Growing {
    /// Reads an element; nothing if it has no such members.
    fn read(text: &str, merge: (&'static str, &'static str)) -> Option<Self> {
        let keys = KeySet::new([""; 0]);
        let mut index = Index::new();
        let document = index.parse_str(text, &keys).ok()?;
        let element = document.root();
        let by = element.get_str(merge.0)?.raw().to_owned();
        let list = element.get_str(merge.1)?;
        if !list.is_array() {
            return None;
        }
        let mut read = Self {
            merge,
            by,
            members: Vec::new(),
            known: HashSet::new(),
            list: list.items().map(|item| item.raw().to_owned()).collect(),
        };
        for (key, value) in element.entries() {
            let value = if value.id() == list.id() { String::new() } else { value.raw().to_owned() };
            read.known.insert(key.clone().into_owned());
            read.members.push((key.into_owned(), value));
        }
        Some(read)
    }

    fn takes(&self, other: &Self) -> bool {
        self.merge == other.merge && crate::engine::read::eval::same_json(&self.by, &other.by)
    }

    fn merge(&mut self, other: Self) {
        self.list.extend(other.list);
        for (key, value) in other.members {
            if self.known.insert(key.clone()) {
                self.members.push((key, value));
            }
        }
    }

    fn into_json(self) -> String {
        let list = format!("[{}]", self.list.join(","));
        let members = self.members.iter().map(|(key, value)| {
            (key.as_str(), if value.is_empty() { list.as_str() } else { value.as_str() })
        });
        object(members)
    }
}

#[cfg(test)]
mod tests {
    use super::Elements;

    fn list(texts: &[&str]) -> Option<String> {
        let mut elements = Elements::default();
        for text in texts {
            elements.add((*text).to_owned(), Some(("role", "parts")));
        }
        elements.into_json()
    }

    #[test]
    fn neighbours_that_belong_together_become_one() {
        let texts = [
            r#"{"role":"user","parts":[1],"other":"kept"}"#,
            r#"{"role":"user","parts":[2,3],"later":true}"#,
            r#"{"role":"model","parts":[4]}"#,
            r#"{"role":"user","parts":[5]}"#,
        ];
        let expected = concat!(
            r#"[{"role":"user","parts":[1,2,3],"other":"kept","later":true},"#,
            r#"{"role":"model","parts":[4]},{"role":"user","parts":[5]}]"#
        );
        assert_eq!(list(&texts).as_deref(), Some(expected));
    }

    #[test]
    fn what_has_no_such_list_stays_alone() {
        let texts = [r#"{"role":"user","parts":"a"}"#, r#"{"role":"user"}"#, r#"{"parts":[1]}"#];
        let expected = r#"[{"role":"user","parts":"a"},{"role":"user"},{"parts":[1]}]"#;
        assert_eq!(list(&texts).as_deref(), Some(expected));
        assert_eq!(list(&[]), None);
    }
}
