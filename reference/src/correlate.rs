//! Correlations, one result after the other, in the order that the pattern promises.

use super::{read_lock, scalar, sum};
use ndany_core::DType;
use ndany_core::backend::{ContiguousView, Correlate, RUN};

pub(super) fn correlate(correlate: &Correlate<'_>) {
    let Correlate { dtype, length, taps, outputs, before, .. } = *correlate;
    let (size, mut results) = (dtype.size(), Vec::new());
    let [long, short] = [(&correlate.long, length), (&correlate.short, taps)]
        .map(|(place, n)| read(place, dtype, n));
    for i in 0..outputs {
        let product = |k: usize| {
            let element = (i + k).checked_sub(before).and_then(|place| long.get(place));
            element.map(|&element| super::product(dtype, element, short[k]))
        };
        let add = |a, b| sum(dtype, a, b);
        let runs = (0..taps)
            .step_by(RUN)
            .filter_map(|first| (first..taps.min(first + RUN)).filter_map(product).reduce(add));
        let Some(result) = runs.reduce(add) else { unreachable!("every result has a product") };
        let mut bytes = vec![0; size];
        scalar::store(dtype, result, &mut bytes);
        results.extend(bytes);
    }
    super::factor::store(correlate.output.memory, correlate.output.offset * size, &results);
}

/// The elements of a sequence as registers of their parts.
fn read(place: &ContiguousView<'_>, dtype: DType, count: usize) -> Vec<[u64; 2]> {
    let size = dtype.size();
    let bytes = read_lock(place.memory);
    let elements = bytes[place.offset * size..][..count * size].chunks_exact(size);
    let part = if dtype.is_complex() { 1 } else { 0 };
    elements.map(|one| [0, part].map(|part| scalar::load(dtype, one, part))).collect()
}
