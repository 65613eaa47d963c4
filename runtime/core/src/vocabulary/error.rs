//! Data of `error`, also used where a turn or session ends with one.

use serde::{Deserialize, Serialize};

use super::json::{self, Json};
use super::setters::with;
use super::words::closed_words;

/// An error, as the provider reports it.
///
/// ```json
/// {"class":"overloaded","message":"try later","code":"529","will_retry":true}
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ErrorData {
    /// What sort of error it is.
    pub class: ErrorClass,
    /// The provider's message.
    pub message: String,
    /// The provider's code, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether the agent will retry by itself, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub will_retry: Option<bool>,
    /// Further native facts, as they were written.
    #[serde(default, deserialize_with = "json::present", skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
}

impl ErrorData {
    /// An error without code, details and information about retries.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), code: None, will_retry: None, details: None }
    }

    with! {
        with_code: code = String;
        with_details: details = Json;
    }

    /// The same error, with a retry announced.
    #[must_use]
    pub fn retried(mut self) -> Self {
        self.will_retry = Some(true);
        self
    }
}

closed_words! {
    /// What sort of error it is.
    pub enum ErrorClass {
        /// Not logged in, or not allowed.
        Auth = "auth",
        /// A paid limit is used up.
        Quota = "quota",
        /// Too many requests.
        RateLimit = "rate-limit",
        /// The provider is too busy.
        Overloaded = "overloaded",
        /// The conversation is too long for the model.
        ContextWindow = "context-window",
        /// The connection failed.
        Network = "network",
        /// The provider rejects the request.
        InvalidRequest = "invalid-request",
        /// A tool failed.
        Tool = "tool",
        /// A program ended in an unexpected way.
        Crash = "crash",
        /// None of these, or unknown.
        Unknown = "unknown",
    }
}
