//! Prints what a map does with each field of each message, or only what it says nothing about:
//! `cargo run -p interlingua-codegen --example coverage -- FILE.map [--unmapped]`

use std::process::ExitCode;

use interlingua_codegen::{Beside, Handling, coverage};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only_unmapped = arguments.iter().any(|argument| argument == "--unmapped");
    for file in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let map = match std::fs::read_to_string(file) {
            Ok(map) => map,
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(3);
            }
        };
        match coverage(&map, file, Beside::new(file)) {
            Ok(fields) => {
                for field in
                    fields.iter().filter(|field| !only_unmapped || field.handling == Handling::Unmapped)
                {
                    let handling = match &field.handling {
                        Handling::Read(rules) => format!("read by {}", rules.join(", ")),
                        Handling::Left(reason) => format!("ignored because {reason}"),
                        Handling::Unmapped => "unmapped".to_owned(),
                    };
                    println!("{}  {}  {handling}", field.message, field.path);
                }
            }
            Err(diagnostics) => {
                diagnostics.iter().for_each(|diagnostic| println!("{diagnostic}"));
                return ExitCode::from(1);
            }
        }
    }
    ExitCode::SUCCESS
}
