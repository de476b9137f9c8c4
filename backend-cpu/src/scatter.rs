//! Scatters: values written at index arrays. The last write to an element wins, independent of threads.
//!
//! All indices are checked first, so nothing is written if one is out of range. One thread writes each element, in C
//! order of the space. Threads share the work in one of three ways:
//!
//! - Each takes coordinates of an axis that is not indexed, which address different elements.
//! - The values are partitioned by the thread that owns their element, and each owner writes its own (`partition`).
//! - Where runs along the last axis are long, each thread visits all of them and writes those that it owns.
//!
//! Only additions of integers to far fewer places than there are values, as in counting, use a table per
//! thread.

mod partition;
mod tables;

use std::convert::Infallible;

use half::{bf16, f16};
use ndany_core::backend::Scatter;
use ndany_core::float::{f32_to_bf16, f32_to_f16};
use ndany_core::program::Prim;
use ndany_core::shape::size_of;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use crate::Cpu;
use crate::gather::{Axis, first_error};
use crate::memory::prefetch;
use crate::strided_runs::{StridedRuns, TypedView, by_size};
use crate::threads::Threads;
use tables::added_in_tables;

pub(crate) fn scatter(scatter: &Scatter<'_>, cpu: &Cpu) -> Result<()> {
    if added_in_tables(scatter, &cpu.threads)? {
        return Ok(());
    }
    check(scatter, &cpu.threads)?;
    match scatter.combine {
        None => {
            by_size!(scatter.target.dtype, T => write::<T, false>(scatter, cpu, |_, new| new))
        }
        Some(prim) => combine(scatter, cpu, prim),
    }
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
                return Err(first_error::<i64>(&scatter.shape, &scatter.positions));
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

/// Minimum elements of a run that a thread visits only to learn whether it owns the run.
const LONG_RUN: usize = 32;

/// Minimum threads that partition values. Each value is moved once more, so two threads take longer than one that writes
/// everything.
const PARTITION_FROM: usize = 4;

/// The share of one thread.
enum Share {
    /// Everything.
    All,
    /// Coordinates `begin..end` of this axis.
    Slice { axis: usize, begin: usize, end: usize },
    /// The runs whose first element is this owner's.
    Runs { owners: Owners, owner: usize },
}

/// The owners of a target's elements: each has blocks of `1 << block` elements in turn.
#[derive(Clone, Copy)]
struct Owners {
    /// A power of two, so that the owner of an element takes no division.
    count: usize,
    block: u32,
}

impl Owners {
    /// About `count` owners. A block is more than a cache line, so that no two threads write to one, and small enough
    /// that each owner has several blocks.
    fn of(scatter: &Scatter<'_>, count: usize) -> Self {
        let positions =
            scatter.positions.iter().map(|axis| axis.extent * axis.stride.unsigned_abs());
        let steps = scatter.shape.iter().zip(&scatter.target.strides);
        let span: usize = positions.chain(steps.map(|(&n, step)| n * step.unsigned_abs())).sum();
        let count = 1 << count.max(1).ilog2();
        let least = (128 / scatter.target.dtype.size()).ilog2();
        Self { count, block: (span / (8 * count)).max(1).ilog2().clamp(least, 20) }
    }

    #[inline(always)]
    fn owner(self, position: isize) -> usize {
        (position >> self.block) as usize & (self.count - 1)
    }
}

/// Whether different coordinates and indices always lead to different elements: each step is longer than all shorter steps
/// together. Different coordinates of an axis are different elements then, whatever the indices are.
fn is_injective(scatter: &Scatter<'_>) -> bool {
    let indexed = scatter.positions.iter().map(|axis| (axis.stride.unsigned_abs(), axis.extent));
    let steps = scatter.target.strides.iter().map(|step| step.unsigned_abs());
    let stepped = steps.zip(scatter.shape.iter().copied());
    let mut all: SmallVec<[(usize, usize); 6]> = indexed.chain(stepped).collect();
    all.retain(|(step, extent)| *step > 0 && *extent > 1);
    all.sort_unstable();
    let mut span = 0;
    all.into_iter().all(|(step, extent)| {
        let longer = step > span;
        span += step * (extent - 1);
        longer
    })
}

/// Writes `merge(present, new)` at each index, in C order. The indices have been checked.
fn write<T: Copy + Send + Sync, const MERGES: bool>(
    scatter: &Scatter<'_>,
    cpu: &Cpu,
    merge: impl Fn(T, T) -> T + Sync + Copy,
) -> Result<()> {
    let (threads, cost) = (&cpu.threads, size_of(&scatter.shape) * 4);
    if !threads.is_parallel(cost) {
        share::<T, MERGES>(scatter, &Share::All, merge);
        return Ok(());
    }
    let (count, last) = (threads.count(), scatter.shape.len() - 1);
    // A non-indexed axis. Pieces of the last one must outweigh the visit of the other axes.
    let stepped = |axis: &usize| {
        let extent = scatter.shape[*axis];
        scatter.target.strides[*axis] != 0
            && if *axis == last { extent >= 4 * count } else { extent > 1 && 4 * extent >= count }
    };
    let runs_are_long = scatter.shape[last] >= LONG_RUN
        && scatter.positions.iter().all(|positions| positions.place.strides[last] == 0);
    let axis = (0..=last).filter(stepped).max_by_key(|&axis| scatter.shape[axis]);
    if let Some(axis) = axis.filter(|_| is_injective(scatter)) {
        let extent = scatter.shape[axis];
        let unit = extent.div_ceil(if axis == last { count } else { 8 * count });
        threads.for_each(extent.div_ceil(unit), cost, |piece| {
            let (begin, end) = (piece * unit, ((piece + 1) * unit).min(extent));
            share::<T, MERGES>(scatter, &Share::Slice { axis, begin, end }, merge);
        });
    } else if count < PARTITION_FROM {
        share::<T, MERGES>(scatter, &Share::All, merge);
    } else if runs_are_long {
        let owners = Owners::of(scatter, count);
        threads.for_each(owners.count, cost, |owner| {
            share::<T, MERGES>(scatter, &Share::Runs { owners, owner }, merge);
        });
    } else {
        return partition::write::<T, MERGES>(scatter, cpu, merge);
    }
    Ok(())
}

/// One share of a scatter.
fn share<T: Copy, const MERGES: bool>(
    scatter: &Scatter<'_>,
    share: &Share,
    merge: impl Fn(T, T) -> T + Copy,
) {
    let mut axes = Axis::all(&scatter.positions);
    let mut target = TypedView::<T>::new(&scatter.target);
    let mut values = TypedView::<T>::new(&scatter.values);
    let mut shape: SmallVec<[usize; 4]> = scatter.shape.iter().copied().collect();
    let mut own = None;
    match *share {
        Share::All => {}
        Share::Slice { axis, begin, end } => {
            shape[axis] = end - begin;
            let begin = begin as isize;
            target = target.clone().moved(begin * target.strides()[axis]);
            values = values.clone().moved(begin * values.strides()[axis]);
            for Axis { index, .. } in &mut axes {
                *index = index.clone().moved(begin * index.strides()[axis]);
            }
        }
        Share::Runs { owners, owner } => own = Some((owners, owner)),
    }
    let runs = runs_of(&shape, &target, &values, &axes);
    let (step, value_step) = (target.step(), values.step());
    let Ok(()) = runs.for_each(0, size_of(&shape), |offsets, length| {
        // SAFETY: `Checked` places every element of the space in its memory; indices are checked, and one in range
        // leads to an element of the target; no two shares have an element in common.
        unsafe {
            let run = IndexedRun::new(&axes, offsets);
            let value = values.at(offsets[1]);
            match run.varying.as_slice() {
                // Runs with the same start cover the same elements; other runs are disjoint.
                [] if own.is_some_and(|(owners, owner)| owners.owner(run.base) != owner) => {}
                // With everything contiguous, as in counts with weights.
                [(axis, first)] if step == 0 && value_step == 1 && axis.index.step() == 1 => {
                    let (index, start) = (axis.index.at(*first).cast_const(), target.at(run.base));
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
                _ => run.for_each(step, length, |item, position| {
                    let place = target.at(position);
                    *place = merge(*place, *value.offset(item * value_step));
                }),
            }
        }
        Ok::<(), Infallible>(())
    });
}

/// The runs of a space, with the offsets of the target, the values and the index arrays.
fn runs_of<'a, T>(
    shape: &'a [usize],
    target: &'a TypedView<T>,
    values: &'a TypedView<T>,
    axes: &'a [Axis],
) -> StridedRuns<'a> {
    let strides = [target.strides(), values.strides()];
    StridedRuns::new(shape, strides.into_iter().chain(axes.iter().map(|axis| axis.index.strides())))
}

