//! The bundled recordings: streams as they really come.

use std::path::{Path, PathBuf};

use interlingua::framing::{DEFAULT_LIMIT, FramingKind};

use super::support::frames;

fn recordings(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            recordings(&path, found);
        } else if path.extension().is_some_and(|end| end == "jsonl" || end == "sse") {
            found.push(path);
        }
    }
}

#[test]
fn every_recording_gives_the_same_messages_in_slices_of_any_size() {
    let mut paths = Vec::new();
    recordings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures"), &mut paths);
    assert!(paths.len() > 10, "recordings are there: {}", paths.len());
    for path in paths {
        let stream = std::fs::read(&path).unwrap();
        let is_sse = path.extension().is_some_and(|end| end == "sse");
        let kind = if is_sse { FramingKind::Sse } else { FramingKind::Lines };
        let whole = frames(kind, DEFAULT_LIMIT, [&stream[..]]);
        for size in [61, 4096] {
            let cut = frames(kind, DEFAULT_LIMIT, stream.chunks(size));
            assert!(cut == whole, "{} by {size}", path.display());
        }
        for frame in &whole {
            let start = frame.offset as usize;
            let place = format!("{}:{}", path.display(), frame.line);
            // A message of several data lines has their names between them.
            let first = frame.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            assert!(stream[start..].starts_with(first), "{place}");
        }
    }
}
