//! What is wrong with a map, and where.

use std::fmt;

use crate::sources::Span;

/// A fault in a map, with its place in the map's file, or in a file that the map includes.
///
/// It prints as `file:line:column: message`, with the line below it, a caret under what is wrong, and the help:
///
/// ```
/// use interlingua_codegen::{SchemaText, compile};
///
/// let faults = compile("term_map! { onn ping { } }", "demo.map", |_: &str| Ok(SchemaText::new("{}"))).unwrap_err();
/// let text = faults[0].to_string();
/// assert!(text.starts_with("demo.map:1:13: expected `provider`, "));
/// assert!(text.ends_with("\n  |\n1 | term_map! { onn ping { } }\n  |             ^^^"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The file: the map, as the compiler was given it, or the included file, named from the same place.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 in characters.
    pub column: usize,
    /// What is wrong and what is allowed.
    pub message: String,
    /// How to mend it, where that can be said.
    pub help: Option<String>,
    /// The line, to show what is wrong in it.
    pub excerpt: Excerpt,
    /// Line and column in the map itself: the same, or the `include` through which the file was included.
    pub(crate) in_map: (usize, usize),
    pub(crate) is_included: bool,
}

/// A line of a map, and how much of it a fault is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excerpt {
    /// The line.
    pub line: String,
    /// How many characters the fault is about, from its column on.
    pub width: usize,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands right below.
        let shown = self.excerpt.line.chars().take(self.column.saturating_sub(1));
        let indent: String = shown.map(|char| if char == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(self.excerpt.width);
        write!(f, "\n{margin} |\n{number} | {}\n{margin} | {indent}{carets}", self.excerpt.line)?;
        match &self.help {
            Some(help) => write!(f, "\n{margin} = help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// A fault, with the piece of the map that it is about.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub span: Span,
    /// What is wrong and what is allowed.
    pub message: String,
    /// How to mend it, where that can be said.
    pub help: Option<String>,
    /// The fault is that the schema lacks something. Where a block is used in several places, that
    /// is a fault only if it is so in all of them.
    pub is_absence: bool,
}

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None, is_absence: false }
    }

    /// The fault that the schema lacks something.
    pub(crate) fn absence(span: Span, message: impl Into<String>) -> Self {
        Self { is_absence: true, ..Self::new(span, message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds "did you mean …" when one of the known names is near `name`, or else lists them.
    pub(crate) fn suggest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        match nearest(name, &known) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None if known.is_empty() => self,
            None => self.help(format!("known are {}", list(&known))),
        }
    }

    /// Adds "did you mean …" when one of the known names is near `name`.
    pub(crate) fn suggest_near<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(name, &known.into_iter().collect::<Vec<_>>()) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

/// Names to choose from, in backticks; of many, the first ones.
pub(crate) fn list<T: AsRef<str>>(names: &[T]) -> String {
    first(names, 16)
}

/// The types that a value may have, in backticks. A message can be of dozens of types, of which a few tell enough.
pub(crate) fn types<T: AsRef<str>>(names: &[T]) -> String {
    first(names, 3)
}

fn first<T: AsRef<str>>(names: &[T], shown: usize) -> String {
    let mut text =
        names.iter().take(shown).map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ");
    if names.len() > shown {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    text
}

/// The name that is most likely meant, if one is near enough.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters must be added, removed, replaced or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            rows[i][j] = match (i, j) {
                (0, n) | (n, 0) => n,
                _ => {
                    let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                    let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                        best = best.min(rows[i - 2][j - 2] + 1);
                    }
                    best
                }
            };
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn swapped_neighbours_are_one_step_apart() {
        assert_eq!(distance("modle", "model"), 1);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn a_far_name_is_not_suggested() {
        assert_eq!(nearest("sesion_id", &["session_id", "cwd"]), Some("session_id"));
        assert_eq!(nearest("usage", &["session_id", "cwd"]), None);
    }
}
