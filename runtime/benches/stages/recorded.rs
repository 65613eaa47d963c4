//! The file of recorded counts, which is the table that is printed.

use std::fs;
use std::path::PathBuf;

use crate::Counts;
use crate::count::{STAGES, Stages};

/// The command that makes the file stands in its first line.
const COMMAND: &str =
    "# Made by `cargo bench -p interlingua --bench stages -- --record`: instructions per message";

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/stages/generated/counts.txt"))
}

/// The names of the columns.
pub(crate) fn header() -> String {
    format!("{:<28} {}", "row", STAGES.map(|stage| format!("{stage:>10}")).concat())
}

/// One row.
pub(crate) fn line(name: &str, stages: &Stages) -> String {
    format!("{name:<28} {}", stages.map(|count| format!("{count:>10.0}")).concat())
}

/// The recorded counts; none where there is no file.
pub(crate) fn read() -> Counts {
    let text = fs::read_to_string(file()).unwrap_or_default();
    let rows = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = format!("{} {}", words.next()?, words.next()?);
        let counts: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        Some((name, Stages::try_from(counts).ok()?))
    });
    rows.collect()
}

/// Records counts.
pub(crate) fn write(counts: &Counts) {
    let rows = counts.iter().map(|(name, stages)| line(name, stages));
    let lines: Vec<String> = [COMMAND.to_owned(), header()].into_iter().chain(rows).collect();
    let file = file();
    fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("the folder can be made");
    fs::write(&file, lines.join("\n") + "\n").expect("the counts can be written");
}
