//! Decoding of strings, above all of half surrogate pairs.

use std::borrow::Cow;

use interlingua::json::{Index, KeySet};

fn decode(text: &str) -> String {
    let mut index = Index::new();
    let keys = KeySet::new([""; 0]);
    let document = index.parse(text.as_bytes(), &keys).unwrap();
    let value = document.root();
    let decoded = value.as_str().unwrap().into_owned();
    let mut written = String::from("> ");
    assert!(value.write_str(&mut written));
    assert_eq!(written, format!("> {decoded}"));
    decoded
}

/// Joins the parts of a text, as a stream's deltas come.
fn join(parts: &[&str]) -> (String, Option<u16>) {
    let (mut out, mut pending) = (String::new(), None);
    let mut index = Index::new();
    let keys = KeySet::new([""; 0]);
    for part in parts {
        pending = index.parse(part.as_bytes(), &keys).unwrap().root().decode_with(pending, &mut out);
    }
    (out, pending)
}

#[test]
fn escapes() {
    assert_eq!(decode(r#""\"\\\/\b\f\n\r\t""#), "\"\\/\u{8}\u{c}\n\r\t");
    assert_eq!(decode(r#""\u0041\u00e9\u20AC\uD83D\uDE00\u0000""#), "Aé€😀\0");
    assert_eq!(decode(r#""é \n€\\n😀""#), "é \n€\\n😀");
}

#[test]
fn a_string_without_escapes_is_borrowed() {
    let mut index = Index::new();
    let keys = KeySet::new([""; 0]);
    let document = index.parse("\"é plain\"".as_bytes(), &keys).unwrap();
    let value = document.root();
    assert!(matches!(value.as_str(), Some(Cow::Borrowed("é plain"))));
}

#[test]
fn lone_surrogates_become_replacement_characters() {
    assert_eq!(decode(r#""\ud83d""#), "\u{fffd}");
    assert_eq!(decode(r#""\ude00""#), "\u{fffd}");
    assert_eq!(decode(r#""\ude00\ud83d""#), "\u{fffd}\u{fffd}");
    assert_eq!(decode(r#""\ud83d\ud83d\ude00""#), "\u{fffd}😀");
    assert_eq!(decode(r#""a\ud83db\ude00c""#), "a\u{fffd}b\u{fffd}c");
    assert_eq!(decode(r#""\ud83d\n\ude00""#), "\u{fffd}\n\u{fffd}");
    assert_eq!(decode(r#""\ud83d\u0041""#), "\u{fffd}A");
    let mut index = Index::new();
    let keys = KeySet::new([""; 0]);
    let document = index.parse(br#"{"\ud83d":1}"#, &keys).unwrap();
    let root = document.root();
    assert_eq!(root.get_str("\u{fffd}").unwrap().as_i64(), Some(1));
}

#[test]
fn a_pair_split_over_two_parts_is_joined() {
    assert_eq!(join(&[r#""a\ud83d""#, r#""\ude00b""#]), ("a😀b".into(), None));
    assert_eq!(join(&[r#""\ud83d""#, r#""""#, r#""\ude00""#]), ("😀".into(), None));
    assert_eq!(join(&[r#""\ud83d""#, "null", r#""\ude00""#]), ("😀".into(), None));
    assert_eq!(join(&[r#""\ud83d\ude00\ud83d""#, r#""\ude00""#]), ("😀😀".into(), None));
}

#[test]
fn a_half_without_its_other_half_is_replaced_or_handed_back() {
    assert_eq!(join(&[r#""a\ud83d""#]), ("a".into(), Some(0xd83d)));
    assert_eq!(join(&[r#""a\ud83d""#, r#""b""#]), ("a\u{fffd}b".into(), None));
    assert_eq!(join(&[r#""\ud83d""#, r#""\n""#]), ("\u{fffd}\n".into(), None));
    assert_eq!(join(&[r#""\ud83d""#, r#""\ud83e""#]), ("\u{fffd}".into(), Some(0xd83e)));
    assert_eq!(join(&[r#""a""#, r#""\ude00b""#]), ("a\u{fffd}b".into(), None));
}

#[test]
fn every_cut_of_a_text_in_utf_16_units_joins_to_the_same_text() {
    let text = "a😀é\u{10ffff}\n\"z";
    let units: Vec<String> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    for cut in 0..=units.len() {
        let parts = [&units[..cut], &units[cut..]].map(|part| format!("\"{}\"", part.concat()));
        assert_eq!(join(&[&parts[0], &parts[1]]), (text.into(), None), "cut at {cut}");
    }
}
