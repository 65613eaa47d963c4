//! Lists that are written element by element.

use super::json_text::object;
use crate::json::{Index, KeySet};

/// The elements of a list, as JSON texts.
#[derive(Debug, Default)]
pub(super) struct Elements {
    texts: Vec<String>,
}

impl Elements {
    /// Adds an element. With `merge`, one that has the same value under the first key as the element before is
    /// put into that one: their lists under the second key become one.
    pub(super) fn add(&mut self, text: String, merge: Option<(&str, &str)>) {
        if let Some((by, list)) = merge
            && let Some(last) = self.texts.last_mut()
            && let Some(merged) = merged(last, &text, by, list)
        {
            *last = merged;
            return;
        }
        self.texts.push(text);
    }

    /// The list as JSON; nothing when it has no element.
    pub(super) fn into_json(self) -> Option<String> {
        (!self.texts.is_empty()).then(|| format!("[{}]", self.texts.join(",")))
    }
}

/// Both objects as one, if they belong together.
fn merged(one: &str, two: &str, by: &str, list: &str) -> Option<String> {
    let keys = KeySet::new([""; 0]);
    let (mut first, mut second) = (Index::new(), Index::new());
    let one = first.parse_str(one, &keys).ok()?;
    let two = second.parse_str(two, &keys).ok()?;
    let (one, two) = (one.root(), two.root());
    if !super::eval::same_json(one.get_str(by)?.raw(), two.get_str(by)?.raw()) {
        return None;
    }
    let (mine, more) = (one.get_str(list)?, two.get_str(list)?);
    if !mine.is_array() || !more.is_array() {
        return None;
    }
    let elements: Vec<&str> = mine.items().chain(more.items()).map(|element| element.raw()).collect();
    let elements = format!("[{}]", elements.join(","));
    let first = one
        .entries()
        .map(|(key, value)| (key, if value.id() == mine.id() { elements.as_str() } else { value.raw() }));
    let second = two.entries().filter(|(key, _)| one.get_str(key).is_none());
    Some(object(first.chain(second.map(|(key, value)| (key, value.raw())))))
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
