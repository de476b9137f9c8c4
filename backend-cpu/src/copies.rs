//! Copies of arrays that lie anyhow: each element is moved once, whole, from where it is to where it belongs.
//!
//! On registers it would be moved twice, and a complex number in two parts. Copies of real numbers that lie side by side,
//! or in long stretches, are as quick there as here, and stay there.

use ndany_core::Result;
use ndany_core::backend::{Launch, Place};
use ndany_core::program::{Domain, Op};
use ndany_core::shape::{Shape, size_of};
use smallvec::SmallVec;

use crate::gather::stretch;
use crate::memory::address;
use crate::threads::Threads;
use crate::tiles;
use crate::tour::{Operand, Tour, by_size};
use crate::turn::{self, turn};
use crate::worker::BLOCK;

/// What a map copies, if it is nothing but a copy to another memory.
fn source<'l>(launch: &'l Launch<'_>) -> Option<&'l Place<'l>> {
    let program = launch.program;
    let [output] = program.outputs.as_slice() else { return None };
    let to = launch.outputs.first()?;
    let [first, second] = output.parts.map(|reg| program.instrs[usize::from(reg)].op);
    let Op::Load { input, part: 0 } = first else { return None };
    let other = Op::Load { input, part: u8::from(to.dtype.is_complex()) };
    let from = &launch.inputs[usize::from(input)];
    let whole = second == other && from.dtype == to.dtype && program.reductions.is_empty();
    let apart = address(from.memory) != address(to.memory);
    (whole && apart && output.domain == Domain::Element).then_some(from)
}

/// Runs a map that is a copy, where that is quicker here. False, and nothing done, of any other.
pub(crate) fn copied(launch: &Launch<'_>, threads: &Threads) -> Result<bool> {
    let Some(from) = source(launch) else { return Ok(false) };
    by_size!(from.dtype, T => copied_as::<T>(launch, from, threads))
}

fn copied_as<T: Copy>(launch: &Launch<'_>, from: &Place<'_>, threads: &Threads) -> Result<bool> {
    if turned::<T>(launch, from, threads)? || repeated::<T>(launch, from, threads)? {
        return Ok(true);
    }
    if !from.dtype.is_complex() {
        return Ok(false);
    }
    let run = |launch: &Launch<'_>| match source(launch) {
        Some(from) => in_stretches::<T>(launch, from, threads),
        None => unreachable!("a part of a copy is one"),
    };
    match tiles::split(launch) {
        Some(launches) => launches.iter().try_for_each(run)?,
        None => run(launch)?,
    }
    Ok(true)
}

/// A copy whose rows lie along the columns of its source, as that of a transposed matrix.
fn turned<T: Copy>(launch: &Launch<'_>, from: &Place<'_>, threads: &Threads) -> Result<bool> {
    let (shape, to) = (&launch.shape, &launch.outputs[0]);
    let Some(last) = shape.len().checked_sub(1) else { return Ok(false) };
    let beside = |axis: &usize| from.strides[*axis].abs() == 1 && shape[*axis] >= turn::EDGE;
    let across = to.strides[last] == 1 && from.strides[last].abs() > 1 && shape[last] >= turn::EDGE;
    let Some(axis) = (0..last).find(beside).filter(|_| across) else { return Ok(false) };
    let (rows, columns) = (shape[axis], shape[last]);
    // The other axes count planes.
    let others: SmallVec<[usize; 6]> = (0..last).filter(|&other| other != axis).collect();
    let of_others = |strides: &[isize]| -> SmallVec<[isize; 6]> {
        others.iter().map(|&other| strides[other]).collect()
    };
    let planes: Shape = others.iter().map(|&other| shape[other]).collect();
    let (from_planes, to_planes) = (of_others(&from.strides), of_others(&to.strides));
    let (from_step, mut to_step) = (from.strides[last], to.strides[axis]);
    let backwards = from.strides[axis] == -1;
    let (mut from, mut to) = (Operand::<T>::new(from), Operand::<T>::new(to));
    if backwards {
        // From the last row on, which lies first in the source.
        let most = rows as isize - 1;
        (from, to) = (from.moved(-most), to.moved(most * to_step));
        to_step = -to_step;
    }
    let bands = columns.div_ceil(turn::band::<T>());
    let tour = Tour::new(&planes, [&*from_planes, &*to_planes]);
    let items = size_of(&planes) * bands;
    threads.split(items, 1, size_of(shape), |begin, end| {
        let mut item = begin;
        while item < end {
            let (plane, band) = (item / bands, item % bands);
            let count = (bands - band).min(end - item);
            let column = band * turn::band::<T>();
            let width = (count * turn::band::<T>()).min(columns - column);
            let turned = tour.stretches(plane, plane + 1, |offsets, _| {
                let from = from.at(offsets[0] + column as isize * from_step);
                let to = to.at(offsets[1] + column as isize);
                // SAFETY: core places every element of the space in its memory, bands of different threads are
                // disjoint, and nobody else uses the output meanwhile.
                unsafe { turn(from.cast_const(), from_step, to, to_step, rows, width) };
                Ok::<(), std::convert::Infallible>(())
            });
            let Ok(()) = turned;
            item += count;
        }
        Ok(())
    })?;
    Ok(true)
}

