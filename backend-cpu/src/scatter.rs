//! Scatters: values written at index arrays. The last write to an element wins, independent of threads.
//!
//! All indices are checked first, so nothing is written if one is out of range. Then either each thread takes a
//! part of a non-indexed axis (its coordinates address different elements), or every thread visits the whole
//! space in C order and writes the elements that it owns. Either way one thread writes each element, in C
//! order. Only additions of integers to far fewer places than there are values, as in counting, use a table per
//! thread.

mod tables;

use half::{bf16, f16};
use ndany_core::backend::Scatter;
use ndany_core::float::{f32_to_bf16, f32_to_f16};
use ndany_core::program::Prim;
use ndany_core::shape::size_of;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use crate::gather::{Axis, OutOfRange, first_error};
use crate::memory::prefetch;
use crate::strided_runs::{StridedRuns, TypedView, by_size};
use crate::threads::Threads;
use tables::added_in_tables;

pub(crate) fn scatter(scatter: &Scatter<'_>, threads: &Threads) -> Result<()> {
    if added_in_tables(scatter, threads)? {
        return Ok(());
    }
    check(scatter, threads)?;
    match scatter.combine {
        None => {
            by_size!(scatter.target.dtype, T => write::<T, false>(scatter, threads, |_, new| new));
        }
        Some(prim) => combine(scatter, threads, prim),
    }
    Ok(())
}

/// Checks the indices that core has not checked.
fn check(scatter: &Scatter<'_>, threads: &Threads) -> Result<()> {
    let axes = Axis::all(&scatter.positions);
    for (axis, positions) in
        axes.iter().zip(&scatter.positions).filter(|(_, all)| !all.bounds_checked)
    {
        // Each index array has its own space: the axes along which it varies.
        let visited = |number: &usize| axis.index.strides()[*number] != 0;
        let numbers: SmallVec<[usize; 4]> = (0..scatter.shape.len()).filter(visited).collect();
        let shape: SmallVec<[usize; 4]> =
            numbers.iter().map(|&number| scatter.shape[number]).collect();
        let strides: SmallVec<[isize; 4]> =
            numbers.iter().map(|&number| axis.index.strides()[number]).collect();
        let runs = StridedRuns::new(&shape, [strides.as_slice()]);
        let step = strides.last().copied().unwrap_or(0);
        let size = size_of(&shape);
        let outcome = threads.split(size, 1024, size, |begin, end| {
            runs.for_each(begin, end, |offsets, length| {
                // SAFETY: `Checked` places every element of the space in the index array's memory.
                let outside = unsafe {
                    match step {
                        1 => outside(axis.index.at(offsets[0]), 1, length, positions.extent),
                        _ => outside(axis.index.at(offsets[0]), step, length, positions.extent),
                    }
                };
                if outside { Err(positions.out_of_range(0)) } else { Ok(()) }
            })
        });
        match outcome {
            Err(Error::Index { .. }) => {
                return Err(first_error(&scatter.shape, &scatter.positions));
            }
            other => other?,
        }
    }
    Ok(())
}

/// Whether one of `length` indices, `step` apart, is outside `-extent..extent`.
///
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn outside(start: *const i64, step: isize, length: usize, extent: usize) -> bool {
    let extent = extent as i64;
    // Inside, the difference is negative and the sum is not; a value that wraps is outside. Old CPUs have no
    // vector comparison of 64-bit integers, so the sign decides.
    let outside = |index: i64| !index.wrapping_sub(extent) | index.wrapping_add(extent);
    // SAFETY: the caller upholds this.
    let signs = (0..length as isize).map(|item| outside(unsafe { *start.offset(item * step) }));
    signs.fold(0, |all, one| all | one) < 0
}

/// Prefetch distance in elements. The CPU overlaps loads by itself, but stores wait for each other.
const AHEAD: isize = 32;

/// The share of one thread.
enum Share {
    /// Coordinates `begin..end` of this axis.
    Slice { axis: usize, begin: usize, end: usize },
    /// The elements of this owner: `owners` threads own blocks of `1 << together` elements in turn.
    Owner { owner: usize, owners: usize, together: u32 },
}

/// Log2 of the block size when `owners` threads share a target: more than a cache line, so that no two
/// threads write to one, and small enough that each owner has several blocks.
fn owned_together(scatter: &Scatter<'_>, owners: usize) -> u32 {
    let positions = scatter.positions.iter().map(|axis| axis.extent * axis.stride.unsigned_abs());
    let steps = scatter.shape.iter().zip(&scatter.target.strides);
    let span: usize = positions.chain(steps.map(|(&n, step)| n * step.unsigned_abs())).sum();
    (span / (8 * owners)).max(1).ilog2().clamp(8, 20)
}

