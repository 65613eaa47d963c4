//! What rustc makes of maps: of a right one a table, and of a wrong one errors with their caret
//! under the token of the map. The broken maps are those of the compiler's own tests.

#[test]
fn maps_compile_or_are_answered_in_their_own_lines() {
    let tests = trybuild::TestCases::new();
    tests.pass("tests/ui/right.rs");
    tests.pass("tests/ui/including.rs");
    for rule in [
        "unknown_path",
        "wrong_type",
        "unmapped_message",
        "unmapped_enum_value",
        "unmapped_block",
        "unreachable_rule",
        "missing_field",
        "ignore_without_reason",
        "unknown_term",
        "register_never_written",
        "many_faults",
        "included_faults",
        "tools",
    ] {
        tests.compile_fail(format!("tests/ui/{rule}.rs"));
    }
}
