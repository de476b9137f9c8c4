//! Orders and samples: permutations, shuffles, choices with and without replacement.
//!
//! An order is the order of random keys of 64 bits, found by sorting: parallel on every device, and fair
//! but for equal keys (once in 2^65 / n² orders of n elements).

use std::ops::RangeFull;

use super::samplers::{Sampler, Variate};
use super::{Draw, Generator, draws, wrong};
use crate::arguments::Arange;
use crate::arguments::options::*;
use crate::arguments::{IntoAxis, IntoShape};
use crate::array::{Array, Side, try_arange, try_concatenate, try_zeros};
use crate::declare::expect;
use crate::element::Element;
use ndany_core::shape::{Shape, axis_index, size_of};
use ndany_core::{DType, Error, Result};

/// Where this many times as many are to choose from, numbers are drawn until there are enough different ones.
const SPARSE: usize = 16;

/// How [`Generator::choice`] chooses: `..` for NumPy's defaults, NumPy's `replace` by itself, or `Choice` with options.
///
/// ```
/// use ndany::{Array, Choice, Device, Generator};
/// # let _guard = Device::open("reference")?.enter();
/// let mut rng = Generator::new(7);
/// let three = rng.choice(10, 3, false);
/// let names = Array::from([10, 20, 30]);
/// let weights = Array::from([1.0, 0.0, 3.0]);
/// let some = rng.choice(&names, (4, 2), Choice::new().p(&weights));
/// assert!(some.not_equal(20).all(..).item::<bool>()?);
/// # assert_eq!(three.shape(), [3]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Choice {
    weights: Option<Array>,
    distinct: bool,
    axis: isize,
}

/// What [`Generator::choice`] chooses from: the elements or slices of an array, or a number `n` for the numbers below it.
#[derive(Clone, Debug)]
pub struct Population(Items);

#[derive(Clone, Debug)]
enum Items {
    Below(usize),
    Of(Array),
}

impl From<usize> for Population {
    fn from(count: usize) -> Self {
        Self(Items::Below(count))
    }
}
impl From<i32> for Population {
    /// Below a negative number there is none.
    fn from(count: i32) -> Self {
        usize::try_from(count).unwrap_or(0).into()
    }
}
impl From<&Array> for Population {
    fn from(array: &Array) -> Self {
        array.clone().into()
    }
}
impl From<Array> for Population {
    fn from(array: Array) -> Self {
        Self(Items::Of(array))
    }
}
impl<T: Element, const N: usize> From<[T; N]> for Population {
    fn from(values: [T; N]) -> Self {
        Array::from(values).into()
    }
}

impl Population {
    fn count(&self, op: &'static str, axis: isize) -> Result<usize> {
        match &self.0 {
            Items::Below(count) => Ok(*count),
            Items::Of(array) => Ok(array.shape()[axis_index(op, axis, array.ndim())?]),
        }
    }
}

impl From<RangeFull> for Choice {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}
impl From<bool> for Choice {
    fn from(replace: bool) -> Self {
        Self::new().replace(replace)
    }
}

impl Choice {
    /// Starts the options of [`Generator::choice`] with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).choice(5, 3, Choice::new()).shape(), [3]);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how likely each item is, as `p` of NumPy's `Generator.choice`; weights need not add up to 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).choice(2, 4, Choice::new().p(&array([0.0, 1.0])));
    /// assert_eq!(x.to_string(), "[1 1 1 1]");
    /// ```
    pub fn p(mut self, weights: &Array) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// Says whether an item may be drawn twice, as `replace` of NumPy's `Generator.choice`.
    ///
    /// Without it and with weights, items are drawn as if one after the other.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).choice(3, 3, Choice::new().replace(false));
    /// assert_eq!(x.sort(..).to_string(), "[0 1 2]");
    /// ```
    pub fn replace(mut self, replace: bool) -> Self {
        self.distinct = !replace;
        self
    }

    /// Chooses slices along this axis of the array, as `axis` of NumPy's `Generator.choice`; the default is the first.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(Generator::new(7).choice(&a, 2, Choice::new().axis(1)).shape(), [2, 2]);
    /// ```
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }
}

