use interlingua_macros::term_map;

include!("../../../tests/errors/unreachable_rule.map");

fn main() {}
