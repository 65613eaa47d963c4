//! Finds and compiles the maps of the tests.

#![allow(dead_code, reason = "each test program uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::{Beside, Compiled, SchemaFiles, SchemaText, compile};

/// The maps in a folder of `tests`, sorted.
pub fn maps(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut maps: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "map"))
        .collect();
    maps.sort();
    maps
}

/// Compiles a map file; the faults are as they print, with the map's bare name.
pub fn compile_file(map: &Path) -> Result<Compiled, Vec<String>> {
    let text = fs::read_to_string(map).expect("a readable map");
    let name = map.file_name().expect("a name").to_string_lossy();
    compile(&text, &name, Beside::new(map)).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

/// The schema that a map names.
pub fn schema(map: &Path) -> SchemaText {
    let text = fs::read_to_string(map).expect("a readable map");
    let mut found: Option<SchemaText> = None;
    let _ = compile(&text, "any.map", |schema: &str| {
        found = SchemaFiles::beside(map, schema).read().ok();
        Err("only its name is wanted".to_owned())
    });
    found.expect("the map names a schema that is there")
}
