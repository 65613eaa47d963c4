//! What the fuzz targets share.

#[path = "../../tests/support/hold.rs"]
pub mod hold;
pub mod mutate;
