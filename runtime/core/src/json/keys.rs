//! The object keys that a reader knows, and their fast lookup.

use std::fmt;

/// The small number of a known object key in its [`KeySet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub(crate) u16);

impl KeyId {
    /// The id of every key that its set does not hold.
    pub const UNKNOWN: KeyId = KeyId(0);

    /// The id as a number: 0 for an unknown key, else its place in the set,
    /// counted from 1.
    #[inline]
    pub fn get(self) -> u16 {
        self.0
    }

    /// Whether the set holds the key.
    #[inline]
    pub fn is_known(self) -> bool {
        self.0 != 0
    }
}

/// Which known keys a message has anywhere, by a bit for each: exact for sets of up to 255 keys, and beyond that keys
/// share bits, so that one may seem to be there that is not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks([u64; 4]);

impl Marks {
    #[inline]
    pub(super) fn add(&mut self, key: KeyId) {
        self.0[usize::from(key.0 / 64) % 4] |= 1 << (key.0 % 64);
    }

    #[inline]
    pub(super) fn has(&self, key: KeyId) -> bool {
        self.0[usize::from(key.0 / 64) % 4] & (1 << (key.0 % 64)) != 0
    }
}

/// What an index does with the value under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Index the value; unknown keys inside follow the set's rule.
    Indexed,
    /// Check the value without indexing what is inside.
    Opaque,
    /// Index the value and everything inside, unknown keys too.
    Open,
}

/// A set of object keys that a reader asks for, each with a small id.
///
/// The set is made once per map and shared by every [`Index`](super::Index).
/// Keys outside of the set all get [`KeyId::UNKNOWN`]; their text stays
/// reachable through the value.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::json::{KeyId, KeySet};
///
/// let keys = KeySet::new(["type", "id", "type"]);
/// assert_eq!(keys.len(), 2);
/// assert_eq!(keys.name(keys.id("id")), Some("id"));
/// assert_eq!(keys.id("other"), KeyId::UNKNOWN);
/// ```
#[derive(Clone)]
pub struct KeySet {
    /// Open addressing; the length is a power of two and at least twice the
    /// number of names, so a probe always ends at an empty slot.
    slots: Box<[Slot]>,
    multiplier: u64,
    shift: u32,
    names: Vec<Box<str>>,
    skip_unknown: bool,
}

/// A key's shape (length, first and last eight bytes) decides up to sixteen
/// bytes alone; only longer keys need a comparison of their text.
#[derive(Clone, Copy)]
struct Slot {
    first: u64,
    last: u64,
    length: u32,
    id: KeyId,
    depth: Depth,
}

const EMPTY: Slot = Slot { first: 0, last: 0, length: 0, id: KeyId::UNKNOWN, depth: Depth::Indexed };

