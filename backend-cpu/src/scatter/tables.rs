//! Additions of integers at few places, as in counting: each thread has its own table, and the tables are
//! added.

use ndany_core::Result;
use ndany_core::backend::Scatter;
use ndany_core::program::Prim;
use ndany_core::shape::size_of;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::gather::{Axis, OutOfRange, first_error};
use crate::memory::Scratch;
use crate::strided_runs::{StridedRuns, TypedView};
use crate::threads::Threads;

/// The tables of a scatter's parts, contiguous.
struct Tables(Scratch);

// SAFETY: each part uses the table with its number, and nothing reads them before all parts are done.
unsafe impl Sync for Tables {}

impl Tables {
    fn start<T>(&self, element: usize) -> *mut T {
        self.0.address().cast::<T>().wrapping_add(element)
    }
}

/// Runs [`add_in_tables`] for integer additions.
pub(super) fn added_in_tables(scatter: &Scatter<'_>, threads: &Threads) -> Result<bool> {
    let dtype = scatter.target.dtype;
    if scatter.combine != Some(Prim::Add) || !dtype.is_int() {
        return Ok(false);
    }
    match dtype.size() {
        1 => add_in_tables::<u8>(scatter, threads, u8::wrapping_add),
        2 => add_in_tables::<u16>(scatter, threads, u16::wrapping_add),
        4 => add_in_tables::<u32>(scatter, threads, u32::wrapping_add),
        _ => add_in_tables::<u64>(scatter, threads, u64::wrapping_add),
    }
}

/// Adds values at each index into tables, one for each thread, and then the tables into the target, if every
/// index was in range. Returns false, and has done nothing, where another way is better.
fn add_in_tables<T: Copy>(
    scatter: &Scatter<'_>,
    threads: &Threads,
    add: impl Fn(T, T) -> T + Sync + Copy,
) -> Result<bool> {
    let size = size_of(&scatter.shape);
    let count = if threads.is_parallel(size * 4) { threads.count() } else { 1 };
    let axes = Axis::<i64>::all(&scatter.positions);
    let [axis] = axes.as_slice() else { return Ok(false) };
    let (extent, stride) = (axis.extent(), axis.stride());
    let steps = scatter.target.strides.iter().any(|&step| step != 0);
    if steps || extent.saturating_mul(count) > size / 4 {
        return Ok(false);
    }
    let (target, values) =
        (TypedView::<T>::new(&scatter.target), TypedView::<T>::new(&scatter.values));
    let (index_step, value_step) = (axis.index.step(), values.step());
    let runs = StridedRuns::new(&scatter.shape, [axis.index.strides(), values.strides()]);
    let tables = Tables(Scratch::new(count * extent * std::mem::size_of::<T>())?);
    let outside = AtomicBool::new(false);
    threads.for_each(count, size * 4, |part| {
        // SAFETY: there is a table for each part, aligned for any number, and zero is a valid number.
        let table = unsafe {
            let table = tables.start::<T>(part * extent);
            std::ptr::write_bytes(table, 0, extent);
            std::slice::from_raw_parts_mut(table, extent)
        };
        let (begin, end) = (size * part / count, size * (part + 1) / count);
        let visited: std::result::Result<(), OutOfRange> =
            runs.for_each(begin, end, |offsets, length| {
                let (index, value) = (axis.index.at(offsets[0]), values.at(offsets[1]));
                for item in 0..length as isize {
                    // SAFETY: `Checked` places every element of the space in its memory.
                    let (index, value) = unsafe {
                        (*index.offset(item * index_step), *value.offset(item * value_step))
                    };
                    let counted = if index < 0 { index.wrapping_add(extent as i64) } else { index };
                    // A negative index becomes larger than any table.
                    let sum = table.get_mut(counted as usize).ok_or(OutOfRange)?;
                    *sum = add(*sum, value);
                }
                Ok(())
            });
        if visited.is_err() {
            outside.store(true, Ordering::Relaxed);
        }
    });
    if outside.into_inner() {
        return Err(first_error::<i64>(&scatter.shape, &scatter.positions));
    }
    for part in 0..count {
        for k in 0..extent {
            // SAFETY: the tables have been filled; an index in range leads to an element of the target, which
            // no other code uses.
            unsafe {
                let place = target.at(k as isize * stride);
                *place = add(*place, *tables.start::<T>(part * extent + k));
            }
        }
    }
    Ok(true)
}
