//! The canonical plan: the one order in which a reduction or scan combines its elements.
//!
//! The plan depends on the number of elements and on nothing else: not on strides, fusion, threads,
//! SIMD width or device. Every backend executes it, so every backend returns the same bits. It was
//! shaped for a block of 128 GPU threads and is eight AVX-512 registers of f32 on a CPU.
//!
//! # Reductions
//! The elements of a row, in C order of the reduced axes, are cut into chunks of [`CHUNK`].
//! Inside a chunk element `p` belongs to accumulator `p % ACCUMULATORS`; each accumulator combines its elements from left
//! to right, starting from the first one (no identity is involved, so `-0.0` survives a sum). Then for
//! `step` in 64, 32, 16, 8, 4, 2, 1 each accumulator `l < step` whose partner `l + step` holds something
//! becomes `combine(accumulator[l], accumulator[l + step])`. Accumulator 0 is the chunk's value. If there are several
//! chunks, their values are a row of their own, reduced by the same plan.
//!
//! # Scans
//! A row is cut into chunks of [`CHUNK`], each into [`ACCUMULATORS`] segments of [`SEGMENT`] neighbours.
//! A segment is folded from left to right (`local`). The segments' totals are scanned inclusively by
//! `for step in 1, 2, 4 … 64: total[s] = combine(total[s - step], total[s])` over all `s >= step` at
//! once. The chunks' totals (the last of these) are a row of their own, scanned by the same plan.
//! An element is `combine(before, local)`, where `before` is the scanned total of the segments before
//! it in its chunk, preceded by `combine(chunks_before, …)` where there are chunks before it; a first
//! segment of a first chunk has nothing before it and is its local fold.

/// Elements of a chunk.
pub const CHUNK: usize = 4096;
/// Accumulators of a chunk (segments, in a scan).
pub const ACCUMULATORS: usize = 128;
/// Elements of a segment of a scan.
pub const SEGMENT: usize = CHUNK / ACCUMULATORS;

/// Combines the accumulators of a chunk: `accumulators` holds the `count` accumulators that have a value.
pub fn combine_accumulators<S>(accumulators: &mut [S], mut combine: impl FnMut(&S, &S) -> S) {
    let count = accumulators.len();
    let mut step = ACCUMULATORS / 2;
    while step > 0 {
        for accumulator in 0..step.min(count.saturating_sub(step)) {
            accumulators[accumulator] =
                combine(&accumulators[accumulator], &accumulators[accumulator + step]);
        }
        step /= 2;
    }
}

/// Reduces the elements of a row. The row must not be empty.
pub fn reduce<S: Clone>(elements: &[S], mut combine: impl FnMut(&S, &S) -> S) -> S {
    let mut level: Vec<S> = elements.to_vec();
    loop {
        let mut values = Vec::with_capacity(level.len().div_ceil(CHUNK));
        for chunk in level.chunks(CHUNK) {
            let mut accumulators = chunk[..chunk.len().min(ACCUMULATORS)].to_vec();
            for (position, element) in chunk.iter().enumerate().skip(ACCUMULATORS) {
                let accumulator = &mut accumulators[position % ACCUMULATORS];
                *accumulator = combine(accumulator, element);
            }
            combine_accumulators(&mut accumulators, &mut combine);
            values.push(accumulators.swap_remove(0));
        }
        if values.len() == 1 {
            return values.remove(0);
        }
        level = values;
    }
}

/// Scans the elements of a row, inclusively.
pub fn scan<S: Clone>(elements: &[S], combine: &mut dyn FnMut(&S, &S) -> S) -> Vec<S> {
    let mut out = Vec::with_capacity(elements.len());
    // What precedes each segment inside its chunk, and the chunks' totals.
    let mut before: Vec<Option<S>> = Vec::new();
    let mut totals = Vec::new();
    for chunk in elements.chunks(CHUNK) {
        let mut segments: Vec<S> = Vec::with_capacity(ACCUMULATORS);
        for segment in chunk.chunks(SEGMENT) {
            let mut fold = segment[0].clone();
            out.push(fold.clone());
            for element in &segment[1..] {
                fold = combine(&fold, element);
                out.push(fold.clone());
            }
            segments.push(fold);
        }
        let mut step = 1;
        while step < ACCUMULATORS {
            for segment in (step..segments.len()).rev() {
                segments[segment] = combine(&segments[segment - step], &segments[segment]);
            }
            step *= 2;
        }
        before.push(None);
        before.extend(segments[..segments.len() - 1].iter().cloned().map(Some));
        totals.extend(segments.pop());
    }
    let chunks = if totals.len() > 1 { scan(&totals, combine) } else { totals };
    for (segment, values) in out.chunks_mut(SEGMENT).enumerate() {
        let chunk = segment / ACCUMULATORS;
        let ahead = (chunk > 0).then(|| &chunks[chunk - 1]);
        let offset = match (ahead, &before[segment]) {
            (Some(ahead), Some(inside)) => Some(combine(ahead, inside)),
            (Some(ahead), None) => Some(ahead.clone()),
            (None, inside) => inside.clone(),
        };
        if let Some(offset) = offset {
            for value in values {
                *value = combine(&offset, value);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Associative but not commutative, so a wrong order shows.
    fn join(a: &(usize, usize), b: &(usize, usize)) -> (usize, usize) {
        assert_eq!(a.1, b.0, "a scan combines neighbours only");
        (a.0, b.1)
    }

    #[test]
    fn scans_combine_neighbours_in_order() {
        for size in [1, 2, 31, 32, 33, 127, 4095, 4096, 4097, 3 * 4096 + 77] {
            let elements: Vec<_> = (0..size).map(|position| (position, position + 1)).collect();
            let scanned = scan(&elements, &mut join);
            let expected: Vec<_> = (0..size).map(|position| (0, position + 1)).collect();
            assert_eq!(scanned, expected, "{size} elements");
        }
    }

    #[test]
    fn reductions_take_each_element_once() {
        for size in [1, 2, 127, 128, 129, 4096, 4097, 4096 * 3 + 5] {
            let elements: Vec<u64> = (0..size).collect();
            assert_eq!(reduce(&elements, |a, b| a + b), size * (size - 1) / 2);
        }
    }
}
