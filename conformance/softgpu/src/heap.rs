//! Memory of a device: allocations that lie right after each other, as a card's driver may place them, or each in pages of
//! its own, its end at a page that nothing may access.
//!
//! Fresh memory and what fills up pages consists of bytes `POISON`: a NaN in every float, an index that is nowhere. What
//! lies between an allocation's last byte and the next multiple of 256 is checked when it is freed. Addresses are not used
//! again while there are others.

use std::collections::BTreeMap;

use crate::failure::{Failure, Result};
use crate::inject;
use crate::states::{FRESH, NOTHING, States, WRITTEN};

/// What memory holds that nothing wrote.
pub const POISON: u8 = 0xff;
/// What addresses of allocations are multiples of.
const ALIGNMENT: u64 = 256;
const PAGE: u64 = 4096;

/// How allocations lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Each begins where the one before it ends, rounded up to a multiple of 256 bytes. Code that takes two neighbours for
    /// one allocation is found: a fill or copy that reaches over both is refused.
    Close,
    /// Each ends at a page that nothing may access, so that an access after its end is found.
    Apart,
}

/// One allocation, alive or freed.
#[derive(Clone, Copy, Debug)]
struct Block {
    serial: u64,
    /// The call that made it.
    call: u64,
    address: u64,
    bytes: u64,
    /// The addresses that are its own and may be accessed: `from..to`.
    from: u64,
    to: u64,
    /// Where the next one may begin: after `to`, or after the page there that nothing may access.
    end: u64,
    kind: Kind,
}

/// What an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Memory of the device.
    Own,
    /// Memory that the host uses, too, of which there may be more than the device has.
    Managed,
    /// Memory of another process.
    Opened,
}

/// What an address is, for a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Which allocation, counted from 1.
    pub serial: u64,
    /// Its size.
    pub bytes: u64,
    /// Where, counted from its first byte.
    pub offset: i64,
    /// Whether it was freed.
    pub freed: bool,
}

/// Memory in one range of addresses.
#[derive(Debug)]
pub struct Heap {
    base: u64,
    reserved: u64,
    next: u64,
    used: u64,
    limit: u64,
    place: Placement,
    serial: u64,
    live: BTreeMap<u64, Block>,
    /// Freed, by their first addresses.
    dead: BTreeMap<u64, Block>,
    /// What is known of each byte, and what is of fresh ones.
    states: Option<States>,
    fresh: u8,
}

fn up(n: u64, multiple: u64) -> u64 {
    n.next_multiple_of(multiple)
}

impl Heap {
    /// A heap of `bytes` bytes.
    pub fn new(limit: u64, place: Placement) -> Self {
        // Addresses cost nothing, unless the process may not have many.
        for factor in [256, 16, 2] {
            let reserved = up(limit, PAGE).saturating_mul(factor);
            // SAFETY: a new private mapping, wherever the system likes.
            let base = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    reserved as usize,
                    libc::PROT_NONE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
            if base != libc::MAP_FAILED {
                return Self::of(base as u64, reserved, limit, place);
            }
        }
        Self::of(0, 0, 0, place)
    }

    fn of(base: u64, reserved: u64, limit: u64, place: Placement) -> Self {
        Self {
            base,
            reserved,
            next: base,
            used: 0,
            limit,
            place,
            serial: 0,
            live: BTreeMap::new(),
            dead: BTreeMap::new(),
            states: None,
            fresh: FRESH,
        }
    }

    /// The same, with the state of each byte. Writes of the host itself are not seen: to its memory everything counts
    /// as written.
    pub fn with_states(mut self, of_host: bool) -> Self {
        let states = States::of(self.base, self.reserved);
        if states.is_none() {
            eprintln!("softgpu: no memory for NDANY_SOFTGPU_CHECK: bytes are not checked");
        }
        self.states = states;
        self.fresh = if of_host { WRITTEN } else { FRESH };
        self
    }

    /// What is known of each byte, if that is kept.
    pub fn states(&self) -> Option<States> {
        self.states
    }

    /// Bytes free, bytes in all.
    pub fn memory(&self) -> [u64; 2] {
        [self.limit - self.used, self.limit]
    }

