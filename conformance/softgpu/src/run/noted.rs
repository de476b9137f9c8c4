//! What atomic operations of a launch touch, so that outcomes can be compared without what may depend on their order.

use std::cell::RefCell;
use std::collections::HashSet;

/// What an atomic operation is, by the numbers of `shim.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Integers, of which the order does not show in what is left: sums, minima, bits.
    Commutes,
    /// Compare-and-swap and exchange: the first thread gets the slot.
    HandsOut,
    /// Sums of floats: the order shows, and must not.
    Rounds,
}

impl Kind {
    fn of(number: u32) -> Self {
        match number {
            0 => Self::Commutes,
            1 => Self::HandsOut,
            _ => Self::Rounds,
        }
    }
}

/// Bytes that may differ from order to order if places were handed out.
const WORD: u64 = 8;

/// What was touched.
#[derive(Debug, Default)]
pub struct Noted {
    words: HashSet<u64>,
    hands_out: bool,
}

thread_local! {
    /// Of the launch that this thread runs.
    static NOTED: RefCell<Noted> = RefCell::new(Noted::default());
}

/// What kernels say before an atomic operation.
pub(super) unsafe extern "C" fn note(address: u64, kind: u32) {
    NOTED.with_borrow_mut(|noted| match Kind::of(kind) {
        Kind::Rounds => {}
        kind @ (Kind::Commutes | Kind::HandsOut) => {
            noted.hands_out |= kind == Kind::HandsOut;
            noted.words.insert(address / WORD);
        }
    });
}

impl Noted {
    /// What is noted while this thread does something, and what that came to.
    pub fn during<T>(work: impl FnOnce() -> T) -> (T, Self) {
        NOTED.take();
        let done = work();
        (done, NOTED.take())
    }

    /// Takes more along.
    pub fn join(&mut self, more: Self) {
        self.words.extend(more.words);
        self.hands_out |= more.hands_out;
    }

    /// Whether a byte may differ from one order to another.
    pub fn excuses(&self, address: u64) -> bool {
        self.hands_out && self.words.contains(&(address / WORD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_excused_where_places_are_handed_out() {
        let say = |address, kind| {
            // SAFETY: it only notes.
            unsafe { note(address, kind) }
        };
        let ((), sums) = Noted::during(|| say(64, 0));
        assert!(!sums.excuses(64));
        let ((), mut table) =
            Noted::during(|| (0..3).for_each(|kind| say(128 + 8 * u64::from(kind), kind)));
        assert!(table.excuses(128) && table.excuses(136 + 7) && !table.excuses(144));
        table.join(sums);
        assert!(table.excuses(64) && !table.excuses(72));
    }
}
