use interlingua_macros::term_map;

include!("../../../tests/errors/unknown_term.map");

fn main() {}
