//! The tables that are shipped are those that the macro proves and compiles from the maps.

#[path = "generated/proven_maps.rs"]
mod proven;

#[test]
fn what_is_shipped_is_what_the_maps_say() {
    let shipped: Vec<_> = interlingua::providers().iter().map(|table| table.provider).collect();
    let proven: Vec<_> = proven::PROVEN.iter().map(|table| table.provider).collect();
    assert_eq!(shipped, proven);
    for (shipped, proven) in interlingua::providers().iter().zip(proven::PROVEN) {
        assert!(
            shipped == proven,
            "{}: its table is not what its map says: run `cargo xtask regen`",
            proven.file
        );
    }
}
