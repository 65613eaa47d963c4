//! `interlingua export`: the files that it writes, and how it fails. What stands in the tables is tested from Python, with the
//! programs that read them.

mod support;

use std::fs;
use std::path::Path;

use support::{run, scratch};

const RECORDING: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../resources/captures/claude/2.1.332/04-bash/stdout.jsonl");

/// A folder that does not exist yet.
fn folder(name: &str) -> String {
    let beside = scratch(&format!("{name}.txt"), b"");
    let folder = Path::new(&beside).with_file_name(name);
    let _ = fs::remove_dir_all(&folder);
    folder.display().to_string()
}

fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Whether a file begins and ends as Parquet files do.
fn is_parquet(path: &Path) -> bool {
    let bytes = fs::read(path).expect("the file");
    bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1")
}

#[test]
fn each_table_is_a_file() {
    let to = folder("export-all");
    let ran = run(&["export", "--parquet", &to, RECORDING]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let expected = ["events", "files", "items", "sessions", "sources", "tool_calls", "turns", "usage"];
    assert_eq!(names(&to), expected.map(|table| format!("{table}.parquet")));
    assert!(names(&to).iter().all(|name| is_parquet(&Path::new(&to).join(name))));
    // A second export takes their place.
    assert_eq!(run(&["export", "--parquet", &to, RECORDING]).code, 0);
    assert_eq!(names(&to).len(), expected.len());
}

#[test]
fn tables_are_chosen_by_name() {
    let to = folder("export-some");
    assert_eq!(run(&["export", "--parquet", &to, "--tables", "usage,turns", RECORDING]).code, 0);
    assert_eq!(names(&to), ["turns.parquet", "usage.parquet"]);
    let ran = run(&["export", "--parquet", &to, "--tables", "cost", RECORDING]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("tool_calls"), "{}", ran.stderr);
}

#[test]
fn a_source_that_cannot_be_read_is_told_and_the_others_are_exported() {
    let to = folder("export-broken");
    let strange = scratch("strange.jsonl", b"{\"hello\":\"world\"}\n");
    let ran = run(&["export", "--parquet", &to, &strange, RECORDING]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("cannot tell which agent wrote"), "{}", ran.stderr);
    assert_eq!(names(&to).len(), 8);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let file = scratch("no-folder", b"");
    let ran = run(&["export", "--parquet", &file, RECORDING]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr.contains("cannot write the tables into") && ran.stderr.contains("help: "),
        "{}",
        ran.stderr
    );
    assert_eq!(run(&["export", RECORDING]).code, 2, "it says where to");
}
