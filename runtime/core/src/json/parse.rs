//! The pass over a message that fills the index.

use std::ops::Range;

use super::decode;
use super::error::{ParseError, ParseErrorKind};
use super::keys::{Depth, KeyId, KeySet, Marks};
use super::node::{Kind, Node};
use super::scan;
use super::value::Document;

/// The default limit for the nesting of arrays and objects.
pub const DEFAULT_MAX_DEPTH: usize = 512;

/// A buffer of more nodes than this is given back before the next message, so
/// that one huge message does not hold its memory for a whole session.
const KEPT_NODES: usize = 1 << 16;

/// Where the values of one message stand: a buffer to be reused for message
/// after message, which allocates nothing once it has grown to their size (but
/// for keys with escapes, which hardly occur).
#[derive(Debug)]
pub struct Index {
    nodes: Vec<Node>,
    stack: Vec<Frame>,
    /// Where the nodes of the message begin that was added last.
    base: usize,
    /// The keys of that message so far.
    keys: Marks,
    max_depth: usize,
    /// How many bytes of a string are read at most.
    text_limit: usize,
}

/// A message that an index holds beside others.
#[derive(Debug)]
pub(crate) struct Added<'t> {
    text: &'t str,
    nodes: Range<usize>,
    keys: Marks,
}

/// An open array or object.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: u32,
    is_object: bool,
    /// Everything inside is indexed, whatever its key.
    open: bool,
}

/// The key in front of a value.
#[derive(Clone, Copy)]
struct Key {
    start: u32,
    end: u32,
    id: KeyId,
    flags: u8,
    depth: Depth,
}

const NO_KEY: Key = Key { start: 0, end: 0, id: KeyId::UNKNOWN, flags: 0, depth: Depth::Indexed };

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

impl Index {
    /// An empty index for messages nested up to [`DEFAULT_MAX_DEPTH`].
    pub fn new() -> Self {
        Self::with_max_depth(DEFAULT_MAX_DEPTH)
    }

    /// An empty index for messages whose arrays and objects are nested up to
    /// `max_depth` levels; with 0, only scalars pass.
    pub fn with_max_depth(max_depth: usize) -> Self {
        Self {
            nodes: Vec::new(),
            stack: Vec::new(),
            base: 0,
            keys: Marks::default(),
            max_depth,
            text_limit: usize::MAX,
        }
    }

    /// Gives only the first `bytes` bytes of each string, before its escapes are decoded; [`raw`](super::Value::raw)
    /// still gives all of it.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::json::{Index, KeySet};
    /// let mut index = Index::new().text_limit(3);
    /// let document = index.parse(br#""abcdef""#, &KeySet::new([""; 0]))?;
    /// assert_eq!(document.root().as_str().as_deref(), Some("abc"));
    /// # Ok::<(), interlingua::json::ParseError>(())
    /// ```
    #[must_use]
    pub fn text_limit(mut self, bytes: usize) -> Self {
        self.text_limit = bytes;
        self
    }

    /// Checks that `bytes` are one JSON value, with nothing but whitespace
    /// around it, indexes it and returns it.
    ///
    /// # Errors
    /// When the bytes are not UTF-8 or not one JSON value, or when the value
    /// is nested too deep. The index is then empty.
    pub fn parse<'a>(&'a mut self, bytes: &'a [u8], keys: &KeySet) -> Result<Document<'a>, ParseError> {
        self.clear();
        let added = self.add(bytes, keys)?;
        Ok(self.document(&added))
    }

    /// Like [`parse`](Self::parse), for text that is known to be UTF-8.
    ///
    /// # Errors
    /// See [`parse`](Self::parse).
    pub fn parse_str<'a>(&'a mut self, text: &'a str, keys: &KeySet) -> Result<Document<'a>, ParseError> {
        self.clear();
        let added = self.add_str(text, keys)?;
        Ok(self.document(&added))
    }

    /// Forgets all messages.
    pub(crate) fn clear(&mut self) {
        if self.nodes.capacity() > KEPT_NODES {
            self.nodes = Vec::new();
        }
        self.nodes.clear();
    }

