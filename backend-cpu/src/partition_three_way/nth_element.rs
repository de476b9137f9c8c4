//! Rows partitioned about their nth element.

use std::cmp::Ordering;

use half::{bf16, f16};
use ndany_core::backend::{NthElement, Sorted};
use ndany_core::{DType, Error, Result};

use super::{Number, Row, with_number};
use crate::loops::Level;
use crate::sort::{Keyed, Nth};
use crate::strided_runs::TypedView;
use crate::threads::Threads;

pub(crate) fn nth_element(wanted: &NthElement<'_>, level: Level, threads: &Threads) -> Result<()> {
    with_number!(wanted.source.dtype,
    T => match wanted.write {
        Sorted::Values => each_row::<T, T>(wanted, level, threads, |x, _| x),
        Sorted::Positions => {
            each_row::<T, i64>(wanted, level, threads, |_, position| position as i64)
        }
    },
    none => Err(Error::Unsupported {
        op: "partition".to_string(),
        reason: format!("rows of {}: they are sorted", wanted.source.dtype),
    }))
}

fn each_row<T: Number, W: Copy + Default>(
    wanted: &NthElement<'_>,
    level: Level,
    threads: &Threads,
    word: impl Fn(T, usize) -> W + Sync + Copy,
) -> Result<()> {
    let NthElement { rows, length, place, write, .. } = *wanted;
    let (source, out) = (TypedView::<T>::new(&wanted.source), TypedView::<W>::new(&wanted.output));
    let step = wanted.source.strides[0];
    // A count, a selection and the writes of three parts, each some steps per element.
    let cost = rows.saturating_mul(length).saturating_mul(8);
    threads.split(rows, (4096 / length).max(1), cost, |begin, end| {
        let mut nth = Nth::<T::Sorted>::new(length, place, level)?;
        for number in begin..end {
            let start = source.at(number as isize * step).cast_const();
            // SAFETY: core names rows inside their memory and writes none of them meanwhile; an element and
            // its sorting type have the same bits.
            let (elements, keyed) = unsafe {
                let keyed = std::slice::from_raw_parts(start.cast::<T::Sorted>(), length);
                (std::slice::from_raw_parts(start, length), keyed)
            };
            let to = out.at((number * length) as isize);
            let middle = nth.of(keyed);
            // SAFETY: as above.
            let limit = unsafe { *(&raw const middle).cast::<T>() };
            let row = Row { elements, low: limit, high: limit, write, level };
            match row.count(elements) {
                Some([below, above]) => {
                    let mut next = [0, below, length - above].map(|first| to.wrapping_add(first));
                    // SAFETY: the output has a row for each input row, whose parts have been counted.
                    unsafe { row.part(elements, 0, &mut next, word) };
                }
                // SAFETY: the output has a row for each input row.
                None => unsafe { by_keys(elements, keyed, middle, to, word) },
            }
        }
        Ok(())
    })
}

/// Writes a row's parts if an element is unordered (NaN).
///
/// # Safety
/// There is room for a row of words.
unsafe fn by_keys<T: Copy, K: Keyed, W>(
    elements: &[T],
    keyed: &[K],
    middle: K,
    to: *mut W,
    word: impl Fn(T, usize) -> W,
) {
    let middle = middle.key();
    let mut written = 0;
    for part in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
        for (at, (&element, keyed)) in elements.iter().zip(keyed).enumerate() {
            if keyed.key().cmp(&middle) == part {
                // SAFETY: the caller upholds this: an element is of one part.
                unsafe { to.add(written).write(word(element, at)) };
                written += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndany_core::backend::{Backend, Checked, StridedView};
    use ndany_reference::Reference;

    use super::*;
    use crate::open;

    /// Compares partitions of strided rows about several places with the reference.
    #[track_caller]
    fn check(dtype: DType, [rows, length]: [usize; 2], of: impl Fn(usize) -> Vec<u8>) {
        let step = length + 3;
        let bytes: Vec<u8> = (0..rows * step + 1).flat_map(of).collect();
        let outcome = |device: &dyn Backend, place: usize, write: Sorted| {
            let out = if write == Sorted::Values { dtype } else { DType::I64 };
            let source = device.allocate(bytes.len()).expect("room");
            device.write(&*source, &bytes).expect("written");
            let mut got = vec![0; rows * length * out.size()];
            let output = device.allocate(got.len()).expect("room");
            let rows_of = |step: usize| [step as isize, 1].into_iter().collect();
            let partition = NthElement {
                rows,
                length,
                place,
                source: StridedView { memory: &*source, dtype, offset: 1, strides: rows_of(step) },
                output: StridedView {
                    memory: &*output,
                    dtype: out,
                    offset: 0,
                    strides: rows_of(length),
                },
                write,
            };
            device.nth_element(Checked::new(&partition).expect("sound")).expect("no fault");
            device.read(&*output, 0, &mut got).expect("read");
            got
        };
        for name in ["cpu:level=v1,threads=1", "cpu:threads=1", "cpu:threads=3"] {
            let Ok(device) = open(name) else { continue };
            for place in [0, length / 3, length / 2, length - 1] {
                for write in [Sorted::Values, Sorted::Positions] {
                    let (got, expected) =
                        (outcome(&*device, place, write), outcome(&Reference::new(), place, write));
                    let what = format!("{rows} rows of {length} {dtype}, {place}, {write:?}");
                    assert!(got == expected, "{what} on {name}");
                }
            }
        }
    }

    /// Pseudorandom numbers; every `repeated`-th is one of few values.
    fn number(at: usize, repeated: usize) -> i64 {
        let spread = (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        if at.is_multiple_of(repeated) { (spread % 5) as i64 } else { spread as i64 - (1 << 23) }
    }

    #[test]
    fn rows_are_the_references() {
        for shape in [[3, 1], [5, 31], [40, 300], [7, 5000]] {
            for repeated in [1, 3, 100] {
                let of = |at: usize| number(at, repeated);
                check(DType::I8, shape, |at| (of(at) as i8).to_ne_bytes().to_vec());
                check(DType::U16, shape, |at| (of(at) as u16).to_ne_bytes().to_vec());
                check(DType::I32, shape, |at| (of(at) as i32).to_ne_bytes().to_vec());
                check(DType::U64, shape, |at| (of(at) as u64).to_ne_bytes().to_vec());
                let half = |at: usize| f16::from_f64(of(at) as f64 / 1000.0);
                check(DType::F16, shape, |at| half(at).to_ne_bytes().to_vec());
                let single = |at: usize| [0.0, -0.0, of(at) as f32][at / 3 % 3];
                check(DType::F32, shape, |at| single(at).to_ne_bytes().to_vec());
                check(DType::F64, shape, |at| (of(at) as f64).to_ne_bytes().to_vec());
                // With some NaNs, and with rows of little else but NaN.
                let mixed = |at: usize| match of(at) % 4 {
                    0 => f64::NAN,
                    1 => -0.0,
                    _ => of(at) as f64,
                };
                check(DType::F64, shape, |at| mixed(at).to_ne_bytes().to_vec());
            }
        }
    }
}
