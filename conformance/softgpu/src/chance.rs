//! In which order threads, blocks and streams run: as they are numbered, or in one made of a number from outside.
//!
//! What is right in every order is right; a barrier or a wait that is missing shows in some.

use std::collections::VecDeque;

/// An order, which goes on as it is asked.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    seed: u64,
    state: u64,
}

impl Chance {
    /// The order made of a number; 0 is the order of numbers.
    pub(crate) fn of(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    /// A number below `count`, another one each time.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.state = mix(self.state);
        self.state % count
    }

    /// Which of `count` comes as the `k`-th: a permutation.
    pub(crate) fn nth64(&self, k: u64, count: u64) -> u64 {
        if self.seed == 0 {
            return k;
        }
        // Steps by what has no common divisor with the count reach all.
        let mut step = 1 + mix(self.seed) % count;
        while gcd(step, count) != 1 {
            step += 1;
        }
        let at = u128::from(k) * u128::from(step) + u128::from(mix(!self.seed));
        (at % u128::from(count)) as u64
    }

    /// The same of fewer.
    pub(crate) fn nth(&self, k: u32, count: u32) -> u32 {
        if self.seed == 0 { k } else { self.nth64(k.into(), count.into()) as u32 }
    }

    /// The next of those that wait.
    pub(crate) fn take(&mut self, waiting: &mut VecDeque<u32>) -> Option<u32> {
        if self.seed == 0 || waiting.len() < 2 {
            return waiting.pop_front();
        }
        let at = self.below(waiting.len() as u64);
        waiting.swap_remove_back(at as usize)
    }
}

/// The finalizer of SplitMix64, after its step.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_permutations() {
        for count in [1, 2, 7, 32, 100, 1024] {
            for seed in [0, 1, 2, 77] {
                let mut all: Vec<u32> =
                    (0..count).map(|k| Chance::of(seed).nth(k, count)).collect();
                let moved = all.iter().zip(0..).any(|(a, b)| *a != b);
                assert!(seed != 0 || !moved);
                assert!(seed == 0 || moved || count < 7, "{seed} {count}");
                all.sort_unstable();
                assert!(all.into_iter().eq(0..count));
            }
        }
    }

    #[test]
    fn all_that_wait_get_their_turn() {
        let mut waiting: VecDeque<u32> = (0..10).collect();
        let mut chance = Chance::of(5);
        let mut taken: Vec<u32> = std::iter::from_fn(|| chance.take(&mut waiting)).collect();
        assert_ne!(taken, (0..10).collect::<Vec<_>>());
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..10));
    }
}
