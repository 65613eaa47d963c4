//! Interlingua.
