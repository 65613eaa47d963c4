//! All output to people. What agents and files say can hold anything, so nothing of it may move a terminal's cursor,
//! change its title or colours, turn the direction of the text, hide characters, or look like a line of ours.
//!
//! - [`name`] is for names: one line, in quotes unless it is plain, shortened.
//! - [`line`] is for the beginning of a text on one line.
//! - [`text`] is for a whole text: its lines are kept.
//! - [`path`] is for files.
//! - [`json`] is for JSON on a terminal, which stays the same JSON.
//!
//! [`people`], [`people_stderr`] and [`tell`] write: they let only colours pass, whatever is given to them.

mod json;
mod spoken;
pub mod table;
mod writer;

use std::fmt::Write as _;
use std::path::Path;

pub use self::json::{StdoutJson, json};
pub use self::spoken::Target;
pub use self::writer::{People, keeping, people, people_stderr, shared_people, tell};

/// How many characters of a name are shown.
const NAME: usize = 200;

/// How many characters of a path are shown: the end says more than the beginning.
const PATH: usize = 1000;

/// A name on one line: as it is when it is plain, otherwise in quotes with escapes. Its beginning, when it is long.
pub fn name(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", quoted_if_needed(&name[..end])),
        None => quoted_if_needed(name),
    }
}

/// The path of a file on one line. Its end, when it is long.
pub fn path(path: &Path) -> String {
    let path = path.to_string_lossy();
    let count = path.chars().count();
    match path.char_indices().nth(count.saturating_sub(PATH)) {
        Some((begin, _)) if begin > 0 => format!("…{}", quoted_if_needed(&path[begin..])),
        _ => quoted_if_needed(&path),
    }
}

/// The beginning of a text on one line: so many characters, and how many there are when that is not all.
pub fn line(text: &str, width: usize) -> String {
    let mut line = String::new();
    let mut letters = text.chars();
    for letter in letters.by_ref().take(width) {
        match letter {
            '\n' | '\r' | '\t' => line.push(' '),
            letter if is_unsafe(letter) => escape(letter, &mut line),
            letter => line.push(letter),
        }
    }
    match letters.count() {
        0 => line,
        more => {
            let _ = write!(line, "… ({} characters)", width + more);
            line
        }
    }
}

/// A whole text with its lines and tabs. What is not to be seen in it is made visible.
pub fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' | '\t' => shown.push(letter),
            '\r' if letters.peek() == Some(&'\n') => {}
            // Joins emoji and the letters of some scripts, all of them beyond ASCII.
            '\u{200c}' | '\u{200d}' if !before.is_ascii() && !is_unsafe(before) => shown.push(letter),
            letter if is_unsafe(letter) => escape(letter, &mut shown),
            letter => shown.push(letter),
        }
        before = letter;
    }
    shown
}

fn quoted_if_needed(name: &str) -> String {
    let is_plain = |letter: char| !is_unsafe(letter) && !matches!(letter, '"' | '\\');
    if !name.is_empty() && name.trim() == name && name.chars().all(is_plain) {
        return name.to_owned();
    }
    let mut shown = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' | '\\' => shown.extend(['\\', letter]),
            letter if is_unsafe(letter) => escape(letter, &mut shown),
            letter => shown.push(letter),
        }
    }
    shown.push('"');
    shown
}

/// `\n`, `\u{9b}` and the like.
fn escape(letter: char, into: &mut String) {
    match letter {
        '\n' => into.push_str("\\n"),
        '\r' => into.push_str("\\r"),
        '\t' => into.push_str("\\t"),
        letter => {
            let _ = write!(into, "\\u{{{:x}}}", u32::from(letter));
        }
    }
}

/// Whether a terminal takes a character for a command, or shows it as nothing: control characters (C0, C1), those that
/// turn the direction of the text, zero width, line separators, and tags.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_stays_and_another_one_is_quoted() {
        assert_eq!(name("Bash"), "Bash");
        assert_eq!(name("日本語 ok"), "日本語 ok");
        assert_eq!(name("Ba\x1b[32msh\n> allow"), r#""Ba\u{1b}[32msh\n> allow""#);
        assert_eq!(name("a\u{202e}b\u{9b}2J\"\\"), r#""a\u{202e}b\u{9b}2J\"\\""#);
        assert_eq!(name(""), "\"\"");
        assert_eq!(name(" x"), "\" x\"");
        assert_eq!(name(&"é".repeat(NAME + 1)), format!("{}…", "é".repeat(NAME)));
    }

    #[test]
    fn a_path_is_shown_by_its_end() {
        assert_eq!(path(Path::new("a/b c.jsonl")), "a/b c.jsonl");
        assert_eq!(path(Path::new("a\nb")), r#""a\nb""#);
        let long = format!("{}end.jsonl", "x/".repeat(PATH));
        let shown = path(Path::new(&long));
        assert!(shown.starts_with('…') && shown.ends_with("/end.jsonl"), "{shown}");
        assert_eq!(shown.chars().count(), PATH + 1);
    }

    #[test]
    fn a_text_keeps_its_lines_and_what_joins_letters() {
        assert_eq!(text("a\r\nb\n\tc"), "a\nb\n\tc");
        assert_eq!(text("50%\r100%\x08\x07"), r"50%\r100%\u{8}\u{7}");
        assert_eq!(text("\x1b]52;c;ZXZpbA==\x07"), r"\u{1b}]52;c;ZXZpbA==\u{7}");
        assert_eq!(text("👩\u{200d}💻 a\u{200d}b"), "👩\u{200d}💻 a\\u{200d}b");
    }

    #[test]
    fn a_line_is_cut_and_says_how_much_there_is() {
        assert_eq!(line("a\nb\x1bc", 80), r"a b\u{1b}c");
        assert_eq!(line("äöü", 2), "äö… (3 characters)");
    }
}
