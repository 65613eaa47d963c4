//! Checks map files and prints every fault: `cargo run -p interlingua-codegen --example check -- FILE.map…`

use std::process::ExitCode;

use interlingua_codegen::{Beside, compile};

fn main() -> ExitCode {
    let mut found = 0;
    for file in std::env::args().skip(1) {
        let map = match std::fs::read_to_string(&file) {
            Ok(map) => map,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(3);
            }
        };
        match compile(&map, &file, Beside::new(&file)) {
            Ok(compiled) => println!("{file}: fine, {} rules", compiled.table.rules.len()),
            Err(diagnostics) => {
                found += diagnostics.len();
                diagnostics.iter().for_each(|diagnostic| println!("{diagnostic}"));
            }
        }
    }
    if found > 0 {
        println!("{found} faults");
    }
    ExitCode::from(u8::from(found > 0))
}
