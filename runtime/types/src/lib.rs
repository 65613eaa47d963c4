//! The native messages of coding agents, and the streams of models and the requests to them, as Rust types.
//!
//! One module per provider, each behind a feature of its name (none is on by
//! default). The types are generated from the providers' schemas by
//! `cargo xtask regen`. They serve those who want typed access to a native
//! message, or build one to send. Universal events do not come from them.
//!
//! - A message is a tagged union ([`Tagged`]): its tags alone decide which
//!   variant it is, and a tag that the schema does not know is an error value.
//!   Where the schema lets a message do without the tag, so does the union.
//! - A union that no tag tells apart is one struct with the fields of all.
//! - Nothing is required but tags. A field that is absent or null is `None`.
//! - Fields that the schema does not know are dropped. Keep the line's bytes
//!   if they matter.
//! - An answer whose shape its request decides is read with a [`Table`].
//!
//! ```
//! # #[cfg(feature = "amp")] {
//! use interlingua_types::{amp, decode};
//!
//! let line = br#"{"type":"system","subtype":"init","cwd":"/w","session_id":"T-1","tools":[]}"#;
//! let amp::StreamMessage::SystemInit(init) = decode(line)? else { panic!("another message") };
//! assert_eq!(init.cwd.as_deref(), Some("/w"));
//! # }
//! # Ok::<(), interlingua_types::DecodeError>(())
//! ```
//!
//! A message to send is built from its parts; tags are filled in:
//!
//! ```
//! # #[cfg(feature = "codex")] {
//! use interlingua_types::codex::{ClientRequest, ClientRequestTurnInterrupt, RequestId, TurnInterruptParams};
//!
//! let request = ClientRequest::from(ClientRequestTurnInterrupt {
//!     id: Some(RequestId::Int64(7)),
//!     params: Some(TurnInterruptParams { thread_id: Some("t".into()), turn_id: Some("u".into()) }),
//!     ..Default::default()
//! });
//! let line = serde_json::to_string(&request).expect("has no odd keys");
//! assert_eq!(line, r#"{"method":"turn/interrupt","id":7,"params":{"threadId":"t","turnId":"u"}}"#);
//! # }
//! ```
//!
//! So is a request to a model:
//!
//! ```
//! # #[cfg(feature = "openai-responses")] {
//! use interlingua_types::openai_responses::{ResponseCreateParamsStreaming, ResponseCreateParamsStreamingInput};
//!
//! let request = ResponseCreateParamsStreaming {
//!     model: Some("a-model".into()),
//!     input: Some(ResponseCreateParamsStreamingInput::String("Hello".into())),
//!     stream: Some(true),
//!     ..Default::default()
//! };
//! let body = serde_json::to_string(&request).expect("has no odd keys");
//! assert_eq!(body, r#"{"input":"Hello","model":"a-model","stream":true}"#);
//! # }
//! ```

#![forbid(unsafe_code)]

mod decode;
mod generated;
mod macros;
mod object;
mod tagged;

pub use decode::{DecodeError, decode, read_json};
pub use generated::*;
pub use tagged::{Table, Tag, Tagged};

#[doc(hidden)]
pub mod support {
    //! What the macros' expansions call.
    pub use crate::object::{Entries, Fields};
    pub use crate::tagged::{expect_text, inner, unknown_key, unknown_tags, unknown_value, variant_of};
    pub use serde;
    pub use serde_json;
}
