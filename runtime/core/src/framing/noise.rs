//! Other text around the messages of a line: terminal escape
//! sequences, control characters, text of other programs.

use std::ops::{Range, RangeInclusive};

use memchr::{memchr, memchr2, memmem};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// The part of a line without the escape sequences, control characters and
/// whitespace at its ends; empty when there is nothing else.
pub(super) fn trim(line: &[u8]) -> Range<usize> {
    if let [b'{', .., b'}'] = line {
        return 0..line.len();
    }
    let start = leading(line);
    let content = &line[start..];
    let content = &content[..content_length(content)];
    // An element of a list that is written one element a line keeps the comma behind it.
    let element = content.strip_suffix(b",").map(<[u8]>::trim_ascii_end);
    let element = element.filter(|element| matches!(element, [b'{', .., b'}']));
    start..start + element.unwrap_or(content).len()
}

/// The length of the noise that the bytes start with: escape sequences, control characters and whitespace.
pub(super) fn leading(line: &[u8]) -> usize {
    let mut at = 0;
    while let Some(length) = noise_at(&line[at..]) {
        at += length;
    }
    at
}

/// The length up to the last byte that is no noise. The bytes are read
/// forwards, since only so it shows where an escape sequence starts.
fn content_length(content: &[u8]) -> usize {
    if let [.., b'}'] = content {
        return content.len();
    }
    let (mut at, mut end) = (0, 0);
    while at < content.len() {
        match noise_at(&content[at..]) {
            Some(length) => at += length,
            None => {
                at += 1;
                end = at;
            }
        }
    }
    end
}

/// The length of the noise that the bytes start with, if they do.
fn noise_at(bytes: &[u8]) -> Option<usize> {
    match *bytes.first()? {
        ESC => Some(escape_sequence(bytes).unwrap_or(1)),
        byte if byte <= b' ' || byte == 0x7f => Some(1),
        _ => None,
    }
}

/// The length of the terminal escape sequence that starts at the first byte,
/// an ESC. A sequence without an end, or one that could hold a message, is
/// none; only its ESC is noise then. Nothing is read beyond the next ESC, so
/// that a line of them is read in linear time.
fn escape_sequence(bytes: &[u8]) -> Option<usize> {
    match *bytes.get(1)? {
        b'[' => {
            let parameters = run(&bytes[2..], 0x20..=0x3f);
            let last = *bytes.get(2 + parameters)?;
            (matches!(last, 0x40..=0x7e) && last != b'{').then_some(3 + parameters)
        }
        b']' => {
            let text = &bytes[2..];
            let length = memchr2(BEL, ESC, text)?;
            let mark = match text[length..] {
                [BEL, ..] => 1,
                [ESC, b'\\', ..] => 2,
                _ => return None,
            };
            let holds_message = memmem::find(&text[..length], b"{\"").is_some();
            (!holds_message).then_some(2 + length + mark)
        }
        0x20..=0x2f => {
            let between = run(&bytes[1..], 0x20..=0x2f);
            let last = *bytes.get(1 + between)?;
            (matches!(last, 0x30..=0x7e) && last != b'{').then_some(2 + between)
        }
        0x30..=0x7a | 0x7c..=0x7e => Some(2),
        _ => None,
    }
}

fn run(bytes: &[u8], of: RangeInclusive<u8>) -> usize {
    bytes.iter().take_while(|byte| of.contains(byte)).count()
}

/// The position, `from` or later, of the next byte at which a JSON object may
/// start: a brace before a quote or a closing brace, whitespace aside.
///
/// For lines on which other text stands before the message: try to parse from
/// each position in turn. A line can hold many of them; a caller that tries
/// each should stop after a few.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::framing::find_object_start;
///
/// let line = br#"debug {x}: {"type":"result"}"#;
/// assert_eq!(find_object_start(line, 0), Some(11));
/// assert_eq!(find_object_start(line, 12), None);
/// ```
pub fn find_object_start(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(b'{', bytes.get(at..)?)?;
        let next = bytes[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        if let Some(b'"' | b'}') = next {
            return Some(at);
        }
        at += 1;
    }
}

/// The positions that [`find_object_start`] finds, from the first one on.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::framing::object_starts;
///
/// let line = br#"[{"a":{}}]"#;
/// assert_eq!(object_starts(line).collect::<Vec<_>>(), [1, 6]);
/// ```
pub fn object_starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = find_object_start(bytes, from)?;
        from = at + 1;
        Some(at)
    })
}
