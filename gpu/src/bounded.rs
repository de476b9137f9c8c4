//! What is kept for another time, up to a number of bytes: the longest unused go first.
//!
//! What goes is handed back, so that its owner lets go of it in its own way, and without a lock where it holds one.

use std::collections::HashMap;
use std::hash::Hash;

struct Entry<V> {
    value: V,
    bytes: usize,
    used: u64,
}

/// Values by keys, bounded in bytes. The one last put in stays, however large.
pub(crate) struct Bounded<K, V> {
    entries: HashMap<K, Entry<V>>,
    most: usize,
    bytes: usize,
    clock: u64,
}

impl<K: Copy + Eq + Hash, V> Bounded<K, V> {
    /// An empty cache of at most `bytes` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { entries: HashMap::new(), most, bytes: 0, clock: 0 }
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes of all values.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The value of a key, used now.
    pub(crate) fn get(&mut self, key: K) -> Option<&V> {
        self.clock += 1;
        let entry = self.entries.get_mut(&key)?;
        entry.used = self.clock;
        Some(&entry.value)
    }

    /// Keeps nothing any more; what was kept.
    pub(crate) fn take(&mut self) -> Vec<V> {
        self.bytes = 0;
        self.entries.drain().map(|(_, entry)| entry.value).collect()
    }

    /// Keeps a value, used now; what has to go for it, and what the key had before.
    #[must_use = "the values that were removed are the caller's to drop"]
    pub(crate) fn put(&mut self, key: K, value: V, bytes: usize) -> Vec<V> {
        self.clock += 1;
        let entry = Entry { value, bytes, used: self.clock };
        let mut gone: Vec<_> = self.entries.insert(key, entry).into_iter().collect();
        self.bytes += bytes;
        self.bytes -= gone.iter().map(|old| old.bytes).sum::<usize>();
        while self.bytes > self.most {
            let others = self.entries.iter().filter(|(other, _)| **other != key);
            let oldest = others.min_by_key(|(_, entry)| entry.used).map(|(&key, _)| key);
            let Some(old) = oldest.and_then(|oldest| self.entries.remove(&oldest)) else { break };
            self.bytes -= old.bytes;
            gone.push(old);
        }
        gone.into_iter().map(|old| old.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_go_first() {
        let mut kept = Bounded::new(10);
        for (key, value) in [(1, "one"), (2, "two"), (3, "three")] {
            assert!(kept.put(key, value, 3).is_empty());
        }
        assert_eq!(kept.get(1), Some(&"one"));
        assert_eq!(kept.put(4, "four", 3), ["two"]);
        assert_eq!((kept.len(), kept.bytes()), (3, 9));
        assert_eq!(kept.put(5, "five", 4), ["three"]);
        assert_eq!(kept.get(2), None);
        assert_eq!((kept.len(), kept.bytes()), (3, 10));
    }

    #[test]
    fn a_key_has_one_value() {
        let mut kept = Bounded::new(10);
        assert!(kept.put('a', 1, 8).is_empty());
        assert_eq!(kept.put('a', 2, 5), [1]);
        assert_eq!(kept.bytes(), 5);
        assert_eq!(kept.get('a'), Some(&2));
    }

    #[test]
    fn the_last_stays_however_large() {
        let mut kept = Bounded::new(10);
        assert!(kept.put(1, 'a', 4).is_empty());
        assert_eq!(kept.put(2, 'b', 99), ['a']);
        assert_eq!(kept.bytes(), 99);
        assert_eq!(kept.get(2), Some(&'b'));
        assert_eq!(kept.put(3, 'c', 4), ['b']);
        assert_eq!((kept.len(), kept.bytes()), (1, 4));
        assert_eq!(kept.take(), ['c']);
        assert_eq!((kept.len(), kept.bytes(), kept.take().len()), (0, 0, 0));
    }
}