/// A copy of each element several times, side by side.
fn repeated<T: Copy>(launch: &Launch<'_>, from: &Place<'_>, threads: &Threads) -> Result<bool> {
    let (shape, to) = (&launch.shape, &launch.outputs[0]);
    let [.., _, times] = shape[..] else { return Ok(false) };
    let [.., step, 0] = from.strides[..] else { return Ok(false) };
    let write: unsafe fn(*const T, isize, *mut T, usize) = match times {
        2 => several::<T, 2>,
        3 => several::<T, 3>,
        4 => several::<T, 4>,
        5 => several::<T, 5>,
        6 => several::<T, 6>,
        7 => several::<T, 7>,
        8 => several::<T, 8>,
        16 => several::<T, 16>,
        _ => return Ok(false),
    };
    let axes = shape.len() - 1;
    if to.strides[axes] != 1 || to.strides[axes - 1] != times as isize {
        return Ok(false);
    }
    let (from, to) = (Operand::<T>::new(from), Operand::<T>::new(to));
    let tour = Tour::new(&shape[..axes], [&from.strides()[..axes], &to.strides()[..axes]]);
    threads.split(size_of(&shape[..axes]), BLOCK, size_of(shape), |begin, end| {
        let written = tour.stretches(begin, end, |offsets, length| {
            // SAFETY: core places every element of the space in its memory, stretches of different threads are disjoint,
            // and nobody else uses the output meanwhile.
            unsafe { write(from.at(offsets[0]).cast_const(), step, to.at(offsets[1]), length) };
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = written;
        Ok(())
    })?;
    Ok(true)
}

/// Writes each of `length` elements, `step` apart, `N` times.
///
/// # Safety
/// The elements are good for reading, and `to` is for writing `N` times as many.
unsafe fn several<T: Copy, const N: usize>(from: *const T, step: isize, to: *mut T, length: usize) {
    // SAFETY: the caller's promise; arrays are aligned as their elements are.
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

/// Any other copy, along the last axis.
fn in_stretches<T: Copy>(launch: &Launch<'_>, from: &Place<'_>, threads: &Threads) -> Result<()> {
    let (from, to) = (Operand::<T>::new(from), Operand::<T>::new(&launch.outputs[0]));
    let tour = Tour::new(&launch.shape, [from.strides(), to.strides()]);
    let size = size_of(&launch.shape);
    threads.split(size, BLOCK, size / 2, |begin, end| {
        let copied = tour.stretches(begin, end, |offsets, length| {
            // SAFETY: core places every element of the space in its memory, stretches of different threads are disjoint,
            // and nobody else uses the output meanwhile.
            unsafe { stretch(&from, &to, &[], offsets, length) }
        });
        match copied {
            Ok(()) => Ok(()),
            Err(_) => unreachable!("there are no positions"),
        }
    })
}
