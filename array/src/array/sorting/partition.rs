//! Partitions: what a sort would put at some positions stands there, nothing larger before and nothing smaller after.
//!
//! A sorted axis is a partitioned one, so that is what short rows get, complex numbers, and most lists of positions. Other
//! rows of real numbers keep their order before, about and after the element at one position. One long row
//! without a NaN is partitioned by two limits where the positions follow each other: a sample says between which limits their elements are (see
//! `sample_select`), and what lies between is sorted.

use crate::arguments::options::*;
use crate::arguments::{Integers, IntoAxis};
use crate::array::Array;
use crate::array::sorting::sample_select::{self, Limits};
use crate::array::sorting::sort::{Arranged, SortRows, contiguous_rows};
use crate::buffer::Buffer;
use crate::declare::array_functions;
use crate::graph::node::Node;
use crate::launch_counts;
use ndany_core::backend::{Checked, NthElement, PartSizes, PartitionThreeWay, Sorted, StridedView};
use ndany_core::shape::{Shape, axis_index};
use ndany_core::{DType, Error, Kind, Result};

// Elements that are not at a requested position lie otherwise in a sorted row than in a partitioned one, so these numbers
// decide results and are the same on every device.

/// Minimum length of a row that is partitioned. Sorting a shorter one takes about as long.
const SHORT: usize = 128;

/// Maximum length of rows of which a few are partitioned: a GPU assigns a part of itself to each row.
const LONG: usize = 1 << 16;

/// Minimum number of longer rows, which occupies all of a GPU.
const MANY: usize = 64;

/// Minimum length of a single row that is partitioned by limits from a sample.
const SAMPLED: usize = 1 << 19;

array_functions! {
    checked partitions, free free_partitions;

    /// Partitions an axis so that each position of `kth` holds what a sort would put there, as `np.partition`.
    ///
    /// Nothing larger comes before such a position and nothing smaller after it. `..` takes all elements as one row. Waits where a
    /// long row is partitioned.
    ///
    /// - **Shapes**: `(…) → (…)`, `(size,)` for `..`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a position or an axis out of range.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([7, 1, 5, 3]);
    /// assert_eq!(a.partition(2, 0).i(2).item::<i32>()?, 5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    partition / try_partition (self, kth: impl Integers, axis: impl IntoAxis<LastAxis>) -> Array {
        self.partitioned("partition", kth, axis.into_axis().axis("partition")?, Sorted::Values)
    }

    /// Returns the positions that partition an axis, as `np.argpartition`.
    ///
    /// - **Shapes**: `(…) → (…)`, `(size,)` for `..`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: a position or an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1, 2]).argpartition(0, 0).i(0).to_string(), "1");
    /// ```
    argpartition / try_argpartition (self, kth: impl Integers, axis: impl IntoAxis<LastAxis>) -> Array {
        self.at_least_1d()?.partitioned("argpartition", kth, axis.into_axis().axis("argpartition")?, Sorted::Positions)
    }
}

impl Array {
    #[track_caller]
    fn partitioned(
        &self,
        op: &'static str,
        kth: impl Integers,
        axis: Option<isize>,
        write: Sorted,
    ) -> Result<Array> {
        self.partitioned_from(SAMPLED, op, kth, axis, write)
    }

    /// [`Array::partitioned`], where single rows of at least `sampled` elements are partitioned by a sample.
    #[track_caller]
    fn partitioned_from(
        &self,
        sampled: usize,
        op: &'static str,
        kth: impl Integers,
        axis: Option<isize>,
        write: Sorted,
    ) -> Result<Array> {
        let length = match axis {
            Some(axis) => self.shape()[axis_index(op, axis, self.ndim())?],
            None => self.size(),
        };
        let places = positions_from_front(op, kth, length, self.size())?;
        let backend = self.device().backend();
        self.along_rows(op, axis, |rows| {
            let [band] = sample_select::bands(&places)[..] else {
                return rows.sorted_rows(op, write);
            };
            if sample_select::is_long(rows, sampled)
                && let Some(sizes) = partition_by_sample(op, rows, band, write)?
            {
                return Ok(sizes);
            }
            let [place, last] = band;
            if place != last || !is_worth_it(rows) {
                return rows.sorted_rows(op, write);
            }
            rows.arranged_rows(op, write, |Arranged { rows, length, source, output }| {
                let place = place as usize;
                let partition = NthElement { rows, length, place, source, output, write };
                backend.nth_element(Checked::new(&partition)?)
            })
        })
    }
}