impl KeySet {
    /// The set of these names, with ids from 1 in the order of the names'
    /// first occurrence.
    ///
    /// # Panics
    /// When there are more than 65,535 distinct names.
    pub fn new<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut distinct: Vec<Box<str>> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for name in names {
            if seen.insert(name.as_ref().to_owned()) {
                distinct.push(name.as_ref().into());
            }
        }
        assert!(distinct.len() <= usize::from(u16::MAX), "more than 65535 distinct object keys");
        let (slots, multiplier, shift) = best_table(&distinct);
        Self { slots, multiplier, shift, names: distinct, skip_unknown: false }
    }

    /// Leaves the values under unknown keys unindexed: they are checked, and
    /// [`raw`](super::Value::raw) gives their text, but they show no children.
    /// To look inside after all, parse that text with an index of its own.
    #[must_use]
    pub fn skipping_unknown(mut self) -> Self {
        self.skip_unknown = true;
        self
    }

    /// Leaves the values under this key unindexed, as
    /// [`skipping_unknown`](Self::skipping_unknown) does. An unknown name
    /// changes nothing.
    #[must_use]
    pub fn opaque(self, name: &str) -> Self {
        self.with_depth(name, Depth::Opaque)
    }

    /// Indexes the values under this key whole, unknown and opaque keys inside
    /// included: for objects whose keys are data (a table by path or id).
    /// An unknown name changes nothing.
    #[must_use]
    pub fn open(self, name: &str) -> Self {
        self.with_depth(name, Depth::Open)
    }

    fn with_depth(mut self, name: &str, depth: Depth) -> Self {
        let id = self.id(name);
        for slot in &mut self.slots {
            if id.is_known() && slot.id == id {
                slot.depth = depth;
            }
        }
        self
    }

    /// The name's id, or [`KeyId::UNKNOWN`].
    pub fn id(&self, name: &str) -> KeyId {
        self.find(name.as_bytes()).0
    }

    /// The name with this id; none for [`KeyId::UNKNOWN`] or an id of a larger set.
    pub fn name(&self, id: KeyId) -> Option<&str> {
        self.names.get(usize::from(id.0).checked_sub(1)?).map(|name| &**name)
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the set holds no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The id of a key's decoded bytes, and what to do with its value.
    #[inline(always)]
    pub(crate) fn find(&self, key: &[u8]) -> (KeyId, Depth) {
        let (first, last) = shape(key);
        let mask = self.slots.len() - 1;
        let mut at = slot_of(first, last, key.len(), self.multiplier, self.shift);
        loop {
            let slot = &self.slots[at & mask];
            if !slot.id.is_known() {
                let depth = if self.skip_unknown { Depth::Opaque } else { Depth::Indexed };
                return (KeyId::UNKNOWN, depth);
            }
            if slot.first == first
                && slot.last == last
                && slot.length as usize == key.len()
                && (key.len() <= 16 || self.names[usize::from(slot.id.0) - 1].as_bytes() == key)
            {
                return (slot.id, slot.depth);
            }
            at += 1;
        }
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.names).finish()
    }
}

/// The first and the last eight bytes as numbers. A shorter key is its own
/// first part, padded with zeros, and has no last part.
#[inline]
fn shape(key: &[u8]) -> (u64, u64) {
    match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            // Two overlapping reads are faster than a loop over the bytes.
            if let (Some(low), Some(high)) = (key.first_chunk::<4>(), key.last_chunk::<4>()) {
                let high = u64::from(u32::from_le_bytes(*high)) << (8 * (key.len() - 4));
                (u64::from(u32::from_le_bytes(*low)) | high, 0)
            } else {
                let byte = |at: usize| key.get(at).map_or(0, |&b| u64::from(b) << (8 * at));
                (byte(0) | byte(1) | byte(2), 0)
            }
        }
    }
}

#[inline]
fn slot_of(first: u64, last: u64, length: usize, multiplier: u64, shift: u32) -> usize {
    let mixed = first ^ last.rotate_left(29) ^ ((length as u64) << 17);
    (mixed.wrapping_mul(multiplier) >> shift) as usize
}

/// Tries a few multipliers and keeps the one with which the fewest keys miss
/// their own slot.
fn best_table(names: &[Box<str>]) -> (Box<[Slot]>, u64, u32) {
    let size = (names.len() * 4).next_power_of_two().max(16);
    let shift = 64 - size.trailing_zeros();
    let mut multiplier = 0x9e37_79b9_7f4a_7c15_u64;
    let mut best: Option<(usize, Box<[Slot]>, u64)> = None;
    for _ in 0..64 {
        let (misses, slots) = table(names, size, multiplier, shift);
        if best.as_ref().is_none_or(|(fewest, ..)| misses < *fewest) {
            best = Some((misses, slots, multiplier));
        }
        if misses == 0 {
            break;
        }
        // Any odd successor does; this one is a step of a linear generator.
        multiplier = multiplier.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e) | 1;
    }
    let (_, slots, multiplier) = best.expect("at least one multiplier is tried");
    (slots, multiplier, shift)
}

fn table(names: &[Box<str>], size: usize, multiplier: u64, shift: u32) -> (usize, Box<[Slot]>) {
    let mut slots = vec![EMPTY; size].into_boxed_slice();
    let mut misses = 0;
    for (position, name) in names.iter().enumerate() {
        let (first, last) = shape(name.as_bytes());
        let mut at = slot_of(first, last, name.len(), multiplier, shift);
        while slots[at & (size - 1)].id.is_known() {
            at += 1;
            misses += 1;
        }
        slots[at & (size - 1)] = Slot {
            first,
            last,
            length: name.len() as u32,
            id: KeyId(position as u16 + 1),
            depth: Depth::Indexed,
        };
    }
    (misses, slots)
}
