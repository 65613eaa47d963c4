use interlingua_macros::term_map;

include!("../../../tests/errors/unmapped_enum_value.map");

fn main() {}
