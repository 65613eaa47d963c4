//! The command `interlingua`; everything is in the library beside it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    interlingua_cli::main()
}
