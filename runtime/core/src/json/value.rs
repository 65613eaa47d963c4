//! Reading an indexed message.

use std::borrow::Cow;
use std::fmt;

use super::decode;
use super::keys::{KeyId, Marks};
use super::node::{Kind, Node};

/// An indexed message: the text and the places of its values.
pub struct Document<'a> {
    nodes: &'a [Node],
    text: &'a str,
    keys: Marks,
    /// How many bytes of a string are read at most.
    text_limit: usize,
}

impl<'a> Document<'a> {
    pub(super) fn new(nodes: &'a [Node], text: &'a str, keys: Marks, text_limit: usize) -> Self {
        Self { nodes, text, keys, text_limit }
    }

    /// The message's whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The message itself: the value that contains all others.
    #[inline]
    pub fn root(&self) -> Value<'_> {
        self.at(0)
    }

    /// The value with this [number](Value::id); number 0 is the root.
    ///
    /// # Panics
    /// When the number belongs to another document.
    #[inline]
    pub fn at(&self, id: u32) -> Value<'_> {
        assert!((id as usize) < self.nodes.len(), "value {id} is not one of this document");
        Value { document: self, id }
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.text).finish()
    }
}

/// One value of an indexed message: a small handle to copy around.
///
/// Children of an [opaque](Self::is_opaque) value are not indexed; it looks
/// empty to every method but [`raw`](Self::raw).
#[derive(Clone, Copy)]
pub struct Value<'a> {
    document: &'a Document<'a>,
    id: u32,
}

impl<'a> Value<'a> {
    /// The document that the value is part of.
    #[inline]
    pub fn document(self) -> &'a Document<'a> {
        self.document
    }

    /// The value's number in its document, in document order from 0.
    #[inline]
    pub fn id(self) -> u32 {
        self.id
    }

