//! Every field that a recording holds is read or left out with a reason, and every longer string of a translated
//! message reaches an event, or stands in such a field.
//!
//! The same over recordings that are not in the repository: `cargo xtask coverage --captures FOLDER`.

use std::path::Path;

use xtask::coverage::{self, Conservation, LONG, Tree, conservation};
use xtask::{captures, maps, repository};

#[test]
fn no_longer_string_of_a_recording_gets_lost() {
    let root = repository();
    for (provider, conservation) in conservation(&root, &root.join(captures::FOLDER)).expect("recordings") {
        assert_eq!(conservation.lost(), 0, "{provider}:\n{}", conservation.report());
        let has_recordings =
            !captures::of(&root.join(captures::FOLDER), provider).expect("recordings").is_empty();
        assert_eq!(conservation.seen() > 0, has_recordings, "{provider}");
    }
}

#[test]
fn every_field_that_a_recording_holds_is_read_or_left_out_with_a_reason() {
    assert_eq!(coverage::unread(&repository()).expect("the ledgers"), []);
}

/// What becomes of the strings of one message of Amp, whose map is the shortest.
fn of_message(message: &str) -> Conservation {
    let root = repository();
    let maps = maps::compile(&root).expect("the bundled maps");
    let map = maps.iter().find(|map| map.table.provider == "amp").expect("the map of Amp");
    let fields = map.coverage(&root).expect("its ledger");
    let mut conservation = Conservation::default();
    conservation.add(map.table, &fields, &Tree::new(&fields), message.as_bytes());
    conservation
}

#[test]
fn a_string_that_no_rule_reads_is_lost() {
    let long = "x".repeat(LONG);
    let message = |mood: &str| {
        format!(
            r#"{{"type":"assistant","session_id":"s","mood":"{mood}","message":{{"role":"assistant","content":[{{"type":"text","text":"{long} is said"}}]}}}}"#
        )
    };
    let lost = of_message(&message(&"y".repeat(LONG)));
    assert_eq!((lost.reached, lost.lost()), (1, 1));
    assert!(lost.report().starts_with("assistant  mood  1 times, first \"yyy"), "{}", lost.report());
    // What is said elsewhere is not lost, nor is what is too short to matter.
    assert_eq!(of_message(&message(&long)).lost(), 0);
    assert_eq!(of_message(&message(&"y".repeat(LONG - 1))).lost(), 0);
}

#[test]
fn a_folder_without_recordings_is_no_error() {
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no recordings");
    let all = conservation(&repository(), &nowhere).expect("no recordings");
    assert!(all.iter().all(|(_, conservation)| conservation.seen() == 0));
}
