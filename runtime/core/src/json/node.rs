//! The index's own record of one value.

use super::keys::KeyId;

/// The kind of a JSON value, as its text shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// A string that can be used as it stands.
    String,
    /// A string with at least one backslash escape.
    EscapedString,
    /// A number, of any size and precision.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

/// One value: its position, its key, and the position of its next sibling.
///
/// Nodes lie in document order, so a container's first child follows it
/// directly and `next` jumps over a whole subtree. Offsets are 32 bits wide to
/// keep a node at 24 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The value's bytes, quotes and brackets included.
    pub start: u32,
    pub end: u32,
    /// The key's bytes between its quotes; both 0 for an item or the root.
    pub key_start: u32,
    pub key_end: u32,
    /// The node after this one's subtree.
    pub next: u32,
    pub key: KeyId,
    pub kind: Kind,
    pub flags: u8,
}

impl Node {
    /// The key's text holds escapes.
    pub const KEY_ESCAPED: u8 = 1;
    /// The value is a container whose children were checked but not indexed.
    pub const OPAQUE: u8 = 2;
}
