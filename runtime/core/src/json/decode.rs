//! Decoding of string escapes, with care for surrogate halves.

use super::scan;

/// Replaces half a character whose other half is missing.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// The decoded `content` (the checked text between a string's quotes); every
/// lone surrogate becomes U+FFFD.
pub(super) fn decode(content: &str) -> String {
    let mut pending = None;
    let mut out = Vec::with_capacity(content.len() + WORD);
    unescape(content.as_bytes(), &mut pending, &mut out);
    give_up(&mut pending, &mut out);
    text(out)
}

/// The first `limit` bytes of `content`, or a little less: neither a character nor an escape is cut.
#[cold]
pub(super) fn beginning(content: &str, limit: usize) -> &str {
    /// The longest escape, such as `\u00e9`.
    const ESCAPE: usize = 6;
    let mut end = limit.min(content.len());
    while !content.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = &content.as_bytes()[..end];
    let near = end.saturating_sub(ESCAPE);
    if let Some(last) = bytes[near..].iter().rposition(|byte| *byte == b'\\') {
        let last = near + last;
        let run = bytes[..=last].iter().rev().take_while(|byte| **byte == b'\\').count();
        let length = if content.as_bytes().get(last + 1) == Some(&b'u') { ESCAPE } else { 2 };
        // An odd run ends with the beginning of an escape; an even one is nothing but escaped backslashes.
        if run % 2 == 1 && last + length > end {
            end = last;
        }
    }
    &content[..end]
}

/// Appends the decoded `content` to `out`. A high surrogate at the very end is
/// returned instead of written, and `high`, one returned for the text before,
/// is joined with a low surrogate at the start.
pub(super) fn decode_with(content: &str, high: Option<u16>, out: &mut String) -> Option<u16> {
    let mut pending = high;
    let mut decoded = Vec::with_capacity(content.len() + WORD);
    unescape(content.as_bytes(), &mut pending, &mut decoded);
    let decoded = text(decoded);
    if out.is_empty() {
        *out = decoded;
    } else {
        out.push_str(&decoded);
    }
    pending
}

/// The bytes are UTF-8: a backslash is no part of another character, so what
/// stands between two escapes is whole characters.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text between escapes is UTF-8")
}

/// The bytes that are copied at a time.
const WORD: usize = 8;

/// Escapes can be as close as a line's end in a list of numbers, so the text
/// between them is copied by words, cut back where an escape begins; only
/// longer text is searched and copied as a whole.
fn unescape(content: &[u8], pending: &mut Option<u16>, out: &mut Vec<u8>) {
    let mut rest = content;
    loop {
        if !matches!(rest.first(), None | Some(b'\\')) {
            give_up(pending, out);
            rest = copy_plain(rest, out);
        }
        // The parser has checked every escape; nothing is lost by stopping.
        let [b'\\', letter, after @ ..] = rest else { return };
        rest = after;
        if *letter == b'u' {
            unicode(hex4(after), pending, out);
            rest = after.get(4..).unwrap_or_default();
            continue;
        }
        give_up(pending, out);
        out.push(match letter {
            b'b' => 0x8,
            b'f' => 0xc,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            other => *other,
        });
    }
}

/// Copies up to the next backslash and returns what follows.
#[inline(always)]
fn copy_plain<'c>(content: &'c [u8], out: &mut Vec<u8>) -> &'c [u8] {
    let mut rest = content;
    for _ in 0..4 {
        let Some((word, after)) = rest.split_first_chunk::<WORD>() else { break };
        out.extend_from_slice(word);
        let marks = scan::backslashes(u64::from_le_bytes(*word));
        if marks != 0 {
            let plain = marks.trailing_zeros() as usize / 8;
            out.truncate(out.len() - WORD + plain);
            return &rest[plain..];
        }
        rest = after;
    }
    let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
    out.extend_from_slice(&rest[..plain]);
    &rest[plain..]
}

/// Writes one UTF-16 unit, or keeps it when it may be the first of two.
fn unicode(unit: u16, pending: &mut Option<u16>, out: &mut Vec<u8>) {
    if (0xdc00..0xe000).contains(&unit)
        && let Some(high) = pending.take()
    {
        let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
        push(char::from_u32(code).unwrap_or(REPLACEMENT), out);
        return;
    }
    give_up(pending, out);
    match char::from_u32(u32::from(unit)) {
        Some(character) => push(character, out),
        None if unit < 0xdc00 => *pending = Some(unit),
        None => push(REPLACEMENT, out),
    }
}

fn give_up(pending: &mut Option<u16>, out: &mut Vec<u8>) {
    if pending.take().is_some() {
        push(REPLACEMENT, out);
    }
}

fn push(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn hex4(bytes: &[u8]) -> u16 {
    bytes.iter().take(4).fold(0, |unit, &byte| {
        let digit = char::from(byte).to_digit(16).unwrap_or(0) as u16;
        unit << 4 | digit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_has_whole_characters_and_escapes() {
        let content = r"aé\\é
z";
        for limit in 0..=content.len() {
            let cut = beginning(content, limit);
            assert!(cut.len() <= limit && content.starts_with(cut));
            assert!(decode(content).starts_with(&decode(cut)), "{limit}: {cut}");
            assert!(limit - cut.len() < 6, "{limit}: {cut}");
        }
    }
}
