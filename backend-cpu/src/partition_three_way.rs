//! Three-way partition of a row by two limits. One pass counts the elements of each part in each piece; a
//! second pass writes each piece's elements after those of the pieces before it. Short rows (`rows`) are
//! partitioned about one of their elements.
//!
//! No element's write branches on its part, since such a branch would be mispredicted on random data: elements
//! go to their part or to a slot that is never read.

mod nth_element;
#[cfg(target_arch = "x86_64")]
mod vector;

pub(crate) use nth_element::nth_element;

use half::{bf16, f16};
use ndany_core::backend::{PartSizes, PartitionThreeWay, Sorted, StridedView};
use ndany_core::{DType, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::loops::Level;
#[cfg(target_arch = "x86_64")]
use crate::loops::{V3, V4};
use crate::sort::{self, Word};
use crate::strided_runs::TypedView;
use crate::threads::Threads;

/// Elements that one task counts and writes.
const PIECE: usize = 1 << 15;

/// What vectors of each level need of an element type.
#[cfg(target_arch = "x86_64")]
trait Compared: vector::Compared<V3> + vector::Compared<V4> {}
#[cfg(target_arch = "x86_64")]
impl<T: vector::Compared<V3> + vector::Compared<V4>> Compared for T {}
#[cfg(not(target_arch = "x86_64"))]
trait Compared {}
#[cfg(not(target_arch = "x86_64"))]
impl<T> Compared for T {}

/// The element type of a row.
trait Number: Compared + Copy + Default + PartialOrd + Send + Sync {
    /// The type of the same bits that sorts.
    type Sorted: Word;
    /// The least and the greatest value.
    const ENDS: [Self; 2];
}

macro_rules! numbers {
    ($($ty:ident as $sorted:ty: $least:ident $most:ident),+ $(,)?) => {$(
        impl Number for $ty {
            type Sorted = $sorted;
            const ENDS: [Self; 2] = [$ty::$least, $ty::$most];
        }
    )+};
}
numbers! {
    i8 as i8: MIN MAX, i16 as i16: MIN MAX, i32 as i32: MIN MAX, i64 as i64: MIN MAX,
    u8 as u8: MIN MAX, u16 as u16: MIN MAX, u32 as u32: MIN MAX, u64 as u64: MIN MAX,
    f16 as sort::F16: NEG_INFINITY INFINITY, bf16 as sort::BF16: NEG_INFINITY INFINITY,
    f32 as sort::F32: NEG_INFINITY INFINITY, f64 as sort::F64: NEG_INFINITY INFINITY,
}

/// Calls `$body` with `$ty` as the type of numbers of `$dtype`.
macro_rules! with_number {
    ($dtype:expr, $ty:ident => $body:expr, none => $none:expr) => {{
        macro_rules! run {
            ($number:ty) => {{
                type $ty = $number;
                $body
            }};
        }
        match $dtype {
            DType::I8 => run!(i8),
            DType::I16 => run!(i16),
            DType::I32 => run!(i32),
            DType::I64 => run!(i64),
            DType::U8 => run!(u8),
            DType::U16 => run!(u16),
            DType::U32 => run!(u32),
            DType::U64 => run!(u64),
            DType::F16 => run!(f16),
            DType::BF16 => run!(bf16),
            DType::F32 => run!(f32),
            DType::F64 => run!(f64),
            DType::Bool | DType::C64 | DType::C128 => $none,
        }
    }};
}
use with_number;

pub(crate) fn partition_three_way(
    partition: &PartitionThreeWay<'_>,
    level: Level,
    threads: &Threads,
) -> Result<Option<PartSizes>> {
    with_number!(partition.source.dtype,
        T => {
            let row = Row::<T>::new(partition, level);
            match partition.write {
                Sorted::Values => row.run::<T>(partition, threads, |x, _| x),
                Sorted::Positions => row.run::<i64>(partition, threads, |_, position| position as i64),
            }
        },
        none => Ok(None))
}

/// A row and its limits.
struct Row<'a, T> {
    elements: &'a [T],
    low: T,
    high: T,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "chooses vectors"))]
    write: Sorted,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "chooses vectors"))]
    level: Level,
}

