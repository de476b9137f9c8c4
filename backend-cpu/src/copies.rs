//! Strided copies that move each element once.
//!
//! On registers an element would be moved twice, and a complex number in two parts. Copies of real numbers with
//! long contiguous runs are as fast on registers and run there.

use ndany_core::Result;
use ndany_core::backend::{Launch, StridedView};
use ndany_core::program::{Domain, Op};
use ndany_core::shape::{Shape, size_of};
use smallvec::SmallVec;

use crate::gather::stretch;
use crate::interpreter::BLOCK;
use crate::memory::address;
use crate::strided_runs::{StridedRuns, TypedView, by_size};
use crate::threads::Threads;
use crate::tiles;
use crate::transpose::{self, transpose};

/// A map that is exactly a copy into another memory, with a method that is faster than registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copied {
    /// The input that is copied.
    input: u16,
    pub(crate) method: Method,
}

/// How elements are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// By bands: the source is contiguous along `axis`, the output along the last one.
    Transpose { axis: usize },
    /// Each element of the source `times` times along the last axis.
    Repeat { times: usize },
    /// Complex numbers by runs along the last axis.
    Runs,
}

impl Copied {
    /// Recognizes such a copy.
    pub(crate) fn of(launch: &Launch<'_>) -> Option<Self> {
        let program = launch.program;
        let [output] = program.outputs.as_slice() else { return None };
        let to = launch.outputs.first()?;
        let [first, second] = output.parts.map(|reg| program.instrs[usize::from(reg)].op);
        let Op::Load { input, part: 0 } = first else { return None };
        let other = Op::Load { input, part: u8::from(to.dtype.is_complex()) };
        let from = &launch.inputs[usize::from(input)];
        let is_copy = second == other
            && from.dtype == to.dtype
            && program.reductions.is_empty()
            && output.domain == Domain::Element
            && address(from.memory) != address(to.memory);
        if !is_copy {
            return None;
        }
        let method = if let Some(axis) = transposed_axis(&launch.shape, from, to) {
            Method::Transpose { axis }
        } else if let Some(times) = repeats(&launch.shape, from, to) {
            Method::Repeat { times }
        } else if from.dtype.is_complex() {
            Method::Runs
        } else {
            return None;
        };
        Some(Self { input, method })
    }

    /// Runs the copy.
    pub(crate) fn run(self, launch: &Launch<'_>, threads: &Threads) -> Result<()> {
        let from = &launch.inputs[usize::from(self.input)];
        by_size!(from.dtype, T => self.run_as::<T>(launch, threads))
    }

    fn run_as<T: Copy>(self, launch: &Launch<'_>, threads: &Threads) -> Result<()> {
        let from = &launch.inputs[usize::from(self.input)];
        match self.method {
            Method::Transpose { axis } => transposed::<T>(launch, from, axis, threads),
            Method::Repeat { times } => repeated::<T>(launch, from, times, threads),
            Method::Runs => {
                let run = |launch: &Launch<'_>| {
                    by_runs::<T>(launch, &launch.inputs[usize::from(self.input)], threads)
                };
                match tiles::axis(launch) {
                    Some(axis) => tiles::split(launch, axis).iter().try_for_each(run),
                    None => run(launch),
                }
            }
        }
    }
}

/// The axis along which the source is contiguous, if the output is contiguous along the last axis and the
/// source is not.
fn transposed_axis(shape: &[usize], from: &StridedView<'_>, to: &StridedView<'_>) -> Option<usize> {
    let last = shape.len().checked_sub(1)?;
    let beside = |axis: &usize| from.strides[*axis].abs() == 1 && shape[*axis] >= transpose::EDGE;
    let across =
        to.strides[last] == 1 && from.strides[last].abs() > 1 && shape[last] >= transpose::EDGE;
    (0..last).find(beside).filter(|_| across)
}

/// How often each element of the source comes in the output, if [`repeated`] has a loop for that.
fn repeats(shape: &[usize], from: &StridedView<'_>, to: &StridedView<'_>) -> Option<usize> {
    let [.., _, times] = *shape else { return None };
    let [.., _, 0] = from.strides[..] else { return None };
    let axes = shape.len() - 1;
    let packed = to.strides[axes] == 1 && to.strides[axes - 1] == times as isize;
    (packed && matches!(times, 2..=8 | 16)).then_some(times)
}

