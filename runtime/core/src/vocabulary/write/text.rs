//! Strings and numbers as JSON.

use crate::json::{next_special, specials};

/// Writes a string with its quotes.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    escaped(out, text);
    out.push(b'"');
}

/// The bytes that are looked at and copied at a time.
const WORD: usize = 8;

/// Writes the inside of a string, which as a rule needs no escapes.
pub(super) fn escaped(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    if needs_escapes(bytes) { with_escapes(out, bytes) } else { out.extend_from_slice(bytes) }
}

/// Whether a quote, a backslash or a control character is among the bytes. There is no early
/// way out, so that the compiler can look at many bytes at once.
fn needs_escapes(bytes: &[u8]) -> bool {
    let special = |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    bytes.iter().fold(0, |found, byte| found | special(*byte)) != 0
}

/// What needs an escape may be as close as a line's end in a list of numbers, so the text between is copied by words
/// at first, cut back where an escape is due, and only longer text is searched and copied as a whole.
fn with_escapes(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut from = 0;
    loop {
        let end = copy_plain(out, bytes, from);
        let Some(&byte) = bytes.get(end) else { return };
        escape(out, byte);
        from = end + 1;
    }
}

/// Copies up to the next byte that needs an escape, and gives its position, or the text's length.
#[inline(always)]
fn copy_plain(out: &mut Vec<u8>, bytes: &[u8], mut from: usize) -> usize {
    for _ in 0..4 {
        let Some(word) = bytes.get(from..).and_then(|rest| rest.first_chunk::<WORD>()) else { break };
        out.extend_from_slice(word);
        let marks = specials(u64::from_le_bytes(*word));
        if marks != 0 {
            let plain = marks.trailing_zeros() as usize / 8;
            out.truncate(out.len() - WORD + plain);
            return from + plain;
        }
        from += WORD;
    }
    let end = next_special(bytes, from);
    out.extend_from_slice(&bytes[from..end]);
    end
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x8 => b'b',
        0xc => b'f',
        _ => {
            let digit = |value: u8| DIGITS[usize::from(value & 0xf)];
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Writes a number, two digits at a time.
pub(super) fn number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    while number >= 10 {
        start -= 2;
        digits[start..start + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
        number /= 100;
    }
    // What is left is the first digit, if there is one more.
    if number > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b'0' + number as u8;
    }
    out.extend_from_slice(&digits[start..]);
}

/// The two digits of every number below a hundred.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("JSON is text")
    }

    #[test]
    fn numbers_are_written_with_all_their_digits() {
        for n in [0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 1009, 10_000, 123_456_789, u64::MAX - 1, u64::MAX]
        {
            assert_eq!(written(|out| number(out, n)), n.to_string());
        }
    }

    #[test]
    fn strings_are_written_as_elsewhere_wherever_an_escape_stands() {
        for byte in (0..=b'\x7f').chain([b'a']) {
            for length in [1, 7, 8, 9, 31, 32, 33, 40, 70] {
                for place in 0..length {
                    let mut text = "é".repeat(length);
                    text.insert(2 * place, char::from(byte));
                    text.push(char::from(byte));
                    let expected = serde_json::to_string(&text).expect("a string is JSON");
                    assert_eq!(written(|out| string(out, &text)), expected);
                }
            }
        }
    }
}
