//! What the streams of models hold, and the requests that ask for them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::Report;
use crate::{folders, read, recordings, repository};

/// The events of all streams. `check` is how one is judged: as a union whose
/// tags decide, or as a message of one type.
pub fn stream(report: &mut Report, check: impl Fn(&mut Report, &str, &str, &Value)) {
    for recording in recordings(report.provider) {
        let bytes = std::fs::read(recording.join("events.sse")).unwrap_or_default();
        for (line, data) in frames(&String::from_utf8_lossy(&bytes)) {
            let place = report.place(&recording, "events.sse", line);
            // The end marker of some streams, which is no message.
            if data == "[DONE]" {
                continue;
            }
            match interlingua_types::read_json(data.as_bytes()) {
                Ok(message) => check(report, "SseEvent", &place, &message),
                Err(error) => report.fault("SseEvent", &place, &error.to_string()),
            }
        }
    }
}

/// The frames of a stream with the numbers of their first lines: the data of
/// an event, or a line that is plain JSON. Lines end as the format allows, by
/// a carriage return alone too.
fn frames(stream: &str) -> Vec<(usize, String)> {
    let mut frames: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    let stream = stream.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    for (index, line) in stream.split('\n').enumerate() {
        let data = line.strip_prefix("data:").map(|data| data.strip_prefix(' ').unwrap_or(data));
        match (data, frames.last_mut()) {
            (Some(data), Some((_, frame))) if open => {
                frame.push('\n');
                frame.push_str(data);
            }
            (Some(data), _) => {
                frames.push((index + 1, data.to_owned()));
                open = true;
            }
            (None, _) if line.starts_with('{') => frames.push((index + 1, line.to_owned())),
            (None, _) => open &= !line.is_empty(),
        }
    }
    frames
}

/// The bodies of requests that failed.
pub fn failures<T: Serialize + DeserializeOwned>(report: &mut Report) {
    for recording in recordings(report.provider) {
        let body = recording.join("body.json");
        if body.exists() {
            let place = report.place(&recording, "body.json", 1);
            let message = interlingua_types::read_json(read(&body).as_bytes()).expect("a body is JSON");
            report.single::<T>("ErrorResponse", &place, &message);
        }
    }
}

/// The bodies of requests.
pub fn requests<T: Serialize + DeserializeOwned>(report: &mut Report, definition: &str) {
    let mut found = 0;
    for scenario in folders(&repository().join("resources/model-requests")) {
        let file = format!("{}.body.json", report.provider);
        let body = scenario.join(&file);
        // Not every provider can be asked everything.
        if !body.exists() {
            continue;
        }
        let name = scenario.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let message = interlingua_types::read_json(read(&body).as_bytes()).expect("a body is JSON");
        report.single::<T>(definition, &format!("{name}/{file}:1"), &message);
        found += 1;
    }
    assert!(found > 10, "only {found} requests to {} were found", report.provider);
}
