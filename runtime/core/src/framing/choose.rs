//! Telling by a stream's first bytes how its messages are told apart.

use super::FramingKind;

/// A stream that has begun with this much whitespace is not waited for.
const PATIENCE: usize = 4096;

/// The fields of a server-sent event; a comment has no name.
const FIELDS: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b""];

/// The one of these kinds that a stream is of which begins so; none while that cannot be told.
pub(super) fn choose(kinds: &[FramingKind], start: &[u8]) -> Option<FramingKind> {
    let first = kinds.first().copied().unwrap_or(FramingKind::Lines);
    let or_else = |kind, other| if kinds.contains(&kind) { kind } else { other };
    let lines = or_else(FramingKind::Lines, or_else(FramingKind::Documents, first));
    let documents = or_else(FramingKind::Documents, lines);
    let text = start.trim_ascii_start();
    if kinds.len() < 2 || start.len() - text.len() >= PATIENCE {
        return Some(first);
    }
    match text {
        [] => None,
        [b'[', ..] => Some(documents),
        // Who writes one message a line does not break the line after its first bracket.
        [b'{', rest @ ..] if documents != lines => {
            let near = &rest[..rest.len().min(PATIENCE)];
            match near.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
                None if near.len() < PATIENCE => None,
                Some(b'\n') => Some(documents),
                _ => Some(lines),
            }
        }
        [b'{', ..] => Some(lines),
        _ if !kinds.contains(&FramingKind::Sse) => Some(lines),
        _ => {
            let end = text.iter().position(|byte| matches!(byte, b':' | b'\r' | b'\n'));
            let name = &text[..end.unwrap_or(text.len())];
            if end.is_some() {
                return Some(if FIELDS.contains(&name) { FramingKind::Sse } else { lines });
            }
            match FIELDS.iter().any(|field| field.starts_with(name)) {
                true => None,
                false => Some(lines),
            }
        }
    }
}
