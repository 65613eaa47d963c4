//! What `cargo xtask regen` writes for the command.

pub mod prices;
