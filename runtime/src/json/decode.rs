//! Decoding of string escapes, with care for surrogate halves.

/// What stands for half a character whose other half never came.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Appends the decoded `content` (the checked text between a string's quotes)
/// to `out`; every lone surrogate becomes U+FFFD.
pub(super) fn decode(content: &str, out: &mut String) {
    if decode_with(content, None, out).is_some() {
        out.push(REPLACEMENT);
    }
}

/// As [`decode`], but a high surrogate at the very end is returned instead of
/// written, and `high`, one returned for the text before, is joined with a low
/// surrogate at the start.
pub(super) fn decode_with(content: &str, high: Option<u16>, out: &mut String) -> Option<u16> {
    let mut pending = high;
    let mut rest = content;
    while let Some(plain) = memchr::memchr(b'\\', rest.as_bytes()) {
        if plain > 0 {
            give_up(&mut pending, out);
            out.push_str(&rest[..plain]);
        }
        rest = &rest[plain + 1..];
        // The parser has checked every escape; nothing is lost by stopping.
        let Some(&letter) = rest.as_bytes().first() else {
            break;
        };
        if letter == b'u' {
            unicode(hex4(&rest.as_bytes()[1..]), &mut pending, out);
            rest = rest.get(5..).unwrap_or_default();
            continue;
        }
        give_up(&mut pending, out);
        out.push(match letter {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            other => char::from(other),
        });
        rest = &rest[1..];
    }
    if !rest.is_empty() {
        give_up(&mut pending, out);
        out.push_str(rest);
    }
    pending
}

/// Writes one UTF-16 unit, or keeps it when it may be the first of two.
fn unicode(unit: u16, pending: &mut Option<u16>, out: &mut String) {
    if (0xdc00..0xe000).contains(&unit)
        && let Some(high) = pending.take()
    {
        let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
        out.push(char::from_u32(code).unwrap_or(REPLACEMENT));
        return;
    }
    give_up(pending, out);
    match char::from_u32(u32::from(unit)) {
        Some(character) => out.push(character),
        None if unit < 0xdc00 => *pending = Some(unit),
        None => out.push(REPLACEMENT),
    }
}

fn give_up(pending: &mut Option<u16>, out: &mut String) {
    if pending.take().is_some() {
        out.push(REPLACEMENT);
    }
}

fn hex4(bytes: &[u8]) -> u16 {
    bytes.iter().take(4).fold(0, |unit, &byte| {
        let digit = char::from(byte).to_digit(16).unwrap_or(0) as u16;
        unit << 4 | digit
    })
}
