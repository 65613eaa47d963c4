//! `interlingua detect`: which agent wrote a stream.

use std::io::Write;

use interlingua::Detector;
use interlingua::detect::Score;
use interlingua::table::Table;

use crate::args::Detect;
use crate::failure::{FINDINGS, FINE, Failure, each, help};
use crate::input::Input;
use crate::output;
use crate::provider::{Identity, candidates, identify, load};

/// Runs the command.
pub fn run(options: &Detect) -> Result<u8, Failure> {
    let mut output = output::people();
    let own: Vec<&'static Table> =
        options.maps.iter().map(|map| load(map, None)).collect::<Result<_, Failure>>()?;
    // A map of one's own with the name of a bundled provider stands in its place.
    let is_replaced = |table: &&Table| own.iter().any(|own| own.provider == table.provider);
    let bundled = || interlingua::providers().iter().copied().filter(|table| !is_replaced(table));
    // Whoever has read enough still gets the exit code of all files.
    let mut is_closed = false;
    each(&options.files, |_, path| {
        let mut scores = None;
        let (name, code) =
            match identify(&mut Input::open(path)?, Detector::among(own.iter().copied().chain(bundled())))? {
                Identity::Known(chosen) => (chosen.table.provider, FINE),
                Identity::Empty => ("empty", FINE),
                Identity::Universal(_) => ("universal", FINE),
                Identity::Unknown(found) => {
                    scores = Some(found);
                    ("unknown", FINDINGS)
                }
            };
        match writeln!(output, "{}: {name}", output::path(path)).map_err(|error| Failure::output(&error)) {
            _ if is_closed => {}
            Err(Failure::BrokenPipe) => is_closed = true,
            written => written?,
        }
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
        output::tell(format_args!(
            "  {}: recognises {recognised} of {messages} messages{place}; members outside its schema: {strange}",
            table.provider,
        ));
    }
    match candidates(scores) {
        Some(names) => help(&format!("name the provider with --from: it could be {names}")),
        None => help(
            "no provider recognises a message; `interlingua terms` lists the providers, and --map takes a map of \
             your own",
        ),
    }
}
