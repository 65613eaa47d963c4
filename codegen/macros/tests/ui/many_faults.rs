use interlingua_macros::term_map;

include!("../../../tests/errors/many_faults.map");

fn main() {}
