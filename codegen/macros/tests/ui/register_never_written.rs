use interlingua_macros::term_map;

include!("../../../tests/errors/register_never_written.map");

fn main() {}
