//! Segments of memory cut into blocks: best fit, split, merge. Arithmetic only: no driver is known here, and no
//! stream but as a bit in a mask that the caller reads.
//!
//! Blocks of a segment form a list in the order of their addresses. Free blocks stand in a tree by size and address,
//! small segments apart from large ones, so that a small array does not keep a large segment from being given back.

use std::collections::BTreeSet;

use crate::driver::Address;

use super::uses::StreamUses;

/// All blocks start and end at multiples of this many bytes.
pub(crate) const GRAIN: usize = 512;

/// Requests up to this many bytes share segments of [`SMALL_SEGMENT`].
pub(crate) const SMALL: usize = 1 << 20;

/// Bytes of a segment for small requests.
pub(crate) const SMALL_SEGMENT: usize = 2 << 20;

/// Larger segments are multiples of this, which is the page of a device.
const PAGE: usize = 2 << 20;

/// The number of a block.
pub(crate) type BlockId = u32;

const NONE: BlockId = BlockId::MAX;

#[derive(Clone, Copy, Debug)]
struct Block {
    address: Address,
    bytes: usize,
    previous: BlockId,
    next: BlockId,
    large: bool,
    live: bool,
    uses: StreamUses,
}

/// A free block in the tree: by size, then by address.
type Key = (usize, Address, BlockId);

/// Segments and their blocks.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    blocks: Vec<Block>,
    /// Unused entries of `blocks`.
    spare: Vec<BlockId>,
    /// Free blocks of small and of large segments.
    free: [BTreeSet<Key>; 2],
}

/// Bytes of the block that serves a request.
pub(crate) fn rounded(bytes: usize) -> Option<usize> {
    bytes.max(1).checked_next_multiple_of(GRAIN)
}

/// Bytes of the segment that is made for a block of this size.
pub(crate) fn segment_for(bytes: usize) -> usize {
    if bytes <= SMALL { SMALL_SEGMENT } else { bytes.next_multiple_of(PAGE) }
}

impl Arena {
    /// Takes the smallest free block that is large enough and `ready`, and cuts off what is too much; gives up after
    /// some that are not ready.
    pub(crate) fn take(
        &mut self,
        bytes: usize,
        mut ready: impl FnMut(&StreamUses) -> bool,
    ) -> Option<(BlockId, Address)> {
        const MAX_CANDIDATES: usize = 16;
        let free = &self.free[usize::from(bytes > SMALL)];
        let fits = free.range((bytes, 0, 0)..).take(MAX_CANDIDATES);
        let key = *fits.into_iter().find(|key| ready(&self.blocks[key.2 as usize].uses))?;
        Some(self.occupy(key, bytes))
    }

    fn occupy(&mut self, key: Key, bytes: usize) -> (BlockId, Address) {
        let (size, address, id) = key;
        let large = self.blocks[id as usize].large;
        self.free[usize::from(large)].remove(&key);
        if size > bytes {
            let Block { next, uses, .. } = self.blocks[id as usize];
            let rest = Block {
                address: address + bytes as u64,
                bytes: size - bytes,
                previous: id,
                next,
                large,
                live: false,
                uses,
            };
            let rest_id = self.add(rest);
            if next != NONE {
                self.blocks[next as usize].previous = rest_id;
            }
            self.blocks[id as usize].next = rest_id;
            self.free[usize::from(large)].insert((rest.bytes, rest.address, rest_id));
        }
        let block = &mut self.blocks[id as usize];
        block.bytes = bytes;
        block.live = true;
        (id, address)
    }

    fn add(&mut self, block: Block) -> BlockId {
        match self.spare.pop() {
            Some(id) => {
                self.blocks[id as usize] = block;
                id
            }
            None => {
                self.blocks.push(block);
                (self.blocks.len() - 1) as BlockId
            }
        }
    }

    /// Takes a new segment in, and the block that it was made for at its start.
    pub(crate) fn add_segment(&mut self, address: Address, size: usize, bytes: usize) -> BlockId {
        let uses = StreamUses::default();
        let large = bytes > SMALL;
        let block =
            Block { address, bytes: size, previous: NONE, next: NONE, large, live: false, uses };
        let id = self.add(block);
        self.free[usize::from(large)].insert((size, address, id));
        self.occupy((size, address, id), bytes).0
    }

    /// Bytes of a block.
    #[cfg(test)]
    pub(crate) fn bytes(&self, id: BlockId) -> usize {
        self.blocks[id as usize].bytes
    }

    /// Gives a block back; it merges with its free neighbours.
    pub(crate) fn give(&mut self, id: BlockId, uses: StreamUses) {
        let mut merged = id;
        debug_assert!(self.blocks[id as usize].live, "a block is given back once");
        self.blocks[id as usize].live = false;
        self.blocks[id as usize].uses = uses;
        for second in [self.blocks[id as usize].next, id] {
            if second == NONE {
                continue;
            }
            let first = self.blocks[second as usize].previous;
            if first == NONE
                || self.blocks[first as usize].live
                || self.blocks[second as usize].live
            {
                continue;
            }
            // The one of the two that is not the block given back stands in the tree.
            let known = if first == merged { second } else { first };
            let known_block = self.blocks[known as usize];
            let free = &mut self.free[usize::from(known_block.large)];
            free.remove(&(known_block.bytes, known_block.address, known));
            let Block { bytes, next, uses, .. } = self.blocks[second as usize];
            let block = &mut self.blocks[first as usize];
            block.bytes += bytes;
            block.next = next;
            block.uses.merge(uses);
            if next != NONE {
                self.blocks[next as usize].previous = first;
            }
            self.spare.push(second);
            merged = first;
        }
        let block = self.blocks[merged as usize];
        self.free[usize::from(block.large)].insert((block.bytes, block.address, merged));
    }

