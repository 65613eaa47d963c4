//! Which map a stream is translated with: one by name, one that fits the first messages, or one from a
//! file.

use std::path::Path;

use interlingua::detect::Score;
use interlingua::table::Table;
use interlingua::{Detection, Detector};
use interlingua_codegen::{Beside, Load, SchemaText};

use crate::args::{Source, provider_names};
use crate::failure::{FINDINGS, Failure, IO, USAGE, shown};
use crate::input::{CHUNK, Input};
use crate::output;

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
    /// They are a translation already, whose first bytes were read.
    Universal(Vec<u8>),
    /// They are from no provider that we know, or from any of several: how well they fit each.
    Unknown(Vec<Score>),
}

/// Chooses the map. `None` is a stream without a single message, which needs no map.
pub fn choose(source: &Source, input: &mut Input) -> Result<Option<Chosen>, Failure> {
    match choose_or_universal(source, input)? {
        Identity::Known(chosen) => Ok(Some(chosen)),
        Identity::Universal(_) => Err(universal(input)),
        Identity::Empty | Identity::Unknown(_) => Ok(None),
    }
}

/// Chooses the map, for commands that read stored universal streams, too. A stream of an unknown provider is an error.
pub fn choose_or_universal(source: &Source, input: &mut Input) -> Result<Identity, Failure> {
    if let Some(map) = &source.map {
        let table = load(map, source.schema.as_deref())?;
        return Ok(Identity::Known(Chosen { table, begin: Vec::new() }));
    }
    if source.from != "auto" {
        return Ok(Identity::Known(Chosen { table: named(&source.from)?, begin: Vec::new() }));
    }
    match identify(input, Detector::new())? {
        Identity::Unknown(scores) => {
            let message = format!("cannot tell which agent wrote {}", shown(&input.path));
            let help = match candidates(&scores) {
                Some(names) => format!("name it with --from: it could be {names}"),
                None => format!("name it with --from ({}), or give its term map with --map", known()),
            };
            Err(Failure::new(IO, message).help(help))
        }
        found => Ok(found),
    }
}

fn known() -> String {
    format!("known are {}", provider_names().join(", "))
}

/// The failure of a command that reads native streams and got a translation.
pub fn universal(input: &Input) -> Failure {
    let message = format!("{} is already universal: it needs no translation", shown(&input.path));
    Failure::new(FINDINGS, message)
        .help("give the agent's own output; `interlingua check` reads translated streams")
}

/// The names of the providers that fit best, where several fit a stream equally well or at all.
pub fn candidates(scores: &[Score]) -> Option<String> {
    let names: Vec<&str> = scores.iter().take(3).map(|score| score.table.provider).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// Reads until the messages tell who wrote them, and no further.
pub fn identify(input: &mut Input, mut detector: Detector) -> Result<Identity, Failure> {
    let mut begin = Vec::new();
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = input.read(&mut buffer)?;
        begin.extend_from_slice(&buffer[..count]);
        let found = if count == 0 { detector.finish() } else { detector.push(&buffer[..count]) };
        return Ok(match found {
            Detection::NeedMore => continue,
            Detection::Known(table) => Identity::Known(Chosen { table, begin }),
            Detection::Universal => Identity::Universal(begin),
            _ if count == 0 && begin.trim_ascii().is_empty() => Identity::Empty,
            _ => Identity::Unknown(detector.scores()),
        });
    }
}

/// A bundled provider.
pub fn named(name: &str) -> Result<&'static Table, Failure> {
    interlingua::provider(name).ok_or_else(|| {
        Failure::new(USAGE, format!("there is no provider `{}`", output::name(name))).help(known())
    })
}

/// A target by its name, or compiled from a file.
pub fn target(name: &str) -> Result<&'static Table, Failure> {
    if name.ends_with(".map") {
        let table = load(Path::new(name), None)?;
        if table.target.is_none() {
            let message =
                format!("the map {} is for a provider, but --to needs a target", shown(Path::new(name)));
            return Err(Failure::new(USAGE, message).help("a target's map begins with `target NAME { … }`"));
        }
        return Ok(table);
    }
    interlingua::target(name).ok_or_else(|| {
        let known: Vec<&str> = interlingua::targets().iter().map(|table| table.provider).collect();
        Failure::new(USAGE, format!("there is no target `{}`", output::name(name)))
            .help(format!("known are {}, or give a target's map, a FILE that ends in .map", known.join(", ")))
    })
}

/// Compiles a map from a file.
pub fn load(map: &Path, schema: Option<&Path>) -> Result<&'static Table, Failure> {
    let text = read_map(map)?;
    let files = Beside::new(map);
    let files = Files(match schema {
        Some(schema) => files.with_schema(schema),
        None => files,
    });
    match interlingua_codegen::compile(&text, &shown(map), files) {
        Ok(compiled) => Ok(compiled.table),
        Err(diagnostics) => {
            let lines: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            Err(Failure::new(IO, format!("the map {} has errors:\n{}", shown(map), lines.join("\n"))))
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
    interlingua_codegen::read_map(path).map_err(|error| Failure::reading_map(path, &error))
}
