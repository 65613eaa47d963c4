//! Errors: a code, what went wrong, and what to do about it.

use interlingua_cli::bindings;

/// The code of an error.
#[derive(Clone, Copy)]
pub enum Code {
    UnknownProvider,
    Map,
    Command,
    Unreadable,
    Failed,
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Self::UnknownProvider => "UNKNOWN_PROVIDER",
            Self::Map => "MAP",
            Self::Command => "COMMAND",
            Self::Unreadable => "UNREADABLE",
            Self::Failed => "FAILED",
        }
    }
}

/// A result whose error has one of our codes.
pub type Result<T> = std::result::Result<T, napi::Error<Code>>;

/// An error with a code.
pub fn error(code: Code, reason: impl ToString) -> napi::Error<Code> {
    napi::Error::new(code, reason.to_string())
}

/// An error with what to do about it on a line of its own.
pub fn of(code: Code) -> impl Fn(bindings::Error) -> napi::Error<Code> {
    move |failure| {
        let reason = match failure.help {
            Some(help) => format!("{}\n  help: {help}", failure.message),
            None => failure.message,
        };
        error(code, reason)
    }
}

/// What cannot be written as JSON, such as a number that is not finite.
pub fn unwritable(failure: serde_json::Error) -> napi::Error<Code> {
    error(Code::Unreadable, format!("this cannot be written as JSON: {failure}"))
}