impl<'a, T: Number> Row<'a, T> {
    fn new(partition: &PartitionThreeWay<'a>, level: Level) -> Self {
        let limit = |place: &Option<StridedView<'_>>, end: usize| match place {
            // SAFETY: `Checked` places an element of the row's dtype there.
            Some(place) => unsafe { *TypedView::<T>::new(place).at(0) },
            None => T::ENDS[end],
        };
        let start = TypedView::<T>::new(&partition.source).at(0);
        // SAFETY: `Checked` places that many contiguous elements, and nothing writes them meanwhile.
        let elements = unsafe { std::slice::from_raw_parts(start.cast_const(), partition.length) };
        Self {
            elements,
            low: limit(&partition.low, 0),
            high: limit(&partition.high, 1),
            write: partition.write,
            level,
        }
    }

    fn run<W: Copy + Default>(
        &self,
        partition: &PartitionThreeWay<'_>,
        threads: &Threads,
        word: impl Fn(T, usize) -> W + Sync + Copy,
    ) -> Result<Option<PartSizes>> {
        let piece = |number: usize| {
            let begin = number * PIECE;
            &self.elements[begin..(begin + PIECE).min(self.elements.len())]
        };
        let out = TypedView::<W>::new(&partition.output);
        in_pieces(
            self.elements.len(),
            threads,
            &|number| self.count(piece(number)),
            // SAFETY: `Checked` places that many words in the output's memory; the parts have been counted, and the places
            // of different pieces are disjoint.
            &|number, starts| unsafe {
                let [x, y, z] = starts;
                let mut next = [out.at(x as isize), out.at(y as isize), out.at(z as isize)];
                self.part(piece(number), number * PIECE, &mut next, word);
            },
        )
    }

    /// How many elements are below both limits, and how many above both. `None` if an element is unordered.
    fn count(&self, elements: &[T]) -> Option<[usize; 2]> {
        #[cfg(target_arch = "x86_64")]
        return vector::count(self, elements);
        #[cfg(not(target_arch = "x86_64"))]
        self.count_each(elements)
    }

    /// [`Row::count`] in a loop that the compiler vectorizes.
    #[inline(always)]
    fn count_each(&self, elements: &[T]) -> Option<[usize; 2]> {
        let mut counts = [0; 2];
        // A chunk's counts have 32 bits, of which more fit a vector.
        for chunk in elements.chunks(PIECE) {
            let [mut below, mut above, mut unordered] = [0_u32; 3];
            for x in chunk {
                // Limits that cross must count no element twice, or the parts would not fit the row.
                let is_below = *x < self.low;
                below += u32::from(is_below);
                above += u32::from(!is_below & (*x > self.high));
                #[expect(clippy::eq_op, reason = "a NaN differs from itself")]
                let is_unordered = *x != *x;
                unordered += u32::from(is_unordered);
            }
            if unordered > 0 {
                return None;
            }
            counts = [counts[0] + below as usize, counts[1] + above as usize];
        }
        Some(counts)
    }

    /// Writes the words of elements, which are numbered from `first`, to the next place of each part.
    ///
    /// # Safety
    /// Each part has places for all its words.
    unsafe fn part<W: Copy + Default>(
        &self,
        elements: &[T],
        first: usize,
        next: &mut [*mut W; 3],
        word: impl Fn(T, usize) -> W,
    ) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller upholds this.
        let done = unsafe { vector::part(self, elements, first, next) };
        #[cfg(not(target_arch = "x86_64"))]
        let done = 0;
        let mut aside = W::default();
        let aside = &raw mut aside;
        for (at, &x) in elements.iter().enumerate().skip(done) {
            let below = x < self.low;
            let above = !below & (x > self.high);
            for (next, belongs) in next.iter_mut().zip([below, !below & !above, above]) {
                // SAFETY: the caller upholds this.
                unsafe {
                    *(if belongs { *next } else { aside }) = word(x, first + at);
                    *next = next.add(usize::from(belongs));
                }
            }
        }
    }
}

