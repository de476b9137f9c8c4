//! Packed 64-bit words under a mask, or the positions where the mask is true, eight at a time by AVX-512.
//!
//! `select` handles the rest of a run, other word sizes and other CPUs.

use std::arch::x86_64::{
    _mm_loadl_epi64, _mm_test_epi8_mask, _mm512_add_epi64, _mm512_loadu_epi64,
    _mm512_maskz_compress_epi64, _mm512_set1_epi64, _mm512_setr_epi64, _mm512_storeu_epi64,
};

/// Words that one vector compresses.
const VECTOR: usize = 8;

/// Writes the words whose mask is true, or their positions counted from `first`, contiguously to `room`. It
/// handles the complete groups of eight in `length`. Returns how many words it has read and how many it has
/// written.
///
/// # Safety
/// The CPU has the features; `length` mask values and, unless positions are wanted, words are valid for
/// reads; `room` is valid for writes of as many words.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(crate) unsafe fn words<const POSITIONS: bool>(
    truths: *const u8,
    from: *const u64,
    first: u64,
    length: usize,
    room: *mut u64,
) -> (usize, usize) {
    let done = length / VECTOR * VECTOR;
    let mut positions = _mm512_add_epi64(
        _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
        _mm512_set1_epi64(first as i64),
    );
    let step = _mm512_set1_epi64(VECTOR as i64);
    let mut filled = 0;
    for at in (0..done).step_by(VECTOR) {
        // SAFETY: the caller upholds this. Each store writes eight words, but at most `at` words were kept
        // before.
        unsafe {
            let truths = _mm_loadl_epi64(truths.add(at).cast());
            // The upper half is zero.
            let shown = _mm_test_epi8_mask(truths, truths) as u8;
            let words = match POSITIONS {
                true => positions,
                false => _mm512_loadu_epi64(from.add(at).cast()),
            };
            let kept = _mm512_maskz_compress_epi64(shown, words);
            _mm512_storeu_epi64(room.add(filled).cast(), kept);
            filled += shown.count_ones() as usize;
        }
        positions = _mm512_add_epi64(positions, step);
    }
    (done, filled)
}
