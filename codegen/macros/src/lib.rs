//! The macro that compiles a term map while the crate that holds it is built.

#![forbid(unsafe_code)]

use proc_macro::{Span, TokenStream};

/// Compiles a term map to the item `pub static TABLE: interlingua::table::Table`.
///
/// A map is a file of its own that holds one call of this macro, and is brought in with `include!`:
///
/// ```text
/// mod demo {
///     use interlingua::term_map;
///     include!("../maps/demo.map");
/// }
/// let table: &'static interlingua::table::Table = &demo::TABLE;
/// ```
///
/// The map's schema is found beside the map. All faults of a map are reported at once, each with its
/// line and column in the map. The language is described in `docs/map-language.md`.
#[proc_macro]
pub fn term_map(tokens: TokenStream) -> TokenStream {
    // The tokens come from the map's file, and the call itself may come from another one.
    let first = tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    let map = first.local_file().unwrap_or_default();
    interlingua_codegen::expand(tokens.into(), &map).into()
}
