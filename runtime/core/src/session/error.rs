//! Why a command cannot be given.

use std::fmt;

use crate::engine::WriteError;

/// Why a [`Session`](super::Session) does not take a command. Nothing was sent then.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CommandError {
    /// No request of this id was asked.
    UnknownRequest {
        /// The id.
        id: String,
        /// The ids of the open requests; the first few, if there are many.
        open: Vec<String>,
    },
    /// The request was settled before.
    AlreadySettled {
        /// The id.
        id: String,
        /// How.
        outcome: &'static str,
    },
    /// The request is of another sort than the reply.
    WrongReply {
        /// The id.
        id: String,
        /// The requested item.
        asked: &'static str,
    },
    /// The request offers no such option.
    NoSuchOption {
        /// The id of the request.
        id: String,
        /// What was chosen: an option's id or an outcome.
        chosen: String,
        /// The offered options, each with its outcome.
        offered: Vec<(String, &'static str)>,
    },
    /// There is no session of this id.
    UnknownSession(String),
    /// Too many commands wait for something that is not known yet.
    TooManyWaiting,
    /// The agent's stream ended while the command was waiting.
    Ended,
    /// The agent has answered that it does not take the command, and why.
    Refused(String),
    /// The command waited for a session that the agent has refused to start.
    NotStarted,
    /// The provider's map cannot express it.
    Write(WriteError),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRequest { id, open } if open.is_empty() => {
                write!(f, "there is no request `{id}`, and none is open")
            }
            Self::UnknownRequest { id, open } => {
                let open: Vec<String> = open.iter().map(|id| format!("`{id}`")).collect();
                write!(f, "there is no request `{id}`; open are {}", open.join(", "))
            }
            Self::AlreadySettled { id, outcome } => {
                write!(f, "the request `{id}` was settled before, as `{outcome}`")
            }
            Self::WrongReply { id, asked } => write!(f, "the request `{id}` is {asked}"),
            Self::NoSuchOption { id, chosen, offered } => {
                let offered: Vec<String> =
                    offered.iter().map(|(id, outcome)| format!("`{id}` ({outcome})")).collect();
                let offered = if offered.is_empty() { "no options".to_owned() } else { offered.join(", ") };
                write!(f, "the request `{id}` does not offer `{chosen}`; it offers {offered}")
            }
            Self::UnknownSession(id) => write!(f, "there is no session `{id}`"),
            Self::TooManyWaiting => f.write_str("too many commands wait for the session to begin"),
            Self::Ended => f.write_str("the agent ended before the command could be given"),
            Self::Refused(reason) => write!(f, "the agent refused it: {reason}"),
            Self::NotStarted => f.write_str("the agent refused to start the session"),
            Self::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommandError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(error) => Some(error),
            _ => None,
        }
    }
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}
