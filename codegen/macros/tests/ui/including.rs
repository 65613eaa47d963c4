// A map in several files, whose places tell the file.
extern crate self as interlingua;
pub use interlingua_table as table;

mod including {
    use interlingua_macros::term_map;

    include!("../../../tests/maps/including.map");
}

fn main() {
    let table: &'static table::Table = &including::TABLE;
    let [say, text] = table.included else { panic!("{:?}", table.included) };
    assert!(say.ends_with("codegen/tests/maps/shared/say.map"), "{say}");
    assert!(text.ends_with("codegen/tests/maps/shared/text.map"), "{text}");
    let ping = table.rules.iter().find(|rule| rule.name == "ping").expect("the included rule");
    assert_eq!((table.file_of(ping.place), ping.place.line), (*say, 11));
}
