//! What becomes of a kernel that touches what it may not: its thread goes on in the scheduler, with a note.
//!
//! Signals of threads that run no kernel go to the handler installed before.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use super::{block, coroutine};

const SIGNALS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
const ALTERNATE: usize = 64 << 10;

static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Makes this process's handler be there, and this thread able to run it when its stack is used up.
pub(super) fn install() {
    BEFORE.get_or_init(|| {
        SIGNALS.map(|signal| {
            let mut before = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: all-zero bytes are a `sigaction`; the handler has the type that SA_SIGINFO asks for.
            unsafe {
                let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                libc::sigaction(signal, &raw const action, before.as_mut_ptr());
                before.assume_init()
            }
        })
    });
    thread_local!(static READY: Cell<bool> = const { Cell::new(false) });
    if !READY.replace(true) {
        // SAFETY: the memory of the alternate stack is never given back.
        unsafe {
            let mut now = MaybeUninit::<libc::stack_t>::zeroed().assume_init();
            libc::sigaltstack(std::ptr::null(), &raw mut now);
            if now.ss_flags & libc::SS_DISABLE != 0 {
                let memory = Box::leak(vec![0u8; ALTERNATE].into_boxed_slice());
                now.ss_sp = memory.as_mut_ptr().cast();
                now.ss_size = ALTERNATE;
                now.ss_flags = 0;
                libc::sigaltstack(&raw const now, std::ptr::null_mut());
            }
        }
    }
}

unsafe extern "C" fn handle(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the system's, for the time of this call.
    let (address, context) =
        unsafe { ((*info).si_addr() as u64, &mut *context.cast::<libc::ucontext_t>()) };
    let registers = &mut context.uc_mcontext.gregs;
    let write = registers[libc::REG_ERR as usize] & 2 != 0;
    let scheduler = match signal {
        libc::SIGSEGV | libc::SIGBUS => block::stop_at_address(address, write),
        libc::SIGFPE => block::stop("divides an integer by zero"),
        _ => block::stop("executes what is no instruction"),
    };
    if let Some(scheduler) = scheduler {
        registers[libc::REG_RSP as usize] = scheduler as i64;
        registers[libc::REG_RIP as usize] = coroutine::resume as *const () as i64;
        return;
    }
    let before = SIGNALS.iter().position(|&other| other == signal);
    if let (Some(all), Some(at)) = (BEFORE.get(), before) {
        // SAFETY: what was there before; the instruction runs again and reaches it.
        unsafe { libc::sigaction(signal, &raw const all[at], std::ptr::null_mut()) };
    }
}
