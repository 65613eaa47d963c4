//! JSON for a terminal: the same JSON, in which escapes stand for what a terminal would take for a command.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use super::is_unsafe;

/// JSON without characters that are unsafe on a terminal. In JSON they stand in strings, but for white space.
pub fn json(json: &str) -> Cow<'_, str> {
    let is_kept = |letter: char| letter == '\n' || !is_unsafe(letter);
    if json.chars().all(is_kept) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        match letter {
            letter if is_kept(letter) => shown.push(letter),
            '\r' | '\t' => shown.push(' '),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    let _ = write!(shown, "\\u{unit:04x}");
                }
            }
        }
    }
    Cow::Owned(shown)
}

/// Makes JSON ready for standard output: as it is for a program, safe for a terminal.
#[derive(Debug, Clone, Copy)]
pub struct StdoutJson {
    is_terminal: bool,
}

impl StdoutJson {
    /// For where standard output goes now.
    pub fn new() -> Self {
        Self { is_terminal: io::stdout().is_terminal() }
    }

    /// Changes whole JSON texts, if that is needed.
    pub fn prepare(self, bytes: &mut Vec<u8>) {
        if self.is_terminal
            && let Cow::Owned(safe) = json(&String::from_utf8_lossy(bytes))
        {
            *bytes = safe.into_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_json() {
        let value = serde_json::json!({"a\u{9b}": "x\u{202e}\u{7f}\x1b\u{e0041}\u{200d}é\n"});
        let written = serde_json::to_string(&value).expect("JSON");
        let safe = json(&written);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("JSON"), value);
        assert!(!safe.chars().any(is_unsafe), "{safe}");
        assert!(safe.contains(r"\u009b") && safe.contains(r"\udb40\udc41") && safe.contains('é'), "{safe}");
    }

    #[test]
    fn plain_json_is_not_copied() {
        assert!(matches!(json("{\"a\": 1}\n"), Cow::Borrowed(_)));
        assert_eq!(json("{\t\"a\":\r1}"), "{ \"a\": 1}");
    }
}
