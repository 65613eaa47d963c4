//! What is remembered of things that are over, in bounded memory.

pub(crate) mod hash;
pub(crate) mod registers;

use std::collections::VecDeque;
use std::sync::Arc;

use self::hash::{FastMap, FastSet, hash_of};

/// The bits of the filter for ids that the window has forgotten: 2 MiB.
const FILTER_BITS: u64 = 1 << 24;

/// How many bits one forgotten id sets.
const FILTER_PROBES: u64 = 7;

/// Which ids were used. The latest are known exactly; older ones by a filter of fixed size
/// that never forgets one, but may take a new id for a used one.
#[derive(Debug)]
pub(crate) struct UsedIds {
    recent: FastSet<u64>,
    order: VecDeque<u64>,
    window: usize,
    /// Made when the window is full for the first time.
    older: Option<Box<[u64]>>,
}

impl UsedIds {
    pub(crate) fn new(window: usize) -> Self {
        Self { recent: FastSet::default(), order: VecDeque::new(), window, older: None }
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        let hash = hash_of(id);
        self.recent.contains(&hash)
            || self.older.as_ref().is_some_and(|filter| {
                probes(hash).all(|bit| filter[(bit / 64) as usize] & (1 << (bit % 64)) != 0)
            })
    }

    /// Marks an id as used.
    fn insert(&mut self, id: &str) {
        let hash = hash_of(id);
        if !self.recent.insert(hash) {
            return;
        }
        self.order.push_back(hash);
        while self.order.len() > self.window {
            let Some(oldest) = self.order.pop_front() else { break };
            self.recent.remove(&oldest);
            let filter = self.older.get_or_insert_with(|| vec![0; (FILTER_BITS / 64) as usize].into());
            for bit in probes(oldest) {
                filter[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
    }

    /// Gives out `id`, or `id~2`, `id~3`, … when it was used before.
    pub(crate) fn take(&mut self, id: &Arc<str>) -> Arc<str> {
        if !self.contains(id) {
            self.insert(id);
            return Arc::clone(id);
        }
        let free = self.first_free(id);
        self.insert(&free);
        free.into()
    }

    /// The first free one of `id~2`, `id~3`, …. They are given out in order, so the used ones lie side by side, and the
    /// end of them is found with a number of looks that grows with the logarithm of their number.
    fn first_free(&self, id: &str) -> String {
        let mut name = format!("{id}~");
        let base = name.len();
        let mut is_used = |number: u64| {
            name.truncate(base);
            name.push_str(&number.to_string());
            self.contains(&name)
        };
        // `used` is used, and `free` is not.
        let (mut used, mut free) = (1, 2);
        while is_used(free) {
            (used, free) = (free, free * 2);
        }
        while free - used > 1 {
            let middle = used + (free - used) / 2;
            if is_used(middle) { used = middle } else { free = middle }
        }
        format!("{id}~{free}")
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }
}

/// The bits of a hash lie in one cache line, since looking at several would cost more than all else about an id.
fn probes(hash: u64) -> impl Iterator<Item = u64> {
    const LINE_BITS: u64 = 512;
    let line = (hash % (FILTER_BITS / LINE_BITS)) * LINE_BITS;
    let mixed = hash.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..FILTER_PROBES).map(move |probe| line + (mixed >> (9 * probe)) % LINE_BITS)
}

/// The latest entries by the hash of their key: the oldest goes when there are too many.
#[derive(Debug)]
pub(crate) struct Window<T> {
    entries: FastMap<u64, T>,
    order: VecDeque<u64>,
    limit: usize,
}

impl<T> Window<T> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { entries: FastMap::default(), order: VecDeque::new(), limit }
    }

    pub(crate) fn get(&self, key: u64) -> Option<&T> {
        self.entries.get(&key)
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        self.entries.get_mut(&key)
    }

    pub(crate) fn insert(&mut self, key: u64, entry: T) {
        if self.limit == 0 {
            return;
        }
        if self.entries.insert(key, entry).is_none() {
            self.order.push_back(key);
        }
        while self.entries.len() > self.limit {
            let Some(oldest) = self.order.pop_front() else { break };
            self.entries.remove(&oldest);
        }
    }

    /// Inserts an entry unless its key exists, and returns whether it was new.
    pub(crate) fn insert_new(&mut self, key: u64, entry: T) -> bool {
        if self.entries.contains_key(&key) {
            return false;
        }
        self.insert(key, entry);
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::UsedIds;

    fn taken(window: usize, ids: &[&str]) -> Vec<String> {
        let mut used = UsedIds::new(window);
        ids.iter().map(|id| used.take(&(*id).into()).to_string()).collect()
    }

    #[test]
    fn an_id_that_comes_again_is_numbered_in_order() {
        let ids = ["a"; 100];
        let expected: Vec<String> =
            std::iter::once("a".to_owned()).chain((2..=100).map(|number| format!("a~{number}"))).collect();
        assert_eq!(taken(1000, &ids), expected);
        assert_eq!(taken(3, &ids), expected, "what the window has forgotten counts as used too");
    }

    #[test]
    fn an_id_that_looks_like_a_numbered_one_is_never_given_out_twice() {
        let taken = taken(1000, &["a", "a~3", "a", "a", "a", "a~2", "a"]);
        let distinct: std::collections::BTreeSet<&String> = taken.iter().collect();
        assert_eq!(distinct.len(), taken.len(), "{taken:?}");
        assert_eq!(taken[..3], ["a", "a~3", "a~2"]);
    }
}
