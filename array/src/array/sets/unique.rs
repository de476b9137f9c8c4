//! Different elements, or different parts along an axis, with where they are and how often.
//!
//! A sort puts equal ones side by side; everything else follows from where groups of them begin. Integers that lie close
//! together have a table instead.

use crate::arguments::Arange;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxis};
use crate::array::sets::integer_table::IntegerTable;
use crate::array::sorting::sort::lexsorted;
use crate::array::{Array, indexing::gather};
use crate::declare::{array_functions, tuple_of};
use crate::extend::Ahead;
use ndany_core::shape::{Shape, axis_index};
use ndany_core::{DType, Result};

/// What is to be found besides the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Find {
    /// The position of each value's first occurrence.
    pub index: bool,
    /// For each element the position of its value.
    pub inverse: bool,
    /// How often each value occurs.
    pub counts: bool,
    /// Whether all NaNs count as one value (in parts along an axis they never do).
    pub equal_nan: bool,
}

impl Default for Find {
    /// Only the values, NaNs being one.
    fn default() -> Self {
        Self { index: false, inverse: false, counts: false, equal_nan: true }
    }
}

/// Different values, sorted, and what was asked for besides.
#[derive(Clone, Debug)]
pub(crate) struct Unique {
    /// The values; along an axis, the different parts.
    pub values: Array,
    /// I64: `values` is `array.ravel()[index]`.
    pub index: Option<Array>,
    /// I64, in the shape of the array (along an axis: 1-d): `array` is `values[inverse]`.
    pub inverse: Option<Array>,
    /// I64: how often each value occurs.
    pub counts: Option<Array>,
}

/// What `np.unique_all` returns.
#[derive(Clone, Debug)]
pub struct UniqueAll {
    /// The different values, sorted.
    pub values: Array,
    /// I64: the position of the first element that is this value.
    pub indices: Array,
    /// I64, in the shape of the array: `values.take(inverse_indices, 0)` is the array.
    pub inverse_indices: Array,
    /// I64: how often each value occurs.
    pub counts: Array,
}

/// What `np.unique_counts` returns.
#[derive(Clone, Debug)]
pub struct UniqueCounts {
    /// The different values, sorted.
    pub values: Array,
    /// I64: how often each value occurs.
    pub counts: Array,
}

/// What `np.unique_inverse` returns.
#[derive(Clone, Debug)]
pub struct UniqueInverse {
    /// The different values, sorted.
    pub values: Array,
    /// I64, in the shape of the array: `values.take(inverse_indices, 0)` is the array.
    pub inverse_indices: Array,
}

tuple_of! {
    UniqueAll(values, indices, inverse_indices, counts): (Array, Array, Array, Array);
    UniqueCounts(values, counts): (Array, Array);
    UniqueInverse(values, inverse_indices): (Array, Array);
}

