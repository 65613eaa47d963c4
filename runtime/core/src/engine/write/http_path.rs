//! Values in the path of an HTTP request, as RFC 3986 has them: each is part of one segment, whatever stands in it.

use std::borrow::Cow;

use interlingua_table::Expr;

use crate::engine::read::eval::{Reading, Val};
use crate::engine::read::scope::Scope;

/// The path that an expression gives: what the map writes out stands as it is, and values are percent-encoded. None
/// when there is nothing to write, or when a value would change which path it is.
pub(crate) fn written<'v, R: Reading>(
    reading: &R,
    expr: &'static Expr,
    scope: &Scope<'v, '_>,
) -> Option<String> {
    let mut path = String::new();
    append(reading, expr, scope, &mut path).ok()?;
    let segments = path.split(['?', '#']).next().unwrap_or_default().split('/');
    // Servers and proxies resolve these, encoded or not.
    let is_whole = !path.is_empty() && !segments.into_iter().any(|segment| segment == "." || segment == "..");
    is_whole.then_some(path)
}

/// A value is there and empty.
struct Empty;

fn append<'v, R: Reading>(
    reading: &R,
    expr: &'static Expr,
    scope: &Scope<'v, '_>,
    path: &mut String,
) -> Result<(), Empty> {
    match expr {
        Expr::Text(text) => path.push_str(text),
        Expr::Concat(parts) => parts.iter().try_for_each(|part| append(reading, part, scope, path))?,
        Expr::If(condition, then, otherwise) => {
            let branch = if reading.holds(condition, scope) { then } else { otherwise };
            append(reading, branch, scope, path)?;
        }
        Expr::First(choices) => {
            if let Some(choice) = choices.iter().find(|choice| reading.eval(choice, scope).is_some()) {
                append(reading, choice, scope, path)?;
            }
        }
        value => match reading.eval(value, scope).and_then(Val::text) {
            Some(text) if text.is_empty() => return Err(Empty),
            Some(text) => {
                let in_query = path.contains('?');
                encode(&text, in_query, path);
            }
            None => {}
        },
    }
    Ok(())
}

/// Appends a text as part of a segment, or of a value in a query, where `&` and the like have a meaning.
fn encode(text: &str, in_query: bool, path: &mut String) {
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if is_plain || (!in_query && b"!$&'()*+,;=:@".contains(&byte)) {
            path.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value & 15)]);
            path.extend(['%', digit(byte >> 4), digit(byte)]);
        }
    }
}

/// A segment's text; none when it is not encoded as it should be.
fn decoded(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('%') {
        return Some(Cow::Borrowed(segment));
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit =
                    || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                (digit()? << 4) | digit()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// What stands in a path at the places that a pattern names. A place is one segment that is not empty.
pub(crate) fn captures(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let (mut names, mut segments) = (pattern.split('/'), path.split('/'));
    let mut captured = Vec::new();
    loop {
        match (names.next(), segments.next()) {
            (None, None) => return Some(captured),
            (Some(name), Some(segment)) => {
                let segment = decoded(segment)?;
                match name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                    Some(_) if segment.is_empty() => return None,
                    Some(name) => captured.push((name.to_owned(), segment.into_owned())),
                    None if name == segment => {}
                    None => return None,
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str) -> Option<String> {
        captures("/session/{id}/abort", path).map(|captured| captured[0].1.clone())
    }

    #[test]
    fn a_place_is_one_segment_that_is_not_empty() {
        assert_eq!(place("/session/s1/abort").as_deref(), Some("s1"));
        assert_eq!(place("/session/s1/abort?directory=/w").as_deref(), Some("s1"));
        for other in
            ["/session//abort", "/session/s1/abort/", "/session/s1", "/session/a/b/abort", "session/s1/abort"]
        {
            assert_eq!(place(other), None, "{other}");
        }
        assert_eq!(captures("/session/{id}", "/session/"), None);
        assert_eq!(captures("/session", "/session/"), None);
    }

    #[test]
    fn what_is_encoded_is_read_as_it_was() {
        for text in ["s 1", "a/b", "100%", "?#", "ü€", "a:b@c", "x&y=z"] {
            for in_query in [false, true] {
                let mut path = "/session/".to_owned();
                encode(text, in_query, &mut path);
                assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{path}");
                path.push_str("/abort");
                assert_eq!(place(&path).as_deref(), Some(text), "{path}");
            }
        }
        let mut path = String::new();
        encode("a:b@c&d", false, &mut path);
        encode("a&b", true, &mut path);
        assert_eq!(path, "a:b@c&da%26b");
    }

    #[test]
    fn what_is_not_encoded_as_it_should_be_is_no_value() {
        for wrong in ["/session/%/abort", "/session/%2/abort", "/session/%zz/abort", "/session/%ff/abort"] {
            assert_eq!(place(wrong), None, "{wrong}");
        }
    }
}
