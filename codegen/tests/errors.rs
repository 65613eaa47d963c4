//! Each file `errors/<rule>.map` breaks one rule of the language; the text beside it says what the
//! compiler answers, with line and column. `UPDATE=1 cargo test -p interlingua-codegen --test errors`
//! writes the texts anew.

mod common;

use std::fs;

use common::{compile_file, maps};

#[test]
fn every_broken_map_is_answered_as_written_beside_it() {
    let mut wrong = Vec::new();
    let maps = maps("errors");
    assert!(maps.len() > 40, "only {} maps were found", maps.len());
    for map in maps {
        // Paths of files on this machine stand in messages about files that cannot be read.
        let folder = format!("{}/", map.parent().expect("a folder").display());
        let Err(faults) = compile_file(&map) else { panic!("{} has no fault", map.display()) };
        let answer: String = faults.iter().map(|fault| format!("{}\n", fault.replace(&folder, ""))).collect();
        let expected = map.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &answer).expect("a writable text");
        } else if fs::read_to_string(&expected).unwrap_or_default() != answer {
            wrong.push(format!("{}:\n{answer}", map.display()));
        }
    }
    assert!(wrong.is_empty(), "other answers than expected:\n{}", wrong.join("\n"));
}
