//! Diffs. A page shows them unified; its script puts the two sides beside each other when it is asked to.

use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

use super::format::clean;

/// How long two lines may be for their words to be compared, in bytes.
const WORDS: usize = 400;

/// Lines of a diff that belong together.
#[derive(Debug, PartialEq)]
enum Part<'t> {
    /// The heading of a hunk, or anything else that is no line of a file.
    Heading(&'t str),
    /// Lines that both sides have.
    Both(Vec<&'t str>),
    /// What the left side has instead of what the right side has.
    Change(Vec<&'t str>, Vec<&'t str>),
}

/// A unified diff.
pub fn rendered(diff: &str) -> Markup {
    let text = clean(diff);
    let (added, removed) = counts(&text);
    html! {
        div.diff role="group" aria-label={ "diff: " (added) " lines added, " (removed) " removed" } {
            @for part in parts(&text) {
                @match part {
                    Part::Heading(line) => div.hh { (line) },
                    Part::Both(lines) => div.hb { pre { @for line in lines { (line) "\n" } } },
                    Part::Change(old, new) => div.hd { (change(&old, &new)) },
                }
            }
        }
    }
}

/// How many lines a unified diff adds and removes.
pub fn counts(diff: &str) -> (usize, usize) {
    let mut counts = (0, 0);
    for part in parts(diff) {
        if let Part::Change(old, new) = part {
            counts.0 += new.len();
            counts.1 += old.len();
        }
    }
    counts
}

fn change(old: &[&str], new: &[&str]) -> Markup {
    let pairs = if old.len() == new.len() { old.len() } else { 0 };
    let side = |lines: &[&str], others: &[&str], own: ChangeTag, sign: &str, word: &str| {
        html! {
            @for (place, line) in lines.iter().enumerate() {
                span.sr { (word) } (sign)
                @match others.get(place).filter(|_| place < pairs) {
                    Some(other) => (words(line, other, own)),
                    None => (line),
                }
                "\n"
            }
        }
    };
    html! {
        @if !old.is_empty() { pre.del { (side(old, new, ChangeTag::Delete, "-", "removed: ")) } }
        @if !new.is_empty() { pre.add { (side(new, old, ChangeTag::Insert, "+", "added: ")) } }
    }
}

/// A line in which the words that the other one does not have are marked.
fn words(line: &str, other: &str, own: ChangeTag) -> Markup {
    if line.len() > WORDS || other.len() > WORDS {
        return html! { (line) };
    }
    let (old, new) = if own == ChangeTag::Delete { (line, other) } else { (other, line) };
    let diff = TextDiff::from_words(old, new);
    // In lines that have little in common, marks only disturb.
    let is_close = diff.ratio() > 0.4;
    html! {
        @for change in diff.iter_all_changes().filter(|change| [own, ChangeTag::Equal].contains(&change.tag())) {
            @if is_close && change.tag() == own { mark { (change.value()) } } @else { (change.value()) }
        }
    }
}

fn parts(diff: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        let is_file_name =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if is_file_name {
            parts.push(Part::Heading(line));
            parts.extend(lines.next().map(Part::Heading));
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') => match parts.last_mut() {
                Some(Part::Change(_, new)) => new.push(&line[1..]),
                _ => parts.push(Part::Change(Vec::new(), vec![&line[1..]])),
            },
            Some(b'-') => match parts.last_mut() {
                Some(Part::Change(old, new)) if new.is_empty() => old.push(&line[1..]),
                _ => parts.push(Part::Change(vec![&line[1..]], Vec::new())),
            },
            Some(b' ') | None => match parts.last_mut() {
                Some(Part::Both(both)) => both.push(line),
                _ => parts.push(Part::Both(vec![line])),
            },
            Some(_) => parts.push(Part::Heading(line)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unified_diff_is_taken_apart() {
        let diff = "--- a\n+++ b\n@@ -1,3 +1,3 @@\n x\n-old\n+new\n y\n";
        assert_eq!(
            parts(diff),
            [
                Part::Heading("--- a"),
                Part::Heading("+++ b"),
                Part::Heading("@@ -1,3 +1,3 @@"),
                Part::Both(vec![" x"]),
                Part::Change(vec!["old"], vec!["new"]),
                Part::Both(vec![" y"]),
            ]
        );
        assert_eq!(counts(diff), (1, 1));
    }

    #[test]
    fn changed_words_are_marked_and_all_is_escaped() {
        let page = rendered("-let a = <1>;\n+let a = <2>;\n").into_string();
        assert!(page.contains("<mark>") && page.contains("&lt;") && !page.contains("<1>"), "{page}");
    }
}
