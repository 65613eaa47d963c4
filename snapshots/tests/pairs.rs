//! Live fold = replay fold: for each bundled session file beside a bundled stream of the same run, both transcripts are
//! equal but for what `pairs/<provider>.json` declares for this pair, with its reason. A declaration that no longer applies
//! fails.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use interlingua_snapshots::pairs::{differences, streamed, written};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    difference: String,
    /// The pairs that have it, as `VERSION/SCENARIO`.
    r#in: BTreeSet<String>,
    because: String,
}

#[test]
fn a_stream_and_its_session_file_tell_the_same() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let found: RefCell<BTreeMap<String, BTreeMap<String, BTreeSet<String>>>> = RefCell::default();
    insta::glob!("../../resources/captures", "*/*/*/session.jsonl", |path| {
        let mut folders = path
            .ancestors()
            .skip(1)
            .filter_map(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned());
        let (Some(scenario), Some(version), Some(provider)) =
            (folders.next(), folders.next(), folders.next())
        else {
            panic!("PROVIDER/VERSION/SCENARIO")
        };
        let file_table = interlingua::provider(&provider).expect("a bundled provider");
        let Some(stream_table) = interlingua::provider(file_table.written_by) else { return };
        let folder = captures.join(stream_table.provider).join(&version).join(&scenario);
        if !folder.is_dir() {
            return;
        }
        let stream = streamed(stream_table, &folder).expect("a recorded stream");
        let file = written(file_table, path).expect("a recorded session file");
        let different = differences(&stream, &file);
        found.borrow_mut().entry(provider).or_default().insert(format!("{version}/{scenario}"), different);
    });
    let found = found.into_inner();
    // A provider whose files nothing is compared with would be declared equal by nobody.
    let paired: Vec<&str> = found.keys().map(String::as_str).collect();
    let written: Vec<&str> = interlingua::registry::providers()
        .iter()
        .filter(|table| !table.written_by.is_empty())
        .map(|table| table.provider)
        .collect();
    assert_eq!(paired, written, "each provider of session files needs a pair");
    let mut faults = Vec::new();
    for (provider, pairs) in &found {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs").join(format!("{provider}.json"));
        let declared = fs::read_to_string(&path).unwrap_or_else(|_| "[]".to_owned());
        let declared: Vec<Declared> = serde_json::from_str(&declared).expect("declared differences");
        for (pair, different) in pairs {
            for difference in different {
                let is_declared =
                    declared.iter().any(|one| one.difference == *difference && one.r#in.contains(pair));
                if !is_declared {
                    faults.push(format!("{provider} {pair}: `{difference}` is not declared"));
                }
            }
        }
        for Declared { difference, r#in, because } in &declared {
            assert!(!because.trim().is_empty(), "{provider}: `{difference}` needs its reason");
            assert!(!r#in.is_empty(), "{provider}: `{difference}` names no pair");
            for pair in r#in {
                if !pairs.get(pair).is_some_and(|different| different.contains(difference)) {
                    faults.push(format!("{provider} {pair}: the declared `{difference}` no longer applies"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
