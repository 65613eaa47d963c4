use interlingua_macros::term_map;

include!("../../../tests/errors/ignore_without_reason.map");

fn main() {}
