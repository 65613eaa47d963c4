//! Translates what coding agents print into one universal stream of events.
//!
//! A [`Translator`] takes the native bytes of one stream and yields [`Event`]s; which agent wrote
//! them is a [`Table`], compiled from a term map: a bundled one ([`provider()`], [`detect()`]) or one of
//! your own. The library does no input or output, reads no clock and starts no threads.
//!
//! # Bytes as they come
//!
//! Push slices of any size, split anywhere, and read the events that they complete. `finish` marks
//! the end of the input and closes everything that is open.
//!
//! ```
//! # #[cfg(feature = "providers")] {
//! use interlingua::{Options, Translator};
//!
//! let codex = interlingua::provider("codex").expect("a bundled provider");
//! let mut translator = Translator::new(codex, Options::default());
//! let mut types = Vec::new();
//! for piece in [r#"{"type":"thread.sta"#, "rted\",\"thread_id\":\"t-1\"}\n{\"type\":\"turn.started\"}\n"] {
//!     for event in translator.push(piece.as_bytes()) {
//!         types.push(event.body.event_type().to_owned());
//!     }
//! }
//! types.extend(translator.finish().map(|event| event.body.event_type().to_owned()));
//! assert_eq!(types, ["session.started", "turn.started", "turn.ended", "session.ended"]);
//! assert_eq!(translator.stats().messages, 2);
//! # }
//! ```
//!
//! # One message at a time
//!
//! Where something else has cut the stream into messages already, a web socket or a database, each
//! goes in whole.
//!
//! ```
//! # #[cfg(feature = "providers")] {
//! # use interlingua::{Options, Translator};
//! # let codex = interlingua::provider("codex").expect("a bundled provider");
//! let mut translator = Translator::new(codex, Options::default());
//! let events = translator.push_message(br#"{"type":"thread.started","thread_id":"t-1"}"#);
//! assert_eq!(events.count(), 1);
//! # }
//! ```
//!
//! # A whole reader
//!
//! [`EventReader`] is an iterator over the events of anything that can be read; with the feature `stream`,
//! `EventStream` is the same for an asynchronous stream of bytes.
//!
//! ```
//! # #[cfg(feature = "providers")] {
//! use interlingua::{EventReader, Options};
//!
//! let input = &b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n"[..];
//! let events = EventReader::detect(input, Options::default())?;
//! assert_eq!(events.count(), 2);
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What is, instead of what happens
//!
//! A [`transcript::Fold`] keeps the sessions as they stand: turns, items with their texts so far, results in their
//! calls, open requests, changed files, tokens and cost.
//!
//! ```
//! # #[cfg(feature = "providers")] {
//! # use interlingua::{EventReader, Options};
//! use interlingua::vocabulary::Transcript;
//!
//! # let input = &b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n"[..];
//! let transcript: Transcript = EventReader::detect(input, Options::default())?.collect::<Result<_, _>>()?;
//! assert_eq!(transcript.sessions[0].native_session_id.as_ref().unwrap(), &"t-1");
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Who writes
//!
//! A pipe gives what is there, which may be less than one message. A [`Detector`] says when it needs more.
//!
//! ```
//! # #[cfg(feature = "providers")] {
//! use std::io::{self, Read};
//!
//! use interlingua::{Detection, Detector, Event, Options, Translator};
//!
//! fn translate(mut input: impl Read, mut take: impl FnMut(Event)) -> io::Result<()> {
//!     let mut buffer = [0; 16 << 10];
//!     let (mut begin, mut detector) = (Vec::new(), Detector::new());
//!     let provider = loop {
//!         let count = input.read(&mut buffer)?;
//!         begin.extend_from_slice(&buffer[..count]);
//!         let detection = if count == 0 { detector.finish() } else { detector.push(&buffer[..count]) };
//!         match detection {
//!             Detection::NeedMore => {}
//!             Detection::Known(provider) => break provider,
//!             _ => return Err(io::Error::other("cannot tell which agent wrote this")),
//!         }
//!     };
//!     let mut translator = Translator::new(provider, Options::default());
//!     translator.push(&begin).for_each(&mut take);
//!     loop {
//!         let count = input.read(&mut buffer)?;
//!         if count == 0 {
//!             break;
//!         }
//!         translator.push(&buffer[..count]).for_each(&mut take);
//!     }
//!     translator.finish().for_each(&mut take);
//!     Ok(())
//! }
//!
//! /// A pipe that gives one byte at a time.
//! struct Slow(&'static [u8]);
//!
//! impl Read for Slow {
//!     fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
//!         let count = self.0.len().min(1);
//!         self.0.read(&mut buffer[..count])
//!     }
//! }
//!
//! let mut events = 0;
//! translate(Slow(b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n"), |_| events += 1)?;
//! assert_eq!(events, 2);
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Several streams side by side
//!
//! Each stream has a translator of its own, and a session id that tells its events apart.
//!
//! ```
//! # #[cfg(feature = "providers")] {
//! use std::collections::HashMap;
//!
//! use interlingua::{Options, Translator};
//!
//! let line = b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n";
//! let mut streams: HashMap<u32, Translator> = HashMap::new();
//! let mut ids = Vec::new();
//! // Pieces arrive from several agents, each with the number of its process.
//! for process in [7, 8] {
//!     let translator = streams.entry(process).or_insert_with(|| {
//!         let codex = interlingua::provider("codex").expect("a bundled provider");
//!         Translator::new(codex, Options::default().session_id(format!("agent-{process}")))
//!     });
//!     ids.extend(translator.push(line).map(|event| event.event_id().to_string()));
//! }
//! assert_eq!(ids, ["agent-7:1", "agent-8:1"]);
//! # }
//! ```

#![forbid(unsafe_code)]

pub mod detect;
mod reader;
pub mod registry;
#[cfg(feature = "stream")]
mod stream;

pub use detect::{Detection, Detector, detect};
#[cfg(feature = "conformance")]
#[doc(inline)]
pub use interlingua_core::conformance;
#[doc(hidden)]
pub use interlingua_core::json;
#[doc(inline)]
pub use interlingua_core::{
    ClientCommand, ClientOutput, ClientSession, CommandError, HostCommand, HostCounts, HostMessage, Moment,
    PendingRequests, Replay, Session, SessionOutput, Speaker, Spoken,
};
#[doc(inline)]
pub use interlingua_core::{
    Event, Events, NativeMessage, Options, Stats, Translator, WriteError, Writer, WrittenRequest, engine,
    framing, laws, model, session, transcript, vocabulary,
};
#[cfg(feature = "macros")]
pub use interlingua_macros::term_map;
/// Used by the macro and the tools; not part of the stable interface.
#[doc(hidden)]
pub use interlingua_table as table;
pub use interlingua_table::Table;
pub use reader::EventReader;
pub use registry::{provider, providers, target, targets};
#[cfg(feature = "stream")]
pub use stream::EventStream;

/// The examples of the repository's first page, so that they keep compiling and holding.
#[cfg(all(doctest, feature = "providers"))]
#[doc = include_str!("../README.md")]
pub struct Readme;
