//! Stacks, and the switch from one to the other.
//!
//! A stack that waits is the number it had in its stack pointer; what a function may not lose lies on it.

use std::arch::naked_asm;

/// Bytes of a stack, without the page below it.
const BYTES: usize = 64 << 10;
const PAGE: usize = 4096;

/// Leaves this stack, whose pointer it stores, for one that waits.
///
/// # Safety
/// `to` is what an earlier switch away from a stack stored, or [`Stack::begin`] gave, and was not used since.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn switch(from: *mut usize, to: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "jmp {resume}",
        resume = sym resume,
    )
}

/// Goes on where the stack pointer stands: a signal's handler returns to here.
///
/// # Safety
/// The stack pointer is as `switch` stored it.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn resume() {
    naked_asm!("pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret")
}

/// Memory for a stack, with an inaccessible page below it.
#[derive(Debug)]
pub(super) struct Stack {
    base: usize,
}

impl Stack {
    /// A new one; none if the system has no memory.
    pub(super) fn new() -> Option<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new private mapping, whose first page is then closed.
        unsafe {
            let base = libc::mmap(std::ptr::null_mut(), BYTES + PAGE, rights, flags, -1, 0);
            (base != libc::MAP_FAILED && libc::mprotect(base, PAGE, libc::PROT_NONE) == 0)
                .then_some(Self { base: base as usize })
        }
    }

    /// The pointer of this stack before the first word of `entry`.
    pub(super) fn begin(&self, entry: unsafe extern "sysv64" fn() -> !) -> usize {
        // Stacks begin at different lines of their pages, so that they do not compete for the same parts of a cache.
        let color = self.base / (BYTES + PAGE) * 320 % PAGE;
        let top = self.base + PAGE + BYTES - color;
        let words = [0, 0, 0, 0, 0, 0, entry as usize, 0];
        let pointer = top - size_of_val(&words);
        // SAFETY: the words lie in the stack, which is unused.
        unsafe { (pointer as *mut [usize; 8]).write(words) };
        pointer
    }

    /// Whether the address is in the page below.
    pub(super) fn guards(&self, address: u64) -> bool {
        (self.base..self.base + PAGE).contains(&(address as usize))
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made; a stack is dropped only when no thread resumes it.
        unsafe { libc::munmap(self.base as *mut libc::c_void, BYTES + PAGE) };
    }
}