/// Whether [`Backend::nth_element`](ndany_core::backend::Backend::nth_element) is quicker than a sort for these rows.
fn is_worth_it(rows: &Array) -> bool {
    let Some(&length) = rows.shape().last() else { return false };
    let enough = || length <= LONG || rows.size() / length >= MANY;
    matches!(rows.dtype().kind(), Kind::Int | Kind::Float) && length >= SHORT && enough()
}

/// The positions counted from the front, none of which is outside the axis (of an array that has elements).
fn positions_from_front(
    op: &str,
    kth: impl Integers,
    length: usize,
    size: usize,
) -> Result<Vec<i64>> {
    let bounds = -(length as isize)..length as isize;
    let from_front = |kth: isize| if kth < 0 { kth + length as isize } else { kth } as i64;
    let place = |kth: isize| match size == 0 || bounds.contains(&kth) {
        true => Ok(from_front(kth)),
        false => Err(Error::ArgumentValue {
            op: op.to_string(),
            reason: format!("kth is {kth}, outside an axis of {length} elements"),
        }),
    };
    kth.integers().into_iter().map(place).collect()
}

/// A long row (or its positions) with what belongs to places `first ..= last` there; nothing where it must be sorted.
#[track_caller]
fn partition_by_sample(
    op: &'static str,
    row: &Array,
    band: [i64; 2],
    write: Sorted,
) -> Result<Option<Array>> {
    let _guard = row.device().enter();
    let Some(limits) = Limits::of(&sample_select::sample(row)?, row.size(), band)? else {
        return Ok(None);
    };
    let Some((mut all, PartSizes { below, inside })) = at_limits(op, row, &limits, write)? else {
        return Ok(None);
    };
    if (below as i64) > band[0] || band[1] >= (below + inside) as i64 {
        return Ok(None);
    }
    let within = || crate::s![below as isize..(below + inside) as isize];
    let sorted = sorted_part(row, &all.try_i(within())?, write)?;
    all.try_set(within(), &sorted)?;
    Ok(Some(all))
}

/// Elements of a row, or their positions, in order.
#[track_caller]
fn sorted_part(row: &Array, middle: &Array, write: Sorted) -> Result<Array> {
    match write {
        Sorted::Values => middle.try_sort(0),
        Sorted::Positions => middle.try_take(&row.try_take(middle, 0)?.try_argsort(0)?, 0),
    }
}

