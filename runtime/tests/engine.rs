//! The engine under an invented provider: `tests/engine/demo.map`.
//!
//! Each `tests/engine/streams/*.jsonl` is a native stream, whose events are kept beside it as a
//! snapshot. Whatever a stream holds, its events keep the laws.

#[path = "engine/api.rs"]
mod api;
#[path = "engine/bounds.rs"]
mod bounds;
#[path = "support/hold.rs"]
mod hold;
#[path = "engine/streams.rs"]
mod streams;
#[path = "engine/support.rs"]
mod support;
