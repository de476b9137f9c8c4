//! Elements moved one after the other, in C order.

use std::sync::PoisonError;

use super::{bytes_of, element, read_lock, scalar};
use ndany_core::backend::{Gather, Positions, Scatter, Select, StridedView};
use ndany_core::program::{Prim, RegType};
use ndany_core::shape::size_of;
use ndany_core::{DType, Result};

/// The positions of all elements of a space in an array that steps and positions walk.
fn walk(
    place: &StridedView<'_>,
    positions: &[Positions<'_>],
    shape: &[usize],
) -> Result<Vec<usize>> {
    let indices: Vec<_> = positions.iter().map(|axis| read_lock(axis.place.memory)).collect();
    (0..size_of(shape))
        .map(|item| {
            let mut at = element(place, shape, item) as isize;
            for (axis, bytes) in positions.iter().zip(&indices) {
                let (dtype, size) = (axis.place.dtype, axis.place.dtype.size());
                let first = size * element(&axis.place, shape, item);
                let bits = scalar::load(dtype, &bytes[first..][..size], 0);
                let index = if dtype == DType::I32 { i64::from(bits as i32) } else { bits as i64 };
                at += axis.stride * axis.resolve(index).ok_or_else(|| axis.out_of_range(index))?;
            }
            Ok(at as usize)
        })
        .collect()
}

/// One element after the other out of an array.
fn select_elements(place: &StridedView<'_>, at: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let (size, bytes) = (place.dtype.size(), read_lock(place.memory));
    at.into_iter().flat_map(|at| bytes[at * size..][..size].to_vec()).collect()
}

pub(super) fn gather(gather: &Gather<'_>) -> Result<()> {
    let Gather { shape, source, positions, out, origin: _ } = gather;
    let size = source.dtype.size();
    let picked = select_elements(source, walk(source, positions, shape)?);
    let mut bytes = bytes_of(out.memory).write().unwrap_or_else(PoisonError::into_inner);
    for (item, value) in picked.chunks_exact(size).enumerate() {
        bytes[element(out, shape, item) * size..][..size].copy_from_slice(value);
    }
    Ok(())
}

pub(super) fn scatter(scatter: &Scatter<'_>) -> Result<()> {
    let Scatter { shape, target, positions, values, combine, origin: _ } = scatter;
    let size = target.dtype.size();
    let written = walk(target, positions, shape)?;
    let picked =
        select_elements(values, (0..size_of(shape)).map(|item| element(values, shape, item)));
    let mut bytes = bytes_of(target.memory).write().unwrap_or_else(PoisonError::into_inner);
    for (at, value) in written.into_iter().zip(picked.chunks_exact(size)) {
        let place = &mut bytes[at * size..][..size];
        match combine {
            None => place.copy_from_slice(value),
            Some(prim) => combine_into(place, value, target.dtype, *prim),
        }
    }
    Ok(())
}

fn combine_into(place: &mut [u8], value: &[u8], dtype: DType, prim: Prim) {
    let parts = [scalar::load(dtype, place, 0), scalar::load(dtype, value, 0)];
    let combined = super::combine_prim(prim, RegType::of(dtype), parts[0], parts[1]);
    scalar::store(dtype, [combined; 2], place);
}

pub(super) fn select(select: &Select<'_>) -> Result<()> {
    let Select { shape, mask, source, out, count: _ } = select;
    let shown: Vec<usize> = {
        let bytes = read_lock(mask.memory);
        (0..size_of(shape)).filter(|&item| bytes[element(mask, shape, item)] != 0).collect()
    };
    select.check_shown(shown.len())?;
    let picked = match source {
        Some(source) => {
            select_elements(source, shown.iter().map(|&item| element(source, shape, item)))
        }
        None => shown.iter().flat_map(|&item| (item as i64).to_le_bytes()).collect(),
    };
    let first = out.offset * out.dtype.size();
    let mut bytes = bytes_of(out.memory).write().unwrap_or_else(PoisonError::into_inner);
    bytes[first..][..picked.len()].copy_from_slice(&picked);
    Ok(())
}