array_functions! {
    checked uniques, free free_uniques;

    /// Returns the distinct elements, sorted, or the distinct parts along an axis, as `np.unique`.
    ///
    /// Parts are in lexicographic order. NaNs are one value, last, unless the option `equal_nan` says otherwise; of zeros that
    /// differ in sign the first stands for both. Waits for the device.
    ///
    /// - **Shapes**: `(…) → (count,)` for `..`, `(n, …) → (count, …)` for axis 0.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range, what failed on the way.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[2, 1], [2, 1], [1, 3]]);
    /// assert_eq!(a.unique(..).to_vec::<i32>()?, [1, 2, 3]);
    /// assert_eq!(a.unique(0).to_vec::<i32>()?, [1, 3, 2, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    unique / try_unique (self, axis: impl IntoAxis<UniqueOptions>) -> Array {
        let options = axis.into_axis();
        let equal_nan = options.given_equal_nan().unwrap_or(true);
        Ok(self.unique_by(options.axis(OP)?, Find { equal_nan, ..Find::default() })?.values)
    }

    /// Returns the distinct elements with first positions, inverse and counts, as `np.unique_all`.
    ///
    /// Each NaN is a value by itself unless the option `equal_nan` says otherwise. Waits for the device.
    ///
    /// - **Shapes**: `(…) → (count,), (count,), (…), (count,)` for `..`.
    /// - **Dtypes**: any; values have the same, positions and counts are int64.
    /// - **Errors**: an axis out of range, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1, 3]).unique_all(..).indices.to_string(), "[1 0]");
    /// ```
    unique_all / try_unique_all (self, axis: impl IntoAxis<UniqueOptions>) -> UniqueAll {
        let find = Find { index: true, inverse: true, counts: true, equal_nan: false };
        match self.unique_found(axis.into_axis(), find)? {
            Unique { values, index: Some(indices), inverse: Some(inverse_indices), counts: Some(counts) } => {
                Ok(UniqueAll { values, indices, inverse_indices, counts })
            }
            _ => unreachable!("all of it was asked for"),
        }
    }

    /// Returns the distinct elements with their counts, as `np.unique_counts`; waits for the device.
    ///
    /// Each NaN is a value by itself unless the option `equal_nan` says otherwise.
    ///
    /// - **Shapes**: `(…) → (count,), (count,)` for `..`.
    /// - **Dtypes**: any; values have the same, counts are int64.
    /// - **Errors**: an axis out of range, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1, 3]).unique_counts(..).counts.to_string(), "[1 2]");
    /// ```
    unique_counts / try_unique_counts (self, axis: impl IntoAxis<UniqueOptions>) -> UniqueCounts {
        match self.unique_found(axis.into_axis(), Find { counts: true, ..Find::default() })? {
            Unique { values, counts: Some(counts), .. } => Ok(UniqueCounts { values, counts }),
            _ => unreachable!("counts were asked for"),
        }
    }

    /// Returns the distinct elements with the positions that restore the array, as `np.unique_inverse`.
    ///
    /// Each NaN is a value by itself unless the option `equal_nan` says otherwise. Waits for the device.
    ///
    /// - **Shapes**: `(…) → (count,), (…)` for `..`.
    /// - **Dtypes**: any; values have the same, positions are int64.
    /// - **Errors**: an axis out of range, what failed on the way.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([7, 5, 7]);
    /// let (values, inverse) = a.unique_inverse(..).into();
    /// assert_eq!((values.to_vec::<i32>()?, inverse.to_vec::<i64>()?), (vec![5, 7], vec![1, 0, 1]));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    unique_inverse / try_unique_inverse (self, axis: impl IntoAxis<UniqueOptions>) -> UniqueInverse {
        match self.unique_found(axis.into_axis(), Find { inverse: true, ..Find::default() })? {
            Unique { values, inverse: Some(inverse_indices), .. } => Ok(UniqueInverse { values, inverse_indices }),
            _ => unreachable!("the inverse was asked for"),
        }
    }
}

const OP: &str = "unique";

impl Array {
    #[track_caller]
    fn unique_found(&self, options: AxisOptions, find: Find) -> Result<Unique> {
        let equal_nan = options.given_equal_nan().unwrap_or(false);
        self.unique_by(options.axis(OP)?, Find { equal_nan, ..find })
    }

    /// As `np.unique` with `return_index`, `return_inverse`, `return_counts` and `equal_nan`.
    #[track_caller]
    pub(crate) fn unique_by(&self, axis: Option<isize>, find: Find) -> Result<Unique> {
        static KERNELS: Ahead = Ahead::new();
        KERNELS.ask(self, (axis, find), |array, (axis, find)| {
            let Unique { values, index, inverse, counts } = array.unique_by(axis, find)?;
            let found = [Some(values), index, inverse, counts];
            found.iter().flatten().try_for_each(Array::eval)
        });
        match axis {
            None => unique_elements(self, find),
            Some(axis) => match (axis_index(OP, axis, self.ndim())?, self.ndim()) {
                (_, 1) => unique_elements(self, find),
                (axis, _) => unique_parts(self, axis, find),
            },
        }
    }
}

/// Maximum number of entries, a byte each, of a table that stands in for a fast sort on the host. Entries are written at random: a
/// longer table leaves the cache, and writes to it cost more than sorting.
const CACHED_TABLE: usize = 1 << 21;

/// How many entries a table of integers may have that stands in for sorting these elements. Short integers are sorted in the time
/// of few writes, unless positions have to move with them.
fn longest_table(flat: &Array, options: Find) -> usize {
    let Find { index, inverse, counts, equal_nan: _ } = options;
    let sorts_fast = flat.dtype().size() <= 4 && !(index || inverse || counts);
    match sorts_fast && flat.device().backend().profile().is_synchronous {
        true => flat.size().min(CACHED_TABLE),
        false => flat.size(),
    }
}

