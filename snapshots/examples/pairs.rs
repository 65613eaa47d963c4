//! Compares the streams and the session files of recordings that lie elsewhere:
//! `cargo run -p interlingua-snapshots --example pairs -- PROVIDER FILE-NAME FOLDER`, where PROVIDER reads the session files
//! and FOLDER holds `<version>/<scenario>/`. `--each` lists the differences of each pair.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua_snapshots::pairs::{differences, streamed, written};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [provider, name, folder, more @ ..] = arguments.as_slice() else {
        return Err("say the provider, the name of its files and the folder of the recordings".into());
    };
    let file_table = interlingua::provider(provider).ok_or("no such provider")?;
    let stream_table = interlingua::provider(file_table.written_by).ok_or("no provider reads the stream")?;
    let (mut pairs, mut equal) = (0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for version in inside(Path::new(folder))? {
        for scenario in inside(&version)? {
            let Ok(file) = written(file_table, &scenario.join(name)) else { continue };
            let Ok(stream) = streamed(stream_table, &scenario) else { continue };
            let found = differences(&stream, &file);
            pairs += 1;
            equal += usize::from(found.is_empty());
            if !more.is_empty() {
                println!("{}: {found:?}", scenario.display());
            }
            for difference in found {
                *kinds.entry(difference).or_default() += 1;
            }
        }
    }
    println!("{provider}: {pairs} pairs, {equal} equal, {} kinds of differences", kinds.len());
    for (difference, count) in kinds {
        println!("{count:5}  {difference}");
    }
    Ok(())
}

fn inside(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    paths.sort();
    Ok(paths)
}
