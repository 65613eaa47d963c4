//! The transcript: what a stream of events amounts to.
//!
//! These types are plain data. [`transcript::Fold`](crate::transcript::Fold) makes them from events.

mod file;
mod item;
mod request;
mod session;
mod turn;
mod usage;

use serde::{Deserialize, Serialize};

pub use self::file::TranscriptFile;
pub(crate) use self::item::DEPTH;
pub use self::item::TranscriptItem;
pub use self::request::{TranscriptHostCall, TranscriptPermission, TranscriptQuestion};
pub use self::session::{TranscriptCalls, TranscriptCounts, TranscriptError, TranscriptSession};
pub use self::turn::TranscriptTurn;
pub use self::usage::{TranscriptModelUsage, TranscriptReport, TranscriptUsage};

/// The current state of the sessions of a stream: their turns, items, requests and totals.
///
/// It is whole after each event, so that it can be shown, compared or stored at any time.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{Event, Origin, SessionStarted, Transcript};
/// let start = Event::new("s1", 1, Origin::Agent, SessionStarted::default().with_model("m-1"));
/// let transcript: Transcript = [start].into_iter().collect();
/// assert_eq!(transcript.sessions[0].model.as_deref(), Some("m-1"));
/// assert_eq!(transcript.sessions[0].usage.total, None, "unknown is not zero");
/// let json = serde_json::to_string(&transcript)?;
/// assert_eq!(serde_json::from_str::<Transcript>(&json)?, transcript);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Transcript {
    /// The sessions, in the order in which they started. A sub-agent with a session of its own names its
    /// parent.
    pub sessions: Vec<TranscriptSession>,
}
