//! Judges samples: against points of a distribution function that SciPy made, or against the values in another order.
//!
//! Both tests fail a right generator once in a hundred thousand times; seeds are fixed, so what passes stays so.

use crate::compare::{Mismatch, same_form};
use crate::host::{Dtype, HostArray};

/// Kolmogorov's distance times √n that a right sample exceeds once in 10⁵ times.
const FARTHEST: f64 = 2.5;
/// Standard deviations of a normal variate, as rare.
const DEVIATIONS: f64 = 4.3;
/// Least expected number of values between two points.
const LEAST: f64 = 8.0;

/// What a sample must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Dtype of the values.
    pub dtype: Dtype,
    /// Their shape.
    pub shape: Vec<usize>,
    /// The column along the last axis that is looked at, or all values.
    pub column: Option<usize>,
}

/// Judges a sample by a table: points in ascending order, and the probabilities of values up to them.
pub(crate) fn judge(
    got: &HostArray,
    table: &HostArray,
    wanted: &Distribution,
) -> Result<(), Mismatch> {
    if got.dtype() != wanted.dtype {
        let (which, expected) = (String::new(), wanted.dtype);
        return Err(Mismatch::Dtype { which, expected, got: got.dtype() });
    }
    if got.shape() != wanted.shape {
        let (which, expected) = (String::new(), wanted.shape.clone());
        return Err(Mismatch::Shape { which, expected, got: got.shape().to_vec() });
    }
    let failed = |reason| Mismatch::Check { check: "distribution".to_owned(), reason };
    let &[2, points] = table.shape() else {
        return Err(failed(format!("a table of shape {:?}", table.shape())));
    };
    let table: Vec<f64> = table.complex_values().iter().map(|value| value.0).collect();
    let columns = wanted.shape.last().copied().unwrap_or(1).max(1);
    let mut values: Vec<f64> = got
        .complex_values()
        .iter()
        .enumerate()
        .filter(|(place, _)| wanted.column.is_none_or(|column| place % columns == column))
        .map(|(_, value)| value.0)
        .collect();
    if let Some(nan) = values.iter().position(|value| value.is_nan()) {
        return Err(failed(format!("value {nan} is NaN")));
    }
    values.sort_by(f64::total_cmp);
    let seen = table[..points].iter().map(|&x| values.partition_point(|&value| value <= x) as f64);
    fits(&seen.collect::<Vec<f64>>(), &table[points..], values.len() as f64).map_err(failed)
}

/// Whether the number of values up to each point is the one that the probabilities give.
fn fits(seen: &[f64], probabilities: &[f64], count: f64) -> Result<(), String> {
    let distance = |(&seen, &p): (&f64, &f64)| (seen / count - p).abs() * count.sqrt();
    let farthest = seen.iter().zip(probabilities).map(distance).fold(0.0, f64::max);
    if farthest > FARTHEST {
        return Err(format!("Kolmogorov's distance times √n is {farthest:.3}, above {FARTHEST}"));
    }
    // Pearson's χ² of the numbers between points, neighbours joined where few are expected.
    let (mut squares, mut cells) = (0.0, 0.0f64);
    let (mut from_seen, mut from_p) = (0.0, 0.0);
    let ends = seen.iter().copied().zip(probabilities.iter().copied()).chain([(count, 1.0)]);
    for (seen, p) in ends {
        let expected = (p - from_p) * count;
        if expected >= LEAST {
            squares += (seen - from_seen - expected).powi(2) / expected;
            cells += 1.0;
            (from_seen, from_p) = (seen, p);
        } else if p == 1.0 && expected < LEAST * 1e-9 && seen - from_seen > 0.0 {
            return Err(format!("{} values where none may be", seen - from_seen));
        }
    }
    let freedom = (cells - 1.0).max(1.0);
    // Nearly normal (Wilson & Hilferty 1931).
    let part = 2.0 / (9.0 * freedom);
    let deviations = ((squares / freedom).cbrt() - (1.0 - part)) / part.sqrt();
    if deviations > DEVIATIONS {
        return Err(format!("χ² is {squares:.1} in {cells} cells: {deviations:.2} deviations off"));
    }
    Ok(())
}

/// The same values, in whatever order.
pub(crate) fn reordered(got: &HostArray, expected: &HostArray) -> Result<(), Mismatch> {
    same_form("", got, expected)?;
    let sorted = |array: &HostArray| {
        let mut bits: Vec<u64> = array.part_bits().collect();
        bits.sort_unstable();
        bits
    };
    if sorted(got) == sorted(expected) {
        return Ok(());
    }
    let reason = format!("{} are not the values of {}", got.preview(8), expected.preview(8));
    Err(Mismatch::Check { check: "reordered".to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: impl Iterator<Item = f64>) -> HostArray {
        let bytes: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
        HostArray::new(Dtype::Float64, vec![bytes.len() / 8], bytes)
            .expect("whole numbers of bytes")
    }

    fn uniform() -> HostArray {
        let points = (1..20).map(|point| f64::from(point) / 20.0);
        let bytes = points.clone().chain(points).flat_map(f64::to_le_bytes).collect();
        HostArray::new(Dtype::Float64, vec![2, 19], bytes).expect("two rows")
    }

    fn verdict(values: impl Iterator<Item = f64>) -> Result<(), Mismatch> {
        let wanted = Distribution { dtype: Dtype::Float64, shape: vec![1000], column: None };
        judge(&column(values), &uniform(), &wanted)
    }

    #[test]
    fn samples_that_do_not_fit_are_refused() {
        let even = |place: u32| (f64::from(place) + 0.5) / 1000.0;
        verdict((0..1000).map(even)).expect("even");
        assert!(
            verdict((0..1000).map(|place| even(place).powf(1.3))).is_err(),
            "another distribution"
        );
        // The right distance everywhere, but every other cell is empty.
        let pairs = |place: u32| (even(place) * 10.0).floor() / 10.0 + 0.025;
        assert!(verdict((0..1000).map(pairs)).is_err(), "cells");
        assert!(
            verdict((0..1000).map(|place| if place == 7 { f64::NAN } else { even(place) }))
                .is_err()
        );
        assert!(verdict((0..999).map(even)).is_err(), "shape");
    }

    #[test]
    fn an_order_is_of_the_same_values() {
        let (a, b) = ([1.0, 2.0, 2.0], [2.0, 1.0, 2.0]);
        assert!(reordered(&column(a.into_iter()), &column(b.into_iter())).is_ok());
        assert!(reordered(&column(a.into_iter()), &column([1.0, 1.0, 2.0].into_iter())).is_err());
    }
}
