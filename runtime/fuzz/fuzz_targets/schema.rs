//! Any text as a schema, or as a schema and additions with a NUL between them: it loads or is refused, and whoever
//! asks about its types gets an answer; so does a map that is checked against it.
#![no_main]

use interlingua_codegen::schema::{Kinds, Type, load};
use interlingua_codegen::{SchemaText, compile};
use libfuzzer_sys::fuzz_target;

const MAP: &str = include_str!("../../../codegen/tests/maps/demo.map");

/// Asks everything that a checker asks, a few levels down.
fn ask(ty: &Type<'_>, depth: usize) {
    let _ = ty.kinds().to_string();
    for tag in ["type", "kind"] {
        for variant in ty.variants(tag) {
            let _ = variant.tags.iter().map(ToString::to_string).count();
        }
    }
    if depth == 0 {
        return;
    }
    for name in ty.property_names().into_iter().take(8) {
        if let Some(member) = ty.property(name) {
            ask(&member, depth - 1);
        }
    }
    let element = ty.only(Kinds::ARRAY).and_then(|array| array.element());
    let entry = ty.only(Kinds::OBJECT).and_then(|object| object.entry());
    for inner in [element, entry].into_iter().flatten() {
        ask(&inner, depth - 1);
    }
}

fuzz_target!(|text: &str| {
    let (schema, additions) = text.split_once('\0').unwrap_or((text, ""));
    if let Ok(schema) = load(schema, additions) {
        for name in schema.definition_names().into_iter().take(16) {
            ask(&schema.definition(name).expect("it is named"), 2);
        }
        ask(&schema.root(), 2);
    }
    let text = SchemaText { schema: schema.to_owned(), additions: additions.to_owned() };
    let _ = compile(MAP, "fuzz.map", |_: &str| Ok(text.clone()));
});
