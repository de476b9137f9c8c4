//! Philox4x32-10 for many counters at once.
//!
//! As instructions over blocks, a word costs a hundred loads and stores of a register for as many operations.
//! Here each word takes a 64-bit lane whose upper half is ignored. The product that gives one word by its high
//! half and another by its low half is therefore not split, nothing is shuffled, and nothing is stored in
//! between.

use ndany_core::program::Philox;

use super::Loop;
use crate::interpreter::BLOCK;

/// Writes the four words of each element, [`BLOCK`] apart, to `out`. `args[0]` holds six addresses: the words
/// of each element's counter, and the words of the key, which all elements share.
pub(super) struct Words;

const LOW: u64 = u32::MAX as u64;

impl Loop for Words {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: this loop's contract: six addresses of `count` aligned values each, and room for four
        // blocks at `out`, which no other code uses; a block has at most BLOCK values.
        let (sources, out) = unsafe {
            let sources = (*args[0].cast::<[*const u32; 6]>())
                .map(|source| std::slice::from_raw_parts(source, count));
            (sources, std::slice::from_raw_parts_mut(out.cast::<u32>(), 4 * BLOCK))
        };
        let [c0, c1, c2, c3, k0, k1] = sources;
        let [Some(&k0), Some(&k1)] = [k0.first(), k1.first()] else { return false };
        let keys: [[u64; 2]; Philox::ROUNDS] = std::array::from_fn(|round| {
            let key =
                |key: u32, weyl: u32| u64::from(key.wrapping_add(weyl.wrapping_mul(round as u32)));
            [key(k0, Philox::WEYL[0]), key(k1, Philox::WEYL[1])]
        });
        let [m0, m1] = Philox::MULTIPLIERS.map(u64::from);
        let mut blocks = out.chunks_exact_mut(BLOCK).map(|words| &mut words[..count]);
        let mut block = || blocks.next().unwrap_or_default();
        let (w0, w1, w2, w3) = (block(), block(), block(), block());
        for i in 0..count {
            let [mut x0, mut x1, mut x2, mut x3] = [c0[i], c1[i], c2[i], c3[i]].map(u64::from);
            for [k0, k1] in keys {
                let (first, third) = (m0 * x0, m1 * x2);
                (x0, x1) = ((third >> 32) ^ ((x1 & LOW) ^ k0), third);
                (x2, x3) = ((first >> 32) ^ ((x3 & LOW) ^ k1), first);
            }
            (w0[i], w1[i], w2[i], w3[i]) = (x0 as u32, x1 as u32, x2 as u32, x3 as u32);
        }
        false
    }
}
