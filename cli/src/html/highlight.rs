//! Colours of code. `syntect` knows the languages; the page gets six classes, which its style sheet colours in light
//! and in dark.

use std::str::FromStr;
use std::sync::OnceLock;

use maud::{Markup, PreEscaped, html};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// How many bytes of code a page highlights at most: a parser of all languages is slow.
const BUDGET: usize = 128 << 10;

/// The longest block that is highlighted, in bytes.
const BLOCK: usize = 16 << 10;

/// Highlights the code of a page, until it becomes too much.
pub struct Highlighter {
    left: usize,
}

impl Default for Highlighter {
    fn default() -> Self {
        Self { left: BUDGET }
    }
}

impl Highlighter {
    /// A block of code, whose text is escaped here.
    pub fn block(&mut self, language: &str, text: &str) -> Markup {
        let coloured = self.coloured(language, text);
        html! { pre.code { code { @match coloured { Some(code) => (code), None => (text) } } } }
    }

    fn coloured(&mut self, language: &str, text: &str) -> Option<Markup> {
        if language.is_empty() || text.len() > BLOCK.min(self.left) {
            return None;
        }
        let syntax = syntax(language)?;
        self.left -= text.len();
        lines(syntax, text)
    }
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(SyntaxSet::load_defaults_newlines)
}

fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "+#-_.".contains(letter);
    if language.len() > 20 || !language.chars().all(is_word) || ["text", "txt", "plain"].contains(&language) {
        return None;
    }
    syntaxes().find_syntax_by_token(language)
}

/// `None` when the parser fails.
fn lines(syntax: &SyntaxReference, text: &str) -> Option<Markup> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut page = String::with_capacity(text.len() * 2);
    let mut put = |class: Option<&str>, piece: &str| {
        if piece.is_empty() {
            return;
        }
        let markup = match class {
            Some(class) => html! { span class=(class) { (piece) } },
            None => html! { (piece) },
        };
        page.push_str(&markup.into_string());
    };
    for line in text.split_inclusive('\n') {
        let changes = state.parse_line(line, syntaxes()).ok()?;
        let mut done = 0;
        for (place, change) in changes {
            let piece = line.get(done..place)?;
            put(class(&stack), piece);
            stack.apply(&change).ok()?;
            done = place;
        }
        put(class(&stack), line.get(done..)?);
    }
    Some(PreEscaped(page))
}

/// The class of the innermost scope that has one.
fn class(stack: &ScopeStack) -> Option<&'static str> {
    static CLASSES: OnceLock<Vec<(Scope, Option<&'static str>)>> = OnceLock::new();
    let classes = CLASSES.get_or_init(|| {
        let classes = [
            ("comment", Some("hc")),
            ("string", Some("hs")),
            ("constant", Some("hn")),
            ("entity.name", Some("hf")),
            ("support", Some("hf")),
            ("variable.function", Some("hf")),
            ("storage.type", Some("ht")),
            ("storage", Some("hk")),
            ("keyword.operator", None),
            ("keyword", Some("hk")),
            ("markup.inserted", Some("hs")),
            ("markup.deleted", Some("hk")),
        ];
        classes.into_iter().filter_map(|(name, class)| Some((Scope::from_str(name).ok()?, class))).collect()
    });
    let of = |scope: &Scope| classes.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
    stack.scopes.iter().rev().find_map(of).and_then(|(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_coloured_and_escaped() {
        let page = Highlighter::default().block("rust", "let a = \"<b>\"; // c\n").into_string();
        assert!(page.contains("<span class=\"hc\">"), "{page}");
        assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
    }

    #[test]
    fn a_language_that_nobody_knows_is_plain() {
        let page = Highlighter::default().block("\"><img>", "a < b").into_string();
        assert_eq!(page, "<pre class=\"code\"><code>a &lt; b</code></pre>");
    }
}
