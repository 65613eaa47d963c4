use interlingua_macros::term_map;

include!("../../../tests/errors/wrong_type.map");

fn main() {}
