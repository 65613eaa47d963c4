//! `interlingua detect`: which agent wrote a stream.

use std::io::{self, Write};

use crate::args::Detect;
use crate::failure::{FINDINGS, FINE, Failure, each};
use crate::input::Input;
use crate::provider::{Identity, identify};

/// Runs the command.
pub fn run(options: &Detect) -> Result<u8, Failure> {
    let mut output = io::stdout().lock();
    each(&options.files, |_, path| {
        let (name, code) = match identify(&mut Input::open(path)?)? {
            Identity::Known(chosen) => (chosen.table.provider, FINE),
            Identity::Empty => ("empty", FINE),
            Identity::Unknown => ("unknown", FINDINGS),
        };
        writeln!(output, "{}: {name}", path.display()).map_err(|error| Failure::output(&error))?;
        Ok(code)
    })
}
