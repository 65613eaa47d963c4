//! Each file `errors/<rule>.map` breaks one rule of the language; the text beside it says what the
//! compiler answers, with line and column. `UPDATE=1 cargo test -p interlingua-codegen --test errors`
//! writes the texts anew.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::{SchemaFiles, compile};

fn maps(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut maps: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "map"))
        .collect();
    maps.sort();
    maps
}

fn answer(map: &Path) -> String {
    let text = fs::read_to_string(map).expect("a readable map");
    let name = map.file_name().expect("a name").to_string_lossy();
    match compile(&text, &name, |schema| SchemaFiles::beside(Path::new(map), schema).read()) {
        Ok(_) => "no fault\n".to_owned(),
        Err(faults) => faults.iter().map(|fault| format!("{fault}\n")).collect(),
    }
}

#[test]
fn every_broken_map_is_answered_as_written_beside_it() {
    let mut wrong = Vec::new();
    let maps = maps("errors");
    assert!(maps.len() > 40, "only {} maps were found", maps.len());
    for map in maps {
        // Paths of files on this machine stand in messages about files that cannot be read.
        let folder = format!("{}/", map.parent().expect("a folder").display());
        let answer = answer(&map).replace(&folder, "");
        assert_ne!(answer, "no fault\n", "{} has no fault", map.display());
        let expected = map.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &answer).expect("a writable text");
        } else if fs::read_to_string(&expected).unwrap_or_default() != answer {
            wrong.push(format!("{}:\n{answer}", map.display()));
        }
    }
    assert!(wrong.is_empty(), "other answers than expected:\n{}", wrong.join("\n"));
}
