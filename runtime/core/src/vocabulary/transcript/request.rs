//! Requests with their answers.

use serde::{Deserialize, Serialize};

use crate::vocabulary::id::TurnId;
use crate::vocabulary::request::{
    HostCallRequested, HostCallResolved, PermissionRequested, PermissionResolved, QuestionRequested,
    QuestionResolved,
};
use crate::vocabulary::timestamp::Timestamp;

/// Defines a request with its answer.
macro_rules! requests {
    ($( $(#[$meta:meta])* $name:ident($requested:ty, $resolved:ty); )*) => { $(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub struct $name {
            /// The request.
            pub requested: $requested,
            /// The answer; absent while there is none.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub resolved: Option<$resolved>,
            /// The turn that the request lies in.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub turn_id: Option<TurnId>,
            /// When it was asked.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub requested_at: Option<Timestamp>,
            /// When it was answered.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub resolved_at: Option<Timestamp>,
        }

        impl $name {
            /// A request without an answer.
            #[must_use]
            pub fn new(requested: $requested) -> Self {
                Self { requested, resolved: None, turn_id: None, requested_at: None, resolved_at: None }
            }
        }
    )* };
}

requests! {
    /// A permission request with its answer.
    TranscriptPermission(PermissionRequested, PermissionResolved);
    /// Questions to the user with their answers.
    TranscriptQuestion(QuestionRequested, QuestionResolved);
    /// A request to the host with its answer.
    TranscriptHostCall(HostCallRequested, HostCallResolved);
}
