extern crate self as interlingua;
pub use interlingua_table as table;

mod demo {
    use interlingua_macros::term_map;

    include!("../../../tests/errors/tools.map");
}

fn main() {
    let _table: &table::Table = &demo::TABLE;
}