/// Writes `merge(present, new)` at each index, in C order. The indices have been checked.
fn write<T: Copy + Send + Sync, const MERGES: bool>(
    scatter: &Scatter<'_>,
    threads: &Threads,
    merge: impl Fn(T, T) -> T + Sync + Copy,
) {
    let size = size_of(&scatter.shape);
    // A power of two, so that the owner of an element takes no division.
    let owners = 1 << threads.count().clamp(1, 16).ilog2();
    if !threads.is_parallel(size * 4) {
        return share::<T, MERGES>(
            scatter,
            &Share::Owner { owner: 0, owners: 1, together: 0 },
            merge,
        );
    }
    // A non-indexed axis: its coordinates are different elements.
    let stepped = |axis: &usize| {
        scatter.target.strides[*axis] != 0
            && scatter.positions.iter().all(|positions| positions.place.strides[*axis] == 0)
    };
    let axis = (0..scatter.shape.len()).filter(stepped).max_by_key(|&axis| scatter.shape[axis]);
    match axis.filter(|&axis| scatter.shape[axis] >= 4 * threads.count()) {
        Some(axis) => {
            // Outer axes may be cut finely; pieces of the last one must outweigh the visit of the other axes.
            let extent = scatter.shape[axis];
            let last = axis + 1 == scatter.shape.len();
            let unit = if last { extent.div_ceil(threads.count()) } else { 1 };
            threads.for_each(extent.div_ceil(unit), |piece| {
                let (begin, end) = (piece * unit, ((piece + 1) * unit).min(extent));
                share::<T, MERGES>(scatter, &Share::Slice { axis, begin, end }, merge);
            });
        }
        // Every owner visits all indices, so two threads take longer than one that owns everything (measured
        // on two cores: 94 ms each against 60 ms for 2^24 random indices).
        None if owners < 4 => {
            share::<T, MERGES>(scatter, &Share::Owner { owner: 0, owners: 1, together: 0 }, merge);
        }
        None => {
            let together = owned_together(scatter, owners);
            threads.for_each(owners, |owner| {
                share::<T, MERGES>(scatter, &Share::Owner { owner, owners, together }, merge);
            });
        }
    }
}

/// One share of a scatter.
fn share<T: Copy, const MERGES: bool>(
    scatter: &Scatter<'_>,
    share: &Share,
    merge: impl Fn(T, T) -> T + Copy,
) {
    let axes = Axis::all(&scatter.positions);
    let mut target = TypedView::<T>::new(&scatter.target);
    let mut values = TypedView::<T>::new(&scatter.values);
    let mut shape: SmallVec<[usize; 4]> = scatter.shape.iter().copied().collect();
    let (mut owner, mut owners, mut block) = (0, 1, 0);
    match *share {
        Share::Slice { axis, begin, end } => {
            shape[axis] = end - begin;
            let first = |operand: &TypedView<T>| begin as isize * operand.strides()[axis];
            target = target.clone().moved(first(&target));
            values = values.clone().moved(first(&values));
        }
        Share::Owner { owner: own, owners: all, together } => {
            (owner, owners, block) = (own as isize, all as isize, together);
        }
    }
    let strides = [target.strides(), values.strides()]
        .into_iter()
        .chain(axes.iter().map(|axis| axis.index.strides()));
    let runs = StridedRuns::new(&shape, strides);
    let owned = move |position: isize| (position >> block) & (owners - 1) == owner;
    let (step, value_step) = (target.step(), values.step());
    let visited = runs.for_each(0, size_of(&shape), |offsets, length| {
        let mut base = offsets[0];
        let mut varying: SmallVec<[(&Axis, isize); 2]> = SmallVec::new();
        for (axis, &offset) in axes.iter().zip(&offsets[2..]) {
            if axis.index.step() == 0 {
                // SAFETY: the offset is that of an element of the space.
                base += unsafe { axis.offset(offset)? };
            } else {
                varying.push((axis, offset));
            }
        }
        // SAFETY: `Checked` places every element of the space in its memory; indices are checked, and one in range
        // leads to an element of the target; no two shares have an element in common.
        unsafe {
            let value = values.at(offsets[1]);
            let put = |position: isize, item: isize| {
                let place = target.at(position);
                *place = merge(*place, *value.offset(item * value_step));
            };
            match varying.as_slice() {
                // Runs with the same start cover the same elements; other runs are disjoint.
                [] if owned(base) => {
                    for item in 0..length as isize {
                        put(base + item * step, item);
                    }
                }
                [] => {}
                // A single owner with everything contiguous, as in counts with weights.
                [(axis, first)]
                    if owners == 1 && step == 0 && value_step == 1 && axis.index.step() == 1 =>
                {
                    let (index, start) = (axis.index.at(*first).cast_const(), target.at(base));
                    let (extent, stride) = (axis.extent() as isize, axis.stride());
                    let last = length as isize - 1;
                    for item in 0..length as isize {
                        if !MERGES {
                            let later = *index.offset((item + AHEAD).min(last));
                            let later = start.wrapping_offset(Axis::steps(extent, stride, later));
                            prefetch(later.cast_const().cast());
                        }
                        let place = start.offset(Axis::steps(extent, stride, *index.offset(item)));
                        *place = merge(*place, *value.offset(item));
                    }
                }
                [(axis, first)] => {
                    // Local copies, which the compiler knows that no write changes.
                    let (index, index_step) = (axis.index.at(*first), axis.index.step());
                    let (extent, stride) = (axis.extent() as isize, axis.stride());
                    let (start, value_step) = (target.at(0), value_step);
                    let mut aside = *value;
                    let aside = &raw mut aside;
                    for item in 0..length as isize {
                        let index = *index.offset(item * index_step);
                        let position = base + item * step + Axis::steps(extent, stride, index);
                        let place = start.wrapping_offset(position);
                        let new = *value.offset(item * value_step);
                        if MERGES {
                            if owned(position) {
                                *place = merge(*place, new);
                            }
                        } else {
                            // Elements of other owners are written to a place that is never read: a branch on
                            // the owner of a random index would be mispredicted every other time.
                            *(if owned(position) { place } else { aside }) = new;
                        }
                    }
                }
                many => {
                    for item in 0..length as isize {
                        let mut position = base + item * step;
                        for (axis, first) in many {
                            position += axis.offset(first + item * axis.index.step())?;
                        }
                        if owned(position) {
                            put(position, item);
                        }
                    }
                }
            }
        }
        Ok::<(), OutOfRange>(())
    });
    if visited.is_err() {
        unreachable!("the positions were checked");
    }
}

