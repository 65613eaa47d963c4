//! Generated native types.