fn unique_elements(array: &Array, options: Find) -> Result<Unique> {
    let flat = array.try_ravel()?;
    if let Some(near) = IntegerTable::of(&flat, longest_table(&flat, options))? {
        return near.unique(&flat, array.shape(), options);
    }
    let order = match options.index || options.inverse {
        true => Some(flat.try_argsort(0)?),
        false => None,
    };
    let sorted = match &order {
        Some(order) => flat.try_take(order, 0)?,
        None => flat.try_sort(0)?,
    };
    let begins = group_begins(&sorted, options.equal_nan)?;
    let values = gather::select(&sorted, &begins)?;
    groups(values, order, &begins, array.shape(), options)
}

/// Parts along an axis as rows of a matrix, in lexicographic order of their elements.
fn unique_parts(array: &Array, axis: usize, options: Find) -> Result<Unique> {
    let moved = array.try_moveaxis(axis as isize, 0)?;
    let (count, part) = (moved.shape()[0], moved.shape()[1..].iter().product::<usize>());
    let rows = moved.try_reshape([count, part])?;
    let (order, begins) = if part == 0 {
        // Parts without elements are all equal.
        let _guard = array.device().enter();
        let positions = crate::array::try_arange(Arange::of(0, count, 1, Some(DType::I64)))?;
        let begins = positions.try_equal(0)?;
        (positions, begins)
    } else {
        let columns: Vec<Array> = (0..part)
            .rev()
            .map(|column| rows.try_i((.., column as isize)))
            .collect::<Result<_>>()?;
        let order = lexsorted(&columns.iter().collect::<Vec<_>>())?;
        let sorted = rows.try_take(&order, 0)?;
        (order, group_begins(&sorted, false)?)
    };
    let first = gather::select(&order, &begins)?;
    let values = moved.try_take(&first, 0)?.try_moveaxis(0, axis as isize)?;
    groups(values, Some(order), &begins, &[count], options)
}

/// Where in a sorted array (of elements, or of rows) one begins that differs from the one before.
pub(in crate::array) fn group_begins(sorted: &Array, equal_nan: bool) -> Result<Array> {
    let _guard = sorted.device().enter();
    if sorted.shape()[0] == 0 {
        return crate::array::try_zeros(0, DType::Bool);
    }
    let (before, after) = (sorted.try_i(crate::s![..-1])?, sorted.try_i(crate::s![1..])?);
    let mut differs = before.try_not_equal(&after)?;
    if equal_nan && (sorted.dtype().is_float() || sorted.dtype().is_complex()) {
        let both = before.try_isnan()?.try_logical_and(after.try_isnan()?)?;
        differs = differs.try_logical_and(both.try_logical_not()?)?;
    }
    if sorted.ndim() > 1 {
        differs = differs.try_any(1)?;
    }
    crate::array::try_concatenate(&[&crate::array::try_ones(1, DType::Bool)?, &differs], 0)
}

/// What was asked for, from the order of the elements and where groups begin in it.
fn groups(
    values: Array,
    order: Option<Array>,
    begins: &Array,
    shape: &[usize],
    options: Find,
) -> Result<Unique> {
    let _guard = values.device().enter();
    let index = match (&order, options.index) {
        (Some(order), true) => Some(gather::select(order, begins)?),
        _ => None,
    };
    let inverse = match (&order, options.inverse) {
        (Some(order), true) => {
            let number = begins.try_cumsum(0)?.try_subtract(1)?;
            let mut inverse = crate::array::try_zeros(begins.size(), DType::I64)?;
            inverse.try_put(order, &number, ..)?;
            let shape: Vec<isize> =
                Shape::from_slice(shape).iter().map(|&extent| extent as isize).collect();
            Some(inverse.try_reshape(shape.as_slice())?)
        }
        _ => None,
    };
    let counts = if options.counts {
        let positions = begins.try_flatnonzero()?;
        let end = crate::array::try_full(1, begins.size() as i64, DType::I64)?;
        let bounds = crate::array::try_concatenate(&[&positions, &end], 0)?;
        Some(bounds.try_i(crate::s![1..])?.try_subtract(bounds.try_i(crate::s![..-1])?)?)
    } else {
        None
    };
    Ok(Unique { values, index, inverse, counts })
}