    /// Allocations alive: how many, of how many bytes.
    pub fn live(&self) -> [u64; 2] {
        [self.live.len() as u64, self.live.values().map(|block| block.bytes).sum()]
    }

    /// Leaks: serials, bytes, and the calls that allocated.
    pub(crate) fn leaks(&self) -> Vec<[u64; 3]> {
        let mut all: Vec<_> =
            self.live.values().map(|block| [block.serial, block.bytes, block.call]).collect();
        all.sort_unstable();
        all
    }

    /// Fresh memory.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64> {
        self.allocate_of(Kind::Own, bytes)
    }

    /// The same beside what the device has: managed memory, or another process's.
    pub fn allocate_beside(&mut self, bytes: u64, is_managed: bool) -> Result<u64> {
        self.allocate_of(if is_managed { Kind::Managed } else { Kind::Opened }, bytes)
    }

    /// Whether the allocation that has the address is managed.
    pub fn is_managed(&self, address: u64) -> bool {
        let block = self.live.range(..=address).next_back();
        block.is_some_and(|(_, block)| block.kind == Kind::Managed)
    }

    fn allocate_of(&mut self, kind: Kind, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Err(Failure::InvalidValue("an allocation of no bytes"));
        }
        let [free, _] = self.memory();
        let lack = Failure::OutOfMemory(bytes, free);
        if kind == Kind::Own && bytes > free {
            return Err(lack);
        }
        let room = match self.place {
            Placement::Close => up(bytes, ALIGNMENT),
            Placement::Apart => up(bytes, PAGE) + PAGE,
        };
        let from = if self.next + room <= self.base + self.reserved {
            self.next += room;
            self.next - room
        } else {
            // Addresses are used up: those of a freed allocation.
            let found = self.dead.values().find(|dead| dead.end - dead.from >= room).copied();
            let found = found.ok_or(lack.clone())?;
            self.dead.remove(&found.from);
            if found.end - found.from > room {
                let end = found.end - room;
                self.dead.insert(found.from, Block { end, to: found.to.min(end), ..found });
            }
            found.end - room
        };
        let end = from + room;
        let (address, to) = match self.place {
            Placement::Close => (from, end),
            Placement::Apart => (end - PAGE - up(bytes, ALIGNMENT), end - PAGE),
        };
        let pages = from / PAGE * PAGE;
        // SAFETY: the range lies in the mapping of this heap. Of pages that it shares with live allocations the rights are
        // the same already.
        let opened = unsafe {
            libc::mprotect(
                pages as *mut libc::c_void,
                (up(to, PAGE) - pages) as usize,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        if opened != 0 {
            return Err(lack);
        }
        // SAFETY: the range was just made writable, and belongs to this allocation alone.
        unsafe { std::ptr::write_bytes(from as *mut u8, POISON, (to - from) as usize) };
        self.serial += 1;
        if kind == Kind::Own {
            self.used += bytes;
        }
        if let Some(states) = self.states {
            states.set(address, bytes, self.fresh);
        }
        let (serial, call) = (self.serial, inject::number());
        self.live.insert(address, Block { serial, call, address, bytes, from, to, end, kind });
        Ok(address)
    }

    /// Frees memory; fails if bytes around it were written, or if it is no allocation.
    pub fn free(&mut self, address: u64) -> Result<()> {
        let Some(block) = self.live.remove(&address) else {
            return Err(Failure::InvalidValue("freed what is not allocated"));
        };
        if block.kind == Kind::Own {
            self.used -= block.bytes;
        }
        let damage = block.damage();
        if let Some(states) = self.states {
            states.set(block.address, block.bytes, NOTHING);
        }
        // SAFETY: bytes of this allocation alone.
        unsafe {
            std::ptr::write_bytes(block.from as *mut u8, POISON, (block.to - block.from) as usize)
        };
        self.close(&block);
        self.dead.insert(block.from, block);
        damage
    }

    /// Closes the pages of a freed allocation that no live one shares.
    fn close(&self, block: &Block) {
        let below = self.live.range(..block.from).next_back().map_or(self.base, |(_, b)| b.to);
        let above = self.live.range(block.from..).next().map_or(u64::MAX, |(_, b)| b.from);
        let first = (block.from / PAGE * PAGE).max(up(below, PAGE));
        let last = up(block.to, PAGE).min(above / PAGE * PAGE);
        if first >= last {
            return;
        }
        if let Some(states) = self.states {
            states.forget(first, last - first);
        }
        // SAFETY: the pages lie in the mapping of this heap, and no live allocation has a byte of them.
        unsafe {
            libc::mmap(
                first as *mut libc::c_void,
                (last - first) as usize,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
                -1,
                0,
            );
        }
    }

    /// Whether bytes around an allocation were written.
    pub fn check(&self) -> Result<()> {
        self.live.values().try_for_each(Block::damage)
    }

    /// Gives everything back.
    pub fn clear(&mut self) {
        for address in self.live.keys().copied().collect::<Vec<_>>() {
            // Writes around freed memory are not reported again.
            let _ = self.free(address);
        }
    }

    /// Whether the range lies in one allocation.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        self.live.range(..=address).next_back().is_some_and(|(_, block)| {
            address.checked_add(bytes).is_some_and(|end| end <= block.address + block.bytes)
        })
    }

    /// The live allocation that holds an address, or ends at it: its first byte and its size.
    pub fn around(&self, address: u64) -> Option<(u64, u64)> {
        let (_, block) = self.live.range(..=address).next_back()?;
        (address <= block.address + block.bytes).then_some((block.address, block.bytes))
    }

    /// Whether the address is in this heap's range.
    pub fn spans(&self, address: u64) -> bool {
        (self.base..self.base + self.reserved).contains(&address)
    }

    /// The allocation that has the address: as its own, or in the page after it.
    pub fn locate(&self, address: u64) -> Option<Location> {
        let place = |block: &Block, freed| Location {
            serial: block.serial,
            bytes: block.bytes,
            offset: address.wrapping_sub(block.address) as i64,
            freed,
        };
        // What lies in front of an allocation, in its first page, is below its key.
        let [below, above] =
            [self.live.range(..=address).next_back(), self.live.range(address..).next()];
        let live = [below, above].map(|found| found.map(|(_, block)| block));
        let dead = self.dead.range(..=address).next_back().map(|(_, block)| block);
        let own = |block: &&Block| (block.from..block.end).contains(&address);
        let near = |block: &&Block| (block.from..block.to + PAGE).contains(&address);
        let found = |within: &dyn Fn(&&Block) -> bool| {
            let live = live.into_iter().flatten().find(within).map(|block| place(block, false));
            live.or_else(|| dead.filter(within).map(|block| place(block, true)))
        };
        found(&own).or_else(|| found(&near))
    }
}

