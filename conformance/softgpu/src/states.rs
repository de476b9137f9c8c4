//! What is known of each byte of a heap, a byte of its own each: whether it is allocated, and whether it was written.
//!
//! Kept only under `NDANY_SOFTGPU_CHECK=bytes`. Kernels are then compiled with a call in front of each access (the C++
//! compiler's `-fsanitize=kernel-address`, which calls functions of `shim.h`), which looks here. So an access next to an
//! allocation is found where no page guards it, and so is one of a byte that nothing wrote. Copies and fills write; copies
//! inside a device carry on what is known.

/// No byte of an allocation.
pub const NOTHING: u8 = 0;
/// Allocated, and nothing wrote it yet.
pub const FRESH: u8 = 1;
/// Written.
pub const WRITTEN: u8 = 2;

/// States of one range of addresses, as `shim.h` reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct States {
    base: u64,
    span: u64,
    /// The state of the byte at `base`.
    states: u64,
}

impl States {
    /// Of addresses of which none is allocated; nothing if the system has no memory.
    pub fn of(base: u64, span: u64) -> Option<Self> {
        // SAFETY: a new private mapping, wherever the system likes; memory is taken as it is written.
        let states = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                span as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        (states != libc::MAP_FAILED).then_some(Self { base, span, states: states as u64 })
    }

    /// Where the states of these addresses are, if they are of this range.
    fn at(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address.checked_sub(self.base)?;
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.span);
        inside.then_some((self.states + offset) as *mut u8)
    }

    /// Sets states of a part of the range.
    pub fn set(&self, address: u64, bytes: u64, state: u8) {
        if let Some(at) = self.at(address, bytes) {
            // SAFETY: the range is within the mapping; kernels at work read and write single bytes, as is the nature of
            // what is checked here.
            unsafe { at.write_bytes(state, bytes as usize) };
        }
    }

    /// Forgets states of whole pages.
    pub fn forget(&self, address: u64, bytes: u64) {
        if let Some(at) = self.at(address, bytes) {
            // SAFETY: whole pages of the mapping, which are zeros from now on.
            unsafe { libc::madvise(at.cast(), bytes as usize, libc::MADV_DONTNEED) };
        }
    }

    /// The states of these addresses, if they are of this range.
    pub fn get(&self, address: u64, bytes: u64) -> Option<&[u8]> {
        let at = self.at(address, bytes)?;
        // SAFETY: the range is within the mapping.
        Some(unsafe { std::slice::from_raw_parts(at, bytes as usize) })
    }

    /// Gives these addresses states that were looked up before.
    pub fn put(&self, address: u64, states: &[u8]) {
        if let Some(at) = self.at(address, states.len() as u64) {
            // SAFETY: the range is within the mapping.
            unsafe { at.copy_from_nonoverlapping(states.as_ptr(), states.len()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_of_their_range() {
        let states = States::of(0x10_0000, 1 << 16).unwrap();
        states.set(0x10_0100, 16, FRESH);
        states.set(0x10_0104, 4, WRITTEN);
        let expected = [NOTHING, FRESH, FRESH, FRESH, FRESH, WRITTEN];
        assert_eq!(states.get(0x10_00ff, 6), Some(&expected[..]));
        assert_eq!(states.get(0x10_ffff, 2), None);
        assert_eq!(states.get(0xf_ffff, 1), None);
        states.put(0x10_0108, &expected);
        assert_eq!(states.get(0x10_010d, 1), Some(&[WRITTEN][..]));
        states.forget(0x10_0000, 4096);
        assert_eq!(states.get(0x10_0100, 16), Some(&[NOTHING; 16][..]));
    }
}