/// A run along the last axis, whose indices have been checked.
struct IndexedRun<'a> {
    /// The offset of its first element in the target, without the indices that vary in it.
    base: isize,
    /// The index arrays that vary in it, and where they begin.
    varying: SmallVec<[(&'a Axis, isize); 2]>,
}

impl<'a> IndexedRun<'a> {
    /// # Safety
    /// The offsets are those of a run of a space, of the target, the values and then each axis, whose indices are in range.
    #[inline(always)]
    unsafe fn new(axes: &'a [Axis], offsets: &[isize]) -> Self {
        let (mut base, mut varying) = (offsets[0], SmallVec::new());
        for (axis, &offset) in axes.iter().zip(&offsets[2..]) {
            if axis.index.step() == 0 {
                // SAFETY: the caller states that it is the offset of an element of the space.
                let index = unsafe { *axis.index.at(offset) };
                base += Axis::steps(axis.extent() as isize, axis.stride(), index);
            } else {
                varying.push((axis, offset));
            }
        }
        Self { base, varying }
    }

    /// Calls `visit(item, position)` for each of its `length` elements, which are `step` apart in the target but for the
    /// indices.
    ///
    /// # Safety
    /// It has as many elements.
    #[inline(always)]
    unsafe fn for_each(&self, step: isize, length: usize, mut visit: impl FnMut(isize, isize)) {
        match self.varying.as_slice() {
            [] => {
                for item in 0..length as isize {
                    visit(item, self.base + item * step);
                }
            }
            [(axis, first)] => {
                // Local copies, which the compiler knows that no write changes.
                let (index, index_step) = (axis.index.at(*first).cast_const(), axis.index.step());
                let (extent, stride, base) = (axis.extent() as isize, axis.stride(), self.base);
                for item in 0..length as isize {
                    // SAFETY: the caller states that the run has this element.
                    let index = unsafe { *index.offset(item * index_step) };
                    visit(item, base + item * step + Axis::steps(extent, stride, index));
                }
            }
            many => {
                for item in 0..length as isize {
                    let mut position = self.base + item * step;
                    for (axis, first) in many {
                        // SAFETY: as above.
                        let index = unsafe { *axis.index.at(first + item * axis.index.step()) };
                        position += Axis::steps(axis.extent() as isize, axis.stride(), index);
                    }
                    visit(item, position);
                }
            }
        }
    }
}

/// A scatter with a combination.
fn combine(scatter: &Scatter<'_>, cpu: &Cpu, prim: Prim) -> Result<()> {
    // Sums of numbers of 32 and 64 bits have loops of their own. Other combinations are called, so that one loop a width serves
    // all of them: it reads and writes words.
    macro_rules! called {
        ($word:ty, $merge:expr) => {
            write::<$word, true>(scatter, cpu, $merge as fn($word, $word) -> $word)
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
        (DType::I32 | DType::U32, Prim::Add) => write::<u32, true>(scatter, cpu, u32::wrapping_add),
        (DType::I64 | DType::U64, Prim::Add) => write::<u64, true>(scatter, cpu, u64::wrapping_add),
        (DType::F32, Prim::Add) => write::<f32, true>(scatter, cpu, |a, b| a + b),
        (DType::F64, Prim::Add) => write::<f64, true>(scatter, cpu, |a, b| a + b),
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
