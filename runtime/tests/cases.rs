//! Small inputs with assertions about the events that they give: `tests/cases/<id>/`, each with
//! `input.<any>`, the native bytes, and `case.json`, what must hold. Whatever a case asserts, its events
//! must also keep the laws, be the same when the input comes byte by byte, and account for every message.
//!
//! `CASE=text cargo test -p interlingua --test cases` runs only the cases whose id has this text.

#[path = "case_harness/mod.rs"]
mod case_harness;
mod seed_table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use case_harness::assertion::{Assertion, check};
use case_harness::pattern::{matches, mistake};
use case_harness::rewrite::{keys, meaning, rewritten, with_nulls, with_unknown_members};
use case_harness::run::{read, run, told};
use serde_json::{Value, json};

#[test]
fn every_case_holds() {
    let wanted = std::env::var("CASE").unwrap_or_default();
    let folders = cases();
    let chosen: Vec<&PathBuf> = folders.iter().filter(|folder| name(folder).contains(&wanted)).collect();
    assert!(!chosen.is_empty(), "no case is called like {wanted:?}");
    let mut report = String::new();
    let mut failed = 0;
    for folder in &chosen {
        let problems = run(folder);
        if !problems.is_empty() {
            failed += 1;
            report.push_str(&format!("\n── {} ──\n{}\n", name(folder), problems.join("\n")));
        }
    }
    assert!(failed == 0, "{failed} of {} cases fail\n{report}", chosen.len());
}

#[test]
fn a_kind_of_mistake_has_two_inputs_beside_those_that_were_reported() {
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for folder in cases() {
        let (case, ..) = read(&folder).expect("a case");
        let count = kinds.entry(case.kind).or_default();
        match name(&folder).starts_with(|first: char| first.is_ascii_digit()) {
            true => count.0 += 1,
            false => count.1 += 1,
        }
    }
    let lacking = kinds.iter().filter(|(_, (reported, own))| *reported > 0 && *own < 2);
    let lacking: Vec<&String> = lacking.map(|(kind, _)| kind).collect();
    assert!(lacking.is_empty(), "write two inputs of your own for {lacking:?}");

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/kinds.json");
    let text = fs::read_to_string(&file).expect("tests/cases/kinds.json");
    let named: BTreeMap<String, String> = serde_json::from_str(&text).expect("kinds with what goes wrong");
    let (named, used): (BTreeSet<_>, BTreeSet<_>) = (named.keys().collect(), kinds.keys().collect());
    assert_eq!(named, used, "the kinds of kinds.json, and those of the cases");
}