impl Block {
    fn damage(&self) -> Result<()> {
        let holds = |from: u64, to: u64| {
            // SAFETY: bytes of one live allocation, which may be read.
            let bytes =
                unsafe { std::slice::from_raw_parts(from as *const u8, (to - from) as usize) };
            bytes.iter().all(|&byte| byte == POISON)
        };
        let side = match (holds(self.from, self.address), holds(self.address + self.bytes, self.to))
        {
            (true, true) => return Ok(()),
            (false, _) => "in front of",
            (true, false) => "after",
        };
        Err(Failure::IllegalAddress(format!(
            "something wrote {side} allocation #{} of {} bytes",
            self.serial, self.bytes
        )))
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if self.reserved != 0 {
            // SAFETY: the mapping that `new` made; what lay in it goes with the heap. States stay, since modules know
            // where they are.
            unsafe { libc::munmap(self.base as *mut libc::c_void, self.reserved as usize) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_end_at_a_guard_and_begin_with_poison() {
        let mut heap = Heap::new(1 << 20, Placement::Apart);
        let address = heap.allocate(512).unwrap();
        assert_eq!((address % ALIGNMENT, (address + 512) % PAGE), (0, 0));
        // SAFETY: the allocation is 512 bytes long and alive.
        let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, 512) };
        assert!(bytes.iter().all(|&byte| byte == POISON));
        assert!(heap.holds(address, 512) && heap.holds(address + 500, 12));
        assert!(!heap.holds(address, 513) && !heap.holds(address - 1, 2));
        let place = heap.locate(address + 512).unwrap();
        assert_eq!((place.serial, place.offset, place.freed), (1, 512, false));
        assert_eq!(heap.locate(address - 8).map(|place| place.offset), Some(-8));
        heap.free(address).unwrap();
        assert!(heap.locate(address).unwrap().freed);
        assert!(heap.free(address).is_err());
        assert_eq!(heap.memory(), [1 << 20; 2]);
    }

    #[test]
    fn what_is_written_around_an_allocation_is_found() {
        let mut heap = Heap::new(1 << 20, Placement::Apart);
        let address = heap.allocate(100).unwrap();
        heap.check().unwrap();
        // SAFETY: the byte lies in the pages of the allocation.
        unsafe { *((address + 100) as *mut u8) = 0 };
        assert!(heap.check().unwrap_err().to_string().contains("after allocation #1 of 100 bytes"));
        assert!(heap.free(address).is_err());
    }

    #[test]
    fn memory_ends_and_addresses_come_back() {
        for place in [Placement::Apart, Placement::Close] {
            ends(Heap::new(1 << 16, place));
        }
    }

    fn ends(mut heap: Heap) {
        assert_eq!(heap.allocate(1 << 17), Err(Failure::OutOfMemory(1 << 17, 1 << 16)));
        assert!(heap.allocate(0).is_err());
        let first = heap.allocate(1 << 15).unwrap();
        heap.allocate(1 << 15).unwrap();
        assert_eq!(heap.allocate(1), Err(Failure::OutOfMemory(1, 0)));
        heap.free(first).unwrap();
        // Far more than there are addresses.
        for _ in 0..2000 {
            let address = heap.allocate(1 << 15).unwrap();
            heap.free(address).unwrap();
        }
        assert_eq!(heap.live(), [1, 1 << 15]);
    }

    #[test]
    fn neighbours_share_no_byte_and_no_range() {
        let mut heap = Heap::new(1 << 20, Placement::Close);
        let [first, second, third] = [5000, 256, 100].map(|bytes| heap.allocate(bytes).unwrap());
        assert_eq!([second - first, third - second], [5120, 256], "no gap but the rounding");
        assert!(heap.holds(first, 5000) && heap.holds(second, 256) && heap.holds(third, 100));
        assert!(!heap.holds(second, 257) && !heap.holds(second + 255, 2), "two allocations");
        assert_eq!(heap.around(third), Some((third, 100)));
        let place = heap.locate(third).unwrap();
        assert_eq!((place.serial, place.offset), (3, 0));
        assert_eq!(
            heap.locate(third + 256).map(|place| (place.serial, place.offset)),
            Some((3, 256))
        );
        // SAFETY: 256 bytes that are allocated.
        let bytes =
            |address: u64| unsafe { std::slice::from_raw_parts_mut(address as *mut u8, 256) };
        bytes(first + 4700).fill(1);
        bytes(second).fill(2);
        bytes(third)[..100].fill(3);
        // The page that both neighbours have a part of stays.
        heap.free(second).unwrap();
        assert!(heap.locate(second).unwrap().freed);
        assert!(bytes(first + 4700).iter().all(|&byte| byte == 1) && bytes(third)[99] == 3);
        assert!(bytes(second).iter().all(|&byte| byte == POISON));
        let fourth = heap.allocate(4096).unwrap();
        assert_eq!(fourth, third + 256);
        heap.free(third).unwrap();
        heap.free(first).unwrap();
        assert!(bytes(fourth + 3840).iter().all(|&byte| byte == POISON));
        heap.free(fourth).unwrap();
        assert_eq!(heap.memory(), [1 << 20; 2]);
    }

    #[test]
    fn a_write_past_a_close_allocation_is_found() {
        let mut heap = Heap::new(1 << 20, Placement::Close);
        let [first, second] = [100, 256].map(|bytes| heap.allocate(bytes).unwrap());
        // SAFETY: the byte lies between the two, in the first one's room.
        unsafe { *((first + 255) as *mut u8) = 0 };
        let words = heap.free(first).unwrap_err().to_string();
        assert!(words.contains("after allocation #1 of 100 bytes"), "{words}");
        heap.free(second).unwrap();
    }
}
