//! Philox4x32: four words of 32 random bits from a counter of four and a key of two, by ten rounds of
//! multiplications (Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
//!
//! Once in plain integers, which the known answers of Random123 check and which make the seeds of children, and once
//! in terms of a program, which the tests hold against the first.

use ndany_core::program::{Builder, Philox, Prim, RegType, SsaValue};

const MULTIPLIERS: [u32; 2] = Philox::MULTIPLIERS;
const WEYL: [u32; 2] = Philox::WEYL;

/// The four words of a counter under a key.
pub(super) fn words(counter: [u32; 4], key: [u32; 2], rounds: usize) -> [u32; 4] {
    let ([mut c0, mut c1, mut c2, mut c3], [mut k0, mut k1]) = (counter, key);
    for _ in 0..rounds {
        let wide = |multiplier: u32, word: u32| {
            let product = u64::from(multiplier) * u64::from(word);
            ((product >> 32) as u32, product as u32)
        };
        let ((high0, low0), (high1, low1)) = (wide(MULTIPLIERS[0], c0), wide(MULTIPLIERS[1], c2));
        [c0, c1, c2, c3] = [high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0];
        (k0, k1) = (k0.wrapping_add(WEYL[0]), k1.wrapping_add(WEYL[1]));
    }
    [c0, c1, c2, c3]
}

/// The same in a program: all values are U32.
pub(super) fn in_program<'b>(
    b: &'b Builder,
    counter: [SsaValue<'b>; 4],
    key: [SsaValue<'b>; 2],
) -> [SsaValue<'b>; 4] {
    let constant = |word: u32| b.constant(RegType::U32, u64::from(word));
    let (multipliers, weyl) = (MULTIPLIERS.map(constant), WEYL.map(constant));
    let ([mut c0, mut c1, mut c2, mut c3], [mut k0, mut k1]) = (counter, key);
    for round in 0..Philox::ROUNDS {
        if round > 0 {
            (k0, k1) = (k0 + weyl[0], k1 + weyl[1]);
        }
        let high = |multiplier, word| b.prim(Prim::MulHigh, &[multiplier, word]);
        let (high0, low0) = (high(multipliers[0], c0), multipliers[0] * c0);
        let (high1, low1) = (high(multipliers[1], c2), multipliers[1] * c2);
        // What varies less is combined first: in the first rounds it is the same for every element.
        [c0, c1, c2, c3] = [high1 ^ (c1 ^ k0), low1, high0 ^ (c3 ^ k1), low0];
    }
    [c0, c1, c2, c3]
}
