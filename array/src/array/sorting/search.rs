//! Places in sorted rows: `searchsorted` and `digitize`.

use crate::arguments::{OneOf, one_of};
use crate::array::Array;
use crate::array::sorting::sort::{SortRows, contiguous_rows};
use crate::buffer::Buffer;
use crate::declare::array_functions;
use crate::graph::Operand;
use crate::graph::node::Node;
use crate::launch_counts;
use ndany_core::backend::{Checked, Found, Search};
use ndany_core::shape::{self, Shape};
use ndany_core::{DType, Error, Result};

/// On which side of equal elements a place is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Before them.
    #[default]
    Left,
    /// After them.
    Right,
}

one_of!(Side);

array_functions! {
    checked searches, free free_searches;

    /// Returns where values could be inserted into this sorted 1-d array, as `np.searchsorted`.
    ///
    /// The result is the number of elements that come before each value. Both sides meet in one dtype, a plain number in that of an
    /// array of it; NaN comes last.
    ///
    /// - **Shapes**: `(n,), (…) → (…)`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an array that is not 1-d, operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, Side};
    /// # let _guard = Device::open("reference")?.enter();
    /// let edges = Array::from([1.0, 2.0, 3.0]);
    /// let values = Array::from([0.5, 2.0, 9.0]);
    /// assert_eq!(edges.searchsorted(&values, ..).to_vec::<i64>()?, [0, 1, 3]);
    /// assert_eq!(edges.searchsorted(2.0, Side::Right).item::<i64>()?, 2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    searchsorted / try_searchsorted (self, values: impl Into<Operand>, side: impl OneOf<Side>) -> Array {
        const OP: &str = "searchsorted";
        let side = side.or(Side::Left);
        if self.ndim() != 1 {
            let expected = "a sorted array of one dimension".to_string();
            return Err(Error::Shape { op: OP, expected, got: self.shape().into() });
        }
        let values = match values.into() {
            Operand::Array(array) => array,
            Operand::Scalar(scalar) => {
                let _guard = self.device().enter();
                crate::array::try_full((), scalar, scalar.natural_dtype())?
            }
        };
        if self.device() != values.device() {
            let (left, right) = (self.device().name(), values.device().name());
            return Err(Error::TwoDevices { op: OP, left, right });
        }
        let dtype = DType::promote(self.dtype(), values.dtype());
        let (sorted, values) = (self.try_astype(dtype)?, values.try_astype(dtype)?);
        let shape = Shape::from_slice(values.shape());
        shape::checked_size(OP, &shape, DType::I64)?;
        launch_counts::count(|counts| &mut counts.operations);
        let outcome = search_rows(OP, &sorted, &values, side, Found::Positions);
        Ok(Array::of_node(Node::done(OP, shape, DType::I64, self.device().clone(), outcome)))
    }

    /// Returns the number of the bin into which each value falls, as `np.digitize`; waits for the device.
    ///
    /// A bin has its left edge or, with `right`, its right one.
    ///
    /// - **Shapes**: `(…), (n,) → (…)`.
    /// - **Dtypes**: real numbers; the result is int64.
    /// - **Errors**: bins that are not 1-d or not monotonic, complex numbers, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0.5, 2.5]).digitize(&array([0.0, 1.0, 2.0]), false).to_string(), "[1 3]");
    /// ```
    digitize / try_digitize (self, bins: &Array, right: bool) -> Array {
        const OP: &str = "digitize";
        if self.dtype().is_complex() || bins.dtype().is_complex() {
            let dtypes = format!("{} and {}", self.dtype(), bins.dtype());
            return Err(Error::DTypes { op: OP, dtypes, remedy: "use real numbers" });
        }
        if bins.ndim() != 1 {
            let expected = "bins of one dimension".to_string();
            return Err(Error::Shape { op: OP, expected, got: bins.shape().into() });
        }
        let side = if right { Side::Left } else { Side::Right };
        match direction(bins)? {
            Direction::Increasing => bins.try_searchsorted(self, side),
            Direction::Decreasing => {
                bins.try_flip(..)?.try_searchsorted(self, side)?.try_negative()?.try_add(bins.size() as i64)
            }
            Direction::None => Err(Error::ArgumentValue {
                op: OP.to_string(),
                reason: "bins must increase or decrease monotonically".to_string(),
            }),
        }
    }
}

/// Searches the values in the one row `sorted`, of their dtype.
fn search_rows(
    op: &'static str,
    sorted: &Array,
    values: &Array,
    side: Side,
    write: Found,
) -> Result<Buffer> {
    let (backend, length, count) = (values.device().backend(), sorted.size(), values.size());
    let results = match write {
        Found::Positions => count,
        Found::Counts => length + 1,
    };
    let output = Buffer::allocate(op, backend, results * DType::I64.size())?;
    if count == 0 {
        return Ok(output);
    }
    let (needles, row) = (SortRows::of(values, 1, count)?, SortRows::of(sorted, 1, length)?);
    launch_counts::count(|counts| &mut counts.sorts);
    let search = Search {
        rows: 1,
        length,
        count,
        sorted: row.place(),
        needles: needles.place(),
        output: contiguous_rows(&output, DType::I64, results),
        after_equal: side == Side::Right,
        write,
    };
    backend.search(Checked::new(&search)?)?;
    Ok(output)
}

/// How many values have each place in the sorted 1-d array of their dtype: I64, one element more than the
/// array has.
#[track_caller]
pub(in crate::array) fn place_counts(
    op: &'static str,
    sorted: &Array,
    values: &Array,
    side: Side,
) -> Result<Array> {
    let device = values.device().clone();
    let shape = Shape::from_slice(&[sorted.size() + 1]);
    if values.size() == 0 {
        let _guard = device.enter();
        return crate::array::try_zeros(shape.as_slice(), DType::I64);
    }
    shape::checked_size(op, &shape, DType::I64)?;
    launch_counts::count(|counts| &mut counts.operations);
    let outcome = search_rows(op, sorted, values, side, Found::Counts);
    Ok(Array::of_node(Node::done(op, shape, DType::I64, device, outcome)))
}

enum Direction {
    Increasing,
    Decreasing,
    None,
}

/// The first edge that differs from edge 0 says which way (a NaN: down), and no later pair may go the other
/// way. NumPy compares in f64, in which integers beyond 2^53 that differ may be equal; here edges are compared
/// in their own dtype, as the search does.
fn direction(bins: &Array) -> Result<Direction> {
    if bins.size() < 2 {
        return Ok(Direction::Increasing);
    }
    let first = bins.try_i(0)?;
    let differs = bins.try_not_equal(&first)?;
    if !differs.try_any(..)?.item::<bool>()? {
        return Ok(Direction::Increasing);
    }
    let deciding = differs.try_argmax(..)?.item::<i64>()? as isize;
    let rises = first.try_less(bins.try_i(deciding)?)?.item::<bool>()?;
    let (before, after) = (bins.try_i(crate::s![..-1])?, bins.try_i(crate::s![1..])?);
    let (against, way) = if rises {
        (before.try_greater(after)?, Direction::Increasing)
    } else {
        (before.try_less(after)?, Direction::Decreasing)
    };
    Ok(if against.try_any(..)?.item::<bool>()? { Direction::None } else { way })
}
