use interlingua_macros::term_map;

include!("../../../tests/errors/unknown_path.map");

fn main() {}
