//! Whether a text that comes in pieces is a whole JSON value by now.

use serde::de::IgnoredAny;

/// What is known of a text that grows. Each look costs what was added since the last one: the text is parsed only where
/// no string and no bracket is open.
#[derive(Debug, Default)]
pub(super) struct Growth {
    read: usize,
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    /// Whether there is more than whitespace.
    has_begun: bool,
    /// Whether no more text can make it a JSON value.
    is_broken: bool,
}

impl Growth {
    /// Whether the text, which begins with what was seen at the last look, is a whole JSON value.
    pub(super) fn is_whole(&mut self, text: &str) -> bool {
        for byte in text.as_bytes().get(self.read..).unwrap_or_default() {
            self.has_begun |= !byte.is_ascii_whitespace();
            match byte {
                _ if std::mem::take(&mut self.is_escaped) => {}
                b'\\' => self.is_escaped = self.in_string,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.read = text.len();
        if self.is_broken || self.in_string || self.depth > 0 || !self.has_begun {
            return false;
        }
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => true,
            Err(error) => {
                self.is_broken = !error.is_eof();
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;

    /// For each piece, whether the text is whole with it.
    fn looks(pieces: &[&str]) -> Vec<bool> {
        let (mut growth, mut text) = (Growth::default(), String::new());
        let look = |piece: &&str| {
            text.push_str(piece);
            growth.is_whole(&text)
        };
        pieces.iter().map(look).collect()
    }

    #[test]
    fn a_text_is_whole_when_it_parses() {
        assert_eq!(
            looks(&["", " ", "{", r#""a":"}\""#, r#"}""#, "}", " ", "x", "{}"]),
            [false, false, false, false, false, true, true, false, false]
        );
        assert_eq!(looks(&["tr", "ue"]), [false, true]);
        assert_eq!(looks(&["[1", ",2]", "]"]), [false, true, false]);
    }
}
