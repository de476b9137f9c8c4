//! The elements that stand at some places of a long sequence when it is sorted, without sorting it: a sample says between
//! which values they are, one pass counts what is below, and only what lies between is sorted.
//!
//! Equal elements keep their order in that band as in the whole, so what is found is, to the bit, what a sort puts there.
//! Deliberately absent: NaNs, several rows, many places; then nothing is found and the caller sorts.

use crate::array::{Array, indexing::gather};
use ndany_core::{DType, Kind, Result};

/// Maximum number of bands. Each costs one pass over the sequence.
const BANDS: usize = 4;

/// The most elements of a sample.
const SAMPLE: usize = 1 << 16;

/// Standard deviations by which a sample may err.
const DEVIATIONS: f64 = 5.0;

/// NaNs are counted beside other elements, in the bits above these.
const COUNT_BITS: u32 = 40;

/// Whether this is a sequence of at least `least` real numbers.
pub(in crate::array) fn is_long(row: &Array, least: usize) -> bool {
    let real = matches!(row.dtype().kind(), Kind::Int | Kind::Float);
    row.ndim() == 1 && row.size() >= least && real
}

/// Some elements of a long row, sorted.
#[track_caller]
pub(in crate::array) fn sample(row: &Array) -> Result<Array> {
    let count = row.size();
    let step = count.div_ceil(SAMPLE.min(count / 128));
    row.try_i(crate::s![..;step as isize])?.try_sort(0)
}

/// The elements of a row at places (I64, 1-d) of the sorted row; nothing where the row must be sorted.
pub(in crate::array) fn elements(row: &Array, places: &Array) -> Result<Option<Array>> {
    let few = places.ndim() == 1 && places.size() <= 2 * BANDS;
    if !is_long(row, row.device().backend().profile().sample_select_min) || !few {
        return Ok(None);
    }
    let places = places.to_vec::<i64>()?;
    let bands = bands(&places);
    if bands.len() > BANDS {
        return Ok(None);
    }
    let _guard = row.device().enter();
    let sample = sample(row)?;
    let mut found = Vec::new();
    for band in &bands {
        match between(row, &sample, *band)? {
            Some(elements) => found.push(elements),
            None => return Ok(None),
        }
    }
    // Each place in its band.
    let picked: Vec<Array> = places
        .iter()
        .filter_map(|&place| {
            let number = bands.iter().position(|&[first, last]| (first..=last).contains(&place))?;
            let at = (place - bands[number][0]) as isize;
            Some(found[number].try_i(crate::s![at..at + 1]))
        })
        .collect::<Result<_>>()?;
    crate::array::try_concatenate(&picked.iter().collect::<Vec<_>>(), 0).map(Some)
}

/// The first and the last of places that follow each other.
pub(in crate::array) fn bands(places: &[i64]) -> Vec<[i64; 2]> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let mut bands: Vec<[i64; 2]> = Vec::new();
    for place in sorted {
        match bands.last_mut() {
            Some([_, last]) if place <= *last + 1 => *last = place,
            _ => bands.push([place, place]),
        }
    }
    bands
}

/// Elements (0-d) between which those at some places are, if the sample has them where it should; none where the sample
/// ends before.
pub(in crate::array) struct Limits {
    pub(in crate::array) low: Option<Array>,
    pub(in crate::array) high: Option<Array>,
}

impl Limits {
    /// Of the elements at places `first ..= last` of a row of `count`. Nothing where all elements could be there.
    #[track_caller]
    pub(in crate::array) fn of(
        sample: &Array,
        count: usize,
        [first, last]: [i64; 2],
    ) -> Result<Option<Self>> {
        let (count, size) = (count as f64, sample.size() as f64);
        let at = |place: i64| (place as f64 + 0.5) / count * size;
        let margin = |place: i64| {
            let share = (place as f64 + 0.5) / count;
            DEVIATIONS * (size * share * (1.0 - share)).sqrt() + 2.0
        };
        let low = (at(first) - margin(first)).floor();
        let high = (at(last) + margin(last)).ceil();
        let limit = |place: f64| sample.try_i(place as isize);
        let low = if low < 0.0 { None } else { Some(limit(low)?) };
        let high = if high > size - 1.0 { None } else { Some(limit(high)?) };
        Ok((low.is_some() || high.is_some()).then_some(Self { low, high }))
    }

