//! Finding values: keys, items, opaque parts, numbers.

use interlingua::json::{Index, KeyId, KeySet, Kind};

use super::support::{KEYS, Random, expected, text, tree};

#[test]
fn finds_the_same_content_as_serde_json_in_random_values() {
    let keys = KeySet::new(KEYS);
    let none = KeySet::new([""; 0]);
    let mut index = Index::new();
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let text = text(&mut random, 4);
        let expected = expected(text.as_bytes()).unwrap();
        for keys in [&keys, &none] {
            let document = index.parse(text.as_bytes(), keys).unwrap();
            let root = document.root();
            assert_eq!(tree(root), expected, "{text}");
            assert_eq!(root.raw(), text.trim_matches([' ', '\t', '\r', '\n']));
        }
    }
}

#[test]
fn known_keys_are_found_by_id_and_every_key_by_text() {
    let keys = KeySet::new(KEYS);
    let mut index = Index::new();
    let mut random = Random::new(2);
    let mut found = 0;
    for _ in 0..2000 {
        let text = text(&mut random, 3);
        let expected = expected(text.as_bytes()).unwrap();
        let document = index.parse(text.as_bytes(), &keys).unwrap();
        let root = document.root();
        for name in KEYS {
            let by_id = root.get(keys.id(name)).map(tree);
            assert_eq!(by_id.as_ref(), expected.get(name), "{name} in {text}");
            assert_eq!(root.get_str(name).map(tree), by_id);
            found += usize::from(by_id.is_some());
        }
        for field in root.fields() {
            assert_eq!(keys.id(&field.key()), field.key_id());
            assert!(root.get_str(&field.key()).is_some());
        }
        assert_eq!(root.len(), root.items().count() + root.entries().count());
        assert_eq!(root.is_empty(), root.fields().chain(root.items()).next().is_none());
    }
    assert!(found > 500, "the random texts hold known keys: {found}");
}

#[test]
fn a_key_set_tells_similar_keys_apart() {
    // Same length, same first and last eight bytes; prefixes; many keys.
    let mut names: Vec<String> = (0..3000).map(|n| format!("key{n}")).collect();
    names.extend((0..20).map(|n| format!("beginning{}", "x".repeat(n))));
    names.extend((10..30).map(|n| format!("beginning-{n}-the-ending")));
    names.push(String::new());
    names.push("é".repeat(40));
    let keys = KeySet::new(&names);
    assert_eq!(keys.len(), names.len());
    for name in &names {
        assert_eq!(keys.name(keys.id(name)), Some(name.as_str()));
        let other = format!("{name}?");
        assert_eq!(keys.id(&other), KeyId::UNKNOWN);
    }
    assert_eq!(keys.id("beginning-99-the-ending"), KeyId::UNKNOWN);
    assert_eq!(keys.id("a\0"), KeyId::UNKNOWN);
    let zeros = KeySet::new(["a", "a\0", "a\0\0"]);
    assert_eq!(["a", "a\0", "a\0\0", "a\0\0\0"].map(|name| zeros.id(name).get()), [1, 2, 3, 0]);
}

