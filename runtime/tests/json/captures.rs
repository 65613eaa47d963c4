//! The bundled recordings: messages as they really come.

use std::path::Path;

use interlingua::json::{Index, KeySet};

use super::support::{expected, tree};

/// Checks every line of every recording of lines, and counts them.
fn check(dir: &Path, index: &mut Index, keys: &KeySet) -> usize {
    let mut lines = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            lines += check(&path, index, keys);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            for line in std::fs::read(&path).unwrap().split(|byte| *byte == b'\n') {
                lines += 1;
                match (index.parse(line, keys), expected(line)) {
                    (Ok(document), Ok(expected)) => {
                        assert!(tree(document.root()) == expected, "{}:{lines}", path.display());
                    }
                    (Err(_), Err(_)) => {}
                    // serde_json takes no half of a surrogate pair.
                    (Ok(document), Err(error)) => {
                        assert!(document.root().raw().contains("\\ud"), "{}: {error}", path.display());
                    }
                    (Err(error), Ok(_)) => panic!("{}: {error}", path.display()),
                }
            }
        }
    }
    lines
}

#[test]
fn every_recorded_line_reads_as_with_serde_json() {
    let keys = KeySet::new(["type", "id", "method", "params", "message", "content"]);
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let lines = check(&captures, &mut Index::new(), &keys);
    assert!(lines > 1000, "recordings are there: {lines} lines");
}
