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
    let names: Vec<&str> = table.rules.iter().map(|rule| rule.name).collect();
    assert_eq!(&names[..3], ["hello", "say", "tool-start"]);
    let mut sorted = table.keys.to_vec();
    sorted.sort_unstable();
    assert_eq!(table.keys, sorted);
}
