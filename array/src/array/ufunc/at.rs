//! Operations in place at positions that may repeat: `np.add.at(a, indices, b)` and its kin.
//!
//! Every repetition counts. What may be combined in any order without changing a bit (integers, extrema)
//! is scattered with that combination. Everything else is sorted by target, stably: the values of one
//! target are a segment then, in the order in which they were given. Of a row that may be applied in any
//! order the segment is reduced by the canonical plan, and the element that stands there comes first:
//! `a[i] = a[i] + (b₁ + b₂ + …)`, so that one value per target gives the very bits of `a[i] + b`. Many values
//! that are added to few elements are added up in pieces (see `weighted_bincount`). All other rows go from left to right,
//! starting from the element, each step stored in the array's dtype.

use smallvec::smallvec;

use crate::array::Array;
use crate::array::indexing::fancy::Plan;
use crate::array::indexing::gather::{self, AdvancedIndex};
use crate::array::indexing::index::IntoIndex;
use crate::array::indexing::window::fit;
use crate::array::sets::unique::group_begins;
use crate::array::statistics::weighted_bincount::WeightedBincount;
use crate::array::ufunc::Ufunc;
use crate::elementwise::elementwise;
use crate::graph::fold::{Fold, Pattern, fold};
use crate::graph::{self, Operand};
use ndany_core::backend::CombineOrder;
use ndany_core::ops::UfuncDef;
use ndany_core::program::{Combine, Prim};
use ndany_core::shape::Layout;
use ndany_core::{DType, Error, Result};

/// Elements for each value up to which there are many values.
const MANY: usize = 4;

/// An operation of one operand, as a value: `np.negative` where `negative` is the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnaryUfunc {
    row: &'static UfuncDef,
}

impl UnaryUfunc {
    pub(crate) const fn new(row: &'static UfuncDef) -> Self {
        Self { row }
    }

    /// Returns the operation's entry in the table: names, dtypes, accuracy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::ufunc::exp.row().numpy, "np.exp");
    /// ```
    pub fn row(&self) -> &'static UfuncDef {
        self.row
    }

    /// Applies the operation in place at these positions, once for each time that a position comes, as `np.ufunc.at`.
    ///
    /// The results are converted to the array's dtype.
    ///
    /// - **Errors**: a bad index, or one out of range (nothing is changed then), a dtype on which the operation is not
    ///   defined, what fails on the device.
    ///
    /// ```
    /// use ndany::{Array, Device, ufunc};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([2.0, 3.0, 5.0]);
    /// ufunc::square.at(&mut a, [0, 0, 1]);
    /// assert_eq!(a.to_vec::<f64>()?, [16.0, 9.0, 5.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where one of these is met, but for an error of memory or the device, which stays with the array.
    #[track_caller]
    pub fn at(&self, array: &mut Array, indices: impl IntoIndex) {
        let outcome = self.try_at(array, indices);
        array.settle(self.row.name, outcome);
    }

    #[track_caller]
    pub(crate) fn try_at(&self, array: &mut Array, indices: impl IntoIndex) -> Result<()> {
        let plan = Plan::new(self.row.name, array, indices.into_index())?;
        array.in_its_memory(|array| apply(self.row, array, &plan, None))
    }
}

impl Ufunc {
    /// Applies the operation in place at these positions with these values, as `np.ufunc.at`.
    ///
    /// The values broadcast to the positions; where a position comes twice, both values count. The results are converted to the
    /// array's dtype.
    ///
    /// - **Errors**: those of [`UnaryUfunc::at`], values that do not broadcast, two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, ufunc};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut counts = Array::from([0, 0, 0]);
    /// ufunc::add.at(&mut counts, [2, 0, 2, 2], 1);
    /// assert_eq!(counts.to_vec::<i32>()?, [1, 0, 3]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where one of these is met, but for an error of memory or the device, which stays with the array.
    #[track_caller]
    pub fn at(&self, array: &mut Array, indices: impl IntoIndex, values: impl Into<Operand>) {
        let outcome = self.try_at(array, indices, values);
        array.settle(self.row.name, outcome);
    }

    #[track_caller]
    pub(crate) fn try_at(
        &self,
        array: &mut Array,
        indices: impl IntoIndex,
        values: impl Into<Operand>,
    ) -> Result<()> {
        let plan = Plan::new(self.row.name, array, indices.into_index())?;
        let values = values.into();
        array.in_its_memory(|array| apply(self.row, array, &plan, Some(values)))
    }
}

