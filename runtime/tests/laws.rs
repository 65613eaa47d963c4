//! Each law has an input that breaks it and no other law.

use interlingua::laws::{self, Checker, Example, Law, Violation};
use interlingua::{Event, Stats};

/// The values of an example's lines.
fn values<T: serde::de::DeserializeOwned>(example: &Example) -> Vec<T> {
    let lines = example.lines.lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// What the checker of one stream finds.
fn check(events: &[Event]) -> Vec<Violation> {
    let mut checker = Checker::new();
    let mut broken: Vec<Violation> = events.iter().flat_map(|event| checker.feed(event)).collect();
    broken.extend(checker.finish());
    broken
}

/// What the checks find in a law's example.
fn judge(law: Law) -> Vec<Violation> {
    match (law, law.example()) {
        (Law::Totality, [counts]) => values::<Stats>(counts).iter().filter_map(laws::totality).collect(),
        (Law::Determinism, [first, second]) => {
            let (first, second) = (values(first), values(second));
            [check(&first), check(&second)]
                .into_iter()
                .flatten()
                .chain(laws::determinism(&first, &second))
                .collect()
        }
        (Law::Prefix, [prefix, whole]) => {
            let (prefix, whole) = (values(prefix), values(whole));
            check(&whole).into_iter().chain(laws::prefix(&prefix, &whole)).collect()
        }
        (Law::Bounds, [sizes]) => {
            values::<Vec<usize>>(sizes).iter().filter_map(|sizes| laws::bounds(sizes)).collect()
        }
        (Law::NothingLost, [texts, events]) => {
            let (texts, events) = (values::<String>(texts), values(events));
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            check(&events).into_iter().chain(laws::nothing_lost(&texts, &events)).collect()
        }
        (_, [events]) => check(&values(events)),
        (law, examples) => panic!("{law} has {} inputs, which no check takes", examples.len()),
    }
}

#[test]
fn each_example_breaks_its_law_and_no_other() {
    for law in Law::ALL {
        let broken = judge(law);
        assert!(!broken.is_empty(), "the example of {law} breaks nothing");
        for violation in broken {
            assert_eq!(violation.law, law, "{violation}");
        }
    }
}

#[test]
fn the_laws_are_numbered_in_order_and_have_a_name_of_their_own() {
    for (number, law) in (1..).zip(Law::ALL) {
        assert_eq!(law.number(), number);
        assert_eq!(Law::ALL.iter().filter(|other| other.name() == law.name()).count(), 1, "{law}");
    }
}

#[test]
fn a_law_is_visible_in_events_where_its_example_is_one_stream_of_events() {
    for law in Law::ALL {
        let is_one_stream = matches!(law.example(), [Example { title: "events", .. }]);
        assert_eq!(law.is_visible_in_events(), is_one_stream, "{law}");
    }
}
