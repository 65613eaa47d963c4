//! How far arguments that come in pieces are, known without reading them again for each piece.

/// What has been seen of a JSON text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    /// The last byte that is no blank; 0 while there is none.
    last: u8,
}

impl Progress {
    /// Adds the next piece.
    pub(super) fn add(&mut self, piece: &str) {
        for byte in piece.bytes() {
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    b'"' => self.in_string = true,
                    b' ' | b'\n' | b'\r' | b'\t' => continue,
                    _ => {}
                }
            }
            self.last = byte;
        }
    }

    /// Whether what has begun has also ended.
    pub(super) fn is_whole(self) -> bool {
        self.last != 0 && self.depth == 0 && !self.in_string
    }

    /// Whether a piece can only be the beginning of another text: it opens an object where this one has no place for it.
    pub(super) fn is_cut_by(self, piece: &str) -> bool {
        let takes_value = matches!(self.last, 0 | b':' | b'[' | b',');
        piece.trim_start().starts_with('{') && !self.in_string && !takes_value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_is_whole_and_what_cannot_go_on_begins_anew() {
        for (text, is_whole, is_cut) in [
            ("", false, false),
            (" {", false, true),
            (r#"{"a"#, false, false),
            (r#"{"a""#, false, true),
            (r#"{"a":"#, false, false),
            (r#"{"a":"}\""#, false, false),
            (r#"{"a":[1,"#, false, false),
            (r#"{"a":[1]}"#, true, true),
        ] {
            let mut progress = Progress::default();
            text.chars().for_each(|char| progress.add(char.encode_utf8(&mut [0; 4])));
            assert_eq!((progress.is_whole(), progress.is_cut_by(r#"{"b"#)), (is_whole, is_cut), "{text}");
        }
    }
}
