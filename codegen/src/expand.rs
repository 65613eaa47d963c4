//! What `term_map!` expands to.

use std::path::{Component, Path, PathBuf};

use proc_macro2::TokenStream;
use quote::quote;

use crate::load::SchemaFiles;
use crate::{compile_tokens, emit};

/// Expands what stands inside `term_map! { … }` in the file `map`.
///
/// The result is the item `pub static TABLE: ::interlingua::table::Table`, or a `compile_error!` for
/// each fault, with its caret under the token of the map. Either way the compiler is told which
/// files the result depends on, so that a changed schema makes the map compile again.
pub fn expand(tokens: TokenStream, map: &Path) -> TokenStream {
    let mut read = Vec::new();
    let compiled = compile_tokens(tokens, &readable(map), |schema| {
        let files = SchemaFiles::beside(map, schema);
        read.extend(files.all().filter_map(|file| file.canonicalize().ok()));
        files.read()
    });
    let tracked = read.iter().filter_map(|file| file.to_str());
    let result = match compiled {
        Ok(compiled) => {
            let doc = format!("The term map of {}.", compiled.table.title);
            let table = emit(compiled.table);
            quote! {
                #[doc = #doc]
                pub static TABLE: ::interlingua::table::Table = #table;
            }
        }
        Err(faults) => faults.iter().map(crate::Fault::compile_error).collect(),
    };
    quote! {
        #(const _: &[::core::primitive::u8] = ::core::include_bytes!(#tracked);)*
        #result
    }
}

/// The path without `..`, and from the current folder where it lies below that.
fn readable(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    let here = std::env::current_dir().unwrap_or_default();
    let below = plain.strip_prefix(&here).unwrap_or(&plain);
    below.to_string_lossy().replace('\\', "/")
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