    #[inline]
    fn node(self) -> &'a Node {
        &self.document.nodes[self.id as usize]
    }

    /// The value's kind.
    #[inline]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Whether the value is an object.
    #[inline]
    pub fn is_object(self) -> bool {
        self.node().kind == Kind::Object
    }

    /// Whether the value is an array.
    #[inline]
    pub fn is_array(self) -> bool {
        self.node().kind == Kind::Array
    }

    /// Whether the value is a string, with escapes or without.
    #[inline]
    pub fn is_string(self) -> bool {
        matches!(self.node().kind, Kind::String | Kind::EscapedString)
    }

    /// Whether the value is a number.
    #[inline]
    pub fn is_number(self) -> bool {
        self.node().kind == Kind::Number
    }

    /// Whether the value is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.node().kind == Kind::Null
    }

    /// Whether this is an array or object whose children were checked but not
    /// indexed, as the [`KeySet`](super::KeySet) asked. Parse its
    /// [`raw`](Self::raw) text with another index to look inside.
    #[inline]
    pub fn is_opaque(self) -> bool {
        self.node().flags & Node::OPAQUE != 0
    }

    /// The value's exact text: quotes, brackets and the whitespace inside.
    #[inline]
    pub fn raw(self) -> &'a str {
        let node = self.node();
        &self.document.text[node.start as usize..node.end as usize]
    }

    /// The offset of the value's first byte in the document's text.
    #[inline]
    pub fn offset(self) -> usize {
        self.node().start as usize
    }

    /// The id of the key in front of the value; [`KeyId::UNKNOWN`] for an item
    /// of an array and for the root.
    #[inline]
    pub fn key_id(self) -> KeyId {
        self.node().key
    }

    /// The decoded key in front of the value; empty for an item of an array
    /// and for the root.
    pub fn key(self) -> Cow<'a, str> {
        let node = self.node();
        let content = &self.document.text[node.key_start as usize..node.key_end as usize];
        if node.flags & Node::KEY_ESCAPED == 0 {
            return Cow::Borrowed(content);
        }
        Cow::Owned(decode::decode(content))
    }

    /// The value under a known key: the first one, if the key is repeated.
    /// None when this is no object or has no such key, and for
    /// [`KeyId::UNKNOWN`].
    #[inline]
    pub fn get(self, key: KeyId) -> Option<Value<'a>> {
        // Most questions are about members that a message does not have at all: they need no search.
        if !self.document.keys.has(key) || !key.is_known() {
            return None;
        }
        let nodes = self.document.nodes;
        let object = nodes.get(self.id as usize).filter(|node| node.kind == Kind::Object)?;
        let mut id = self.id + 1;
        while id < object.next {
            let node = nodes.get(id as usize)?;
            if node.key == key {
                return Some(Value { document: self.document, id });
            }
            id = node.next;
        }
        None
    }

    /// The value under a key by its text, known or not: the first one, if the
    /// key stands twice. Slower than [`get`](Self::get).
    pub fn get_str(self, key: &str) -> Option<Value<'a>> {
        self.entries().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The item of an array at this place, counted from 0.
    pub fn item(self, place: usize) -> Option<Value<'a>> {
        self.items().nth(place)
    }

    /// The items of an array in order; nothing for any other kind.
    #[inline]
    pub fn items(self) -> Items<'a> {
        self.children(self.is_array())
    }

    /// The entries of an object in order, duplicates included, each as its
    /// decoded key and its value; nothing for any other kind.
    #[inline]
    pub fn entries(self) -> Entries<'a> {
        Entries(self.fields())
    }

    /// The values of an object's entries in order, without decoding the keys
    /// (see [`key_id`](Self::key_id) and [`key`](Self::key)); nothing for any
    /// other kind.
    #[inline]
    pub fn fields(self) -> Items<'a> {
        self.children(self.is_object())
    }

    #[inline]
    fn children(self, has_any: bool) -> Items<'a> {
        let end = if has_any { self.node().next } else { 0 };
        Items { document: self.document, at: self.id + 1, end }
    }

    /// The number of items or entries, found by counting; 0 for a scalar.
    pub fn len(self) -> usize {
        self.children(true).count()
    }

    /// Whether there are no items or entries; true for a scalar.
    pub fn is_empty(self) -> bool {
        self.node().next == self.id + 1
    }

    /// The text between a string's quotes, escapes and all.
    #[inline]
    fn content(self) -> Option<&'a str> {
        let node = self.node();
        match node.kind {
            Kind::String | Kind::EscapedString => {
                let content = &self.document.text[node.start as usize + 1..node.end as usize - 1];
                Some(if content.len() > self.document.text_limit {
                    decode::beginning(content, self.document.text_limit)
                } else {
                    content
                })
            }
            _ => None,
        }
    }

    /// A string's decoded text, borrowed when it has no escapes. Every lone
    /// surrogate becomes U+FFFD. None for any other kind.
    #[inline]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let content = self.content()?;
        if self.node().kind == Kind::String {
            return Some(Cow::Borrowed(content));
        }
        Some(Cow::Owned(decode::decode(content)))
    }

    /// Whether this is a string whose decoded text is `text`; nothing is allocated
    /// unless the string has escapes.
    #[inline]
    pub fn is_str(self, text: &str) -> bool {
        match self.node().kind {
            Kind::String => self.content() == Some(text),
            Kind::EscapedString => self.as_str().as_deref() == Some(text),
            _ => false,
        }
    }

    /// Appends a string's decoded text, as [`as_str`](Self::as_str) gives it;
    /// returns whether the value is a string.
    #[inline]
    pub fn write_str(self, out: &mut String) -> bool {
        let Some(content) = self.content() else {
            return false;
        };
        if self.node().kind == Kind::String {
            out.push_str(content);
        } else {
            out.push_str(&decode::decode(content));
        }
        true
    }

    /// Appends the decoded text of a string that is one part of a longer text,
    /// where the cut may go through a surrogate pair.
    ///
    /// A high surrogate at the very end is not written but returned: pass it
    /// as `pending` with the part that follows, or write U+FFFD when there is
    /// none. `pending` is joined with a low surrogate at the start; before
    /// anything else it becomes U+FFFD, as every other lone surrogate does.
    /// An empty string, and a value that is no string, hand `pending` on.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::json::{Index, KeySet};
    ///
    /// let keys = KeySet::new([""; 0]);
    /// let (mut text, mut pending) = (String::new(), None);
    /// let mut index = Index::new();
    /// for part in [r#""a \ud83d""#, r#""""#, r#""\ude00 b""#] {
    ///     pending = index.parse(part.as_bytes(), &keys)?.root().decode_with(pending, &mut text);
    /// }
    /// assert_eq!((text.as_str(), pending), ("a 😀 b", None));
    /// # Ok::<(), interlingua::json::ParseError>(())
    /// ```
    pub fn decode_with(self, pending: Option<u16>, out: &mut String) -> Option<u16> {
        match self.content() {
            Some(content) if pending.is_none() && self.node().kind == Kind::String => {
                out.push_str(content);
                None
            }
            Some(content) => decode::decode_with(content, pending, out),
            None => pending,
        }
    }

    /// A number's value when it is a whole number in range, written with or
    /// without fraction and exponent (`7`, `7.0`, `7e2`).
    pub fn as_i64(self) -> Option<i64> {
        let text = self.number()?;
        let short = short_whole(text).map(|number| number as i64);
        short.or_else(|| text.parse().ok()).or_else(|| whole(text).map(|number| number as i64))
    }

    /// As [`as_i64`](Self::as_i64), for numbers from 0 on.
    pub fn as_u64(self) -> Option<u64> {
        let text = self.number()?;
        let short = short_whole(text).or_else(|| text.parse().ok());
        short.or_else(|| whole(text).filter(|n| *n >= 0.0).map(|number| number as u64))
    }

    /// The 64-bit float that is nearest to a number; none when it is beyond
    /// the range of such floats.
    pub fn as_f64(self) -> Option<f64> {
        self.number()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn number(self) -> Option<&'a str> {
        if self.is_number() { Some(self.raw()) } else { None }
    }

    /// The value of `true` or `false`.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.node().kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The text of a scalar: a string decoded, a number or boolean as it is
    /// written. None for `null`, arrays and objects.
    pub fn scalar_text(self) -> Option<Cow<'a, str>> {
        match self.node().kind {
            Kind::String | Kind::EscapedString => self.as_str(),
            Kind::Number | Kind::True | Kind::False => Some(Cow::Borrowed(self.raw())),
            Kind::Null | Kind::Array | Kind::Object => None,
        }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Value").field(&self.raw()).finish()
    }
}

/// A number of nothing but digits that cannot be too large, as most are.
fn short_whole(text: &str) -> Option<u64> {
    const DIGITS: usize = 18;
    let bytes = text.as_bytes();
    if bytes.len() > DIGITS {
        return None;
    }
    bytes
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0')))
}

/// A number without fractional part, as far as a float holds it exactly.
fn whole(text: &str) -> Option<f64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    text.parse().ok().filter(|number: &f64| number.fract() == 0.0 && number.abs() < LIMIT)
}

/// The items of an array or the values of an object; see [`Value::items`] and
/// [`Value::fields`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    document: &'a Document<'a>,
    at: u32,
    end: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        if self.at >= self.end {
            return None;
        }
        let id = self.at;
        self.at = self.document.nodes.get(id as usize)?.next;
        Some(Value { document: self.document, id })
    }
}

/// The entries of an object; see [`Value::entries`].
#[derive(Clone, Debug)]
pub struct Entries<'a>(Items<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (Cow<'a, str>, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|value| (value.key(), value))
    }
}
