//! Live fold = replay fold: for each bundled session file beside a bundled stream of the same run, both transcripts are
//! equal but for what `pairs/<provider>.json` declares, with its reason. A declaration that no longer applies fails.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use interlingua_snapshots::pairs::{differences, is_declared, streamed, written};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    difference: String,
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
    assert!(found.len() >= 3, "pairs of {} providers only", found.len());
    let mut faults = Vec::new();
    for (provider, pairs) in &found {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs").join(format!("{provider}.json"));
        let declared = fs::read_to_string(&path).unwrap_or_else(|_| "[]".to_owned());
        let declared: Vec<Declared> = serde_json::from_str(&declared).expect("declared differences");
        for (pair, different) in pairs {
            for difference in different {
                if !declared.iter().any(|one| is_declared(&one.difference, difference)) {
                    faults.push(format!("{provider} {pair}: `{difference}` is not declared"));
                }
            }
        }
        for one in &declared {
            assert!(!one.because.trim().is_empty(), "{provider}: `{}` needs its reason", one.difference);
            if !pairs.values().flatten().any(|difference| is_declared(&one.difference, difference)) {
                faults.push(format!(
                    "{provider}: the declared `{}` no longer applies: delete it",
                    one.difference
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
