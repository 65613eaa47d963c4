//! The person's pager.

use std::env;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

use anstream::{AutoStream, ColorChoice};

use crate::output::{self, People};

/// Writes through the pager, or straight to the terminal where there is none. A pager that is closed early is no error.
pub fn with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let Some(mut child) = start() else { return write(&mut output::people()) };
    let written = match child.stdin.take() {
        Some(input) => {
            let colours = match AutoStream::choice(&io::stdout()) {
                ColorChoice::Never => ColorChoice::Never,
                _ => ColorChoice::AlwaysAnsi,
            };
            let mut to = People::new(AutoStream::new(Box::new(input) as Box<dyn Write>, colours));
            write(&mut to)
        }
        None => Ok(()),
    };
    child.wait()?;
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn start() -> Option<Child> {
    let pager = env::var("PAGER").ok();
    let mut command = match pager.as_deref().map(str::trim) {
        // Asked for none.
        Some("" | "cat") => return None,
        Some(pager) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", pager]);
            shell
        }
        None => Command::new("less"),
    };
    if env::var_os("LESS").is_none() {
        // Only colours pass, and a short text needs no pager.
        command.env("LESS", "-FRX");
    }
    command.stdin(Stdio::piped()).spawn().ok()
}
