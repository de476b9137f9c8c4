//! Scatters at any indices, partitioned by owner: a radix partition of one pass.
//!
//! Each part of the space is a stretch of its C order. A thread moves the part's values into buckets, one for each owner, with the
//! elements that they go to. Then each owner takes its buckets in the order of the parts: it writes its elements in C order.
//! Values are moved in batches, so that the memory for them is bounded.

use std::convert::Infallible;

use ndany_core::Result;
use ndany_core::backend::Scatter;
use ndany_core::host::{Lack, filled};
use ndany_core::shape::size_of;

use super::{AHEAD, IndexedRun, Owners, runs_of};
use crate::Cpu;
use crate::gather::Axis;
use crate::memory::{Address, lack, prefetch};
use crate::strided_runs::TypedView;

/// Maximum owners: each thread fills a cache line for each of them at the same time.
const MAX_OWNERS: usize = 64;

/// Values of a batch for each thread: with their elements they fit its L2 cache.
const BATCH: usize = 1 << 16;

/// A value, and the offset of its element in the target.
#[derive(Clone, Copy)]
struct Entry<T> {
    position: isize,
    value: T,
}

/// Writes `merge(present, new)` at each index, in C order. The indices have been checked.
pub(super) fn write<T: Copy + Send + Sync, const MERGES: bool>(
    scatter: &Scatter<'_>,
    cpu: &Cpu,
    merge: impl Fn(T, T) -> T + Sync + Copy,
) -> Result<()> {
    let (size, threads) = (size_of(&scatter.shape), &cpu.threads);
    // Two for each thread, as parts have, since neither take equal times.
    let owners = Owners::of(scatter, (2 * threads.count()).min(MAX_OWNERS));
    let parts = 2 * threads.count();
    let batch = size.min(threads.count() * BATCH);
    let part = batch.div_ceil(parts);
    let axes = Axis::all(&scatter.positions);
    let target = TypedView::<T>::new(&scatter.target);
    let values = TypedView::<T>::new(&scatter.values);
    let (step, value_step) = (target.step(), values.step());
    let runs = runs_of(&scatter.shape, &target, &values, &axes);

    let bytes = parts * part * std::mem::size_of::<Entry<T>>();
    let memory = cpu.pool.take(bytes).ok_or_else(|| lack(Lack(bytes)))?;
    let entries = Address(memory.address().cast::<Entry<T>>());
    // Where the bucket of each owner ends in the entries of each part.
    let mut ends = filled(0usize, parts * owners.count).map_err(lack)?;
    let ends = Address(ends.as_mut_ptr());

    for first in (0..size).step_by(batch) {
        let last = size.min(first + batch);
        threads.for_each(parts, 4 * (last - first), |number| {
            let begin = last.min(first + number * part);
            let end = last.min(begin + part);
            let mut places = [0; MAX_OWNERS];
            // SAFETY: `Checked` places every element of the space in its memory, and indices are checked; this thread alone has the
            // entries and the ends of this part, of which there is room for as many as it has elements and owners.
            unsafe {
                let Ok(()) = runs.for_each(begin, end, |offsets, length| {
                    IndexedRun::new(&axes, offsets).for_each(step, length, |_, position| {
                        places[owners.owner(position)] += 1;
                    });
                    Ok::<(), Infallible>(())
                });
                let mut before = number * part;
                for (owner, place) in places.iter_mut().enumerate().take(owners.count) {
                    (*place, before) = (before, before + *place);
                    ends.at(number * owners.count + owner).write(before);
                }
                let Ok(()) = runs.for_each(begin, end, |offsets, length| {
                    let value = values.at(offsets[1]);
                    IndexedRun::new(&axes, offsets).for_each(step, length, |item, position| {
                        let place = &mut places[owners.owner(position)];
                        let value = *value.offset(item * value_step);
                        entries.at(*place).write(Entry { position, value });
                        *place += 1;
                    });
                    Ok::<(), Infallible>(())
                });
            }
        });
        threads.for_each(owners.count, 4 * (last - first), |owner| {
            for number in 0..parts {
                // SAFETY: each part has filled its entries up to its last end; positions are those of elements of the target, of
                // which this thread alone has those of this owner.
                unsafe {
                    let end = ends.at(number * owners.count + owner);
                    let begin = if owner == 0 { number * part } else { *end.sub(1) };
                    let own = std::slice::from_raw_parts(entries.at(begin), *end - begin);
                    for (item, entry) in own.iter().enumerate() {
                        if !MERGES {
                            let later = own[(item + AHEAD as usize).min(own.len() - 1)].position;
                            prefetch(target.at(later).cast_const().cast());
                        }
                        let place = target.at(entry.position);
                        *place = merge(*place, entry.value);
                    }
                }
            }
        });
    }
    Ok(())
}
