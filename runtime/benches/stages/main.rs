//! How many instructions each stage of a translation takes per message.
//!
//! `cargo bench -p interlingua --bench stages [-- PROVIDER… ROW… --record]` runs the same work for each provider under
//! valgrind, which counts instructions: the counts hardly change from run to run, also on a busy machine. It prints them, and
//! the change against the recorded ones in percent. `--record` records them in `generated/counts.txt`. A change never makes
//! it fail, since a count that rises can be worth it. Without valgrind nothing is measured.
//!
//! The rows are those of the benchmark `translate`, with shorter streams.
//!
//! | stage | what is counted |
//! |---|---|
//! | `parse` | the baseline, `serde_json::from_slice::<Value>` over the same messages |
//! | `translate` | the translation into events or chunks, which is the sum of the five stages below |
//! | `framing` | finding the messages in the bytes |
//! | `json` | checking, indexing and decoding their JSON |
//! | `engine` | finding rules, evaluating expressions, tracking items, and making events |
//! | `memory` | allocating, freeing and copying |
//! | `other` | all else, such as hash tables |
//! | `writer` | what it takes in addition to write the events as JSON |

#[path = "../translate/corpus.rs"]
mod corpus;
mod count;
mod recorded;
mod work;

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};

use self::count::Stages;
use self::work::Work;

/// The length of the largest message.
const HUGE_LINE: usize = 64 * 1024 * 1024;
/// The rows that can be measured; the first is measured where none is named.
const ROWS: [&str; 3] = ["small", "long", "short"];

/// Instructions per message, by provider and row, and by stage.
type Counts = BTreeMap<String, Stages>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [run, work, provider, row] = &arguments[..]
        && run == "--run"
    {
        let table = interlingua::provider(provider).expect("a bundled provider");
        println!("{}", work::run(Work::named(work), table, row));
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("valgrind is missing: the instructions of the stages are not counted");
        return ExitCode::SUCCESS;
    }
    let tables = interlingua::providers();
    let (mut rows, mut wanted, mut record, mut of_others) = (Vec::new(), Vec::new(), false, false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--record" => record = true,
            // `cargo bench` gives the same arguments to `translate`, whose file and other rows these are.
            "--json" => drop(arguments.next()),
            "large" | "huge" => of_others = true,
            row if ROWS.contains(&row) => rows.push(argument),
            name if tables.iter().any(|table| table.provider == name) => wanted.push(argument),
            unknown => {
                eprintln!(
                    "error: there is no provider and no row `{unknown}`; the rows are {}",
                    ROWS.join(", ")
                );
                return ExitCode::from(2);
            }
        }
    }
    if rows.is_empty() && of_others {
        return ExitCode::SUCCESS;
    }
    if rows.is_empty() {
        rows.push(ROWS[0].to_owned());
    }
    let before = recorded::read();
    let mut counts = Counts::new();
    println!("{}", recorded::header());
    for table in
        tables.iter().filter(|table| wanted.is_empty() || wanted.iter().any(|name| *name == table.provider))
    {
        for row in &rows {
            let name = format!("{} {row}", table.provider);
            match work::count(table, row) {
                Ok(Some(stages)) => {
                    println!("{}", recorded::line(&name, &stages));
                    if let Some(change) = before.get(&name).and_then(|before| change(before, &stages)) {
                        println!("{:<28} {change}", "");
                    }
                    counts.insert(name, stages);
                }
                Ok(None) => {}
                Err(error) => {
                    eprintln!("error: the instructions of `{name}` cannot be counted: {error}");
                    return ExitCode::from(2);
                }
            }
        }
    }
    println!("instructions per message; below a row, its change against the recorded counts");
    if record {
        recorded::write(&before.into_iter().chain(counts).collect());
    }
    ExitCode::SUCCESS
}

/// The changes in percent that are more than the difference between two runs; nothing where there are none.
fn change(before: &Stages, now: &Stages) -> Option<String> {
    let changes: Vec<f64> =
        before.iter().zip(now).map(|(before, now)| 100.0 * (now - before) / before.max(1.0)).collect();
    if changes.iter().all(|change| change.abs() < 1.5) {
        return None;
    }
    let cell = |change: &f64| match change.abs() < 1.5 {
        true => format!("{:>10}", "="),
        false => format!("{:>10}", format!("{change:+.1} %")),
    };
    Some(changes.iter().map(cell).collect())
}
