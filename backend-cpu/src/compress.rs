//! What a mask shows of packed words of 64 bits, or where it shows something, by AVX-512: eight at a time.
//!
//! What is left of a stretch, other words and other CPUs are the business of `select`.

use std::arch::x86_64::{
    _mm_loadl_epi64, _mm_test_epi8_mask, _mm512_add_epi64, _mm512_loadu_epi64,
    _mm512_maskz_compress_epi64, _mm512_set1_epi64, _mm512_setr_epi64, _mm512_storeu_epi64,
};

/// Words that are compressed together.
const TOGETHER: usize = 8;

/// Writes the words whose truth holds, or their positions counted from `first`, one after the other to `room`: of all
/// groups of eight in `length`. Says how many words that were, and how many of them are there now.
///
/// # Safety
/// The CPU has the features; `length` truth values and, unless positions are asked for, words are good for reading;
/// `room` is good for writing as many words.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(crate) unsafe fn words<const POSITIONS: bool>(
    truths: *const u8,
    from: *const u64,
    first: u64,
    length: usize,
    room: *mut u64,
) -> (usize, usize) {
    let done = length / TOGETHER * TOGETHER;
    let mut positions = _mm512_add_epi64(
        _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
        _mm512_set1_epi64(first as i64),
    );
    let step = _mm512_set1_epi64(TOGETHER as i64);
    let mut filled = 0;
    for at in (0..done).step_by(TOGETHER) {
        // SAFETY: the caller's promise. All eight words are written, but no more than `at` were kept before.
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
