//! Compiled tables.