/// A scatter with a combination.
fn combine(scatter: &Scatter<'_>, threads: &Threads, prim: Prim) {
    // Sums of numbers of 32 and 64 bits have loops of their own. Other combinations are called, so that one loop a width serves
    // all of them: it reads and writes words.
    macro_rules! called {
        ($word:ty, $merge:expr) => {
            write::<$word, true>(scatter, threads, $merge as fn($word, $word) -> $word)
        };
    }
    // What does not depend on the sign.
    macro_rules! any_sign {
        ($word:ty) => {
            match prim {
                Prim::Add => called!($word, <$word>::wrapping_add),
                Prim::Mul => called!($word, <$word>::wrapping_mul),
                Prim::And => called!($word, |a, b| a & b),
                Prim::Or => called!($word, |a, b| a | b),
                Prim::Xor => called!($word, |a, b| a ^ b),
                other => unreachable!("{other:?} of integers depends on the order"),
            }
        };
    }
    macro_rules! integers {
        ($ty:ty, $word:ty) => {
            match prim {
                Prim::Min => called!($word, |a, b| (a as $ty).min(b as $ty) as $word),
                Prim::Max => called!($word, |a, b| (a as $ty).max(b as $ty) as $word),
                _ => any_sign!($word),
            }
        };
    }
    macro_rules! floats {
        ($word:ty, $wide:expr, $narrow:expr) => {
            match prim {
                Prim::Min => called!($word, |a, b| $narrow(extremum($wide(a), $wide(b), false))),
                Prim::Max => called!($word, |a, b| $narrow(extremum($wide(a), $wide(b), true))),
                other => unreachable!("{other:?} of floats depends on the order"),
            }
        };
    }
    match (scatter.target.dtype, prim) {
        (DType::I32 | DType::U32, Prim::Add) => {
            write::<u32, true>(scatter, threads, u32::wrapping_add)
        }
        (DType::I64 | DType::U64, Prim::Add) => {
            write::<u64, true>(scatter, threads, u64::wrapping_add)
        }
        (DType::F32, Prim::Add) => write::<f32, true>(scatter, threads, |a, b| a + b),
        (DType::F64, Prim::Add) => write::<f64, true>(scatter, threads, |a, b| a + b),
        (DType::Bool, Prim::And | Prim::Min) => called!(u8, |a, b| a & b),
        (DType::Bool, Prim::Or | Prim::Max) => called!(u8, |a, b| a | b),
        (DType::Bool, Prim::Xor) => any_sign!(u8),
        (DType::Bool, other) => unreachable!("{other:?} is no operation on truth values"),
        (DType::I8, _) => integers!(i8, u8),
        (DType::I16, _) => integers!(i16, u16),
        (DType::I32, _) => integers!(i32, u32),
        (DType::I64, _) => integers!(i64, u64),
        (DType::U8, _) => integers!(u8, u8),
        (DType::U16, _) => integers!(u16, u16),
        (DType::U32, _) => integers!(u32, u32),
        (DType::U64, _) => integers!(u64, u64),
        (DType::F16, _) => {
            floats!(u16, |a| f16::from_bits(a).to_f64(), |x: f64| f32_to_f16(x as f32).to_bits())
        }
        (DType::BF16, _) => {
            floats!(u16, |a| bf16::from_bits(a).to_f64(), |x: f64| f32_to_bf16(x as f32).to_bits())
        }
        (DType::F32, _) => {
            floats!(u32, |a| f64::from(f32::from_bits(a)), |x: f64| (x as f32).to_bits())
        }
        (DType::F64, _) => floats!(u64, f64::from_bits, f64::to_bits),
        (DType::C64 | DType::C128, _) => {
            unreachable!("complex numbers have no such combination")
        }
    }
}

/// As `Prim::Min` and `Prim::Max`: NaN wins, -0.0 is less than +0.0.
fn extremum(a: f64, b: f64, larger: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let a_first = a < b || (a == b && a.is_sign_negative());
    if a_first == larger { b } else { a }
}
