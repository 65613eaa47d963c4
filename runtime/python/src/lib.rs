//! The native half of the Python package `interlingua`: thin wrappers around the library. What reads files and iterates
//! is in Python, beside it.

#![forbid(unsafe_code)]

mod check;
mod error;
mod event;
mod json;
mod provider;
mod request;
mod session;
mod speak;
mod tables;
mod transcript;
mod translator;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::check::Checker;
    #[pymodule_export]
    use super::error::{CommandError, InterlinguaError, MapError, UnknownProviderError, UnreadableError};
    #[pymodule_export]
    use super::event::Event;
    #[pymodule_export]
    use super::provider::{Map, providers, sessions, target, targets, vocabulary_schema};
    #[pymodule_export]
    use super::request::request;
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::speak::Speaker;
    #[pymodule_export]
    use super::tables::{ArrowStream, TableBuilder, export_parquet, table_columns};
    #[pymodule_export]
    use super::transcript::Transcript;
    #[pymodule_export]
    use super::translator::{Detector, Translator};
}
