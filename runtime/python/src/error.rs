//! Exceptions: what went wrong, where, and what to do about it.

use interlingua_cli::bindings::Error;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(
    interlingua,
    InterlinguaError,
    PyException,
    "The base of all exceptions of this package."
);
pyo3::create_exception!(
    interlingua,
    UnknownProviderError,
    InterlinguaError,
    "There is no provider or target of this name."
);
pyo3::create_exception!(interlingua, MapError, InterlinguaError, "A term map has faults, or cannot be read.");
pyo3::create_exception!(
    interlingua,
    CommandError,
    InterlinguaError,
    "A command cannot be given to the agent."
);
pyo3::create_exception!(
    interlingua,
    UnreadableError,
    InterlinguaError,
    "The input cannot be read as what it should be."
);

/// The text of an exception: what went wrong, and on a line of its own what to do about it.
pub fn text(error: Error) -> String {
    match error.help {
        Some(help) => format!("{}\n  help: {help}", error.message),
        None => error.message,
    }
}

/// An exception of the input.
pub fn unreadable(error: Error) -> PyErr {
    UnreadableError::new_err(text(error))
}

/// What a lock says when a thread has panicked with it.
pub fn poisoned<T>(_: T) -> PyErr {
    InterlinguaError::new_err(
        "this object cannot be used any more, since a call on it has failed unexpectedly",
    )
}
