//! Gathers: elements read at index arrays, in runs along the last axis. Threads share the space.
//!
//! A run in which no index varies is a copy (rows selected by number). A run in which one index array varies
//! has its own loop. Any other run sums the offsets of all indices for each element.

use ndany_core::backend::{Gather, Positions};
use ndany_core::shape::size_of;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use crate::strided_runs::{StridedRuns, TypedView, by_size};
use crate::threads::Threads;

/// An indexed axis, whose indices are `I`.
pub(crate) struct Axis<I = i64> {
    pub(crate) index: TypedView<I>,
    extent: i64,
    stride: isize,
}

/// Some index is out of range.
#[derive(Debug)]
pub(crate) struct OutOfRange;

impl<I: Copy + Into<i64>> Axis<I> {
    /// `I` has the size of the positions' elements.
    pub(crate) fn all(positions: &[Positions<'_>]) -> SmallVec<[Axis<I>; 2]> {
        let axis = |axis: &Positions<'_>| Axis {
            index: TypedView::new(&axis.place),
            extent: axis.extent as i64,
            stride: axis.stride,
        };
        positions.iter().map(axis).collect()
    }

    /// One past the largest position.
    pub(crate) fn extent(&self) -> usize {
        self.extent as usize
    }

    /// Elements of the other operand between consecutive indices.
    pub(crate) fn stride(&self) -> isize {
        self.stride
    }

    /// The offset of the index `at` elements from the first.
    ///
    /// # Safety
    /// `at` is the offset of an element of the space, by the strides of the index array.
    #[inline(always)]
    pub(crate) unsafe fn offset(&self, at: isize) -> Result<isize, OutOfRange> {
        // SAFETY: the caller upholds this.
        let index: i64 = unsafe { *self.index.at(at) }.into();
        let counted = if index < 0 { index.wrapping_add(self.extent) } else { index };
        if (counted as u64) < self.extent as u64 {
            Ok(counted as isize * self.stride)
        } else {
            Err(OutOfRange)
        }
    }
}

impl Axis {
    /// The offset of an index that is in range.
    #[inline(always)]
    pub(crate) fn steps(extent: isize, stride: isize, index: i64) -> isize {
        let index = index as isize;
        (if index < 0 { index + extent } else { index }) * stride
    }
}

/// The error of the first index out of range, in C order of the space. Indices are `I`.
pub(crate) fn first_error<I>(shape: &[usize], positions: &[Positions<'_>]) -> Error
where
    I: Copy + Into<i64>,
{
    let axes = Axis::<I>::all(positions);
    let runs = StridedRuns::new(shape, axes.iter().map(|axis| axis.index.strides()));
    let found = runs.for_each(0, size_of(shape), |offsets, length| {
        for item in 0..length as isize {
            for ((axis, &offset), position) in axes.iter().zip(offsets).zip(positions) {
                // SAFETY: `Checked` places every element of the space in the index array's memory.
                let index = unsafe { *axis.index.at(offset + item * axis.index.step()) }.into();
                if position.resolve(index).is_none() {
                    return Err(position.out_of_range(index));
                }
            }
        }
        Ok(())
    });
    match found {
        Err(error) => error,
        Ok(()) => unreachable!("the caller found an index out of range"),
    }
}

/// A placeholder error until the first out-of-range index is known.
fn some_error() -> Error {
    Error::Index { op: "index", index: 0, axis: 0, size: 0 }
}

pub(crate) fn gather(gather: &Gather<'_>, threads: &Threads) -> Result<()> {
    match gather.position_dtype() {
        DType::I32 => by_size!(gather.source.dtype, T => gather_as::<T, i32>(gather, threads)),
        _ => by_size!(gather.source.dtype, T => gather_as::<T, i64>(gather, threads)),
    }
}

fn gather_as<T: Copy, I>(gather: &Gather<'_>, threads: &Threads) -> Result<()>
where
    I: Copy + Into<i64>,
{
    let axes = Axis::<I>::all(&gather.positions);
    let (source, out) = (TypedView::<T>::new(&gather.source), TypedView::<T>::new(&gather.out));
    let strides = [source.strides(), out.strides()]
        .into_iter()
        .chain(axes.iter().map(|axis| axis.index.strides()));
    let runs = StridedRuns::new(&gather.shape, strides);
    let size = size_of(&gather.shape);
    let outcome = threads.split(size, 1024, size * (1 + axes.len()) * 2, |begin, end| {
        runs.for_each(begin, end, |offsets, length| {
            // SAFETY: `Checked` places every element of the space in its memory, stretches of different threads
            // are disjoint, and no other code uses the output during the launch.
            unsafe { stretch(&source, &out, &axes, offsets, length) }
        })
        .map_err(|OutOfRange| some_error())
    });
    match outcome {
        Err(Error::Index { .. }) => Err(first_error::<I>(&gather.shape, &gather.positions)),
        other => other,
    }
}

/// Copies a run, or gathers it by the indices.
///
/// # Safety
/// `offsets` are those of a run of `length` elements of the space: source, output, then each axis.
pub(crate) unsafe fn stretch<T: Copy, I: Copy + Into<i64>>(
    source: &TypedView<T>,
    out: &TypedView<T>,
    axes: &[Axis<I>],
    offsets: &[isize],
    length: usize,
) -> Result<(), OutOfRange> {
    let mut base = offsets[0];
    // The index arrays that vary in this run.
    let mut varying: SmallVec<[(&Axis<I>, isize); 2]> = SmallVec::new();
    for (axis, &offset) in axes.iter().zip(&offsets[2..]) {
        if axis.index.step() == 0 {
            // SAFETY: the offset is that of an element of the space.
            base += unsafe { axis.offset(offset)? };
        } else {
            varying.push((axis, offset));
        }
    }
    let (step, out_step) = (source.step(), out.step());
    // SAFETY: the caller upholds this; each index is checked before it is used, and an index in range leads
    // to an element of the source.
    unsafe {
        let from = source.at(base);
        let to = out.at(offsets[1]);
        match varying.as_slice() {
            [] if step == 1 && out_step == 1 => std::ptr::copy_nonoverlapping(from, to, length),
            [] => {
                for item in 0..length as isize {
                    *to.offset(item * out_step) = *from.offset(item * step);
                }
            }
            [(axis, first)] if step == 0 && out_step == 1 && axis.index.step() == 1 => {
                // Local copies: the compiler must assume that the writes below change what is after
                // references.
                let (extent, stride) = (axis.extent, axis.stride);
                let index = axis.index.at(*first).cast_const();
                for item in 0..length as isize {
                    let index: i64 = (*index.offset(item)).into();
                    let counted = if index < 0 { index.wrapping_add(extent) } else { index };
                    if counted as u64 >= extent as u64 {
                        return Err(OutOfRange);
                    }
                    *to.offset(item) = *from.offset(counted as isize * stride);
                }
            }
            [(axis, first)] => {
                let index_step = axis.index.step();
                for item in 0..length as isize {
                    let position = axis.offset(first + item * index_step)?;
                    *to.offset(item * out_step) = *from.offset(position + item * step);
                }
            }
            many => {
                for item in 0..length as isize {
                    let mut position = item * step;
                    for (axis, first) in many {
                        position += axis.offset(first + item * axis.index.step())?;
                    }
                    *to.offset(item * out_step) = *from.offset(position);
                }
            }
        }
    }
    Ok(())
}
