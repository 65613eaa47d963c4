//! What is wrong with a map, and where.

use std::fmt;

use interlingua_table::Place;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A fault in a map, with its place in the map's file.
///
/// It prints as `file:line:column: message`, with the help on a line of its own:
///
/// ```
/// let diagnostic = interlingua_codegen::Diagnostic {
///     file: "demo.map".into(),
///     line: 4,
///     column: 9,
///     message: "unknown term `sesion.started`".into(),
///     help: Some("did you mean `session.started`?".into()),
/// };
/// assert_eq!(
///     diagnostic.to_string(),
///     "demo.map:4:9: unknown term `sesion.started`\n  help: did you mean `session.started`?"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The map's file, as the compiler was given it.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 in characters.
    pub column: usize,
    /// What is wrong and what is allowed.
    pub message: String,
    /// How to mend it, where that can be said.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// A fault with the token that it is about, for those who have tokens: the macro.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The token.
    pub span: Span,
    /// What is wrong and what is allowed.
    pub message: String,
    /// How to mend it, where that can be said.
    pub help: Option<String>,
    /// The file that it is in, and the place there. The token is the `include` of the map where that is another file.
    pub(crate) file: String,
    pub(crate) place: Place,
    /// The fault is that the schema lacks something. Where a block is used in several places, that
    /// is a fault only if it is so in all of them.
    pub(crate) is_absence: bool,
}

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        let place = crate::sources::place(span);
        Self { span, message: message.into(), help: None, file: String::new(), place, is_absence: false }
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

    /// The fault as plain data.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            file: self.file.clone(),
            line: self.place.line as usize,
            column: self.place.column as usize,
            message: self.message.clone(),
            help: self.help.clone(),
        }
    }

    /// The fault as a `compile_error!` whose caret stands under the token.
    pub fn compile_error(&self) -> TokenStream {
        // rustc knows the map's own lines, and not those of a file that it includes.
        let Place { file, line, column } = self.place;
        let place = if file == 0 { String::new() } else { format!("{}:{line}:{column}: ", self.file) };
        let text = match &self.help {
            Some(help) => format!("{place}{}\nhelp: {help}", self.message),
            None => format!("{place}{}", self.message),
        };
        let mut literal = Literal::string(&text);
        literal.set_span(self.span);
        let mut arguments = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
        arguments.set_span(self.span);
        let colon = |spacing| {
            let mut punct = Punct::new(':', spacing);
            punct.set_span(self.span);
            TokenTree::from(punct)
        };
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(self.span);
        [
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            Ident::new("core", self.span).into(),
            colon(Spacing::Joint),
            colon(Spacing::Alone),
            Ident::new("compile_error", self.span).into(),
            bang.into(),
            arguments.into(),
        ]
        .into_iter()
        .collect()
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