impl Draw<'_> {
    /// Random keys of a shape.
    #[track_caller]
    fn keys(&mut self, op: &'static str, shape: Shape) -> Result<Array> {
        let sampler = Sampler { variate: Variate::Bits, dtype: DType::U64, scaled: false };
        self.draw(op, sampler, &[], shape)
    }

    /// Numbers below `count`, each as likely as the others.
    #[track_caller]
    fn below(&mut self, count: usize, shape: impl IntoShape<DrawShape>) -> Result<Array> {
        let mut whole = Draw { generator: &mut *self.generator, dtype: Some(DType::I64) };
        whole.try_integers(0..count, shape)
    }

    /// Different numbers below `count`, in random order: of numbers drawn one after the other those that come for the first
    /// time, `more` at once. Waits for how many these are.
    #[track_caller]
    pub(super) fn few_of_many(
        &mut self,
        count: usize,
        wanted: usize,
        more: usize,
    ) -> Result<Array> {
        let mut drawn = self.below(count, more)?;
        loop {
            // Sorting is stable: of equal numbers the first is in front, and the others come again.
            let order = drawn.try_argsort(0)?;
            let sorted = drawn.try_take(&order, 0)?;
            let repeats = sorted.try_i(..-1)?.try_equal(sorted.try_i(1..)?)?;
            if !repeats.try_any(..)?.item::<bool>()? && drawn.size() >= wanted {
                return drawn.try_i(..wanted);
            }
            let mut again = try_zeros(drawn.size(), DType::Bool)?;
            again.try_put(order.try_i(1..)?, &repeats, ..)?;
            let fresh = drawn.try_i(&again.try_logical_not()?)?;
            if fresh.size() >= wanted {
                return fresh.try_i(..wanted);
            }
            drawn = try_concatenate(&[&drawn, &self.below(count, more)?], 0)?;
        }
    }

    /// Positions below `count`, each as likely as its weight.
    #[track_caller]
    fn weighted(
        &mut self,
        op: &'static str,
        count: usize,
        weights: &Array,
        distinct: bool,
        shape: &Shape,
    ) -> Result<Array> {
        if weights.shape() != [count] {
            let expected = format!("weights of shape ({count},)");
            return Err(Error::Shape { op, expected, got: weights.shape().into() });
        }
        let weights = weights.try_astype(DType::F64)?;
        // Positive and finite, or not: the sum alone does not tell, since NaN might hide in it.
        let usable = weights.try_greater_equal(0.0)?.try_all(..)?.item::<bool>()?;
        let total = weights.try_sum(..)?.item::<f64>()?;
        if !(usable && total > 0.0 && total.is_finite()) {
            return Err(wrong(op, "weights must be at least 0 and add up to a positive number"));
        }
        if distinct {
            let some = weights.try_greater(0.0)?.try_astype(DType::I64)?.try_sum(..)?;
            let (some, wanted) = (some.item::<i64>()? as usize, size_of(shape));
            if some < wanted {
                return Err(wrong(op, format!("{wanted} wanted, but {some} weights are above 0")));
            }
            // The element with the shortest waiting time comes first (Efraimidis & Spirakis, 2006).
            let one = Shape::from_slice(&[count]);
            let waiting = self.standard(op, Variate::Exponential, DType::F64, &one)?;
            return waiting
                .try_divide(weights)?
                .try_argsort(0)?
                .try_i(..wanted)?
                .try_reshape(shape.as_slice());
        }
        let sums = weights.try_cumsum(0)?;
        let sums = sums.try_divide(sums.try_i(-1isize)?)?;
        let places = self.standard(op, Variate::Uniform, DType::F64, shape)?;
        sums.try_searchsorted(places, Side::Right)
    }
}

