//! The harness behind `cases.rs`: patterns, assertions and running a case.

pub mod assertion;
pub mod pattern;
pub mod rewrite;
pub mod run;
