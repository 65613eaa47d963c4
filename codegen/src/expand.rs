//! What `term_map!` expands to.

use std::path::{Path, PathBuf};

use interlingua_table::{Context, Dispatch, Expr, Framing, Layer, Pairing, Prepared, Table};
use proc_macro2::TokenStream;
use quote::quote;

use crate::load::Beside;
use crate::sources::{shortened, slashed};
use crate::{compile_tokens, emit};

/// Expands what stands inside `term_map! { … }` in the file `map`.
///
/// The result is the item `pub static TABLE: ::interlingua::table::Table`, and for each fault a
/// `compile_error!` with its caret under the token of the map. Either way the compiler is told which
/// files the result depends on, so that a changed schema or included file makes the map compile again.
pub fn expand(tokens: TokenStream, map: &Path) -> TokenStream {
    let mut files = Beside::new(map);
    let compiled = compile_tokens(tokens, &readable(map), &mut files);
    let read: Vec<PathBuf> = files.read().iter().filter_map(|file| file.canonicalize().ok()).collect();
    let tracked = read.iter().filter_map(|file| file.to_str());
    let (table, errors) = match &compiled {
        Ok(compiled) => (compiled.table, TokenStream::new()),
        // A table without rules keeps the compiler from reporting each use of a table that is missing.
        Err(faults) => (&EMPTY, faults.iter().map(crate::Fault::compile_error).collect()),
    };
    let doc = format!("The term map of {}.", table.title);
    let table = emit(table);
    quote! {
        #(const _: &[::core::primitive::u8] = ::core::include_bytes!(#tracked);)*
        #errors
        #[doc = #doc]
        pub static TABLE: ::interlingua::table::Table = #table;
    }
}

static PREPARED: Prepared = Prepared::new();

static EMPTY: Table = Table {
    provider: "",
    title: "nothing",
    install: "",
    layer: Layer::Agent,
    dialect_of: None,
    file: "",
    included: &[],
    framing: &[Framing::JsonLines],
    end: &[],
    server: None,
    turn_ends_with_input: false,
    keys: &[],
    context: Context { envelope: &[], session: &[], turn: &[], agent: &[], time: &[] },
    pairing: Pairing { asks: Expr::Absent, answers: Expr::Absent, member: "" },
    dispatch: Dispatch { tag: &[], arms: &[], present: &[], unknown: &[] },
    rules: &[],
    values: &[],
    tools: &[],
    registers: &[],
    dropped: &[],
    writes: &[],
    cannot: &[],
    hosts: &[],
    write_keys: &[],
    prepared: &PREPARED,
};

/// The path without `..`, and from the current folder where it lies below that.
fn readable(path: &Path) -> String {
    let plain = shortened(path);
    let here = std::env::current_dir().unwrap_or_default();
    let below = plain.strip_prefix(&here).unwrap_or(&plain);
    slashed(below)
}

#[cfg(test)]
mod tests {
    use super::readable;
    use std::path::Path;

    #[test]
    fn paths_are_shown_from_the_current_folder() {
        assert_eq!(readable(Path::new("runtime/src/../../maps/demo.map")), "maps/demo.map");
        assert_eq!(readable(Path::new("../maps/demo.map")), "../maps/demo.map");
        let inside = std::env::current_dir().expect("a current folder").join("maps/demo.map");
        assert_eq!(readable(&inside), "maps/demo.map");
    }
}
