//! `interlingua detect`: which agent wrote a stream.

use std::io::{self, Write};

use crate::args::Detect;
use crate::failure::{FINDINGS, FINE, Failure};
use crate::input::Input;
use crate::provider::{Identity, identify};

/// Runs the command.
pub fn run(options: &Detect) -> Result<u8, Failure> {
    let mut code = FINE;
    let mut output = io::stdout().lock();
    for path in &options.files {
        let name = match identify(&mut Input::open(path)?)? {
            Identity::Known(chosen) => chosen.table.provider,
            Identity::Empty | Identity::Unknown => {
                code = FINDINGS;
                "unknown"
            }
        };
        writeln!(output, "{}: {name}", path.display()).map_err(|error| Failure::output(&error))?;
    }
    Ok(code)
}