#[test]
fn the_first_of_duplicate_keys_counts_and_all_are_entries() {
    let keys = KeySet::new(["id"]);
    let mut index = Index::new();
    let document = index.parse(br#"{"id":"item_1","x":1,"\u0069d":"ws_2","x":2}"#, &keys).unwrap();
    let root = document.root();
    assert_eq!(root.get(keys.id("id")).unwrap().as_str().unwrap(), "item_1");
    assert_eq!(root.get_str("x").unwrap().raw(), "1");
    let entries: Vec<_> = root.entries().map(|(key, value)| (key.into_owned(), value.raw())).collect();
    let expected = [("id", "\"item_1\""), ("x", "1"), ("id", "\"ws_2\""), ("x", "2")];
    assert_eq!(entries, expected.map(|(key, raw)| (key.to_owned(), raw)));
    // The escaped spelling of a known key is the same key.
    assert!(root.fields().nth(2).unwrap().key_id().is_known());
}

#[test]
fn raw_text_keeps_the_whitespace_inside_and_none_around() {
    let keys = KeySet::new(["input"]);
    let mut index = Index::new();
    let document = index.parse(b" { \"input\" : { \"a\" : [ 1 , 2 ] } , \"b\":\"\\n\" } ", &keys).unwrap();
    let root = document.root();
    let input = root.get(keys.id("input")).unwrap();
    assert_eq!(input.raw(), "{ \"a\" : [ 1 , 2 ] }");
    assert_eq!(&root.document().text()[input.offset()..][..3], "{ \"");
    assert_eq!(root.get_str("b").unwrap().raw(), "\"\\n\"");
    assert_eq!(root.document().at(input.id()).raw(), input.raw());
}

#[test]
fn opaque_and_skipped_values_are_checked_but_not_entered() {
    let text = r#"{"input":{"id":[1,{"id":2}]},"other":{"id":3},"id":{"x":{"id":4},"y":5},"e":{}}"#;
    let keys = KeySet::new(["id", "input"]).opaque("input").skipping_unknown();
    let id = keys.id("id");
    let mut index = Index::new();
    let document = index.parse(text.as_bytes(), &keys).unwrap();
    let root = document.root();

    let input = root.get(keys.id("input")).unwrap();
    assert!(input.is_opaque() && input.is_object() && input.get(id).is_none());
    assert_eq!(input.raw(), r#"{"id":[1,{"id":2}]}"#);
    assert!(root.get_str("other").unwrap().is_opaque());
    assert!(root.get(id).unwrap().get_str("x").unwrap().is_opaque());
    assert_eq!(root.get(id).unwrap().get_str("y").unwrap().as_u64(), Some(5));
    assert_eq!(root.len(), 4);

    // Looking inside later: index the raw text.
    let mut inner = Index::new();
    let inside = inner.parse(input.raw().as_bytes(), &keys).unwrap();
    let inside = inside.root();
    assert_eq!(inside.get(id).unwrap().item(1).unwrap().get(id).unwrap().as_i64(), Some(2));

    // What is not entered is checked all the same.
    for broken in [r#"{"input":{"a":01}}"#, r#"{"zzz":[1,]}"#, r#"{"input":{"a" 1}}"#, r#"{"input":["\x"]}"#]
    {
        assert!(index.parse(broken.as_bytes(), &keys).is_err(), "{broken}");
    }
}

#[test]
fn everything_inside_an_open_key_is_indexed() {
    let text = r#"{"files":{"a.rs":{"input":{"id":1}},"b.rs":[{"z":{"id":2}}]},"z":{"id":3}}"#;
    let keys = KeySet::new(["id", "input", "files"]).opaque("input").open("files").skipping_unknown();
    let id = keys.id("id");
    let mut index = Index::new();
    let document = index.parse(text.as_bytes(), &keys).unwrap();
    let root = document.root();
    let files: Vec<_> = root.get(keys.id("files")).unwrap().entries().collect();
    assert_eq!(files[0].1.get(keys.id("input")).unwrap().get(id).unwrap().as_i64(), Some(1));
    assert_eq!(files[1].1.item(0).unwrap().get_str("z").unwrap().get(id).unwrap().as_i64(), Some(2));
    assert!(root.get_str("z").unwrap().is_opaque());
}

#[test]
fn an_index_is_reused_and_empty_after_an_error() {
    let keys = KeySet::new(["a"]);
    let mut index = Index::new();
    assert!(index.parse(b"[1,2,3,{\"a\":[[[", &keys).is_err());
    let document = index.parse(b"{\"a\":1}", &keys).unwrap();
    let root = document.root();
    assert_eq!((root.id(), root.len()), (0, 1));
    assert_eq!(root.get(keys.id("a")).unwrap().as_i64(), Some(1));
}

#[test]
fn numbers_keep_their_text_and_convert_by_value() {
    let keys = KeySet::new([""; 0]);
    let mut index = Index::new();
    type Case = (&'static str, Option<i64>, Option<u64>, Option<f64>);
    let cases: [Case; 14] = [
        ("0", Some(0), Some(0), Some(0.0)),
        ("-0", Some(0), Some(0), Some(-0.0)),
        ("42", Some(42), Some(42), Some(42.0)),
        ("-7", Some(-7), None, Some(-7.0)),
        ("7.0", Some(7), Some(7), Some(7.0)),
        ("1e3", Some(1000), Some(1000), Some(1000.0)),
        ("-2.0e1", Some(-20), None, Some(-20.0)),
        ("1.5", None, None, Some(1.5)),
        ("9223372036854775807", Some(i64::MAX), Some(i64::MAX as u64), Some(i64::MAX as f64)),
        ("-9223372036854775808", Some(i64::MIN), None, Some(i64::MIN as f64)),
        ("18446744073709551615", None, Some(u64::MAX), Some(u64::MAX as f64)),
        ("18446744073709551616", None, None, Some(u64::MAX as f64)),
        ("1e30", None, None, Some(1e30)),
        ("1e999", None, None, None),
    ];
    for (text, signed, unsigned, float) in cases {
        let document = index.parse(text.as_bytes(), &keys).unwrap();
        let value = document.root();
        assert_eq!(value.as_i64(), signed, "{text}");
        assert_eq!(value.as_u64(), unsigned, "{text}");
        assert_eq!(value.as_f64(), float, "{text}");
        assert_eq!(value.scalar_text().unwrap(), text);
    }
    let digits = "1".repeat(100_000);
    assert_eq!(index.parse(digits.as_bytes(), &keys).unwrap().root().raw(), digits);
}

#[test]
fn each_kind_answers_only_its_own_questions() {
    let keys = KeySet::new([""; 0]);
    let mut index = Index::new();
    let document = index.parse(br#"[null,true,false,1,"s","\n",[],{}]"#, &keys).unwrap();
    let root = document.root();
    use Kind::{Array, EscapedString, False, Null, Number, Object, String, True};
    let kinds: Vec<_> = root.items().map(|value| value.kind()).collect();
    assert_eq!(kinds, [Null, True, False, Number, String, EscapedString, Array, Object]);
    let texts: Vec<_> = root.items().map(|value| value.scalar_text().map(|t| t.into_owned())).collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(texts, [None, some("true"), some("false"), some("1"), some("s"), some("\n"), None, None]);
    let bools: Vec<_> = root.items().filter_map(|value| value.as_bool()).collect();
    assert_eq!(bools, [true, false]);
    for value in root.items() {
        assert_eq!(value.is_null(), value.kind() == Null);
        assert_eq!(value.is_number(), value.as_f64().is_some());
        assert_eq!(value.is_string(), value.as_str().is_some());
        assert_eq!(value.is_string(), value.write_str(&mut std::string::String::new()));
        assert!(value.get_str("x").is_none() && value.item(0).is_none() && value.is_empty());
        assert_eq!((value.key().as_ref(), value.key_id()), ("", KeyId::UNKNOWN));
    }
    assert!(root.item(4).unwrap().is_str("s") && root.item(5).unwrap().is_str("\n"));
    assert!(!root.item(3).unwrap().is_str("1"));
    assert!(root.get(KeyId::UNKNOWN).is_none());
}
