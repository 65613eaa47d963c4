use interlingua_macros::term_map;

include!("../../../tests/errors/missing_field.map");

fn main() {}
