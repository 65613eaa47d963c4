//! Prints a table as Rust source that is checked in: short, and with the same parts on lines of their own, so that a
//! change of a map is a small change of the file.

use interlingua_table::Table;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::emit;

/// What [`emit`] writes before the name of a type of the table.
const TYPES: [&str; 4] = ["::", "interlingua", "::", "table"];

/// What [`emit`] writes before `Some` and `None`.
const OPTION: [&str; 7] = ["::", "core", "::", "option", "::", "Option", "::"];

/// How deep a list lies whose elements have lines of their own: the actions of a rule.
const LINES_DOWN_TO: usize = 4;

/// The table as an expression. The types are those of a module `t`, such as `use interlingua_table as t`.
#[must_use]
pub fn print(table: &Table) -> String {
    let mut tokens = Vec::new();
    flatten(emit(table), &mut tokens);
    let (mut text, mut depth) = (String::new(), 0);
    let mut rest = &tokens[..];
    while let Some(token) = rest.first() {
        if starts_with(rest, &TYPES) {
            push(&mut text, "t");
            rest = &rest[TYPES.len()..];
            continue;
        }
        if starts_with(rest, &OPTION) {
            rest = &rest[OPTION.len()..];
            continue;
        }
        match token.as_str() {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth -= 1,
            _ => {}
        }
        push(&mut text, token);
        if token == "," && depth <= LINES_DOWN_TO {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', depth));
        }
        rest = &rest[1..];
    }
    text
}

fn starts_with(tokens: &[String], with: &[&str]) -> bool {
    tokens.len() >= with.len() && tokens.iter().zip(with).all(|(token, with)| token == with)
}

/// Appends a token, after a space where two words would become one.
fn push(text: &mut String, token: &str) {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    if text.ends_with(is_word) && token.starts_with(is_word) {
        text.push(' ');
    }
    text.push_str(token);
}

/// The tokens as texts; `::` is one.
fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    let mut joint = false;
    for tree in stream {
        let was_joint = std::mem::take(&mut joint);
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(open.to_owned());
                flatten(group.stream(), tokens);
                tokens.push(close.to_owned());
            }
            TokenTree::Punct(punct) => {
                joint = punct.spacing() == Spacing::Joint;
                match tokens.last_mut().filter(|_| was_joint) {
                    Some(last) => last.push(punct.as_char()),
                    None => tokens.push(punct.as_char().to_string()),
                }
            }
            word => tokens.push(word.to_string()),
        }
    }
}
