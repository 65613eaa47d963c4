//! How many lines of each bundled recording it takes until its provider is detected, as a table that stands in
//! `detection/lines.snap`. No recording may be taken for another provider's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use interlingua::{Detection, Detector};

/// What the recordings of one provider took.
#[derive(Default)]
struct Lines {
    /// How many lines, of each recording that is detected before its end.
    taken: Vec<usize>,
    /// How many recordings are detected at their end only: one document over several lines, or a short stream.
    at_end: usize,
    /// The recordings that no provider recognises, by scenario.
    unknown: Vec<String>,
}

#[test]
fn the_provider_of_every_recording_is_detected_within_these_lines() {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let mut providers: BTreeMap<String, Lines> = BTreeMap::new();
    for provider in folders(&captures) {
        for scenario in folders(&captures.join(&provider)).iter().flat_map(|version| {
            folders(&captures.join(&provider).join(version))
                .into_iter()
                .map(move |name| (version.clone(), name))
        }) {
            let folder = captures.join(&provider).join(&scenario.0).join(&scenario.1);
            let files = ["stdout.jsonl", "events.sse", "session.jsonl"].map(|file| folder.join(file));
            for file in files.iter().filter(|file| file.is_file()) {
                let bytes = fs::read(file).expect("a recording");
                let lines = providers.entry(provider.clone()).or_default();
                let mut detector = Detector::new();
                let taken = bytes
                    .split_inclusive(|byte| *byte == b'\n')
                    .position(|line| detector.push(line) != Detection::NeedMore);
                match detector.finish() {
                    Detection::Known(table) => {
                        let is_right = table.provider == provider
                            || interlingua::provider(&provider)
                                .is_some_and(|own| own.dialect_of == Some(table.provider));
                        assert!(is_right, "{}: taken for {}", file.display(), table.provider);
                        match taken {
                            Some(before) => lines.taken.push(before + 1),
                            None => lines.at_end += 1,
                        }
                    }
                    _ => lines.unknown.push(scenario.1.clone()),
                }
            }
        }
    }
    let mut text = String::from("provider | recordings | median | most | at the end only | not detected\n");
    for (provider, Lines { mut taken, at_end, unknown }) in providers {
        taken.sort_unstable();
        let median = taken.get(taken.len() / 2).map_or("-".to_owned(), usize::to_string);
        let most = taken.last().map_or("-".to_owned(), usize::to_string);
        let recordings = taken.len() + at_end + unknown.len();
        let unknown = if unknown.is_empty() {
            "0".to_owned()
        } else {
            format!("{}: {}", unknown.len(), unknown.join(", "))
        };
        text.push_str(&format!("{provider} | {recordings} | {median} | {most} | {at_end} | {unknown}\n"));
    }
    insta::with_settings!({ snapshot_path => "../detection", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("lines", text);
    });
}

/// The names of the folders in a folder, sorted.
fn folders(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
