//! Memory that ends at an inaccessible page: dynamic shared memory.

const PAGE: usize = 4096;

/// A mapping with an inaccessible page after it.
#[derive(Debug)]
pub(super) struct Guarded {
    base: usize,
    bytes: usize,
}

impl Guarded {
    /// Reserves a number of bytes, a multiple of a page; none if the system has no memory.
    pub(super) fn new(bytes: usize) -> Option<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new private mapping, whose last page is then closed.
        unsafe {
            let base = libc::mmap(std::ptr::null_mut(), bytes + PAGE, rights, flags, -1, 0);
            (base != libc::MAP_FAILED
                && libc::mprotect(base.byte_add(bytes), PAGE, libc::PROT_NONE) == 0)
                .then_some(Self { base: base as usize, bytes })
        }
    }

    /// Its last bytes, as many as asked for, rounded up to a multiple of 16.
    pub(super) fn last(&self, bytes: usize) -> *mut u8 {
        (self.base + self.bytes - bytes.next_multiple_of(16)) as *mut u8
    }

    /// Distance of an address from the end of the memory, if it is in the inaccessible page.
    pub(super) fn after(&self, address: u64) -> Option<usize> {
        (address as usize).checked_sub(self.base + self.bytes).filter(|&after| after < PAGE)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made; kernels that used it have ended.
        unsafe { libc::munmap(self.base as *mut libc::c_void, self.bytes + PAGE) };
    }
}
