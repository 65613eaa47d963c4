//! What `term_map!` expands to.

use std::path::{Path, PathBuf};

use interlingua_table::{Context, Demands, Dispatch, Expr, Framing, Layer, Pairing, Prepared, Table};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::load::{Beside, read_map};
use crate::sources::{shortened, slashed};
use crate::{Diagnostic, compile_with, emit};

/// Expands `term_map! { … }`, of which the file `map` consists, and whose tokens are `tokens`.
///
/// The map is read from its file, so that a fault has the same text here as everywhere else. The tokens only tell rustc
/// where it is.
///
/// The result is the item `pub static TABLE: ::interlingua::table::Table`, and for each fault a
/// `compile_error!` with its caret under the token of the map. Either way the compiler is told which
/// files the result depends on, so that a changed schema or included file makes the map compile again.
pub fn expand(tokens: TokenStream, map: &Path) -> TokenStream {
    let text = match read_map(map) {
        Ok(text) => text,
        Err(error) => {
            let message = format!(
                "cannot read the map `{}`: {error}; bring it in with `include!`, from a file of its own",
                readable(map)
            );
            return quote!(::core::compile_error! { #message });
        }
    };
    let mut files = Beside::new(map);
    let compiled = compile_with(&text, &readable(map), &mut files);
    let read: Vec<PathBuf> = files.read().iter().filter_map(|file| file.canonicalize().ok()).collect();
    let tracked = read.iter().filter_map(|file| file.to_str());
    let (table, errors) = match &compiled {
        Ok(compiled) => (compiled.table, TokenStream::new()),
        // A table without rules keeps the compiler from reporting each use of a table that is missing.
        Err(faults) => (&EMPTY, faults.iter().map(|fault| compile_error(fault, &tokens)).collect()),
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

/// A fault as a `compile_error!`. One in the map itself has its caret in the map; one in an included file, whose lines
/// rustc does not know, shows them itself, with rustc's caret under the `include`.
fn compile_error(fault: &Diagnostic, tokens: &TokenStream) -> TokenStream {
    let text = match &fault.help {
        _ if fault.is_included => format!("in an included file\n{fault}"),
        Some(help) => format!("{}\nhelp: {help}", fault.message),
        None => fault.message.clone(),
    };
    let mut best = Span::call_site();
    nearest(tokens, fault.in_map, &mut best, &mut (0, 0));
    quote_spanned!(best=> ::core::compile_error! { #text })
}

/// The last token that starts at a place or before it.
fn nearest(tokens: &TokenStream, place: (usize, usize), best: &mut Span, found: &mut (usize, usize)) {
    let look = |span: Span, best: &mut Span, found: &mut (usize, usize)| {
        let start = (span.start().line, span.start().column + 1);
        if start <= place && start >= *found {
            *best = span;
            *found = start;
        }
    };
    for token in tokens.clone() {
        match &token {
            TokenTree::Group(group) => {
                look(group.span_open(), best, found);
                nearest(&group.stream(), place, best, found);
                look(group.span_close(), best, found);
            }
            token => look(token.span(), best, found),
        }
    }
}

static PREPARED: Prepared = Prepared::new();

static EMPTY: Table = Table {
    provider: "",
    title: "nothing",
    install: "",
    files: &[],
    written_by: "",
    resume: "",
    layer: Layer::Agent,
    dialect_of: None,
    file: "",
    included: &[],
    framing: &[Framing::JsonLines],
    end: &[],
    server: None,
    turn_ends_with_input: false,
    demands: Demands::NONE,
    keys: &[],
    context: Context { envelope: &[], message_id: &[], session: &[], turn: &[], agent: &[], time: &[] },
    pairing: Pairing { asks: Expr::Absent, answers: Expr::Absent, member: "", turn_answered_at_end: false },
    dispatch: Dispatch { tag: &[], arms: &[], present: &[], unknown: &[] },
    rules: &[],
    values: &[],
    tools: &[],
    registers: &[],
    dropped: &[],
    writes: &[],
    open_readers: &[],
    cannot: &[],
    hosts: &[],
    target: None,
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
