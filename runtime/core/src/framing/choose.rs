//! Detects from a stream's first lines how its messages are framed.

use memchr::{memchr, memchr2, memrchr};

use super::{FramingKind, noise};

/// A stream that has begun with this much noise is not waited for.
pub(super) const PATIENCE: usize = 64 << 10;

/// How many bytes of whitespace behind a bracket are looked through for what follows it.
const NEAR: usize = 4096;

/// The fields of a server-sent event; a comment has no name.
const FIELDS: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b""];

/// What the beginning of a line says about the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The stream is of this kind.
    Kind(FramingKind),
    /// So many bytes are whitespace, or a line that fits no framing: the next bytes decide.
    Noise(usize),
    /// More bytes must come.
    Wait,
}

/// What the beginning of a line says, for a stream with one of these framings.
pub(super) fn choose(kinds: &[FramingKind], line: &[u8]) -> Choice {
    let first = kinds.first().copied().unwrap_or(FramingKind::Lines);
    let or_else = |kind, other| if kinds.contains(&kind) { kind } else { other };
    let lines = or_else(FramingKind::Lines, or_else(FramingKind::Documents, first));
    let documents = or_else(FramingKind::Documents, lines);
    let text = &line[noise::leading(line)..];
    match text {
        // What is behind the last line end may be half of an escape sequence.
        [] => match memrchr(b'\n', line) {
            Some(end) => Choice::Noise(end + 1),
            None => Choice::Wait,
        },
        // A list of messages, and no word in brackets.
        [b'[', rest @ ..] => match behind(rest) {
            Behind::Byte(b'{' | b'[' | b']', _) => Choice::Kind(documents),
            Behind::Unknown => Choice::Wait,
            Behind::Byte(..) | Behind::Far => noise_line(kinds, line),
        },
        // A program that writes one message per line does not break the line after the first bracket.
        [b'{', rest @ ..] => match behind(rest) {
            Behind::Byte(b'"' | b'}', broken) => Choice::Kind(if broken { documents } else { lines }),
            Behind::Unknown => Choice::Wait,
            Behind::Byte(..) | Behind::Far => noise_line(kinds, line),
        },
        _ if !kinds.contains(&FramingKind::Sse) => noise_line(kinds, line),
        _ => {
            let end = text.iter().position(|byte| matches!(byte, b':' | b'\r' | b'\n'));
            let name = &text[..end.unwrap_or(text.len())];
            match end {
                Some(_) if FIELDS.contains(&name) => Choice::Kind(FramingKind::Sse),
                None if FIELDS.iter().any(|field| field.starts_with(name)) => Choice::Wait,
                _ => noise_line(kinds, line),
            }
        }
    }
}

/// The framing of a stream whose lines fit none; `noise` is those lines.
pub(super) fn otherwise(kinds: &[FramingKind], noise: &[u8]) -> FramingKind {
    let first = kinds.first().copied().unwrap_or(FramingKind::Lines);
    // As server-sent events the lines would not even be counted.
    let of_lines = [FramingKind::Lines, FramingKind::Documents].into_iter().find(|kind| kinds.contains(kind));
    match &noise[noise::leading(noise)..] {
        [] => first,
        // A server that fails at once may have written no other event.
        [b'e', b'r', b'r', b'o', b'r', b':', ..] if kinds.contains(&FramingKind::Sse) => FramingKind::Sse,
        _ => of_lines.unwrap_or(first),
    }
}

/// A line that fits no framing, up to its end.
fn noise_line(kinds: &[FramingKind], line: &[u8]) -> Choice {
    // Blank lines before it go with it.
    let from = noise::leading(line);
    let text = &line[from..];
    let end = match kinds.contains(&FramingKind::Sse) {
        true => memchr2(b'\n', b'\r', text),
        false => memchr(b'\n', text),
    };
    end.map_or(Choice::Wait, |end| Choice::Noise(from + end + 1))
}

/// What follows a bracket.
enum Behind {
    /// This byte, and whether there is a line end before it.
    Byte(u8, bool),
    /// Nothing but whitespace, as far as is looked.
    Far,
    /// Nothing yet.
    Unknown,
}

fn behind(rest: &[u8]) -> Behind {
    let near = &rest[..rest.len().min(NEAR)];
    match near.iter().position(|byte| !byte.is_ascii_whitespace()) {
        Some(place) => Behind::Byte(near[place], near[..place].contains(&b'\n')),
        None if near.len() == NEAR => Behind::Far,
        None => Behind::Unknown,
    }
}
