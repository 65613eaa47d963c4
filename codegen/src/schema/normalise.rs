//! Steps that prepare a schema for the generation of Rust types.
