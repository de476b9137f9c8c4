//! Weights added up by number, as counting with weights, histograms and additions at places that repeat need them.
//!
//! The weights are cut into pieces; in a piece those of a number are added from left to right, beginning with -0.0, which
//! changes no number, and the pieces' sums are a column that is added up as any other. So the bits depend on how many weights
//! and numbers there are, and on no device. Where a device combines in the order of the elements this is one pass over them;
//! elsewhere they are sorted, and each number of a piece is a segment.

use crate::arguments::Arange;
use crate::array::ufunc::at::SegmentsByKey;
use crate::array::{Array, indexing::gather};
use ndany_core::backend::CombineOrder;
use ndany_core::program::{Combine, Prim};
use ndany_core::{DType, Result};

/// The pieces decide the bits, so this is the same on every device.
///
/// Weights of a piece (a power of two) where there are not many numbers: enough for a piece's table to be small beside it,
/// few enough for one thread of a GPU to add up.
const PIECE: usize = 1 << 14;

/// Weights and the number that each counts for.
pub(in crate::array) struct WeightedBincount<'a> {
    pub(in crate::array) op: &'static str,
    /// I64, of `0..length`.
    pub(in crate::array) numbers: &'a Array,
    /// F32, F64 or I64, 1-d, as many as numbers.
    pub(in crate::array) weights: &'a Array,
    pub(in crate::array) length: usize,
    /// Whether all numbers are in `0..length`. If not, one that is not is an error, which takes a device that works in
    /// order.
    pub(in crate::array) bounds_checked: bool,
}

