//! Integers that lie close together: a table with a place for each number that there may be stands in for sorting.
//!
//! Reading the bounds synchronizes with the device, so callers are functions that synchronize anyway, or of which the sort is longer than a wait. As
//! pandas' and NumPy's (`isin`, `kind="table"`) tables.

use crate::arguments::Arange;
use crate::array::sets::unique::{Find, Unique};
use crate::array::{Array, indexing::gather};
use crate::extend::guess;
use ndany_core::program::Prim;
use ndany_core::{DType, Kind, Result};

/// Elements from which a table is thought of.
const LARGE: usize = 1 << 10;

/// An index set is sparse if it selects at most one element in this number.
const FEW: usize = 8;

/// Numbers within bounds.
pub(in crate::array) struct IntegerTable {
    /// The least one, as I64: of U64 its bits.
    least: i64,
    /// How many there may be.
    extent: usize,
}

impl IntegerTable {
    /// The bounds of an array of integers (or booleans), if there are not more numbers between them than `most`. Waits.
    #[track_caller]
    pub(in crate::array) fn of(array: &Array, most: usize) -> Result<Option<IntegerTable>> {
        let whole = matches!(array.dtype().kind(), Kind::Int | Kind::Bool);
        if !whole || array.size() == 0 || most < LARGE {
            return Ok(None);
        }
        let bounds = [array.try_min(..)?, array.try_max(..)?];
        // Both are under way before one is waited for.
        bounds.iter().try_for_each(Array::eval)?;
        let bound = |bound: &Array| bound.try_astype(DType::I64)?.item::<i64>();
        let (least, largest) = (bound(&bounds[0])?, bound(&bounds[1])?);
        // Most arrays have fewer numbers than elements.
        let largest = guess(largest, array.size() as i64 / 2);
        let extent = largest.wrapping_sub(least) as u64;
        // Numbers may span all 64 bits: one more than that is no number.
        Ok((extent < most as u64).then(|| IntegerTable { least, extent: extent as usize + 1 }))
    }

    /// Where numbers have their places: I64.
    #[track_caller]
    fn slots(&self, numbers: &Array) -> Result<Array> {
        numbers.try_astype(DType::I64)?.try_subtract(self.least)
    }

    /// Whether each number exists, as a table with `after` further entries, which are false.
    #[track_caller]
    fn table(&self, places: &Array, after: usize) -> Result<Array> {
        let _guard = places.device().enter();
        let mut table = crate::array::try_zeros(self.extent + after, DType::Bool)?;
        let shown = crate::array::try_full(1, true, DType::Bool)?;
        combine(&mut table, places, &shown, Prim::Or)?;
        Ok(table)
    }

    /// Which of some integers are among these numbers, all of one dtype; Bool.
    #[track_caller]
    pub(in crate::array) fn has(&self, numbers: &Array, wanted: &Array) -> Result<Array> {
        let table = self.table(&self.slots(numbers)?, 1)?;
        // Without a sign what lies below the least one is beyond the largest.
        let place = self.slots(wanted)?.try_astype(DType::U64)?;
        // Most may be far from all numbers, and need not be looked up where it costs nothing to know.
        if wanted.device().backend().profile().is_synchronous {
            let near = place.try_less(self.extent as u64)?.try_ravel()?;
            let count = near.try_sum(..)?.item::<i64>()? as usize;
            if count < wanted.size() / FEW {
                let _guard = wanted.device().enter();
                let mut found = crate::array::try_zeros(wanted.size(), DType::Bool)?;
                let positions = gather::positions_counted(&near, count)?;
                let near = wanted.try_ravel()?.try_take(&positions, 0)?;
                found.try_put(&positions, table.try_take(self.slots(&near)?, 0)?, ..)?;
                return found.try_reshape(wanted.shape());
            }
        }
        // Both ends have the position after the last.
        let place = place.try_minimum(self.extent as u64)?.try_astype(DType::I64)?;
        table.try_take(place, 0)
    }

    /// The different ones of these numbers (1-d), ascending, and what else was asked for.
    #[track_caller]
    pub(in crate::array) fn unique(
        &self,
        numbers: &Array,
        shape: &[usize],
        options: Find,
    ) -> Result<Unique> {
        let _guard = numbers.device().enter();
        let places = self.slots(numbers)?;
        let table = self.table(&places, 0)?;
        let values = gather::flat_positions(&table)?;
        let index = match options.index {
            true => {
                let count = numbers.size();
                let mut first = crate::array::try_full(self.extent, count as i64, DType::I64)?;
                let positions =
                    crate::array::try_arange(Arange::of(0, count, 1, Some(DType::I64)))?;
                combine(&mut first, &places, &positions, Prim::Min)?;
                Some(first.try_take(&values, 0)?)
            }
            false => None,
        };
        let inverse = match options.inverse {
            true => {
                let number = table.try_cumsum(0)?.try_subtract(1)?;
                Some(number.try_take(&places, 0)?.try_reshape(shape)?)
            }
            false => None,
        };
        let counts = match options.counts {
            true => {
                let every =
                    crate::array::try_arange(Arange::of(0, self.extent, 1, Some(DType::I64)))?;
                let counts = crate::array::sorting::search::place_counts(
                    "unique",
                    &every,
                    &places,
                    crate::array::Side::Right,
                )?;
                Some(counts.try_i(crate::s![1..])?.try_take(&values, 0)?)
            }
            false => None,
        };
        let values = values.try_add(self.least)?.try_astype(numbers.dtype())?;
        Ok(Unique { values, index, inverse, counts })
    }
}

/// Combines values into a table at places.
#[track_caller]
fn combine(table: &mut Array, places: &Array, values: &Array, prim: Prim) -> Result<()> {
    let advanced_index = |table: &Array| gather::AdvancedIndex::along(table, 0, places);
    gather::scatter("unique", table, &advanced_index, values, Some(prim))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Device;
    use crate::launch_counts::Statistics;
    use ndany_core::backend::DeviceProfile;
    use ndany_reference::Reference;

    /// Which of many numbers are among few, and whether those within the bounds were selected first.
    fn found(is_synchronous: bool) -> (Vec<bool>, bool) {
        let profile = DeviceProfile { is_synchronous, ..DeviceProfile::SYNCHRONOUS };
        let _guard = Device::custom(Arc::new(Reference::with_profile(profile))).enter();
        let numbers = Array::from([3_i64, 5, 9]);
        let wanted = crate::arange(1000);
        let near = IntegerTable::of(&numbers, LARGE).expect("computed").expect("within bounds");
        let before = Statistics::now();
        let found = near.has(&numbers, &wanted).expect("computed").to_vec::<bool>().expect("read");
        (found, Statistics::now().since(&before).selects > 0)
    }

    #[test]
    fn the_choice_follows_the_profile() {
        let (selected, looked_up) = (found(true), found(false));
        assert_eq!(selected.0, looked_up.0);
        assert_eq!(selected.0.iter().filter(|&&found| found).count(), 3);
        assert_eq!((selected.1, looked_up.1), (true, false), "whether elements were selected");
    }
}
