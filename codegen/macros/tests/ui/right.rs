// The runtime crate offers the table's types as `interlingua::table`; here this program does.
extern crate self as interlingua;
pub use interlingua_table as table;

mod demo {
    use interlingua_macros::term_map;

    include!("../../../tests/maps/demo.map");
}

fn main() {
    let table: &'static table::Table = &demo::TABLE;
    assert_eq!(table.provider, "demo");
    // A program in the same workspace sees the path from there; this one is built elsewhere.
    assert!(table.file.ends_with("codegen/tests/maps/demo.map"), "{}", table.file);
    assert!(table.keys.is_sorted());

    // The same map, loaded while the program runs, gives the same table.
    let map = include_str!("../../../tests/maps/demo.map");
    let schema = include_str!("../../../tests/maps/schema.json");
    let loaded = interlingua_codegen::compile(map, table.file, |_: &str| {
        Ok(interlingua_codegen::SchemaText::new(schema))
    });
    assert_eq!(loaded.expect("the map is right").table, table);
}
