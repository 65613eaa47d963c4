//! Which bytes are a message and which are not.

use interlingua::json::{DEFAULT_MAX_DEPTH, Index, KeySet, ParseErrorKind};
use serde_json::Value;

use super::support::{Random, check, text};

#[test]
fn accepts_what_the_list_says_and_serde_json_agrees() {
    for line in include_str!("accept.txt").lines() {
        assert_eq!(check(line.as_bytes()), Ok(()), "{line}");
        assert!(serde_json::from_str::<Value>(line).is_ok(), "serde_json: {line}");
    }
}

#[test]
fn accepts_lone_surrogates_and_huge_numbers_where_serde_json_does_not() {
    for line in include_str!("accept_unlike_serde_json.txt").lines() {
        assert_eq!(check(line.as_bytes()), Ok(()), "{line}");
        assert!(serde_json::from_str::<Value>(line).is_err(), "serde_json: {line}");
    }
}

#[test]
fn rejects_what_the_list_says_and_serde_json_agrees() {
    for line in include_str!("reject.txt").lines() {
        assert!(check(line.as_bytes()).is_err(), "{line}");
        assert!(serde_json::from_str::<Value>(line).is_err(), "serde_json: {line}");
    }
}

#[test]
fn rejects_control_characters_in_strings_at_any_place() {
    let message = "{\"a key of some length\":\"0123456789abcdef0123456789abcdef0123456789abcdef\"}";
    for at in 2..message.len() {
        for control in 0..0x20 {
            let mut bytes = message.as_bytes().to_vec();
            bytes.insert(at, control);
            let expected = serde_json::from_slice::<Value>(&bytes).is_ok();
            assert_eq!(check(&bytes).is_ok(), expected, "{control:#x} at {at}");
        }
    }
}

#[test]
fn rejects_bytes_that_are_not_utf_8_at_any_place() {
    let message = "{\"a key of some length\":[\"0123456789abcdef0123456789é\",12.5e3,true]}";
    for at in 0..message.len() {
        for byte in [0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0xed, 0xf4, 0xff] {
            let mut bytes = message.as_bytes().to_vec();
            bytes.insert(at, byte);
            assert!(check(&bytes).is_err(), "{byte:#x} at {at}");
        }
    }
    // A surrogate as three bytes, an overlong slash and a code beyond U+10FFFF.
    for bytes in [&b"\"\xed\xa0\xbd\""[..], b"\"\xc0\xaf\"", b"\"\xf4\x90\x80\x80\""] {
        assert_eq!(check(bytes).unwrap_err().kind, ParseErrorKind::InvalidUtf8);
    }
}

#[test]
fn agrees_with_serde_json_when_a_byte_is_changed() {
    const BYTES: &[u8] = b"\"\\{}[]:,0-.eEtn \nu\x7f";
    let mut random = Random::new(7);
    for _ in 0..3000 {
        let mut bytes = text(&mut random, 3).into_bytes();
        for _ in 0..1 + random.below(2) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.pick(BYTES),
                1 => bytes.insert(at, random.pick(BYTES)),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        let ours = check(&bytes);
        let theirs = serde_json::from_slice::<Value>(&bytes);
        // Only half pairs and numbers out of range are judged differently.
        let excused = ours.is_ok()
            && theirs.as_ref().is_err_and(|error| {
                let error = error.to_string();
                error.contains("surrogate") || error.contains("hex escape") || error.contains("out of range")
            });
        let shown = String::from_utf8_lossy(&bytes);
        assert!(ours.is_ok() == theirs.is_ok() || excused, "{shown}: {ours:?}, {theirs:?}");
    }
}

#[test]
fn every_truncation_is_an_error_and_says_that_the_end_is_missing() {
    let message =
        "{\"type\":\"as\\u00e9\\ud83d\\ude00é\",\"n\":[-1.5e+3,true,false,null,{\"a\":{}},\"x\\n\"]}";
    assert_eq!(check(message.as_bytes()), Ok(()));
    for end in 0..message.len() {
        let error = check(&message.as_bytes()[..end]).unwrap_err();
        assert_eq!(error.kind, ParseErrorKind::UnexpectedEnd, "{}", &message[..end.min(15)]);
    }
}

#[test]
fn depth_is_bounded_and_costs_no_stack() {
    let keys = KeySet::new(["a"]).opaque("a");
    let nested = |open: &str, close: &str, depth: usize| open.repeat(depth) + &close.repeat(depth);
    for depth in [1, DEFAULT_MAX_DEPTH] {
        assert_eq!(check(nested("[", "]", depth).as_bytes()), Ok(()));
    }
    let too_deep = nested("[", "]", DEFAULT_MAX_DEPTH + 1);
    let error = check(too_deep.as_bytes()).unwrap_err();
    assert_eq!((error.kind, error.offset), (ParseErrorKind::TooDeep, DEFAULT_MAX_DEPTH));
    assert_eq!(
        check(&b"[".repeat(1_000_000)).unwrap_err().kind,
        ParseErrorKind::TooDeep,
        "the bound holds before the end is seen",
    );

    let mut index = Index::with_max_depth(3);
    assert!(index.parse(b"[[[1]]]", &keys).is_ok());
    assert!(index.parse(b"[[[[]]]]", &keys).is_err());
    // Inside an opaque value the levels outside count as well.
    assert!(index.parse(b"[{\"a\":[1]}]", &keys).is_ok());
    assert!(index.parse(b"[{\"a\":[[1]]}]", &keys).is_err());
    assert!(Index::with_max_depth(0).parse(b" 1 ", &keys).is_ok());
    assert!(Index::with_max_depth(0).parse(b"[]", &keys).is_err());

    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    assert!(Index::with_max_depth(usize::MAX).parse(deep.as_bytes(), &keys).is_ok());
}

#[test]
fn an_error_says_where() {
    let cases = [
        ("{\"a\":1,}", ParseErrorKind::ExpectedKey, 7),
        ("{\"a\" 1}", ParseErrorKind::ExpectedColon, 5),
        ("[1 2]", ParseErrorKind::ExpectedCommaOrBracket, 3),
        ("{\"a\":1]", ParseErrorKind::ExpectedCommaOrBrace, 6),
        ("[1,x]", ParseErrorKind::ExpectedValue, 3),
        ("\"a\\x\"", ParseErrorKind::InvalidEscape, 2),
        ("\"a\u{1}\"", ParseErrorKind::ControlCharacter, 2),
        ("[01]", ParseErrorKind::InvalidNumber, 2),
        ("{} x", ParseErrorKind::TrailingBytes, 3),
    ];
    for (text, kind, offset) in cases {
        let error = check(text.as_bytes()).unwrap_err();
        assert_eq!((error.kind, error.offset), (kind, offset), "{text}");
    }
    let error = check(b"[01]").unwrap_err();
    assert_eq!(error.to_string(), "invalid number at byte 2");
}