    /// Whether some segment is free as a whole.
    pub(crate) fn any_idle(&self) -> bool {
        self.free.iter().flatten().any(|key| self.is_unsplit(key))
    }

    fn is_unsplit(&self, key: &Key) -> bool {
        let block = &self.blocks[key.2 as usize];
        block.previous == NONE && block.next == NONE
    }

    /// Takes out segments of which everything is free and `ready`, the largest first, until they have `enough` bytes:
    /// addresses and sizes.
    pub(crate) fn release(
        &mut self,
        enough: usize,
        mut ready: impl FnMut(&StreamUses) -> bool,
    ) -> Vec<(Address, usize)> {
        let mut bytes = 0;
        let mut released = Vec::new();
        for large in [true, false] {
            let free = self.free[usize::from(large)].iter().rev();
            let whole: Vec<Key> = free.filter(|key| self.is_unsplit(key)).copied().collect();
            for key in whole {
                if bytes < enough && ready(&self.blocks[key.2 as usize].uses) {
                    self.free[usize::from(large)].remove(&key);
                    self.spare.push(key.2);
                    released.push((key.1, key.0));
                    bytes += key.0;
                }
            }
        }
        released
    }

    /// Bytes of all free blocks.
    #[cfg(test)]
    pub(crate) fn free_bytes(&self) -> usize {
        self.free.iter().flatten().map(|(bytes, ..)| bytes).sum()
    }

    /// Checks what must be true of lists and trees.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        let spare: std::collections::HashSet<BlockId> = self.spare.iter().copied().collect();
        let mut free = 0;
        for (id, block) in (0..).zip(&self.blocks).filter(|(id, _)| !spare.contains(id)) {
            assert!(block.bytes > 0 && block.bytes.is_multiple_of(GRAIN));
            if block.next != NONE {
                let next = &self.blocks[block.next as usize];
                assert_eq!((next.previous, next.address), (id, block.address + block.bytes as u64));
                assert!(block.live || next.live, "free neighbours are one");
            }
            if !block.live {
                free += 1;
                let key = (block.bytes, block.address, id);
                assert!(self.free[usize::from(block.large)].contains(&key));
            }
        }
        assert_eq!(free, self.free.iter().map(BTreeSet::len).sum::<usize>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) as usize) % bound
        }
    }

    #[test]
    fn the_smallest_that_is_large_enough() {
        let mut arena = Arena::default();
        let held: Vec<BlockId> = [5, 3, 8]
            .iter()
            .map(|&mib| {
                arena.add_segment(
                    mib << 32,
                    mib as usize * SMALL_SEGMENT,
                    mib as usize * SMALL_SEGMENT,
                )
            })
            .collect();
        held.into_iter().for_each(|id| arena.give(id, StreamUses::default()));
        let (_, address) = arena.take(4 * SMALL_SEGMENT, |_| true).unwrap();
        assert_eq!(address, 5 << 32);
        let (_, address) = arena.take(SMALL_SEGMENT, |_| true).unwrap();
        assert_eq!(address, (5 << 32) + 4 * SMALL_SEGMENT as u64, "the rest of what was cut");
        arena.check();
    }

    #[test]
    fn what_is_not_ready_is_left() {
        let mut arena = Arena::default();
        let id = arena.add_segment(1 << 32, SMALL_SEGMENT, SMALL_SEGMENT / 2);
        arena.give(id, StreamUses { streams: 2, freed: 7 });
        assert_eq!(arena.take(GRAIN, |uses| uses.streams == 0), None);
        assert_eq!(arena.release(usize::MAX, |uses| uses.freed < 7), []);
        assert_eq!(arena.release(usize::MAX, |uses| uses.freed == 7), [(1 << 32, SMALL_SEGMENT)]);
        assert_eq!(arena.free_bytes(), 0);
    }

    #[test]
    fn live_blocks_never_overlap() {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut arena = Arena::default();
            let mut live: Vec<(BlockId, Address, usize)> = Vec::new();
            let mut segments = Vec::new();
            let mut place = 1 << 12;
            for step in 0..2000 {
                if live.is_empty() || random.below(100) < 55 {
                    let bytes = rounded(1 << random.below(24)).unwrap();
                    let (id, address) = arena.take(bytes, |_| true).unwrap_or_else(|| {
                        let size = segment_for(bytes);
                        segments.push((place, size));
                        place += size as u64;
                        (arena.add_segment(place - size as u64, size, bytes), place - size as u64)
                    });
                    assert_eq!(arena.bytes(id), bytes);
                    assert!(address.is_multiple_of(GRAIN as u64));
                    let end = address + bytes as u64;
                    assert!(
                        segments.iter().any(|&(at, size)| at <= address && end <= at + size as u64)
                    );
                    assert!(
                        live.iter().all(|&(_, at, size)| end <= at || at + size as u64 <= address)
                    );
                    live.push((id, address, bytes));
                } else {
                    let (id, ..) = live.swap_remove(random.below(live.len()));
                    arena.give(id, StreamUses::default());
                }
                if step % 50 == 0 {
                    arena.check();
                }
                if step % 500 == 0 {
                    let gone = arena.release(usize::MAX, |_| true);
                    segments.retain(|segment| !gone.contains(segment));
                }
            }
            live.into_iter().for_each(|(id, ..)| arena.give(id, StreamUses::default()));
            arena.check();
            assert_eq!(arena.release(usize::MAX, |_| true).len(), segments.len());
        }
    }
}