impl WeightedBincount<'_> {
    /// What the weights of each number add up to; -0.0 where there is none.
    #[track_caller]
    pub(in crate::array) fn sums(&self) -> Result<Array> {
        let _guard = self.weights.device().enter();
        if self.numbers.size() == 0 {
            return crate::array::try_full(self.length, -0.0, self.weights.dtype());
        }
        let enough = self.length.saturating_mul(4).checked_next_power_of_two().unwrap_or(PIECE);
        let table = match self.weights.device().backend().profile().ordered_scatter_add {
            true => self.in_order(PIECE.max(enough))?,
            false => self.by_sorting(PIECE.max(enough))?,
        };
        table.try_sum(0)
    }

    /// The sums of each piece: pieces, numbers.
    #[track_caller]
    fn in_order(&self, piece: usize) -> Result<Array> {
        let WeightedBincount { op, numbers, weights, length, bounds_checked } = *self;
        let count = numbers.size();
        let mut table =
            crate::array::try_full([count.div_ceil(piece), length], -0.0, weights.dtype())?;
        let (whole, rest) = (count / piece, (count - count % piece) as isize);
        if whole > 0 {
            let pieces =
                |array: &Array| array.try_i(..rest)?.try_reshape([whole as isize, piece as isize]);
            let (numbers, weights) = (pieces(numbers)?, pieces(weights)?);
            let advanced_index = |table: &Array| {
                let table = table.try_i(..whole as isize)?;
                let mut advanced_index =
                    gather::AdvancedIndex::beside(&table, 1, &numbers, &[whole, piece]);
                // The caller's number is an index of one axis, which the error names.
                (
                    advanced_index.indexed_axes[0].axis,
                    advanced_index.indexed_axes[0].bounds_checked,
                ) = (0, bounds_checked);
                Ok(advanced_index)
            };
            gather::scatter(op, &mut table, &advanced_index, &weights, Some(Prim::Add))?;
        }
        if (rest as usize) < count {
            let (numbers, weights) = (numbers.try_i(rest..)?, weights.try_i(rest..)?);
            let advanced_index = |table: &Array| {
                let mut advanced_index =
                    gather::AdvancedIndex::along(&table.try_i(whole as isize)?, 0, &numbers)?;
                advanced_index.indexed_axes[0].bounds_checked = bounds_checked;
                Ok(advanced_index)
            };
            gather::scatter(op, &mut table, &advanced_index, &weights, Some(Prim::Add))?;
        }
        Ok(table)
    }

    /// The same on devices whose threads do not wait for each other.
    #[track_caller]
    fn by_sorting(&self, piece: usize) -> Result<Array> {
        let WeightedBincount { op, numbers, weights, length, bounds_checked } = *self;
        debug_assert!(
            bounds_checked,
            "a number that is not there would be taken for another piece's"
        );
        let pieces = numbers.size().div_ceil(piece);
        let mut numbers = numbers.clone();
        if pieces > 1 {
            let number =
                crate::array::try_arange(Arange::of(0, numbers.size(), 1, Some(DType::I64)))?;
            let number = number.try_right_shift(i64::from(piece.ilog2()))?;
            numbers = numbers.try_add(number.try_multiply(length as i64)?)?;
        }
        let places = SegmentsByKey::new(&numbers, pieces * length)?;
        let (sorted, add) = (weights.try_take(&places.order, 0)?, Combine::Prim(Prim::Add));
        let sums = places.fold(op, &sorted, weights.dtype(), CombineOrder::Left, add, false)?;
        let mut table = crate::array::try_full(pieces * length, -0.0, weights.dtype())?;
        table.try_put(&places.distinct, &sums, ..)?;
        table.try_reshape([pieces as isize, length as isize])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::launch_counts::Statistics;
    use crate::{Device, Generator};
    use ndany_core::backend::DeviceProfile;
    use ndany_reference::Reference;

    fn numbers(count: usize, length: usize) -> Vec<i64> {
        (0..count).map(|at| (at * at * 7 % 1013 % length) as i64).collect()
    }

    /// What a plain loop makes of pieces.
    fn plain(numbers: &[i64], weights: &[f64], length: usize, piece: usize) -> Vec<u64> {
        let sums =
            numbers.chunks(piece).zip(weights.chunks(piece)).flat_map(|(numbers, weights)| {
                let mut sums = vec![-0.0_f64; length];
                for (&number, weight) in numbers.iter().zip(weights) {
                    sums[number as usize] += weight;
                }
                sums
            });
        sums.map(f64::to_bits).collect()
    }

    #[test]
    fn both_ways_have_the_same_bits() {
        let _guard = Device::open("reference").expect("always there").enter();
        let piece = 256;
        for (count, length) in [(1, 1), (255, 7), (256, 3), (257, 40), (2000, 12), (2048, 1000)] {
            let numbers = numbers(count, length);
            // Number 0 has zeros only.
            let weight =
                |at: usize| if numbers[at] == 0 { -0.0 } else { 1.0 / (at as f64 + 0.3) - 1e-3 };
            let weights: Vec<f64> = (0..count).map(weight).collect();
            let expected = plain(&numbers, &weights, length, piece);
            let (numbers, weights) = (Array::from(numbers), Array::from(weights));
            let (op, numbers, weights) = ("bincount", &numbers, &weights);
            let weighed = WeightedBincount { op, numbers, weights, length, bounds_checked: true };
            for way in [WeightedBincount::in_order, WeightedBincount::by_sorting] {
                let table = way(&weighed, piece).expect("computed");
                assert_eq!(table.shape(), [count.div_ceil(piece), length]);
                let bits = table.ravel().to_vec::<f64>().expect("computed");
                let bits: Vec<u64> = bits.into_iter().map(f64::to_bits).collect();
                assert!(bits == expected, "{count} weights of {length} numbers");
            }
        }
    }

    /// The sums' bits, and whether the weights were sorted.
    fn sums(ordered_scatter_add: bool) -> (Vec<u64>, bool) {
        let profile = DeviceProfile { ordered_scatter_add, ..DeviceProfile::SYNCHRONOUS };
        let _guard = Device::custom(Arc::new(Reference::with_profile(profile))).enter();
        let weights = Generator::new(5).standard_normal(1000);
        let numbers = (&weights * 3.0).astype(DType::I64).remainder(10);
        let weighed = WeightedBincount {
            op: "sums",
            numbers: &numbers,
            weights: &weights,
            length: 10,
            bounds_checked: true,
        };
        let before = Statistics::now();
        let sums = weighed.sums().expect("computed").to_vec::<f64>().expect("computed");
        let sorts = Statistics::now().since(&before).sorts;
        (sums.into_iter().map(f64::to_bits).collect(), sorts > 0)
    }

    #[test]
    fn the_choice_follows_the_profile() {
        let (ordered, sorted) = (sums(true), sums(false));
        assert_eq!(ordered.0, sorted.0);
        assert_eq!((ordered.1, sorted.1), (false, true), "whether weights were sorted");
    }
}