/// The dtypes of the operation, and what it takes as second operand, in the dtype computed in.
#[track_caller]
fn resolve(
    row: &'static UfuncDef,
    array: &Array,
    values: Option<Operand>,
) -> Result<(DType, DType, Option<Array>)> {
    let op = row.name;
    if row.signature.exponent {
        let reason = "its operands have two dtypes, so it has no `at`".to_string();
        return Err(Error::Unsupported { op: op.to_string(), reason });
    }
    let Some(values) = values else {
        let (compute, output) = row.signature.resolve(op, array.dtype())?;
        return Ok((compute, output, None));
    };
    let operands = [Operand::from(array), values];
    let (compute, output) = row.signature.resolve(op, graph::promote(&operands))?;
    let [_, values] = operands;
    Ok((compute, output, Some(converted(op, array, values, compute)?)))
}

/// The values as an array of this dtype beside `array`.
#[track_caller]
fn converted(op: &'static str, array: &Array, values: Operand, dtype: DType) -> Result<Array> {
    match values {
        Operand::Array(values) => {
            gather::same_device(op, array, &values)?;
            values.try_astype(dtype)
        }
        Operand::Scalar(scalar) => {
            let _guard = array.device().enter();
            crate::array::try_full((), scalar, dtype)
        }
    }
}

/// Whether the result is independent of the order, to the last bit.
fn is_free(prim: Prim, dtype: DType) -> bool {
    match prim {
        Prim::Min | Prim::Max => !dtype.is_complex(),
        Prim::Add | Prim::Mul => dtype.is_int(),
        Prim::And | Prim::Or | Prim::Xor => true,
        _ => false,
    }
}

#[track_caller]
fn apply(
    row: &'static UfuncDef,
    array: &mut Array,
    plan: &Plan,
    values: Option<Operand>,
) -> Result<()> {
    let op = row.name;
    let (compute, output, values) = resolve(row, array, values)?;
    let plain = compute == output && output == array.dtype() && row.arity == 2;
    let by_plan = plain && row.order(compute) == CombineOrder::Plan;
    let adds = by_plan && matches!(row.combine(compute, false), Combine::Prim(Prim::Add));
    let adds = adds && matches!(compute, DType::F32 | DType::F64);
    let many = |targets: &Array| adds && array.size() / MANY <= targets.size();
    // What combines in order looks at positions itself.
    let given = match adds && array.device().backend().profile().ordered_scatter_add {
        true => plan.indexed(op, array)?.filter(many),
        false => None,
    };
    let (targets, bounds_checked) = match given {
        Some(given) => (given, false),
        None => (plan.positions(op, array)?, true),
    };
    let in_pieces = many(&targets);
    let values = match values {
        Some(values) => fit(op, &values, targets.shape())?.try_ravel()?,
        None => {
            let _guard = array.device().enter();
            // A row of one operand does not look at it, but it has a place in each step.
            crate::array::try_full(targets.size(), 0, compute)?
        }
    };
    let targets = targets.try_ravel()?;
    if targets.size() == 0 {
        return Ok(());
    }
    if plain
        && let Combine::Prim(prim) = row.combine(compute, false)
        && is_free(prim, compute)
    {
        return write(op, array, &targets, &values, Some(prim));
    }
    if in_pieces {
        let (numbers, weights, length) = (&targets, &values, array.size());
        let sums = WeightedBincount { op, numbers, weights, length, bounds_checked }.sums()?;
        let sums = sums.with_layout(Layout::contiguous(array.shape()));
        let added = elementwise(row, &mut [(&*array).into(), sums.into()])?;
        added.eval()?;
        *array = added;
        return Ok(());
    }
    if !by_plan {
        let combine = row.combine_stored(compute, output, array.dtype());
        return apply_in_order(op, array, &targets, &values, combine);
    }
    let places = SegmentsByKey::new(&targets, array.size())?;
    let sorted = values.try_take(&places.order, 0)?;
    let existing = array.try_ravel()?.try_take(&places.distinct, 0)?;
    let combine = row.combine(compute, false);
    let summed = places.fold(op, &sorted, compute, CombineOrder::Plan, combine, false)?;
    let results = elementwise(row, &mut [existing.into(), summed.into()])?;
    write(op, array, &places.distinct, &results.try_astype(array.dtype())?, None)
}

/// Combines elements at these positions with these values, one a position, from left to right.
#[track_caller]
fn apply_in_order(
    op: &'static str,
    array: &mut Array,
    targets: &Array,
    values: &Array,
    combine: Combine,
) -> Result<()> {
    let (compute, places) = (values.dtype(), SegmentsByKey::new(targets, array.size())?);
    let sorted = values.try_take(&places.order, 0)?;
    let existing = array.try_ravel()?.try_take(&places.distinct, 0)?;
    let line = places.preceded(&existing.try_astype(compute)?, &sorted)?;
    let results = places.fold(op, &line, compute, CombineOrder::Left, combine, true)?;
    write(op, array, &places.distinct, &results.try_astype(array.dtype())?, None)
}

