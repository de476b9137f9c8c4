//! Sorted values of a row.

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use ndany_core::Result;

use super::keys::Word;
use super::words::{self, Lane};
use super::{PARALLEL_FROM, SortContext, chunk, each};
use crate::loops::Loop;
use crate::memory::Address;

/// Minimum length of rows of one- or two-byte elements for a counting sort.
const COUNTED: usize = 1 << 10;

/// Sorts a row into `output`, which has room for it.
pub(super) fn sort<T: Word>(source: &[T], output: *mut T, context: SortContext) -> Result<()> {
    match size_of::<T>() {
        1 if source.len() >= COUNTED / 4 => counted::<T, 256>(source, output, context),
        2 if source.len() >= COUNTED * 16 => counted::<T, 65536>(source, output, context),
        1 | 2 => widened(source, output, context),
        _ => in_place(source, output, context),
    }
    // SAFETY: every element of the output has been written above; this call alone uses it.
    let output = unsafe { std::slice::from_raw_parts_mut(output, source.len()) };
    if let Some([negative, positive]) = T::ZEROS {
        order_zeros(source, output, negative, positive);
    }
    Ok(())
}

/// `out[i] = args[0][i].word()`.
pub(super) struct ToKeys<T>(PhantomData<T>);
/// The inverse, in place at `out`.
struct FromKeys<T>(PhantomData<T>);

impl<T: Word> Loop for ToKeys<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        let (out, source) = (out.cast::<T::Lane>(), args[0].cast::<T>());
        for i in 0..count {
            // SAFETY: the caller states that both are valid for `count` values.
            unsafe { out.add(i).write(T::Lane::of_bits((*source.add(i)).word())) };
        }
        false
    }
}

impl<T: Word> Loop for FromKeys<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, _: [*const u8; 3], count: usize) -> bool {
        for i in 0..count {
            // SAFETY: the caller states that `out` holds `count` words of the elements' size.
            unsafe {
                let word = out.cast::<T::Lane>().add(i);
                word.cast::<T>().write(T::of_word(word.read().bits()));
            }
        }
        false
    }
}

/// Sorts words in the output's own memory, for elements of the words' size.
fn in_place<T: Word>(source: &[T], output: *mut T, context: SortContext) {
    assert!(size_of::<T>() == size_of::<T::Lane>(), "smaller elements are counted or widened");
    let (to, of) = (context.compiled::<ToKeys<T>>(), context.compiled::<FromKeys<T>>());
    let start = Address(output);
    each(source.len().div_ceil(PARALLEL_FROM), context.parallel, &|number| {
        let part = chunk(source, number, PARALLEL_FROM);
        let args = [part.as_ptr().cast(), std::ptr::null(), std::ptr::null()];
        // SAFETY: a chunk of the output for each chunk of the source, of the same size.
        unsafe { to(start.at(number * PARALLEL_FROM).cast(), args, part.len()) };
    });
    // SAFETY: all of it has just been written, and the words have the elements' size and alignment.
    let words = unsafe { std::slice::from_raw_parts_mut(output.cast::<T::Lane>(), source.len()) };
    words::sort(words, context, &|part: &mut [T::Lane]| {
        // SAFETY: the part's words turn into elements one by one.
        unsafe { of(part.as_mut_ptr().cast(), [std::ptr::null(); 3], part.len()) };
    });
}

/// Sorts wider words: short rows of small elements.
fn widened<T: Word>(source: &[T], output: *mut T, context: SortContext) {
    let mut words: smallvec::SmallVec<[u32; 256]> =
        source.iter().map(|element| element.word() as u32).collect();
    words::sort(&mut words, context, &|_: &mut [u32]| {});
    for (k, &word) in words.iter().enumerate() {
        // SAFETY: the output has room for the row.
        unsafe { output.add(k).write(T::of_word(u64::from(word))) };
    }
}

/// Counting sort over the `KEYS` possible words.
fn counted<T: Word, const KEYS: usize>(source: &[T], output: *mut T, context: SortContext) {
    let all = Mutex::new(vec![0usize; KEYS]);
    let size = if context.parallel { KEYS.max(PARALLEL_FROM) * 16 } else { source.len() };
    each(source.len().div_ceil(size), context.parallel, &|number| {
        let mut counts = vec![0usize; KEYS];
        let part = chunk(source, number, size);
        part.iter().for_each(|element| counts[element.word() as usize] += 1);
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    });
    let counts = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut done = 0;
    for (word, count) in counts.into_iter().enumerate() {
        let element = T::of_word(word as u64);
        for k in done..done + count {
            // SAFETY: the counts add up to the row, for which the output has room.
            unsafe { output.add(k).write(element) };
        }
        done += count;
    }
}

/// The two zeros are equal and keep the source's order; their words differ.
fn order_zeros<T: Word>(source: &[T], output: &mut [T], negative: u64, positive: u64) {
    let begin = output.partition_point(|element| element.word() < negative);
    let zeros = output[begin..].partition_point(|element| element.word() <= positive);
    let zeros = &mut output[begin..begin + zeros];
    let mixed = match (zeros.first(), zeros.last()) {
        (Some(first), Some(last)) => first.word() != last.word(),
        _ => false,
    };
    if mixed {
        let is_zero = |element: &&T| (negative..=positive).contains(&element.word());
        for (zero, &found) in zeros.iter_mut().zip(source.iter().filter(is_zero)) {
            *zero = found;
        }
    }
}