/// A transposing copy: the output's rows are the source's columns.
fn transposed<T: Copy>(
    launch: &Launch<'_>,
    from: &StridedView<'_>,
    axis: usize,
    threads: &Threads,
) -> Result<()> {
    let (shape, to) = (&launch.shape, &launch.outputs[0]);
    let last = shape.len() - 1;
    let (rows, columns) = (shape[axis], shape[last]);
    // The other axes enumerate planes.
    let others: SmallVec<[usize; 6]> = (0..last).filter(|&other| other != axis).collect();
    let of_others = |strides: &[isize]| -> SmallVec<[isize; 6]> {
        others.iter().map(|&other| strides[other]).collect()
    };
    let planes: Shape = others.iter().map(|&other| shape[other]).collect();
    let (from_planes, to_planes) = (of_others(&from.strides), of_others(&to.strides));
    let (from_step, mut to_step) = (from.strides[last], to.strides[axis]);
    let backwards = from.strides[axis] == -1;
    let (mut from, mut to) = (TypedView::<T>::new(from), TypedView::<T>::new(to));
    if backwards {
        // Starts at the last row, which is first in the source.
        let most = rows as isize - 1;
        (from, to) = (from.moved(-most), to.moved(most * to_step));
        to_step = -to_step;
    }
    let bands = columns.div_ceil(transpose::band::<T>());
    let runs = StridedRuns::new(&planes, [&*from_planes, &*to_planes]);
    let items = size_of(&planes) * bands;
    threads.split(items, 1, size_of(shape), |begin, end| {
        let mut item = begin;
        while item < end {
            let (plane, band) = (item / bands, item % bands);
            let count = (bands - band).min(end - item);
            let column = band * transpose::band::<T>();
            let width = (count * transpose::band::<T>()).min(columns - column);
            let transposed = runs.for_each(plane, plane + 1, |offsets, _| {
                let from = from.at(offsets[0] + column as isize * from_step);
                let to = to.at(offsets[1] + column as isize);
                // SAFETY: `Checked` places every element of the space in its memory, bands of different threads
                // are disjoint, and no other code uses the output during the launch.
                unsafe { transpose(from.cast_const(), from_step, to, to_step, rows, width) };
                Ok::<(), std::convert::Infallible>(())
            });
            let Ok(()) = transposed;
            item += count;
        }
        Ok(())
    })
}

/// A copy that repeats each element along the last axis.
fn repeated<T: Copy>(
    launch: &Launch<'_>,
    from: &StridedView<'_>,
    times: usize,
    threads: &Threads,
) -> Result<()> {
    let (shape, to) = (&launch.shape, &launch.outputs[0]);
    let axes = shape.len() - 1;
    let step = from.strides[axes - 1];
    let write: unsafe fn(*const T, isize, *mut T, usize) = match times {
        2 => repeat_n::<T, 2>,
        3 => repeat_n::<T, 3>,
        4 => repeat_n::<T, 4>,
        5 => repeat_n::<T, 5>,
        6 => repeat_n::<T, 6>,
        7 => repeat_n::<T, 7>,
        8 => repeat_n::<T, 8>,
        16 => repeat_n::<T, 16>,
        _ => unreachable!("`repeats` has a loop for {times}"),
    };
    let (from, to) = (TypedView::<T>::new(from), TypedView::<T>::new(to));
    let runs = StridedRuns::new(&shape[..axes], [&from.strides()[..axes], &to.strides()[..axes]]);
    threads.split(size_of(&shape[..axes]), BLOCK, size_of(shape), |begin, end| {
        let written = runs.for_each(begin, end, |offsets, length| {
            // SAFETY: `Checked` places every element of the space in its memory, runs of different threads
            // are disjoint, and no other code uses the output during the launch.
            unsafe { write(from.at(offsets[0]).cast_const(), step, to.at(offsets[1]), length) };
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = written;
        Ok(())
    })
}

/// Writes each of `length` elements, `step` apart, `N` times.
///
/// # Safety
/// The elements are valid for reads, and `to` is valid for writes of `N * length` elements.
unsafe fn repeat_n<T: Copy, const N: usize>(
    from: *const T,
    step: isize,
    to: *mut T,
    length: usize,
) {
    // SAFETY: the caller upholds this; an array of elements has the alignment of an element.
    unsafe {
        let to = to.cast::<[T; N]>();
        if step == 1 {
            for item in 0..length {
                *to.add(item) = [*from.add(item); N];
            }
            return;
        }
        for item in 0..length {
            *to.add(item) = [*from.offset(item as isize * step); N];
        }
    }
}

/// Any other copy, in runs along the last axis.
fn by_runs<T: Copy>(launch: &Launch<'_>, from: &StridedView<'_>, threads: &Threads) -> Result<()> {
    let (from, to) = (TypedView::<T>::new(from), TypedView::<T>::new(&launch.outputs[0]));
    let runs = StridedRuns::new(&launch.shape, [from.strides(), to.strides()]);
    let size = size_of(&launch.shape);
    threads.split(size, BLOCK, size / 2, |begin, end| {
        let copied = runs.for_each(begin, end, |offsets, length| {
            // SAFETY: `Checked` places every element of the space in its memory, runs of different threads
            // are disjoint, and no other code uses the output during the launch.
            unsafe { stretch::<_, i64>(&from, &to, &[], offsets, length) }
        });
        match copied {
            Ok(()) => Ok(()),
            Err(_) => unreachable!("there are no positions"),
        }
    })
}