/// The row partitioned by the limits; `None` if the device does not implement that, or if an element has no order.
#[track_caller]
fn at_limits(
    op: &'static str,
    row: &Array,
    limits: &Limits,
    write: Sorted,
) -> Result<Option<(Array, PartSizes)>> {
    let (device, count) = (row.device().clone(), row.size());
    let dtype = match write {
        Sorted::Values => row.dtype(),
        Sorted::Positions => DType::I64,
    };
    let buffer = |limit: &Option<Array>| limit.as_ref().map(Array::buffer).transpose();
    let (low, high) = (buffer(&limits.low)?, buffer(&limits.high)?);
    fn place<'a>(limit: &Option<Array>, buffer: &'a Option<Buffer>) -> Option<StridedView<'a>> {
        let (limit, buffer) = (limit.as_ref()?, buffer.as_ref()?);
        let (offset, strides) = (limit.layout().offset, Default::default());
        Some(StridedView { memory: buffer.memory(), dtype: limit.dtype(), offset, strides })
    }
    let rows = SortRows::of(row, 1, count)?;
    let output = Buffer::allocate(op, device.backend(), count * dtype.size())?;
    let partition = PartitionThreeWay {
        length: count,
        source: rows.place(),
        low: place(&limits.low, &low),
        high: place(&limits.high, &high),
        output: contiguous_rows(&output, dtype, count),
        write,
    };
    let sizes = device.backend().partition_three_way(Checked::new(&partition)?)?;
    let Some(sizes) = sizes else { return Ok(None) };
    launch_counts::count(|counts| &mut counts.operations);
    let node = Node::done(op, Shape::from_slice(&[count]), dtype, device, Ok(output));
    Ok(Some((Array::of_node(node), sizes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, Generator};

    /// What belongs at the places is there, nothing larger before and nothing smaller after, and positions lead to the
    /// same elements.
    #[track_caller]
    fn check(row: &Array, kth: &[isize]) {
        let partitioned = |op: &'static str, write: Sorted| {
            row.partitioned_from(1 << 15, op, kth, Some(0), write).expect("partitioned")
        };
        let (values, sorted) = (partitioned("partition", Sorted::Values), row.sort(0));
        for &k in kth {
            let of = |array: &Array| array.i(k).astype(DType::F64).item::<f64>().expect("computed");
            assert_eq!(of(&values).to_bits(), of(&sorted).to_bits(), "{k} of {}", row.dtype());
            let (before, after) = (values.i(crate::s![..k]), values.i(crate::s![k..]));
            let holds = |array: Array| array.all(..).item::<bool>().expect("computed");
            assert!(holds(before.less_equal(values.i(k))), "{k} of {}", row.dtype());
            assert!(holds(after.greater_equal(values.i(k))), "{k} of {}", row.dtype());
        }
        let positions = partitioned("argpartition", Sorted::Positions);
        let bits = |array: &Array| {
            let values = array.astype(DType::F64).to_vec::<f64>().expect("computed");
            values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(bits(&row.take(&positions, 0)), bits(&values), "{}", row.dtype());
        let all = positions.sort(0).equal(crate::arange(row.size() as i64)).all(..);
        assert!(all.item::<bool>().expect("computed"), "every position once");
    }

    #[test]
    fn rows_keep_their_order_about_an_element() {
        let _guard = Device::open("reference").expect("always there").enter();
        let normal = Generator::new(2).standard_normal([3, SHORT]);
        let rows = crate::checked::where_(normal.less(-1.0), f64::NAN, (&normal * 2.0).rint())
            .expect("chosen");
        for kth in [0, 5, SHORT - 1] {
            let values = rows.partition(kth as isize, -1);
            let positions = rows.argpartition(kth as isize, 1);
            let taken = rows.take_along_axis(&positions, 1).to_vec::<f64>().expect("computed");
            let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&taken), bits(&values.to_vec::<f64>().expect("computed")));
            let sorted = rows.sort(1).to_vec::<f64>().expect("computed");
            let positions = positions.to_vec::<i64>().expect("computed");
            let order = |x: f64, middle: f64| {
                x.partial_cmp(&middle).unwrap_or_else(|| x.is_nan().cmp(&middle.is_nan()))
            };
            for row in 0..3 {
                let [taken, sorted] = [&taken, &sorted].map(|all| &all[row * SHORT..][..SHORT]);
                let places = &positions[row * SHORT..][..SHORT];
                let keys = |at: usize| (order(taken[at], sorted[kth]), places[at]);
                assert!((1..SHORT).all(|at| keys(at - 1) < keys(at)), "{kth}, row {row}");
                assert!(order(taken[kth], sorted[kth]).is_eq(), "{kth}, row {row}");
            }
        }
        // Along another axis, and of what has no such order: by a sort.
        check_axis(&rows, 0);
        check_axis(&normal.astype(DType::C128), 1);
        check_axis(&normal.greater(0.0), 1);
    }

    #[track_caller]
    fn check_axis(array: &Array, axis: isize) {
        let all = array.partition(1, axis).equal(array.sort(axis));
        let nans = array.sort(axis).isnan();
        assert!(all.logical_or(nans).all(..).item::<bool>().expect("computed"));
    }

    #[test]
    fn long_rows_are_partitioned_by_a_sample() {
        let _guard = Device::open("reference").expect("always there").enter();
        let count = (1_usize << 15) + 77;
        let normal = Generator::new(1).standard_normal(count);
        let places = [0, 5, count as isize / 2, count as isize - 1];
        for place in places {
            check(&normal, &[place]);
        }
        check(&normal, &[-3, -2]);
        check(&(&normal * 10.0).astype(DType::I16), &[count as isize / 3]);
        // Zeros of both signs, equal elements only, and a row that must be sorted.
        check(
            &crate::checked::where_(normal.greater(0.5), &normal, &normal * 0.0).expect("chosen"),
            &[count as isize / 2],
        );
        check(&normal.i(..1).broadcast_to([count]).copy(), &[9]);
        let mut spoiled = normal.copy();
        spoiled.try_set(77, f64::NAN).expect("written");
        let found = spoiled.partition(7, 0).i(7).item::<f64>().expect("computed");
        assert_eq!(found, normal.sort(0).i(7).item::<f64>().expect("computed").max(found));
    }
}