#[test]
fn what_means_the_same_is_told_the_same() {
    let cases: Vec<_> = cases().iter().map(|folder| (name(folder), read(folder).expect("a case"))).collect();
    // Whatever is a member somewhere may be null anywhere.
    let mut members: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (_, (case, _, input)) in &cases {
        members.entry(&case.from).or_default().extend(keys(input));
    }
    let mut wrong = Vec::new();
    let mut changed = 0;
    for (name, (case, table, input)) in &cases {
        let nulls = |message: &mut Value| with_nulls(message, &members[case.from.as_str()]);
        let ways: [(&str, Vec<u8>); 3] = [
            ("members in another order", rewritten(input, &|_| {})),
            ("members that nobody knows", rewritten(input, &with_unknown_members)),
            ("null for what is absent", rewritten(input, &nulls)),
        ];
        let plain: Vec<Value> = told(table, input).iter().map(meaning).collect();
        for (way, stream) in ways {
            changed += usize::from(stream != *input);
            let events: Vec<Value> = told(table, &stream).iter().map(meaning).collect();
            if events != plain {
                let place = plain.iter().zip(&events).take_while(|(one, other)| one == other).count();
                wrong.push(format!(
                    "{name}, {way}:\n    {:?}\n    {:?}",
                    plain.get(place),
                    events.get(place)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        changed > 2 * cases.len(),
        "only {changed} streams of {} cases were written otherwise",
        cases.len()
    );
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = fs::read_dir(&root).expect("the folder tests/cases");
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry of tests/cases").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

// What follows tests the harness itself: a wrong assertion must fail.

fn events() -> Vec<Value> {
    let item = json!({"item_id": "m", "content": []});
    let done = json!({"item_id": "m", "status": "completed", "content": [{"type": "text", "text": "ab"}]});
    let delta = |text: &str| json!({"type": "item.delta", "data": {"item_id": "m", "part": 0, "channel": "text", "delta": text}});
    vec![
        json!({"type": "item.started", "data": {"item": item}}),
        delta("a"),
        delta("b"),
        json!({"type": "item.completed", "data": {"item": done}}),
    ]
}

fn verdict(assertion: Value) -> Result<(), String> {
    let assertion: Assertion = serde_json::from_value(assertion).expect("an assertion");
    check(&assertion, &events(), &json!({"messages": 3, "unparsed": 0, "ignored": {"echo": 2}}))
}

#[test]
fn right_assertions_hold_and_wrong_ones_fail() {
    let right = [
        json!({"count": {"match": {"type": "item.delta"}, "is": 2}}),
        json!({"count": {"match": {"type": "error"}, "is": 0}}),
        json!({"some": {"data": {"item": {"content": [{"text": "ab"}]}}}}),
        json!({"none": {"type": "error"}}),
        json!({"sequence": [{"type": "item.started"}, {"data": {"delta": "b"}}, {"type": "item.completed"}]}),
        json!({"text": {"item": "m", "part": 0, "is": "ab"}}),
        json!({"stats": {"unparsed": 0, "ignored": {"echo": 2}}}),
    ];
    for assertion in right {
        assert_eq!(verdict(assertion.clone()), Ok(()), "{assertion}");
    }
    let wrong = [
        json!({"count": {"match": {"type": "item.delta"}, "is": 1}}),
        json!({"some": {"type": "error"}}),
        json!({"none": {"data": {"delta": {"$any": true}}}}),
        json!({"sequence": [{"data": {"delta": "b"}}, {"data": {"delta": "a"}}]}),
        json!({"sequence": [{"data": {"delta": "a"}}, {"data": {"delta": "a"}}]}),
        json!({"text": {"item": "m", "part": 0, "is": "a"}}),
        json!({"text": {"item": "m", "part": 1, "is": "ab"}}),
        json!({"text": {"item": "other", "part": 0, "is": ""}}),
        json!({"stats": {"unparsed": 1}}),
        json!({"stats": {"unparsd": 0}}),
    ];
    for assertion in wrong {
        assert!(verdict(assertion.clone()).is_err(), "{assertion} must fail");
    }
}

#[test]
fn a_text_must_be_both_streamed_and_whole() {
    let assertion = Assertion::Text { item: "m".to_string(), part: 0, is: "ab".to_string() };
    for missing in [1, 3] {
        let mut events = events();
        events.remove(missing);
        assert!(check(&assertion, &events, &json!({})).is_err(), "without event {missing}");
    }
}

#[test]
fn a_failure_shows_the_events_that_it_is_about() {
    let problem = verdict(json!({"none": {"data": {"delta": "a"}}})).expect_err("a failure");
    assert!(problem.contains("\"delta\":\"a\"") && !problem.contains("\"delta\":\"b\""), "{problem}");
}

#[test]
fn patterns_are_subsets() {
    let value = json!({"a": {"b": 1, "c": null}, "list": [1, {"x": "hello"}]});
    let holds = |pattern: Value| matches(&pattern, Some(&value));
    assert!(holds(json!({"a": {"b": 1.0}})));
    assert!(holds(json!({"a": {"c": {"$absent": true}, "d": {"$absent": true}}})));
    assert!(holds(json!({"a": {"c": null}})));
    assert!(holds(json!({"list": {"$has": {"x": {"$starts": "he"}}}})));
    assert!(holds(json!({"list": [1, {"$any": true}]})));
    assert!(!holds(json!({"a": {"b": {"$absent": true}}})));
    assert!(!holds(json!({"a": {"c": {"$any": true}}})));
    assert!(!holds(json!({"list": [1]})));
    assert!(!holds(json!({"list": {"$has": {"x": {"$starts": "lo"}}}})));
    assert!(!holds(json!({"a": []})));
    assert!(!holds(json!({"missing": {"b": 1}})));
}

#[test]
fn a_misspelt_pattern_or_assertion_is_an_error() {
    assert!(mistake(&json!({"a": {"$start": "x"}})).is_some());
    assert!(mistake(&json!({"a": {"$any": true, "b": 1}})).is_some());
    assert!(mistake(&json!([{"a": {"$has": {"$absent": true}}}])).is_none());
    assert!(verdict(json!({"none": {"data": {"$has_not": 1}}})).is_err());
    assert!(serde_json::from_value::<Assertion>(json!({"never": {}})).is_err());
}
