//! Ids of different things do not mix: each mistake of `ui/ids_do_not_mix.rs` is an error of its own.

#[test]
fn ids_of_different_things_do_not_mix() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
