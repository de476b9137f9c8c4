//! Positions that sort a row.
//!
//! A 64-bit word holds the key above and the position below. With `b` bits for a position and keys that
//! span `r` bits, `r + b` may pass 64: then the `r + b - 64` lowest bits of the key are left out at first,
//! and words that agree in all others are sorted once more, by what was left out. That part has at most `b`
//! bits, so the second time everything fits.

use std::sync::{Mutex, PoisonError};

use ndany_core::Result;

use super::keys::Word;
use super::{PARALLEL_FROM, SortContext, chunk, compare_positions, each, words};
use crate::memory::Address;

/// Words that are searched together for neighbours with equal keys.
const STRETCH: usize = 64;

/// How a row's keys are packed.
#[derive(Clone, Copy)]
struct Packing {
    /// The smallest key, which is subtracted from all.
    least: u64,
    /// Bits of the key that do not fit.
    left_out: u32,
    /// Bits of a position.
    position: u32,
}

impl Packing {
    fn of<T: Word>(source: &[T], context: SortContext) -> Self {
        let position = usize::BITS - (source.len() - 1).leading_zeros();
        if size_of::<T>() < 8 {
            return Self { least: 0, left_out: 0, position };
        }
        let all = Mutex::new((u64::MAX, 0));
        each(source.len().div_ceil(PARALLEL_FROM), context.parallel, &|number| {
            let part = chunk(source, number, PARALLEL_FROM).iter();
            let (least, most) = part.fold((u64::MAX, 0), |(least, most), element| {
                let key: u64 = element.key().into();
                (key.min(least), key.max(most))
            });
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            *all = (all.0.min(least), all.1.max(most));
        });
        let (least, most) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bits = u64::BITS - (most - least).leading_zeros();
        Self { least, left_out: (bits + position).saturating_sub(64), position }
    }

    fn key<T: Word>(&self, element: T) -> u64 {
        let key: u64 = element.key().into();
        key - self.least
    }

    /// The word of an element.
    fn first<T: Word>(&self, element: T, position: usize) -> u64 {
        // A row of one element has no position bits.
        (self.key(element) >> self.left_out).unbounded_shl(self.position) | position as u64
    }

    /// The word of the key's remaining bits.
    fn second<T: Word>(&self, element: T, position: u64) -> u64 {
        let rest = self.key(element) & !(u64::MAX.unbounded_shl(self.left_out));
        rest << self.position | position
    }

    fn position(&self, word: u64) -> u64 {
        word & !u64::MAX.unbounded_shl(self.position)
    }

    fn agree(&self, a: u64, b: u64) -> bool {
        (a ^ b).unbounded_shr(self.position) == 0
    }
}

/// Writes the positions of a row's elements in sorted order.
pub(super) fn sort<T: Word>(source: &[T], output: *mut i64, context: SortContext) -> Result<()> {
    if source.len() > u32::MAX as usize {
        return compare_positions(source, output, context);
    }
    let packing = Packing::of(source, context);
    let start = Address(output.cast::<u64>());
    each(source.len().div_ceil(PARALLEL_FROM), context.parallel, &|number| {
        for (k, &element) in chunk(source, number, PARALLEL_FROM).iter().enumerate() {
            let position = number * PARALLEL_FROM + k;
            // SAFETY: the output has room for a position of each element.
            unsafe { *start.at(position) = packing.first(element, position) };
        }
    });
    // SAFETY: all of it has just been written.
    let words = unsafe { std::slice::from_raw_parts_mut(output.cast::<u64>(), source.len()) };
    if packing.left_out == 0 {
        words::sort(words, context, &|part: &mut [u64]| unpack(part, packing));
    } else {
        words::sort(words, context, &|_: &mut [u64]| {});
        refine(words, source, packing, context);
    }
    Ok(())
}

fn unpack(words: &mut [u64], packing: Packing) {
    words.iter_mut().for_each(|word| *word = packing.position(*word));
}

/// Sorts each run of words that agree above their positions, and keeps the positions.
fn refine<T: Word>(words: &mut [u64], source: &[T], packing: Packing, context: SortContext) {
    if context.parallel && words.len() > PARALLEL_FROM {
        // In halves, split where a run ends; a run that fills most of the words is sorted by all threads.
        let middle = words.len() / 2;
        let run = words[middle];
        let begin =
            words[..middle].partition_point(|&word| !packing.agree(word, run) && word < run);
        let end = middle + words[middle..].partition_point(|&word| packing.agree(word, run));
        let (left, rest) = words.split_at_mut(begin);
        let (run, right) = rest.split_at_mut(end - begin);
        refine_run(run, source, packing, context);
        rayon::join(
            || refine(left, source, packing, context),
            || refine(right, source, packing, context),
        );
        return;
    }
    let context = SortContext { parallel: false, ..context };
    let mut begin = 0;
    while begin < words.len() {
        let end = words.len().min(begin + STRETCH);
        let here = &words[begin..words.len().min(end + 1)];
        let pairs = here.iter().zip(&here[1..]);
        // If there are many keys, few words agree: stretches without equal neighbours are skipped without a
        // branch per word.
        if !pairs.fold(false, |some, (&a, &b)| some | packing.agree(a, b)) {
            unpack(&mut words[begin..end], packing);
            begin = end;
        }
        while begin < end {
            let word = words[begin];
            let rest = &mut words[begin..];
            let length = rest.iter().take_while(|&&other| packing.agree(word, other)).count();
            refine_run(&mut rest[..length], source, packing, context);
            begin += length;
        }
    }
}

fn refine_run<T: Word>(run: &mut [u64], source: &[T], packing: Packing, context: SortContext) {
    if run.len() > 1 {
        let context =
            SortContext { parallel: context.parallel && run.len() > PARALLEL_FROM, ..context };
        words::each_part(run, context, &|part| {
            for word in part {
                let position = packing.position(*word);
                *word = packing.second(source[position as usize], position);
            }
        });
        words::sort(run, context, &|part: &mut [u64]| unpack(part, packing));
    } else {
        unpack(run, packing);
    }
}

#[cfg(test)]
mod tests {
    use ndany_array::{Array, Device};

    /// Pseudorandom 64-bit keys whose upper bits agree in runs of these lengths.
    fn keys(length: usize, runs: &[usize]) -> Vec<u64> {
        let mix = |x: usize| (x as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let groups = runs.iter().cycle().enumerate();
        let mut keys: Vec<u64> = groups
            .flat_map(|(group, &run)| (0..run).map(move |k| mix(group) & !127 | mix(k) >> 58))
            .take(length)
            .collect();
        for at in 0..length {
            keys.swap(at, mix(at) as usize % length);
        }
        keys
    }

    #[test]
    fn keys_that_do_not_fit_are_ordered_by_all_of_their_bits() {
        for length in [2, 63, 64, 65, 1000, 70_000] {
            for runs in [&[1][..], &[1, 2, 1, 1, 1, 3], &[64, 1, 63, 65], &[300, 1]] {
                let keys = keys(length, runs);
                let mut expected: Vec<i64> = (0..length as i64).collect();
                expected.sort_by_key(|&at| keys[at as usize]);
                for device in ["cpu:threads=1", "cpu:level=v1,threads=1", "cpu:threads=3"] {
                    let _guard = Device::open(device).expect("always there").enter();
                    let order = Array::from(keys.clone()).argsort(0).to_vec::<i64>();
                    assert!(order.expect("computed") == expected, "{length} on {device}");
                }
            }
        }
    }
}
