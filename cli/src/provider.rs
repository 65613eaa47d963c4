//! Which map a stream is translated with: one by name, one that fits the first messages, or one from a
//! file.

use std::fs;
use std::path::Path;

use interlingua::table::Table;
use interlingua_codegen::{Beside, Load, SchemaText};

use crate::args::{Source, provider_names};
use crate::failure::{Failure, IO, USAGE, shown};
use crate::input::{CHUNK, Input};

/// A map for a stream, and what was read of the stream to choose it.
pub struct Chosen {
    /// The map.
    pub table: &'static Table,
    /// The first bytes of the stream.
    pub begin: Vec<u8>,
}

/// What the first messages of a stream tell about it.
pub enum Identity {
    /// They are from this provider.
    Known(Chosen),
    /// There is no message at all.
    Empty,
    /// They are from no provider that we know.
    Unknown,
}

/// How many lines of a stream are read at most to find out who wrote it.
const LINES: usize = 100;

/// How many bytes of a stream are read at most to find out who wrote it.
const BYTES: usize = 8 << 20;

/// Chooses the map. `None` is a stream without a single message, which needs no map.
pub fn choose(source: &Source, input: &mut Input) -> Result<Option<Chosen>, Failure> {
    if let Some(map) = &source.map {
        return Ok(Some(Chosen { table: load(map, source.schema.as_deref())?, begin: Vec::new() }));
    }
    if source.from != "auto" {
        return Ok(Some(Chosen { table: named(&source.from)?, begin: Vec::new() }));
    }
    match identify(input)? {
        Identity::Known(chosen) => Ok(Some(chosen)),
        Identity::Empty => Ok(None),
        Identity::Unknown => {
            let message = format!("cannot tell which agent wrote {}", shown(&input.path));
            let help = format!("name it with --from ({}), or give its term map with --map", known());
            Err(Failure::new(IO, message).help(help))
        }
    }
}

fn known() -> String {
    format!("known are {}", provider_names().join(", "))
}

/// Reads until the messages tell who wrote them, and no further.
pub fn identify(input: &mut Input) -> Result<Identity, Failure> {
    let mut begin = Vec::new();
    let mut buffer = vec![0; CHUNK];
    let mut lines = 0;
    loop {
        let count = input.read(&mut buffer)?;
        begin.extend_from_slice(&buffer[..count]);
        let new_lines = buffer[..count].iter().filter(|byte| **byte == b'\n').count();
        lines += new_lines;
        // Only a line that is whole can tell something new.
        let complete = if count == 0 { begin.len() } else { end_of_lines(&begin) };
        if (count == 0 || new_lines > 0)
            && let Some(table) = interlingua::detect(&begin[..complete])
        {
            return Ok(Identity::Known(Chosen { table, begin }));
        }
        if count == 0 && begin.trim_ascii().is_empty() {
            return Ok(Identity::Empty);
        }
        if count == 0 || lines > LINES || begin.len() > BYTES {
            return Ok(Identity::Unknown);
        }
    }
}

fn end_of_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1)
}

/// A bundled provider.
pub fn named(name: &str) -> Result<&'static Table, Failure> {
    interlingua::provider(name)
        .ok_or_else(|| Failure::new(USAGE, format!("there is no provider `{name}`")).help(known()))
}

/// Compiles a map from a file.
pub fn load(map: &Path, schema: Option<&Path>) -> Result<&'static Table, Failure> {
    let text = read_map(map)?;
    let files = Beside::new(map);
    let files = Files(match schema {
        Some(schema) => files.with_schema(schema),
        None => files,
    });
    match interlingua_codegen::compile(&text, &map.display().to_string(), files) {
        Ok(compiled) => Ok(compiled.table),
        Err(diagnostics) => {
            let lines: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            Err(Failure::new(IO, format!("the map {} is not right:\n{}", map.display(), lines.join("\n"))))
        }
    }
}

/// The files beside a map, with advice where the schema is not among them.
struct Files(Beside);

impl Load for Files {
    fn schema(&mut self, named: &str) -> Result<SchemaText, String> {
        self.0.schema(named).map_err(|error| format!("{error}\n  help: --schema FILE names another one"))
    }

    fn include(&mut self, named: &str) -> Result<String, String> {
        self.0.include(named)
    }
}

fn read_map(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::reading_map(path, &error))
}
