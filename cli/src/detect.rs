//! `interlingua detect`: which agent wrote a stream.

use std::io::{self, Write};

use interlingua::detect::Score;

use crate::args::Detect;
use crate::failure::{FINDINGS, FINE, Failure, each};
use crate::input::Input;
use crate::provider::{Identity, candidates, identify};

/// Runs the command.
pub fn run(options: &Detect) -> Result<u8, Failure> {
    let mut output = io::stdout().lock();
    each(&options.files, |_, path| {
        let mut scores = None;
        let (name, code) = match identify(&mut Input::open(path)?)? {
            Identity::Known(chosen) => (chosen.table.provider, FINE),
            Identity::Empty => ("empty", FINE),
            Identity::Universal => ("universal", FINE),
            Identity::Unknown(found) => {
                scores = Some(found);
                ("unknown", FINDINGS)
            }
        };
        writeln!(output, "{}: {name}", path.display()).map_err(|error| Failure::output(&error))?;
        if let Some(scores) = scores {
            explain(&scores);
        }
        Ok(code)
    })
}

/// Tells people why a stream is unknown, and what to do about it.
fn explain(scores: &[Score]) {
    for score in scores {
        let Score { table, recognised, messages, strange, lines, .. } = score;
        let mut lines: Vec<String> = lines.iter().map(u64::to_string).collect();
        if lines.len() < *recognised {
            lines.push("…".to_owned());
        }
        let place = match lines.len() {
            0 => String::new(),
            1 => format!(" (line {})", lines[0]),
            _ => format!(" (lines {})", lines.join(", ")),
        };
        anstream::eprintln!(
            "  {}: recognises {recognised} of {messages} messages{place}; members outside its schema: {strange}",
            table.provider,
        );
    }
    match candidates(scores) {
        Some(names) => anstream::eprintln!("  help: name the provider with --from: it could be {names}"),
        None => anstream::eprintln!(
            "  help: no provider recognises a message; `interlingua terms` lists the providers, and --map takes a map of \
             your own"
        ),
    }
}
