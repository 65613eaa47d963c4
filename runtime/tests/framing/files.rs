//! Every input file gives the frames of the snapshot beside it, however it is cut.

use std::path::Path;

use interlingua::framing::{DEFAULT_LIMIT, FramingKind};

use super::support::{frames, show};

fn check(kind: FramingKind, folder: &str, path: &Path) {
    let stream = std::fs::read(path).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy();
    let limits: &[usize] = if name.starts_with("limit_") { &[16, DEFAULT_LIMIT] } else { &[DEFAULT_LIMIT] };
    let mut shown = String::new();
    for &limit in limits {
        let whole = frames(kind, limit, [&stream[..]]);
        if limits.len() > 1 {
            shown += &format!("limit {limit}\n");
        }
        shown += &show(&whole);
        for cut in 0..=stream.len() {
            let (head, tail) = stream.split_at(cut);
            assert_eq!(frames(kind, limit, [head, tail]), whole, "{name}, cut at {cut}");
            for second in cut..=stream.len() {
                let (middle, tail) = tail.split_at(second - cut);
                let cuts = [head, middle, tail];
                assert_eq!(frames(kind, limit, cuts), whole, "{name}, cut at {cut} and {second}");
            }
        }
        for size in 1..8 {
            assert_eq!(frames(kind, limit, stream.chunks(size)), whole, "{name}, by {size}");
        }
    }
    insta::with_settings!({
        omit_expression => true,
        prepend_module_to_snapshot => false,
        snapshot_path => folder,
    }, {
        insta::assert_snapshot!("frames", shown);
    });
}

#[test]
fn lines() {
    insta::glob!("lines/*.input", |path| check(FramingKind::Lines, "lines", path));
}

#[test]
fn sse() {
    insta::glob!("sse/*.input", |path| check(FramingKind::Sse, "sse", path));
}

#[test]
fn documents() {
    insta::glob!("documents/*.input", |path| check(FramingKind::Documents, "documents", path));
}
