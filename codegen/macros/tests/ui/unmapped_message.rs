use interlingua_macros::term_map;

include!("../../../tests/errors/unmapped_message.map");

fn main() {}