draws! {
    mod checked;

    /// Draws random bytes, as NumPy's `Generator.bytes`.
    ///
    /// - **Shapes**: `() → (length,)`.
    /// - **Dtypes**: uint8.
    /// - **Errors**: a length that is too large.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).bytes(16).shape(), [16]);
    /// ```
    bytes / try_bytes (self, length: usize) {
        self.like(DType::U8).try_integers(.., length)
    }

    /// Returns the numbers below `count` in random order, as NumPy's `Generator.permutation(count)`.
    ///
    /// - **Shapes**: `() → (count,)`.
    /// - **Dtypes**: int64.
    /// - **Errors**: a count that is too large.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).permutation(4).sort(0).to_string(), "[0 1 2 3]");
    /// ```
    permutation / try_permutation (self, count: usize) {
        let dtype = self.dtype.unwrap_or(DType::I64);
        self.keys("permutation", Shape::from_slice(&[count]))?.try_argsort(0)?.try_astype(dtype)
    }

    /// Returns the slices of an array along an axis in random order, as NumPy's `Generator.permutation(array)`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).shuffled(&array([3, 1, 2]), 0).sort(0).to_string(), "[1 2 3]");
    /// ```
    shuffled / try_shuffled (self, array: &Array, axis: impl IntoAxis<FirstAxis>) {
        let axis = axis_index("shuffled", axis.into_axis().one("shuffled")?, array.ndim())?;
        let _guard = array.device().enter();
        let order = self.keys("shuffled", Shape::from_slice(&[array.shape()[axis]]))?.try_argsort(0)?;
        array.try_take(&order, axis as isize)
    }

    /// Returns every row along an axis in an order of its own, as NumPy's `Generator.permuted`.
    ///
    /// `..` takes all elements as one row.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Generator::new(7).permuted(&array([[1, 2], [3, 4]]), 1).sort(1).to_string(), "[[1 2]\n [3 4]]");
    /// ```
    permuted / try_permuted (self, array: &Array, axis: impl IntoAxis<FlatAxis>) {
        let _guard = array.device().enter();
        match axis.into_axis().axis("permuted")? {
            Some(axis) => {
                let axis = axis_index("permuted", axis, array.ndim())? as isize;
                let order = self.keys("permuted", Shape::from_slice(array.shape()))?.try_argsort(axis)?;
                array.try_take_along_axis(&order, axis)
            }
            None => {
                let order = self.keys("permuted", Shape::from_slice(&[array.size()]))?.try_argsort(0)?;
                array.try_ravel()?.try_take(&order, 0isize)?.try_reshape(array.shape())
            }
        }
    }

    /// Draws a sample of numbers below a number, or of an array's elements or slices, as NumPy's `Generator.choice`.
    ///
    /// The options say whether an item may come twice (`replace`) and how likely each is (`p`). Waits for the device where few of many are drawn without repetition.
    ///
    /// - **Shapes**: `(n, …) → (shape…, …)`.
    /// - **Dtypes**: that of the array, or int64 for a number.
    /// - **Errors**: a sample without repetition of more than there are, weights that are negative or do not fit.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).choice([10, 20], 100, ..);
    /// assert_eq!(x.unique(..).to_string(), "[10 20]");
    /// ```
    choice / try_choice (self, from: impl Into<Population>, shape: impl IntoShape<DrawShape>, options: impl Into<Choice>) {
        const OP: &str = "choice";
        let (from, choice, shape) = (from.into(), options.into(), self.shape(OP, shape)?);
        let count = from.count(OP, choice.axis)?;
        let wanted = ndany_core::shape::checked_size(OP, &shape, DType::I64)?;
        if wanted > 0 && (count == 0 || choice.distinct && wanted > count) {
            return Err(wrong(OP, format!("{wanted} wanted of {count}")));
        }
        let guard = match &from.0 {
            Items::Of(array) => Some(array.device().enter()),
            Items::Below(_) => None,
        };
        let positions = match (&choice.weights, choice.distinct) {
            _ if wanted == 0 => try_arange(Arange::of(0, 0, 1, Some(DType::I64)))?.try_reshape(shape.as_slice())?,
            (Some(weights), distinct) => self.weighted(OP, count, weights, distinct, &shape)?,
            (None, true) if wanted <= count / SPARSE => {
                // Twice as many as are likely to come again, and some.
                let again = (wanted as u128 * wanted as u128 / count as u128) as usize;
                self.few_of_many(count, wanted, wanted + again + 16)?.try_reshape(shape.as_slice())?
            }
            (None, true) => {
                let keys = self.keys(OP, Shape::from_slice(&[count]))?;
                keys.try_argsort(0)?.try_i(..wanted)?.try_reshape(shape.as_slice())?
            }
            (None, false) => self.below(count, shape.as_slice())?,
        };
        drop(guard);
        match &from.0 {
            Items::Below(_) => positions.try_astype(self.dtype.unwrap_or(DType::I64)),
            Items::Of(array) => array.try_take(&positions, choice.axis),
        }
    }
}

impl Generator {
    /// Puts the slices of an array along an axis in random order, as NumPy's `Generator.shuffle`.
    ///
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([3, 1, 2]);
    /// Generator::new(7).shuffle(&mut a, ..);
    /// assert_eq!(a.sort(..).to_string(), "[1 2 3]");
    /// ```
    ///
    /// # Panics
    /// Where [`checked::random::shuffled`](fn@crate::checked::random::shuffled) returns an error.
    #[track_caller]
    pub fn shuffle(&mut self, array: &mut Array, axis: impl IntoAxis<FirstAxis>) {
        let shuffled = expect(self.try_shuffled(array, axis));
        let outcome = array.in_its_memory(|array| {
            *array = shuffled;
            Ok(())
        });
        array.settle("shuffle", outcome);
    }
}
