use interlingua_macros::term_map;

include!("../../../tests/errors/unmapped_block.map");

fn main() {}