    /// Checks and indexes one message beside those that the index holds, for [`document`](Self::document): to index
    /// several in a row leaves the code for it in the processor's cache.
    pub(crate) fn add<'t>(&mut self, bytes: &'t [u8], keys: &KeySet) -> Result<Added<'t>, ParseError> {
        // The quick check only says whether there is an error; the slow one says where.
        if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
            return self.add_str(text, keys);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.add_str(text, keys),
            Err(error) => Err(ParseError::new(
                match error.error_len() {
                    Some(_) => ParseErrorKind::InvalidUtf8,
                    None => ParseErrorKind::UnexpectedEnd,
                },
                error.valid_up_to(),
            )),
        }
    }

    fn add_str<'t>(&mut self, text: &'t str, keys: &KeySet) -> Result<Added<'t>, ParseError> {
        self.stack.clear();
        self.base = self.nodes.len();
        self.keys = Marks::default();
        if let Err(error) = self.fill(text.as_bytes(), keys) {
            self.nodes.truncate(self.base);
            return Err(error);
        }
        Ok(Added { text, nodes: self.base..self.nodes.len(), keys: self.keys })
    }

    /// A message that was added and not forgotten since.
    pub(crate) fn document<'a>(&'a self, added: &Added<'a>) -> Document<'a> {
        Document::new(&self.nodes[added.nodes.clone()], added.text, added.keys, self.text_limit)
    }

    fn fill(&mut self, text: &[u8], keys: &KeySet) -> Result<(), ParseError> {
        if text.len() >= u32::MAX as usize {
            return Err(ParseError::new(ParseErrorKind::TooLong, text.len()));
        }
        let end = self.value::<true>(text, keys, 0)?;
        match scan::token(text, end) {
            Ok((at, _)) => Err(ParseError::new(ParseErrorKind::TrailingBytes, at)),
            Err(_) => Ok(()),
        }
    }

    /// Reads one value from `at` and returns the position after it. With
    /// `KEEP`, its nodes are appended; without, it is only checked. There is
    /// no recursion but the one step from the first to the second.
    fn value<const KEEP: bool>(
        &mut self,
        text: &[u8],
        keys: &KeySet,
        mut at: usize,
    ) -> Result<usize, ParseError> {
        let floor = self.stack.len();
        let mut frame = Frame { node: 0, is_object: false, open: false };
        let mut key = NO_KEY;
        loop {
            let (start, byte) = scan::token(text, at)?;
            let kind = match byte {
                b'"' => {
                    let (end, escaped) = scan::string(text, start + 1)?;
                    at = end;
                    if escaped { Kind::EscapedString } else { Kind::String }
                }
                b'{' | b'[' => {
                    let is_object = byte == b'{';
                    let kind = if is_object { Kind::Object } else { Kind::Array };
                    let open = frame.open || key.depth == Depth::Open;
                    if KEEP && key.depth == Depth::Opaque && !open {
                        at = self.value::<false>(text, keys, start)?;
                        key.flags |= Node::OPAQUE;
                        kind
                    } else {
                        if self.stack.len() >= self.max_depth {
                            return Err(ParseError::new(ParseErrorKind::TooDeep, start));
                        }
                        let (inside, next) = scan::token(text, start + 1)?;
                        at = inside;
                        if next == if is_object { b'}' } else { b']' } {
                            at += 1;
                            kind
                        } else {
                            self.stack.push(frame);
                            frame = Frame { node: (self.nodes.len() - self.base) as u32, is_object, open };
                            if KEEP {
                                self.push(kind, key, start, start);
                            }
                            key = NO_KEY;
                            if is_object {
                                (at, key) = self.key::<KEEP>(text, keys, at, next)?;
                            }
                            continue;
                        }
                    }
                }
                b'-' | b'0'..=b'9' => {
                    at = scan::number(text, start)?;
                    Kind::Number
                }
                b't' => {
                    at = scan::literal(text, start, b"true")?;
                    Kind::True
                }
                b'f' => {
                    at = scan::literal(text, start, b"false")?;
                    Kind::False
                }
                b'n' => {
                    at = scan::literal(text, start, b"null")?;
                    Kind::Null
                }
                _ => return Err(ParseError::new(ParseErrorKind::ExpectedValue, start)),
            };
            if KEEP {
                self.push(kind, key, start, at);
            }
            // After a value: the next one, or the end of one or more containers.
            loop {
                if self.stack.len() == floor {
                    return Ok(at);
                }
                let (here, byte) = scan::token(text, at)?;
                at = here + 1;
                if byte == b',' {
                    if frame.is_object {
                        let (here, byte) = scan::token(text, at)?;
                        (at, key) = self.key::<KEEP>(text, keys, here, byte)?;
                    } else {
                        key = NO_KEY;
                    }
                    break;
                }
                if byte != if frame.is_object { b'}' } else { b']' } {
                    let kind = if frame.is_object {
                        ParseErrorKind::ExpectedCommaOrBrace
                    } else {
                        ParseErrorKind::ExpectedCommaOrBracket
                    };
                    return Err(ParseError::new(kind, here));
                }
                if KEEP {
                    let next = (self.nodes.len() - self.base) as u32;
                    let node = &mut self.nodes[self.base + frame.node as usize];
                    node.end = at as u32;
                    node.next = next;
                }
                if let Some(outer) = self.stack.pop() {
                    frame = outer;
                }
            }
        }
    }

    /// Reads the key at `at`, whose first byte is `byte`, and its colon.
    #[inline(always)]
    fn key<const KEEP: bool>(
        &mut self,
        text: &[u8],
        keys: &KeySet,
        at: usize,
        byte: u8,
    ) -> Result<(usize, Key), ParseError> {
        if byte != b'"' {
            return Err(ParseError::new(ParseErrorKind::ExpectedKey, at));
        }
        let (after, escaped) = scan::string(text, at + 1)?;
        let (colon, byte) = scan::token(text, after)?;
        if byte != b':' {
            return Err(ParseError::new(ParseErrorKind::ExpectedColon, colon));
        }
        if !KEEP {
            return Ok((colon + 1, NO_KEY));
        }
        let content = &text[at + 1..after - 1];
        let (id, depth) = if escaped { find_escaped(content, keys) } else { keys.find(content) };
        self.keys.add(id);
        let flags = if escaped { Node::KEY_ESCAPED } else { 0 };
        Ok((colon + 1, Key { start: at as u32 + 1, end: after as u32 - 1, id, flags, depth }))
    }

    #[inline(always)]
    fn push(&mut self, kind: Kind, key: Key, start: usize, end: usize) {
        let next = (self.nodes.len() - self.base) as u32 + 1;
        self.nodes.push(Node {
            start: start as u32,
            end: end as u32,
            key_start: key.start,
            key_end: key.end,
            next,
            key: key.id,
            kind,
            flags: key.flags,
        });
    }
}

#[cold]
fn find_escaped(content: &[u8], keys: &KeySet) -> (KeyId, Depth) {
    // The whole text was UTF-8 and a quote is no part of another character.
    let content = std::str::from_utf8(content).unwrap_or_default();
    keys.find(decode::decode(content).as_bytes())
}
