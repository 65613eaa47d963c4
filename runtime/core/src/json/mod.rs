//! A one-pass index over the bytes of one JSON message.
//!
//! A translator reads a few dozen paths of each message and copies a few
//! strings. Building a tree of owned values for that costs more than
//! everything else together, so [`Index::parse`] only checks the text
//! (strictly, by RFC 8259) and writes down where each value starts, where it
//! ends and which known key it stands under. Nothing is decoded or copied
//! until somebody asks a [`Value`] for it.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! use interlingua::json::{Index, KeySet};
//!
//! let keys = KeySet::new(["type", "message", "content", "text"]);
//! let [kind, message, content, text] =
//!     ["type", "message", "content", "text"].map(|name| keys.id(name));
//!
//! // The index is a buffer: keep one and parse message after message into it.
//! let mut index = Index::new();
//! let line = br#"{"type":"assistant","message":{"content":[{"text":"Hi\n"}]},"n":1e2}"#;
//! let document = index.parse(line, &keys)?;
//! let root = document.root();
//!
//! assert_eq!(root.get(kind).unwrap().as_str().unwrap(), "assistant");
//! let content = root.get(message).unwrap().get(content).unwrap();
//! assert_eq!(content.raw(), r#"[{"text":"Hi\n"}]"#);
//! let texts: Vec<_> = content.items().filter_map(|block| block.get(text)?.as_str()).collect();
//! assert_eq!(texts, ["Hi\n"]);
//! // A key outside of the set is reachable by its text.
//! assert_eq!(root.get_str("n").unwrap().as_f64(), Some(100.0));
//! # Ok::<(), interlingua::json::ParseError>(())
//! ```
//!
//! What is accepted beyond the letter of the RFC's advice: lone surrogates in
//! escapes (`"\ud83d"`; see [`Value::decode_with`]), duplicate keys (a lookup
//! finds the first), and numbers of any size (they stay text).

mod decode;
mod error;
mod keys;
mod node;
mod parse;
mod scan;
mod value;

pub use error::{ParseError, ParseErrorKind};
pub use keys::{KeyId, KeySet};
pub use node::Kind;
pub(crate) use parse::Added;
pub use parse::{DEFAULT_MAX_DEPTH, Index};
pub(crate) use scan::{next_special, specials};
pub use value::{Document, Entries, Items, Value};
