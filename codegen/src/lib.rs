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
//! let faults = compile(map, "demo.map", |_| Ok(SchemaText::new(schema))).unwrap_err();
//! assert_eq!(
//!     faults[0].to_string(),
//!     "demo.map:3:41: unknown path `modle`: `Line` has no `modle`\n  help: did you mean `model`?"
//! );
//! ```

// The checker notes what tools ask it for, whether they do or not.
#![cfg_attr(not(feature = "tools"), allow(dead_code, unused_imports))]

mod ast;
mod check;
#[cfg(feature = "tools")]
mod coverage;
#[cfg(feature = "tools")]
pub mod describe;
mod diagnostic;
mod emit;
mod expand;
mod load;
mod lower;
mod parse;
pub mod schema;
mod universal;

#[cfg(feature = "tools")]
pub use ast::written;
#[cfg(feature = "tools")]
pub use coverage::{FieldStep, FieldUse, Usage, coverage};
pub use diagnostic::{Diagnostic, Fault};
pub use emit::emit;
pub use expand::expand;
pub use load::{SchemaFiles, SchemaText};

use interlingua_table::Table;
use proc_macro2::{Span, TokenStream};

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
/// `file` names the map in messages and in the table. `load_schema` is given the schema's path as
/// the map says it; [`SchemaFiles::beside`] finds and reads it for a map that is a file.
///
/// # Errors
///
/// All faults of the map, in the order of their places.
pub fn compile(
    map: &str,
    file: &str,
    load_schema: impl FnOnce(&str) -> Result<SchemaText, String>,
) -> Result<Compiled, Vec<Diagnostic>> {
    let parsed = parse::file(map);
    let compiled = parsed.and_then(|map| compile_map(&map, file, load_schema));
    compiled.map_err(|faults| distinct(faults).iter().map(|fault| fault.diagnostic(file)).collect())
}

/// Compiles what stands inside `term_map! { … }`, for the macro.
///
/// # Errors
///
/// All faults of the map, each with its token.
pub fn compile_tokens(
    tokens: TokenStream,
    file: &str,
    load_schema: impl FnOnce(&str) -> Result<SchemaText, String>,
) -> Result<Compiled, Vec<Fault>> {
    let parsed = parse::map(tokens, Span::call_site());
    parsed.and_then(|map| compile_map(&map, file, load_schema)).map_err(distinct)
}

fn compile_map(
    map: &ast::Map,
    file: &str,
    load_schema: impl FnOnce(&str) -> Result<SchemaText, String>,
) -> Result<Compiled, Vec<Fault>> {
    let schema = load(map, load_schema)?;
    let checked = check::check(map, &schema, universal(map)?);
    if !checked.faults.is_empty() {
        return Err(checked.faults);
    }
    let members: Vec<_> = map.rules.iter().map(|rule| checked.members(rule)).collect();
    let names = |words: &[ast::Word]| words.iter().map(|word| word.text.clone()).collect();
    Ok(Compiled {
        table: lower::lower(map, file, &members, &checked.command_reads),
        schema: map.provider.schema.as_ref().map(|word| word.text.clone()).unwrap_or_default(),
        receives: names(&map.provider.receives),
        accepts: names(&map.provider.accepts),
    })
}

/// The schema of the vocabulary, for a map that writes.
fn universal(map: &ast::Map) -> Result<Option<&'static schema::Schema>, Vec<Fault>> {
    let Some(name) = map.writes.first().map(|write| &write.command) else {
        return Ok(None);
    };
    universal::vocabulary().map(Some).map_err(|error| vec![Fault::new(name.span, error)])
}

/// The schema that a map names.
fn load(
    map: &ast::Map,
    load_schema: impl FnOnce(&str) -> Result<SchemaText, String>,
) -> Result<schema::Schema, Vec<Fault>> {
    let named = map.provider.schema.as_ref();
    let (path, span) = named.map_or(("", Span::call_site()), |word| (word.text.as_str(), word.span));
    load_schema(path)
        .and_then(|text| schema::load(&text.schema, &text.additions).map_err(|error| error.to_string()))
        .map_err(|error| vec![Fault::new(span, format!("cannot use the schema `{path}`: {error}"))])
}

/// Each fault once, in the order of the map: steps of a block are checked wherever the block is used.
fn distinct(mut faults: Vec<Fault>) -> Vec<Fault> {
    let place = |fault: &Fault| (fault.span.start().line, fault.span.start().column);
    faults.sort_by_key(place);
    let mut seen = std::collections::HashSet::new();
    faults.retain(|fault| seen.insert((place(fault), fault.message.clone())));
    faults
}
