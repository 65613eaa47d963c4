//! The scanners of single tokens: strings, numbers, whitespace.
//!
//! Each takes the whole text and a position, and returns the position after
//! the token.

use super::error::{ParseError, ParseErrorKind};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES * 0x80;

/// Marks the bytes that a string cannot hold raw (`"`, `\`, controls) with
/// their high bit. The lowest mark is exact; a borrow can only set false marks
/// above a true one.
#[inline(always)]
pub(crate) fn specials(word: u64) -> u64 {
    let quote = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | backslash | control) & !word & HIGHS
}

/// Marks the backslashes of a word; as with `specials`, the lowest mark is exact.
#[inline(always)]
pub(super) fn backslashes(word: u64) -> u64 {
    (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES) & !word & HIGHS
}

#[inline(always)]
fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

#[inline(always)]
fn word_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

/// The position after the closing quote of the string whose content starts at
/// `at`, and whether the content has escapes.
#[inline(always)]
pub(super) fn string(text: &[u8], at: usize) -> Result<(usize, bool), ParseError> {
    // Most strings are short and plain: look at three words before calling
    // the general scanner.
    let mut from = at;
    for _ in 0..3 {
        let Some(word) = word_at(text, from) else {
            break;
        };
        let marks = specials(word);
        if marks != 0 {
            from += marks.trailing_zeros() as usize / 8;
            if text[from] == b'"' {
                return Ok((from + 1, false));
            }
            break;
        }
        from += 8;
    }
    long_string(text, from)
}

#[inline(never)]
fn long_string(text: &[u8], mut at: usize) -> Result<(usize, bool), ParseError> {
    let mut escaped = false;
    loop {
        at = next_special(text, at);
        match text.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = escape(text, at)?;
            }
            Some(_) => return Err(ParseError::new(ParseErrorKind::ControlCharacter, at)),
            None => return Err(ParseError::new(ParseErrorKind::UnexpectedEnd, at)),
        }
    }
}

/// The position of the next special byte from `at` on, or the text's length.
#[inline]
pub(crate) fn next_special(text: &[u8], mut at: usize) -> usize {
    // Text between two escapes is often a line: a few words, then blocks that
    // the compiler turns into vector comparisons.
    for _ in 0..4 {
        let Some(word) = word_at(text, at) else { break };
        let marks = specials(word);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(block) = text.get(at..).and_then(|rest| rest.first_chunk::<32>()) {
        // Numbers, since the compiler turns booleans into a jump for each byte.
        let found = block.iter().fold(0, |found, &byte| {
            found | u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < 0x20)
        });
        if found != 0 {
            break;
        }
        at += 32;
    }
    while let Some(word) = word_at(text, at) {
        let marks = specials(word);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(&byte) = text.get(at) {
        if is_special(byte) {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// The letters that are an escape with the backslash alone. A table, since the
/// jump that a `match` becomes is slower where escapes are dense.
const ONE_LETTER: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"\"\\/bfnrt";
    let mut at = 0;
    while at < letters.len() {
        table[letters[at] as usize] = true;
        at += 1;
    }
    table
};

/// The position after the escape whose backslash is at `at`.
#[inline(always)]
fn escape(text: &[u8], at: usize) -> Result<usize, ParseError> {
    match text.get(at + 1) {
        Some(&letter) if ONE_LETTER[usize::from(letter)] => Ok(at + 2),
        Some(b'u') => unicode_escape(text, at),
        Some(_) => Err(ParseError::new(ParseErrorKind::InvalidEscape, at)),
        None => Err(ParseError::new(ParseErrorKind::UnexpectedEnd, at + 1)),
    }
}

fn unicode_escape(text: &[u8], at: usize) -> Result<usize, ParseError> {
    for digit in at + 2..at + 6 {
        match text.get(digit) {
            Some(byte) if byte.is_ascii_hexdigit() => {}
            Some(_) => return Err(ParseError::new(ParseErrorKind::InvalidEscape, at)),
            None => return Err(ParseError::new(ParseErrorKind::UnexpectedEnd, digit)),
        }
    }
    Ok(at + 6)
}

/// The position after the number that starts at `at` (with `-` or a digit).
#[inline]
pub(super) fn number(text: &[u8], at: usize) -> Result<usize, ParseError> {
    let mut end = at;
    if text.get(end) == Some(&b'-') {
        end += 1;
    }
    if text.get(end) == Some(&b'0') {
        end += 1;
        if text.get(end).is_some_and(u8::is_ascii_digit) {
            return Err(ParseError::new(ParseErrorKind::InvalidNumber, end));
        }
    } else {
        end = digits(text, end)?;
    }
    if text.get(end) == Some(&b'.') {
        end = digits(text, end + 1)?;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        end += 1;
        if let Some(b'+' | b'-') = text.get(end) {
            end += 1;
        }
        end = digits(text, end)?;
    }
    Ok(end)
}

/// The position after one or more digits.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> Result<usize, ParseError> {
    let mut end = at;
    while text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    if end > at {
        return Ok(end);
    }
    let kind = match text.get(at) {
        Some(_) => ParseErrorKind::InvalidNumber,
        None => ParseErrorKind::UnexpectedEnd,
    };
    Err(ParseError::new(kind, at))
}

/// The position after the literal `word` at `at`.
#[inline(always)]
pub(super) fn literal(text: &[u8], at: usize, word: &[u8]) -> Result<usize, ParseError> {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with(word) {
        return Ok(at + word.len());
    }
    if word.starts_with(rest) {
        return Err(ParseError::new(ParseErrorKind::UnexpectedEnd, text.len()));
    }
    Err(ParseError::new(ParseErrorKind::ExpectedValue, at))
}

/// The position of the next byte that is not whitespace, and that byte.
#[inline(always)]
pub(super) fn token(text: &[u8], at: usize) -> Result<(usize, u8), ParseError> {
    match text.get(at) {
        Some(&byte) if byte > b' ' => Ok((at, byte)),
        _ => token_after_space(text, at),
    }
}

#[inline(never)]
fn token_after_space(text: &[u8], mut at: usize) -> Result<(usize, u8), ParseError> {
    while let Some(&byte) = text.get(at) {
        if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return Ok((at, byte));
        }
        at += 1;
    }
    Err(ParseError::new(ParseErrorKind::UnexpectedEnd, at))
}
