//! Every recording's message, as the provider's library and the author of the recording have it. What differs by design stands
//! in `differences.json`, each with its reason, and so does where the library is wrong.

use serde::Deserialize;
use serde_json::Value;

use super::answer::{Answer, forget};
use super::expected::expected;
use super::intended::intended;
use super::recordings::{Recording, all, translate};

/// A declared difference.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// The provider; `*` is any.
    provider: String,
    /// The recordings that differ.
    scenarios: Vec<String>,
    /// From what: `library` or `meaning`.
    from: String,
    because: String,
}

fn differences() -> Vec<Difference> {
    serde_json::from_str(include_str!("differences.json")).expect("differences.json")
}

#[test]
fn every_answer_is_what_the_library_and_the_author_say() {
    let declared = differences();
    let mut used = vec![Vec::new(); declared.len()];
    let mut report = String::new();
    let recordings = all();
    for recording in &recordings {
        for (from, wrong) in judge(recording) {
            let known = declared.iter().position(|difference| {
                difference.from == from
                    && (difference.provider == "*" || difference.provider == recording.provider)
                    && difference.scenarios.contains(&recording.scenario)
            });
            match (known, wrong.is_empty()) {
                (Some(known), false) => used[known].push(recording.scenario.clone()),
                (None, false) => {
                    report.push_str(&format!(
                        "── {} differs from the {from}\n  {}\n",
                        recording.name(),
                        wrong.join("\n  ")
                    ));
                }
                (_, true) => {}
            }
        }
    }
    assert!(report.is_empty(), "{report}");
    // With other recordings than the bundled ones, not every difference need be there.
    if std::env::var_os("MODEL_STREAMS").is_none() {
        for (difference, used) in declared.iter().zip(&used) {
            assert!(!difference.because.is_empty());
            for scenario in &difference.scenarios {
                assert!(
                    used.contains(scenario),
                    "{}/{scenario} does not differ any more",
                    difference.provider
                );
            }
        }
    }
}

/// How an answer differs from what the library and the author make of it.
fn judge(recording: &Recording) -> Vec<(&'static str, Vec<String>)> {
    let outcome = translate(recording.table(), [&recording.wire[..]]);
    let ours = Answer::ours(&outcome.chunks, &outcome.message);
    let mut verdicts = Vec::new();
    let file = recording.json("intended.json");
    match &file {
        Some(file) => verdicts.push(("meaning", compare(&ours, &intended(&recording.provider, file)))),
        // The body of a failed request has a message, which the library's error repeats.
        None => {
            let error = recording.json("expected.json").expect("expected.json");
            let said = ours.finish.as_deref().and_then(|finish| finish.strip_prefix("error: "));
            let is_same =
                said.is_some_and(|said| error["sdk_error"].as_str().is_some_and(|all| all.contains(said)));
            let problem = format!("finish: {:?}, the library has {error}", ours.finish);
            verdicts.push(("meaning", if is_same { Vec::new() } else { vec![problem] }));
            return verdicts;
        }
    }
    if let Some(file) = recording.json("expected.json") {
        verdicts.push(("library", library(&ours, &recording.provider, &file)));
    }
    verdicts
}

fn library(ours: &Answer, provider: &str, file: &Value) -> Vec<String> {
    match expected(provider, file) {
        Ok(theirs) => compare(ours, &theirs),
        // A library that gives up agrees with an answer that was cut or has failed.
        Err(error) => match ours.finish.as_deref() {
            Some(finish) if finish == "aborted" || finish.starts_with("error: ") => Vec::new(),
            finish => vec![format!("finish: {finish:?}, but the library gives up: {error}")],
        },
    }
}

fn compare(ours: &Answer, theirs: &Answer) -> Vec<String> {
    let mut ours = ours.clone();
    forget(&mut ours, theirs);
    ours.differences(theirs, "theirs")
}
