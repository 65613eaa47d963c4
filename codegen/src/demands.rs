//! The settings that say what a provider demands of a request beyond its schema.

use interlingua_table::{CallIds, Results};

use crate::ast::Word;
use crate::diagnostic::Fault;

/// The characters of which ids are made up where one must be replaced.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// `call_ids`: `[a-zA-Z0-9_-]{1,64}`, with `.` for any character and `+` for any number of them.
pub(crate) fn call_ids(pattern: &Word) -> Result<CallIds, Fault> {
    let fault = |message: &str| {
        Fault::new(pattern.span, format!("`{}` {message}", pattern.text))
            .help("such a pattern is one set of characters and how many there are: `[a-zA-Z0-9_-]{1,64}`, `.{1,40}`")
    };
    let (characters, count) = match pattern.text.strip_prefix('[') {
        Some(rest) => {
            let (set, count) = rest.split_once(']').ok_or_else(|| fault("has no `]`"))?;
            let set = ranges(set).ok_or_else(|| fault("has no set of characters in `[…]`"))?;
            (set, count)
        }
        None => {
            let count =
                pattern.text.strip_prefix('.').ok_or_else(|| fault("begins with neither `[` nor `.`"))?;
            (Vec::new(), count)
        }
    };
    let (shortest, longest) =
        bounds(count).ok_or_else(|| fault("does not end with `+`, `{COUNT}` or `{LEAST,MOST}`"))?;
    let ids = CallIds { characters: Vec::leak(characters), shortest, longest };
    if longest < 8 || LETTERS.chars().filter(|letter| ids.may_hold(*letter)).count() < 10 {
        return Err(fault("takes too few ids: no other can be made up for one that it does not take"));
    }
    Ok(ids)
}

/// Ranges of characters: `a-zA-Z_-`. A `-` at the end stands for itself.
fn ranges(set: &str) -> Option<Vec<(char, char)>> {
    let mut left: &[char] = &set.chars().collect::<Vec<_>>();
    let mut ranges = Vec::new();
    while !left.is_empty() {
        left = match left {
            [first, '-', last, rest @ ..] if first <= last => {
                ranges.push((*first, *last));
                rest
            }
            ['^' | '\\' | '[', ..] | [_, '-', _, ..] => return None,
            [one, rest @ ..] => {
                ranges.push((*one, *one));
                rest
            }
            [] => left,
        };
    }
    (!ranges.is_empty()).then_some(ranges)
}

/// How many characters: `+`, `{9}` or `{1,64}`.
fn bounds(count: &str) -> Option<(usize, usize)> {
    if count == "+" {
        return Some((1, usize::MAX));
    }
    let count = count.strip_prefix('{')?.strip_suffix('}')?;
    let (least, most) = count.split_once(',').unwrap_or((count, count));
    let (least, most) = (least.parse().ok()?, most.parse().ok()?);
    (1..=most).contains(&least).then_some((least, most))
}

/// `results`.
pub(crate) fn results(word: &Word) -> Result<Results, Fault> {
    match word.text.as_str() {
        "after-message" => Ok(Results::AfterMessage),
        "after-turn" => Ok(Results::AfterTurn),
        other => Err(Fault::new(word.span, format!("unknown place of results `{other}`"))
            .suggest(other, ["after-message", "after-turn"])),
    }
}

/// `blank_texts`: whether they are refused.
pub(crate) fn blank_texts(word: &Word) -> Result<bool, Fault> {
    match word.text.as_str() {
        "refused" => Ok(true),
        "taken" => Ok(false),
        other => Err(Fault::new(word.span, format!("blank texts are not `{other}`"))
            .suggest(other, ["refused", "taken"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str) -> Option<CallIds> {
        call_ids(&Word { text: pattern.to_owned(), span: Default::default() }).ok()
    }

    #[test]
    fn a_pattern_is_a_set_of_characters_and_how_many_there_are() {
        let ids = read("[a-zA-Z0-9_-]{1,64}").expect("a pattern");
        assert_eq!((ids.shortest, ids.longest), (1, 64));
        assert_eq!(ids.characters, [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('-', '-')]);
        assert!(ids.takes("call_1-A") && !ids.takes("functions.ls:0"));
        assert_eq!(read("[a-zA-Z0-9]{9}").map(|ids| (ids.shortest, ids.longest)), Some((9, 9)));
        assert_eq!(read(".{1,40}").map(|ids| ids.takes("ü:\u{7f}")), Some(true));
        assert_eq!(read("[a-z0-9]+").map(|ids| ids.longest), Some(usize::MAX));
    }

    #[test]
    fn any_other_pattern_is_refused() {
        for wrong in
            ["", "abc", "[a-z", "[]+", "[^a-z]+", "[z-a]+", "[a-z]", "[a-z]*", "[a-z]{0,9}", "[a-z]{9,8}"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        // Of these, no id could be made up.
        assert_eq!((read("[a-z]{1,7}"), read("[A-Z]+")), (None, None));
    }
}
