//! What the fuzz targets share.

#![forbid(unsafe_code)]

#[path = "../../tests/support/hold.rs"]
pub mod hold;
pub mod mutate;