    /// Which elements are within the limits: Bool.
    #[track_caller]
    fn inside(&self, row: &Array) -> Result<Array> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => {
                row.try_greater_equal(low)?.try_logical_and(row.try_less_equal(high)?)
            }
            (Some(low), None) => row.try_greater_equal(low),
            (None, Some(high)) => row.try_less_equal(high),
            (None, None) => crate::array::try_ones(row.shape(), DType::Bool),
        }
    }

    /// How many elements are below them, and how many within (which `inside` shows); nothing where there is a NaN. Waits
    /// once.
    #[track_caller]
    fn counts(&self, row: &Array, inside: &Array) -> Result<Option<[usize; 2]>> {
        let low = self.low.as_ref();
        let less = low.map(|low| row.try_less(low)?.try_astype(DType::I64)).transpose()?;
        let nans = match row.dtype().kind() {
            Kind::Float => {
                let nans = row.try_isnan()?.try_astype(DType::I64)?;
                Some(nans.try_left_shift(i64::from(COUNT_BITS))?)
            }
            Kind::Bool | Kind::Int | Kind::Complex => None,
        };
        let below = match (less, nans) {
            (Some(less), Some(nans)) => less.try_add(nans)?.try_sum(0)?,
            (Some(tally), None) | (None, Some(tally)) => tally.try_sum(0)?,
            (None, None) => crate::array::try_zeros((), DType::I64)?,
        };
        let counts = [below.try_expand_dims(0)?, inside.try_sum(0)?.try_expand_dims(0)?];
        let counts =
            crate::array::try_concatenate(&[&counts[0], &counts[1]], 0)?.to_vec::<i64>()?;
        let [below, inside] = [counts[0], counts[1]];
        Ok((below >> COUNT_BITS == 0).then_some([below as usize, inside as usize]))
    }
}

/// The elements at places `first ..= last`, if the sample has them where it should, and there is no NaN.
fn between(row: &Array, sample: &Array, [first, last]: [i64; 2]) -> Result<Option<Array>> {
    let Some(limits) = Limits::of(sample, row.size(), [first, last])? else { return Ok(None) };
    let inside = limits.inside(row)?;
    let Some([below, within]) = limits.counts(row, &inside)? else { return Ok(None) };
    let (first, last) = (first - below as i64, last - below as i64);
    if first < 0 || last >= within as i64 {
        return Ok(None);
    }
    let band = gather::select_counted(row, &inside, within)?;
    band.try_sort(0)?.try_i(crate::s![first as isize..last as isize + 1]).map(Some)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::launch_counts::Statistics;
    use crate::{Device, Generator};
    use ndany_core::backend::DeviceProfile;
    use ndany_reference::Reference;

    /// The shortest row that is sampled on the device of these tests.
    const LONG: usize = 1 << 15;

    fn device(sample_select_min: usize) -> Device {
        let profile = DeviceProfile { sample_select_min, ..DeviceProfile::SYNCHRONOUS };
        Device::custom(Arc::new(Reference::with_profile(profile)))
    }

    /// Places beside those of a sort, to the bit.
    #[track_caller]
    fn check(row: &Array, places: &[i64], expected: bool) {
        let found = elements(row, &Array::from(places)).expect("computed");
        assert_eq!(found.is_some(), expected, "{} of {}", row.size(), row.dtype());
        if let Some(found) = found {
            let sorted = row.sort(0).take(Array::from(places), -1);
            let bits = |array: &Array| array.astype(DType::F64).to_vec::<f64>().expect("computed");
            let bits =
                |array: &Array| bits(array).into_iter().map(f64::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&sorted));
        }
    }

    #[test]
    fn what_a_sort_puts_there_is_found() {
        let _guard = device(LONG).enter();
        let count = LONG as i64;
        let normal = Generator::new(1).standard_normal(LONG);
        check(&normal, &[count / 2 - 1, count / 2], true);
        check(&normal, &[0, count - 1, 7, 8], true);
        check(&normal, &[1, 3, 5, 7, 9], false);
        let whole = (&normal * 10.0).astype(DType::I16);
        check(&whole, &[count / 4, count / 4 * 3], true);
        // Zeros of both signs keep the order that they have.
        let zeros =
            crate::checked::where_(normal.greater(0.5), &normal, &normal * 0.0).expect("chosen");
        check(&zeros, &[count / 2, count / 3], true);
        let one = normal.i(..1).broadcast_to([LONG]).copy();
        check(&one, &[count / 2], true);
        let rising =
            crate::array::try_arange(crate::arguments::Arange::of(0, LONG, 1, Some(DType::F32)))
                .expect("made");
        check(&rising, &[5, count / 2, count - 2], true);
        check(&normal.i(..1000), &[3], false);
        check(&normal.i(1..), &[3], false);
        let mut spoiled = normal.copy();
        spoiled.try_set(77, f64::NAN).expect("written");
        check(&spoiled, &[3], false);
        assert!(spoiled.median(..).isnan().item::<bool>().expect("computed"));
    }

    /// The bits of a row's median, and whether a band of the row was selected for it.
    fn median(device: &Device) -> (u64, bool) {
        let _guard = device.enter();
        let row = Generator::new(3).standard_normal(1 << 14);
        row.eval().expect("computed");
        let before = Statistics::now();
        let median = row.median(..).item::<f64>().expect("computed");
        (median.to_bits(), Statistics::now().since(&before).selects > 0)
    }

    #[test]
    fn the_choice_follows_the_profile() {
        let (sampled, sorted) = (median(&device(1 << 14)), median(&device((1 << 14) + 1)));
        assert_eq!(sampled.0, sorted.0);
        assert_eq!((sampled.1, sorted.1), (true, false), "whether a band was selected");
    }
}
