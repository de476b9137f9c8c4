//! Scatters: values written at positions, the last writer of an element winning whatever the threads do.
//!
//! All positions are checked first, so that nothing is written where one is out of range. Then, in
//! parallel, either each thread takes a part of an axis that steps walk (different coordinates are
//! different elements), or every thread walks the whole space in C order and writes only the elements it
//! owns. Either way each element is written by one thread, in C order. Deliberately absent: a copy of
//! the target for each thread, which combinations that do not depend on the order would allow.

use half::{bf16, f16};
use ndany_core::backend::Scatter;
use ndany_core::program::Prim;
use ndany_core::program::round::{f32_to_bf16, f32_to_f16};
use ndany_core::shape::size_of;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use crate::gather::{Axis, OutOfRange, first_error};
use crate::threads::Threads;
use crate::tour::{Operand, Tour, by_size};

pub(crate) fn scatter(scatter: &Scatter<'_>, threads: &Threads) -> Result<()> {
    check(scatter, threads)?;
    match scatter.combine {
        None => {
            by_size!(scatter.target.dtype, T => write::<T>(scatter, threads, |_, new| new));
        }
        Some(prim) => combine(scatter, threads, prim),
    }
    Ok(())
}

/// Looks at every position once.
fn check(scatter: &Scatter<'_>, threads: &Threads) -> Result<()> {
    for (axis, positions) in Axis::all(&scatter.positions).iter().zip(&scatter.positions) {
        // Each array of positions in its own space: the axes along which it varies.
        let walked = |number: &usize| axis.index.strides()[*number] != 0;
        let numbers: SmallVec<[usize; 4]> = (0..scatter.shape.len()).filter(walked).collect();
        let shape: SmallVec<[usize; 4]> =
            numbers.iter().map(|&number| scatter.shape[number]).collect();
        let strides: SmallVec<[isize; 4]> =
            numbers.iter().map(|&number| axis.index.strides()[number]).collect();
        let tour = Tour::new(&shape, [strides.as_slice()]);
        let step = strides.last().copied().unwrap_or(0);
        let size = size_of(&shape);
        let outcome = threads.split(size, 1024, size, |begin, end| {
            tour.stretches(begin, end, |offsets, length| {
                let mut outside = false;
                for item in 0..length as isize {
                    // SAFETY: core places every element of the space in the index array's memory.
                    outside |= unsafe { axis.offset(offsets[0] + item * step) }.is_err();
                }
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

/// Who writes what.
enum Share {
    /// Coordinates `begin..end` of this axis.
    Slice { axis: usize, begin: usize, end: usize },
    /// Elements of this owner among so many.
    Owner { owner: usize, owners: usize },
}

/// As a power of two: elements that stay together when owners share a target. More than a cache line, so
/// that no two threads write to one, and few enough that a short target is shared too.
const OWNED_TOGETHER: u32 = 8;

/// Writes `merge(present, new)` at each position, in C order. The positions have been checked.
fn write<T: Copy + Send + Sync>(
    scatter: &Scatter<'_>,
    threads: &Threads,
    merge: impl Fn(T, T) -> T + Sync + Copy,
) {
    let size = size_of(&scatter.shape);
    // A power of two, so that finding the owner of an element needs no division.
    let owners = 1 << threads.count().clamp(1, 16).ilog2();
    if !threads.worth(size * 4) {
        return share(scatter, &Share::Owner { owner: 0, owners: 1 }, merge);
    }
    // An axis whose coordinates are different elements, whatever the positions say.
    let stepped = |axis: &usize| {
        scatter.target.strides[*axis] != 0
            && scatter.positions.iter().all(|positions| positions.place.strides[*axis] == 0)
    };
    let axis = (0..scatter.shape.len()).filter(stepped).max_by_key(|&axis| scatter.shape[axis]);
    match axis.filter(|&axis| scatter.shape[axis] >= 4 * threads.count()) {
        Some(axis) => {
            // Outer axes may be cut fine; the last one in pieces that are worth a walk of the others.
            let extent = scatter.shape[axis];
            let last = axis + 1 == scatter.shape.len();
            let unit = if last { extent.div_ceil(threads.count()) } else { 1 };
            threads.each(extent.div_ceil(unit), |piece| {
                let (begin, end) = (piece * unit, ((piece + 1) * unit).min(extent));
                share(scatter, &Share::Slice { axis, begin, end }, merge);
            });
        }
        None => threads.each(owners, |owner| {
            share(scatter, &Share::Owner { owner, owners }, merge);
        }),
    }
}

/// One share of a scatter.
fn share<T: Copy>(scatter: &Scatter<'_>, share: &Share, merge: impl Fn(T, T) -> T + Copy) {
    let axes = Axis::all(&scatter.positions);
    let mut target = Operand::<T>::new(&scatter.target);
    let mut values = Operand::<T>::new(&scatter.values);
    let mut shape: SmallVec<[usize; 4]> = scatter.shape.iter().copied().collect();
    let (mut owner, mut owners) = (0, 1);
    match *share {
        Share::Slice { axis, begin, end } => {
            shape[axis] = end - begin;
            let first = |operand: &Operand<T>| begin as isize * operand.strides()[axis];
            target = target.clone().moved(first(&target));
            values = values.clone().moved(first(&values));
        }
        Share::Owner { owner: own, owners: all } => (owner, owners) = (own as isize, all as isize),
    }
    let strides = [target.strides(), values.strides()]
        .into_iter()
        .chain(axes.iter().map(|axis| axis.index.strides()));
    let tour = Tour::new(&shape, strides);
    let owned = |position: isize| (position >> OWNED_TOGETHER) & (owners - 1) == owner;
    let (step, value_step) = (target.step(), values.step());
    let walked = tour.stretches(0, size_of(&shape), |offsets, length| {
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
        // SAFETY: core places every element of the space in its memory; positions are checked, and one in
        // range leads to an element of the target; no two shares have an element in common.
        unsafe {
            let value = values.at(offsets[1]);
            let put = |position: isize, item: isize| {
                let place = target.at(position);
                *place = merge(*place, *value.offset(item * value_step));
            };
            match varying.as_slice() {
                // Stretches that begin alike are alike, others have no element in common.
                [] if owned(base) => {
                    for item in 0..length as isize {
                        put(base + item * step, item);
                    }
                }
                [] => {}
                [(axis, first)] => {
                    let index_step = axis.index.step();
                    for item in 0..length as isize {
                        let position =
                            base + item * step + axis.offset(first + item * index_step)?;
                        if owned(position) {
                            put(position, item);
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
    if walked.is_err() {
        unreachable!("the positions were checked");
    }
}

/// A scatter that combines.
fn combine(scatter: &Scatter<'_>, threads: &Threads, prim: Prim) {
    macro_rules! integers {
        ($ty:ty) => {
            match prim {
                Prim::Add => write::<$ty>(scatter, threads, <$ty>::wrapping_add),
                Prim::Mul => write::<$ty>(scatter, threads, <$ty>::wrapping_mul),
                Prim::Min => write::<$ty>(scatter, threads, Ord::min),
                Prim::Max => write::<$ty>(scatter, threads, Ord::max),
                Prim::And => write::<$ty>(scatter, threads, |a, b| a & b),
                Prim::Or => write::<$ty>(scatter, threads, |a, b| a | b),
                Prim::Xor => write::<$ty>(scatter, threads, |a, b| a ^ b),
                other => unreachable!("{other:?} of integers depends on the order"),
            }
        };
    }
    macro_rules! floats {
        ($ty:ty, $extremum:expr) => {
            match prim {
                Prim::Min => write::<$ty>(scatter, threads, |a, b| $extremum(a, b, false)),
                Prim::Max => write::<$ty>(scatter, threads, |a, b| $extremum(a, b, true)),
                other => unreachable!("{other:?} of floats depends on the order"),
            }
        };
    }
    match scatter.target.dtype {
        DType::Bool => match prim {
            Prim::And | Prim::Min => write::<u8>(scatter, threads, |a, b| a & b),
            Prim::Or | Prim::Max => write::<u8>(scatter, threads, |a, b| a | b),
            Prim::Xor => write::<u8>(scatter, threads, |a, b| a ^ b),
            other => unreachable!("{other:?} is no operation on truth values"),
        },
        DType::I8 => integers!(i8),
        DType::I16 => integers!(i16),
        DType::I32 => integers!(i32),
        DType::I64 => integers!(i64),
        DType::U8 => integers!(u8),
        DType::U16 => integers!(u16),
        DType::U32 => integers!(u32),
        DType::U64 => integers!(u64),
        DType::F16 => floats!(f16, |a: f16, b: f16, larger| f32_to_f16(extremum(
            a.to_f32().into(),
            b.to_f32().into(),
            larger
        ) as f32)),
        DType::BF16 => floats!(bf16, |a: bf16, b: bf16, larger| f32_to_bf16(extremum(
            a.to_f32().into(),
            b.to_f32().into(),
            larger
        ) as f32)),
        DType::F32 => {
            floats!(f32, |a: f32, b: f32, larger| extremum(a.into(), b.into(), larger) as f32)
        }
        DType::F64 => floats!(f64, extremum),
        DType::C64 | DType::C128 => unreachable!("complex numbers have no such combination"),
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
