//! The map compiler: from a provider's schema and its term map to a proven table.
//!
//! A map goes through three steps: it is read, checked against the schema, and lowered to an
//! [`interlingua_table::Table`]. The `term_map!` macro writes that table as Rust constants, and the
//! library loads the same map at run time; both call the functions here. The language is described
//! in `docs/map-language.md`.
//!
//! ```
//! use interlingua_codegen::{SchemaText, compile};
//!
//! let schema = r##"{"definitions": {"Line": {"type": "object", "properties": {
//!     "type": {"enum": ["hello"]}, "model": {"type": "string"}}}}}"##;
//! let map = r#"term_map! {
//!     provider demo { title: "Demo"; schema: "demo.json"; framing: jsonl; receives: Line; tag: type; }
//!     on hello { session.started { model: modle } }
//! }"#;
//! let faults = compile(map, "demo.map", |_: &str| Ok(SchemaText::new(schema))).unwrap_err();
//! assert_eq!(
//!     faults[0].to_string(),
//!     "demo.map:3:41: unknown path `modle`: `Line` has no `modle`
//!   |
//! 3 |     on hello { session.started { model: modle } }
//!   |                                         ^^^^^
//!   = help: did you mean `model`?"
//! );
//! ```

#![forbid(unsafe_code)]
// The checker notes what tools ask it for, whether they do or not.
#![cfg_attr(not(feature = "tools"), allow(dead_code, unused_imports))]

mod ast;
mod check;
#[cfg(feature = "tools")]
mod coverage;
mod demands;
#[cfg(feature = "tools")]
pub mod describe;
mod diagnostic;
mod emit;
mod expand;
mod fields;
mod load;
mod lower;
mod parse;
#[cfg(feature = "tools")]
mod print;
mod rpc;
pub mod schema;
mod sources;
mod universal;
mod visit;

#[cfg(feature = "tools")]
pub use ast::written;
#[cfg(feature = "tools")]
pub use coverage::{FieldStep, FieldUse, Handling, coverage};
pub use diagnostic::{Diagnostic, Excerpt};
pub use emit::emit;
pub use expand::expand;
pub use load::{Beside, Load, SchemaFiles, SchemaText, read_map};
#[cfg(feature = "tools")]
pub use print::print;

use interlingua_table::Table;

use self::diagnostic::Fault;
use self::sources::Reader;

/// A compiled map.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The table. It is leaked on purpose and lives as long as the process.
    pub table: &'static Table,
    /// The schema file as the map names it, relative to the map.
    pub schema: String,
    /// The root definitions of what the provider sends.
    pub receives: Vec<String>,
    /// The root definitions of what the provider takes.
    pub accepts: Vec<String>,
}

/// Compiles the text of a map file: one call `term_map! { … }`.
///
/// `file` names the map in messages and in the table. `load` gives the schema and the files that the map includes:
/// [`Beside`] for a map that is a file, or a closure that is given the schema's path as the map says it.
///
/// # Errors
///
/// All faults of the map, in the order of their places.
pub fn compile(map: &str, file: &str, mut load: impl Load) -> Result<Compiled, Vec<Diagnostic>> {
    compile_with(map, file, &mut load)
}

pub(crate) fn compile_with(map: &str, file: &str, load: &mut dyn Load) -> Result<Compiled, Vec<Diagnostic>> {
    with_map(map, file, load, |map, checked| {
        let members: Vec<_> = map.rules.iter().map(|rule| checked.members(rule)).collect();
        let names = |words: &[ast::Word]| words.iter().map(|word| word.text.clone()).collect();
        Compiled {
            table: lower::lower(map, file, &members, checked),
            schema: map.provider.schema.as_ref().map(|word| word.text.clone()).unwrap_or_default(),
            receives: names(&map.provider.receives),
            accepts: names(&map.provider.accepts),
        }
    })
}

/// Reads and checks a map, and goes on with it when it is right.
fn with_map<T>(
    text: &str,
    file: &str,
    load: &mut dyn Load,
    then: impl FnOnce(&ast::Map, &check::Checked<'_>) -> T,
) -> Result<T, Vec<Diagnostic>> {
    let mut reader = Reader::new(load);
    let read = reader.map(text);
    let sources = reader.sources;
    let result = read.and_then(|map| {
        let schema = schema(&map, load)?;
        let checked = check::check(&map, &schema, universal(&map)?);
        if let Some(error) = schema.excess() {
            // What was checked against a schema that was not read to its end says nothing.
            return Err(vec![schema_fault(&map, &error.to_string())]);
        }
        if checked.faults.is_empty() { Ok(then(&map, &checked)) } else { Err(checked.faults) }
    });
    result.map_err(|faults| sources.diagnostics(faults, file))
}

/// The schema of the vocabulary, for a map that writes.
fn universal(map: &ast::Map) -> Result<Option<&'static schema::Schema>, Vec<Fault>> {
    let span = map.writes.first().map(|write| write.command.span).or(map.hosts.first().map(|host| host.span));
    match span {
        None => Ok(None),
        Some(span) => universal::vocabulary().map(Some).map_err(|error| vec![Fault::new(span, error)]),
    }
}

/// The schema that a map names.
fn schema(map: &ast::Map, load: &mut dyn Load) -> Result<schema::Schema, Vec<Fault>> {
    let path = map.provider.schema.as_ref().map_or("", |word| word.text.as_str());
    load.schema(path)
        .and_then(|text| schema::load(&text.schema, &text.additions).map_err(|error| error.to_string()))
        .map_err(|error| vec![schema_fault(map, &error)])
}

fn schema_fault(map: &ast::Map, error: &str) -> Fault {
    let named = map.provider.schema.as_ref();
    let (path, span) = named.map_or(("", map.provider.name.span), |word| (word.text.as_str(), word.span));
    Fault::new(span, format!("cannot use the schema `{path}`: {error}"))
}