/// Both passes over the pieces of a row of `length` elements. `count` gives how many elements of a piece are below both limits
/// and above both; `write` writes the parts of a piece from these places on.
fn in_pieces(
    length: usize,
    threads: &Threads,
    count: &(dyn Fn(usize) -> Option<[usize; 2]> + Sync),
    write: &(dyn Fn(usize, [usize; 3]) + Sync),
) -> Result<Option<PartSizes>> {
    let pieces = length.div_ceil(PIECE);
    let counts: Vec<Mutex<[usize; 2]>> = (0..pieces).map(|_| Mutex::default()).collect();
    let unordered = AtomicBool::new(false);
    threads.split(pieces, 1, length, |begin, end| {
        for piece in begin..end {
            match (count(piece), counts[piece].lock()) {
                (Some(counted), Ok(mut counts)) => *counts = counted,
                _ => unordered.store(true, Ordering::Relaxed),
            }
        }
        Ok(())
    })?;
    if unordered.into_inner() {
        return Ok(None);
    }
    let counts: Vec<[usize; 2]> =
        counts.into_iter().map(|counts| counts.into_inner().unwrap_or_default()).collect();
    let [below, above] = counts.iter().fold([0; 2], |all, one| [all[0] + one[0], all[1] + one[1]]);
    let inside = length - below - above;
    // Where each piece's parts begin.
    let mut next = [0, below, below + inside];
    let starts: Vec<[usize; 3]> = counts
        .iter()
        .enumerate()
        .map(|(piece, &[below, above])| {
            let sizes = [below, PIECE.min(length - piece * PIECE) - below - above, above];
            let start = next;
            next = [0, 1, 2].map(|part| next[part] + sizes[part]);
            start
        })
        .collect();
    threads.split(pieces, 1, 4 * length, |begin, end| {
        for (piece, &start) in (begin..end).zip(&starts[begin..end]) {
            write(piece, start);
        }
        Ok(())
    })?;
    Ok(Some(PartSizes { below, inside }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open;
    use ndany_core::Element;
    use ndany_core::backend::{Backend, Checked};
    use std::sync::Arc;

    /// Checks everything that a device computes from a row against plain filters.
    fn check<T: Number + Element>(name: &str, row: &[T], low: Option<T>, high: Option<T>) {
        let Ok(device) = open(name) else { return };
        let device: Arc<dyn Backend> = device;
        let bytes = |values: &[T]| -> Vec<u8> {
            // SAFETY: elements are plain numbers.
            unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
                .to_vec()
        };
        let memory = |values: &[u8]| {
            let memory = device.allocate(values.len()).expect("room");
            device.write(&*memory, values).expect("written");
            memory
        };
        let is_below = |x: &T| low.is_some_and(|low| *x < low);
        let is_above = |x: &T| !is_below(x) && high.is_some_and(|high| *x > high);
        let is_inside = |x: &T| !is_below(x) && !is_above(x);
        let part = |belongs: &dyn Fn(&T) -> bool| {
            (0..row.len()).filter(|&at| belongs(&row[at])).collect::<Vec<_>>()
        };
        let parts = [part(&is_below), part(&is_inside), part(&is_above)];
        let expected = PartSizes { below: parts[0].len(), inside: parts[1].len() };
        let order = parts.concat();
        let source = memory(&bytes(row));
        let limits = [low, high].map(|limit| limit.map(|limit| memory(&bytes(&[limit]))));
        for write in [Sorted::Values, Sorted::Positions] {
            let (dtype, wanted) = match write {
                Sorted::Values => {
                    (T::DTYPE, bytes(&order.iter().map(|&at| row[at]).collect::<Vec<_>>()))
                }
                Sorted::Positions => {
                    (DType::I64, order.iter().flat_map(|&at| (at as i64).to_ne_bytes()).collect())
                }
            };
            let output = device.allocate(wanted.len()).expect("room");
            let place = |memory, dtype| StridedView {
                memory,
                dtype,
                offset: 0,
                strides: [0, 1].into_iter().collect(),
            };
            let limit =
                |number: usize| limits[number].as_ref().map(|memory| place(&**memory, T::DTYPE));
            let partition = PartitionThreeWay {
                length: row.len(),
                source: place(&*source, T::DTYPE),
                low: limit(0),
                high: limit(1),
                output: place(&*output, dtype),
                write,
            };
            let sizes = device.partition_three_way(Checked::new(&partition).expect("sound"));
            let what = format!("{} elements of {} on {name}, {write:?}", row.len(), T::DTYPE);
            assert_eq!(sizes.expect("no fault"), Some(expected), "{what}");
            let mut got = vec![0; wanted.len()];
            device.read(&*output, 0, &mut got).expect("read");
            assert!(got == wanted, "{what}");
        }
    }

    fn check_everywhere<T: Number + Element>(of: impl Fn(i64) -> T) {
        for length in [1, 7, 8, 9, 31, 1000, PIECE - 1, 2 * PIECE + 13] {
            let numbers = |at: usize| (at as i64 * 37 + at as i64 / 11 * 5) % 101;
            let row: Vec<T> = (0..length).map(|at| of(numbers(at))).collect();
            for name in ["cpu:level=v1,threads=1", "cpu:threads=1", "cpu:threads=3"] {
                check(name, &row, Some(of(40)), Some(of(60)));
                check(name, &row, Some(of(50)), Some(of(50)));
                check(name, &row, None, Some(of(3)));
                check(name, &row, Some(of(97)), None);
                // Limits that cross: no element is in two parts.
                check(name, &row, Some(of(60)), Some(of(40)));
            }
        }
    }

    #[test]
    fn parts_keep_their_order() {
        check_everywhere(|x| x as i8);
        check_everywhere(|x| x as i16 - 50);
        check_everywhere(|x| x as i32 - 50);
        check_everywhere(|x| x - 50);
        check_everywhere(|x| x as u8 + 100);
        check_everywhere(|x| x as u16 + u16::MAX / 2);
        check_everywhere(|x| x as u32 + i32::MAX as u32 - 50);
        check_everywhere(|x| x as u64 + i64::MAX as u64 - 50);
        check_everywhere(|x| f16::from_f64(x as f64 - 50.0));
        check_everywhere(|x| bf16::from_f64(x as f64 - 50.0));
        // Zeros of both signs belong to the middle part.
        check_everywhere(|x| if x == 50 { -0.0 } else { (x / 2 * 2 - 50) as f32 });
        check_everywhere(|x| if x == 50 { -0.0 } else { (x / 2 * 2 - 50) as f64 });
        check_everywhere(|x| [f64::NEG_INFINITY, 1.5, f64::INFINITY][x as usize % 3]);
    }

    #[test]
    fn what_has_no_order_is_left() {
        for name in ["cpu:level=v1,threads=1", "cpu:threads=1"] {
            let Ok(device) = open(name) else { continue };
            for at in [0, 99, 104] {
                let mut row = [1.0f64; 105];
                row[at] = f64::NAN;
                let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_ne_bytes()).collect();
                let memories = [0, 1].map(|_| device.allocate(bytes.len()).expect("room"));
                device.write(&*memories[0], &bytes).expect("written");
                let place = |number: usize| StridedView {
                    memory: &*memories[number],
                    dtype: DType::F64,
                    offset: 0,
                    strides: [0, 1].into_iter().collect(),
                };
                let partition = PartitionThreeWay {
                    length: row.len(),
                    source: place(0),
                    low: None,
                    high: None,
                    output: place(1),
                    write: Sorted::Values,
                };
                let sizes = device.partition_three_way(Checked::new(&partition).expect("sound"));
                assert_eq!(sizes.expect("no fault"), None, "a NaN at {at} on {name}");
            }
        }
    }
}
