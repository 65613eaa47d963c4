//! Streams that no sound agent sends: whatever happens to the bytes, the laws hold.

use std::fs;
use std::path::Path;

use super::support::{hold_laws, hold_prefixes};

/// A small generator of numbers, so that every run makes the same streams.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// The lines of all recorded streams.
fn lines() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/streams");
    let mut files: Vec<_> = fs::read_dir(folder).expect("the streams are there").flatten().collect();
    files.sort_by_key(fs::DirEntry::path);
    let mut lines = Vec::new();
    for file in files.iter().filter(|file| file.path().extension().is_some_and(|end| end == "jsonl")) {
        let stream = fs::read(file.path()).expect("a stream can be read");
        lines.extend(stream.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
    }
    lines
}

#[test]
fn lines_of_all_streams_in_any_order_keep_the_laws() {
    let lines = lines();
    let mut numbers = Numbers(0x9e37_79b9);
    for _ in 0..150 {
        let mut stream = Vec::new();
        for _ in 0..numbers.below(120) {
            stream.extend_from_slice(&lines[numbers.below(lines.len())]);
            stream.push(b'\n');
        }
        hold_laws(&stream);
    }
}

#[test]
fn few_ids_that_are_used_for_everything_keep_the_laws() {
    let lines = lines();
    let mut numbers = Numbers(0x51f4_2d4c);
    for _ in 0..150 {
        let mut stream = String::new();
        for _ in 0..numbers.below(60) {
            let line = String::from_utf8_lossy(&lines[numbers.below(lines.len())]).into_owned();
            let Ok(mut message) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
            if let Some(members) = message.as_object_mut() {
                for name in ["id", "call", "message", "turn", "session", "agent", "key"] {
                    if members.contains_key(name) {
                        let id = ["x", "y", "x/result", "turn-1", "message-1"][numbers.below(5)];
                        members.insert(name.to_owned(), id.into());
                    }
                }
            }
            stream.push_str(&message.to_string());
            stream.push('\n');
        }
        hold_laws(stream.as_bytes());
        hold_prefixes(stream.as_bytes());
    }
}

#[test]
fn damaged_bytes_keep_the_laws() {
    let lines = lines();
    let mut numbers = Numbers(0x1405_7b7e);
    for _ in 0..200 {
        let mut stream = Vec::new();
        for _ in 0..numbers.below(30) {
            stream.extend_from_slice(&lines[numbers.below(lines.len())]);
            stream.push(b'\n');
        }
        for _ in 0..numbers.below(20) {
            let at = numbers.below(stream.len());
            match numbers.below(3) {
                0 => stream.truncate(at.max(stream.len() / 2)),
                1 if !stream.is_empty() => stream[at] = numbers.below(256) as u8,
                _ if !stream.is_empty() => drop(stream.remove(at)),
                _ => {}
            }
        }
        hold_laws(&stream);
    }
}

#[test]
fn members_of_any_type_keep_the_laws() {
    let lines = lines();
    let mut numbers = Numbers(0x7f4a_7c15);
    let odd: [serde_json::Value; 7] = [
        serde_json::Value::Null,
        true.into(),
        12.5.into(),
        "text".into(),
        serde_json::json!([]),
        serde_json::json!({ "type": "x", "a": [1] }),
        serde_json::json!([null, "a", { "type": "call" }, { "type": "text", "text": 5 }, { "type": "new" }]),
    ];
    for _ in 0..200 {
        let mut stream = String::new();
        for _ in 0..numbers.below(40) {
            let line = String::from_utf8_lossy(&lines[numbers.below(lines.len())]).into_owned();
            let Ok(mut message) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
            if let Some(members) = message.as_object_mut() {
                let count = members.len();
                let chosen = numbers.below(count);
                if let Some((name, value)) = members.iter_mut().nth(chosen)
                    && name != "type"
                {
                    *value = odd[numbers.below(odd.len())].clone();
                }
            }
            stream.push_str(&message.to_string());
            stream.push('\n');
        }
        hold_laws(stream.as_bytes());
    }
}