/// [`Ufunc::at`] by a combination of two values of dtype `compute`, which holds the elements and the values.
#[track_caller]
pub(crate) fn at_by(
    op: &'static str,
    array: &mut Array,
    indices: impl IntoIndex,
    values: Operand,
    compute: DType,
    combine: Combine,
) -> Result<()> {
    let targets = Plan::new(op, array, indices.into_index())?.positions(op, array)?;
    let values = converted(op, array, values, compute)?;
    let values = fit(op, &values, targets.shape())?.try_ravel()?;
    match targets.size() {
        0 => Ok(()),
        _ => {
            let targets = targets.try_ravel()?;
            array.in_its_memory(|array| apply_in_order(op, array, &targets, &values, combine))
        }
    }
}

/// Writes along positions counted in C order.
#[track_caller]
fn write(
    op: &'static str,
    array: &mut Array,
    positions: &Array,
    values: &Array,
    combine: Option<Prim>,
) -> Result<()> {
    if array.layout().reshape(&[array.size()]).is_none() {
        *array = array.try_copy()?;
    }
    let advanced_index = |target: &Array| AdvancedIndex::along(&target.try_ravel()?, 0, positions);
    gather::scatter(op, array, &advanced_index, values, combine)
}

/// Positions sorted by value: which stand together.
pub(in crate::array) struct SegmentsByKey {
    /// Where each of the sorted ones stood.
    pub(in crate::array) order: Array,
    /// Each position once.
    pub(in crate::array) distinct: Array,
    /// Which of the sorted ones begin a segment, and where each segment begins and ends.
    heads: Array,
    starts: Array,
    ends: Array,
}

impl SegmentsByKey {
    /// Of positions below `size` (I64, 1-d, at least one).
    #[track_caller]
    pub(in crate::array) fn new(targets: &Array, size: usize) -> Result<SegmentsByKey> {
        let _guard = targets.device().enter();
        // Half as many digits to sort by.
        let keys = match u32::try_from(size) {
            Ok(_) => targets.try_astype(DType::U32)?,
            Err(_) => targets.clone(),
        };
        let order = keys.try_argsort(0)?;
        let sorted = keys.try_take(&order, 0)?;
        let heads = group_begins(&sorted, false)?;
        let starts = gather::flat_positions(&heads)?;
        let end = crate::array::try_full(1, targets.size() as i64, DType::I64)?;
        let ends = crate::array::try_concatenate(&[&starts.try_i(1..)?, &end], 0)?;
        let distinct = sorted.try_take(&starts, 0)?.try_astype(DType::I64)?;
        Ok(SegmentsByKey { order, distinct, heads, starts, ends })
    }

    fn count(&self) -> usize {
        self.starts.size()
    }

    /// The sorted values, with the element that exists in front of each segment.
    #[track_caller]
    fn preceded(&self, existing: &Array, sorted: &Array) -> Result<Array> {
        let _guard = sorted.device().enter();
        let (values, segments) = (sorted.size(), self.count());
        // Value i of segment s (from 1) goes to i + s, and in front of it stands start(s) + s - 1.
        let segment = self.heads.try_cumsum(0)?;
        let after = crate::array::try_arange(values as i64)?.try_add(&segment)?;
        let heads = crate::array::try_arange(segments as i64)?.try_add(&self.starts)?;
        let mut line = crate::array::try_zeros(values + segments, sorted.dtype())?;
        write("at", &mut line, &after, sorted, None)?;
        write("at", &mut line, &heads, existing, None)?;
        Ok(line)
    }

    /// Folds each segment, of the sorted values or of what [`SegmentsByKey::preceded`] gives.
    #[track_caller]
    pub(in crate::array) fn fold(
        &self,
        op: &'static str,
        array: &Array,
        dtype: DType,
        order: CombineOrder,
        combine: Combine,
        preceded: bool,
    ) -> Result<Array> {
        let (mut starts, mut ends) = (self.starts.clone(), self.ends.clone());
        if preceded {
            let _guard = array.device().enter();
            let number = crate::array::try_arange(self.count() as i64)?;
            starts = starts.try_add(&number)?;
            ends = ends.try_add(&number)?.try_add(1)?;
        }
        let pattern = Pattern::Segments { combine, order, starts: &starts, ends: &ends };
        fold(&Fold { op, array, dtype, axes: smallvec![0], pattern })
    }
}
