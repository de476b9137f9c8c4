//! Piecewise linear interpolation: `interp`, composed of a search, reads at positions and arithmetic.

use std::ops::RangeFull;

use crate::array::{Array, Side, complex_of, try_concatenate, try_full};
use crate::declare::array_functions;
use crate::elementwise::try_where;
use crate::graph::Operand;
use ndany_core::{DType, Error, Kind, Result};

/// What [`Array::interp`] takes besides the samples: values outside of them, or a period.
#[derive(Clone, Debug, Default)]
pub struct Interp {
    left: Option<Operand>,
    right: Option<Operand>,
    period: Option<f64>,
}

impl From<RangeFull> for Interp {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}

impl Interp {
    /// Starts the options of [`Array::interp`](crate::Array::interp) with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (xp, fp) = (array([0.0, 1.0]), array([0.0, 10.0]));
    /// assert_eq!(array([0.5, 2.0]).interp(&xp, &fp, ndany::Interp::new()).to_string(), "[ 5. 10.]");
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value to the left of the samples, as `left` of `np.interp`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (xp, fp) = (array([0.0, 1.0]), array([0.0, 10.0]));
    /// assert_eq!(array([-1.0]).interp(&xp, &fp, ndany::Interp::new().left(-9)).to_string(), "[-9.]");
    /// ```
    pub fn left(mut self, value: impl Into<Operand>) -> Self {
        self.left = Some(value.into());
        self
    }

    /// Sets the value to the right of the samples, as `right` of `np.interp`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (xp, fp) = (array([0.0, 1.0]), array([0.0, 10.0]));
    /// assert_eq!(array([2.0]).interp(&xp, &fp, ndany::Interp::new().right(99)).to_string(), "[99.]");
    /// ```
    pub fn right(mut self, value: impl Into<Operand>) -> Self {
        self.right = Some(value.into());
        self
    }

    /// Repeats the samples with this period, as `period` of `np.interp`; then nothing is outside.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (xp, fp) = (array([0.0, 180.0]), array([0.0, 10.0]));
    /// assert_eq!(array([450.0]).interp(&xp, &fp, ndany::Interp::new().period(360.0)).to_string(), "[5.]");
    /// ```
    pub fn period(mut self, period: f64) -> Self {
        self.period = Some(period);
        self
    }
}

array_functions! {
    checked interpolation, free free_interpolation;

    /// Interpolates linearly between samples, as `np.interp`.
    ///
    /// `xp` are the samples' positions, increasing, `fp` their values. `..` stands for no options.
    ///
    /// - **Shapes**: `(…), (n,), (n,) → (…)`.
    /// - **Dtypes**: real positions, any values; the result is float64, or complex128 for complex values.
    /// - **Errors**: samples that are not 1-d, differ in length or are empty, complex positions, a period of 0.
    ///
    /// ```
    /// use ndany::{Array, Device, Interp};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (xp, fp) = (Array::from([1.0, 2.0, 3.0]), Array::from([3.0, 2.0, 0.0]));
    /// let x = Array::from([0.0, 1.5, 2.75, 9.0]);
    /// assert_eq!(x.interp(&xp, &fp, ..).to_vec::<f64>()?, [3.0, 2.5, 0.5, 0.0]);
    /// assert_eq!(x.interp(&xp, &fp, Interp::new().left(-1)).to_vec::<f64>()?, [-1.0, 2.5, 0.5, 0.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    interp / try_interp (self, xp: &Array, fp: &Array, options: impl Into<Interp>) -> Array {
        let options = options.into();
        const OP: &str = "interp";
        let dtype = match fp.dtype().kind() {
            Kind::Complex => DType::C128,
            Kind::Bool | Kind::Int | Kind::Float => DType::F64,
        };
        if xp.ndim() != 1 || fp.shape() != xp.shape() || xp.size() == 0 {
            let expected = format!("samples in one dimension, as many values as places {:?}", xp.shape());
            return Err(Error::Shape { op: OP, expected, got: fp.shape().into() });
        }
        let is_complex = |end: &Operand| match end {
            Operand::Array(end) => end.dtype().is_complex(),
            Operand::Scalar(end) => end.kind() == Kind::Complex,
        };
        if !dtype.is_complex() && [&options.left, &options.right].into_iter().flatten().any(is_complex) {
            let reason = "left and right must be real numbers, as fp is".to_string();
            return Err(Error::Arguments { op: OP.to_string(), reason });
        }
        let real = |array: &Array| match array.dtype().kind() {
            Kind::Complex => {
                let dtypes = format!("places of {}", array.dtype());
                Err(Error::DTypes { op: OP, dtypes, remedy: "places are real numbers" })
            }
            Kind::Bool | Kind::Int | Kind::Float => array.try_astype(DType::F64),
        };
        let (mut x, mut places, mut values) = (real(self)?, real(xp)?, fp.try_astype(dtype)?);
        let mut outside = [options.left, options.right];
        if let Some(period) = options.period {
            if period == 0.0 {
                let reason = "a period of 0".to_string();
                return Err(Error::ArgumentValue { op: OP.to_string(), reason });
            }
            (x, places, values) = repeated(&x, &places, &values, period.abs())?;
            outside = [None, None];
        }
        let [left, right] = outside;
        let value = |given: Option<Operand>, position: isize| match given {
            Some(Operand::Array(value)) if value.size() != 1 => {
                Err(Error::NotScalar { op: OP, shape: value.shape().into() })
            }
            Some(Operand::Array(value)) => value.try_reshape([0usize; 0])?.try_astype(dtype),
            Some(Operand::Scalar(scalar)) => {
                let _guard = self.device().enter();
                try_full((), scalar, dtype)
            }
            None => values.try_i(position),
        };
        let (left, right) = (value(left, 0)?, value(right, -1)?);
        line(&x, &places, &values, &left, &right)
    }
}

/// Places within one period, samples sorted, with one of the neighbouring periods on each side.
#[track_caller]
fn repeated(
    x: &Array,
    places: &Array,
    values: &Array,
    period: f64,
) -> Result<(Array, Array, Array)> {
    let (x, places) = (x.try_remainder(period)?, places.try_remainder(period)?);
    let order = places.try_argsort(-1)?;
    let (places, values) = (places.try_take(&order, 0)?, values.try_take(&order, 0)?);
    let before = places.try_i(-1..)?.try_subtract(period)?;
    let after = places.try_i(..1)?.try_add(period)?;
    let places = try_concatenate(&[&before, &places, &after], 0)?;
    let values = try_concatenate(&[&values.try_i(-1..)?, &values, &values.try_i(..1)?], 0)?;
    Ok((x, places, values))
}

/// Values at places: of a complex line each part by itself, so that one that is infinite or NaN leaves the other alone.
#[track_caller]
fn line(x: &Array, places: &Array, values: &Array, left: &Array, right: &Array) -> Result<Array> {
    let spots = Spots::of(x, places)?;
    let value = match values.dtype().is_complex() {
        true => {
            let part = |pick: fn(&Array) -> Result<Array>| {
                spots.line(&pick(values)?, &pick(left)?, &pick(right)?, true)
            };
            complex_of(&part(Array::try_real)?, &part(Array::try_imag)?)?
        }
        false => spots.line(values, left, right, false)?,
    };
    if places.size() == 1 {
        return Ok(value);
    }
    try_where(x.try_isnan()?, x, value)
}

/// Where values are looked for among the places of samples.
struct Spots<'a> {
    x: &'a Array,
    places: &'a Array,
    /// How many samples are not to the right.
    after: Array,
    /// The samples on both sides.
    lower: Array,
    upper: Array,
    /// Their places.
    x0: Array,
    x1: Array,
}

impl<'a> Spots<'a> {
    fn of(x: &'a Array, places: &'a Array) -> Result<Self> {
        let after = places.try_searchsorted(x, Side::Right)?;
        let lower = after.try_subtract(1)?.try_maximum(0)?;
        let upper = lower.try_add(1)?.try_minimum(places.size() as i64 - 1)?;
        let (x0, x1) = (places.try_take(&lower, 0)?, places.try_take(&upper, 0)?);
        Ok(Self { x, places, after, lower, upper, x0, x1 })
    }

    /// The line through real samples; slopes `by_reciprocal` are the rise times one over the run, as NumPy has those of
    /// complex samples.
    fn line(
        &self,
        values: &Array,
        left: &Array,
        right: &Array,
        by_reciprocal: bool,
    ) -> Result<Array> {
        let (x, x0, x1) = (self.x, &self.x0, &self.x1);
        let (y0, y1) = (values.try_take(&self.lower, 0)?, values.try_take(&self.upper, 0)?);
        let (rise, run) = (y1.try_subtract(&y0)?, x1.try_subtract(x0)?);
        let slope = match by_reciprocal {
            true => rise.try_multiply(run.try_reciprocal()?)?,
            false => rise.try_divide(run)?,
        };
        let from = |place: &Array, value: &Array| {
            slope.try_multiply(x.try_subtract(place)?)?.try_add(value)
        };
        // An infinite sample spoils one side of its line; the other end may yet tell.
        let first = from(x0, &y0)?;
        let value = try_where(first.try_isnan()?, from(x1, &y1)?, &first)?;
        let flat = value.try_isnan()?.try_logical_and(y0.try_equal(&y1)?)?;
        let value = try_where(flat, &y0, value)?;
        let last = self.places.size() as i64 - 1;
        let at_sample = self.after.try_greater(last)?.try_logical_or(x0.try_equal(x)?)?;
        let value = try_where(at_sample, &y0, value)?;
        let value = try_where(x.try_less(self.places.try_i(0)?)?, left, value)?;
        try_where(x.try_greater(self.places.try_i(-1)?)?, right, value)
    }
}

#[cfg(test)]
mod tests {
    use super::Interp;
    use crate::{Array, Scalar, checked};

    /// `np.interp(x, xp, fp, left=1j)` of real values.
    #[test]
    fn complex_ends_need_complex_values() {
        let (x, xp) = (Array::from([-1.0]), Array::from([0.0, 1.0]));
        let end = || Interp::new().left(Scalar::weak_complex(0.0, 1.0));
        let error = checked::interp(&x, &xp, &xp, end()).expect_err("real values");
        assert_eq!(error.class(), "TypeError");
        let values = xp.astype(crate::DType::C128);
        assert_eq!(
            checked::interp(&x, &xp, &values, end()).expect("complex").to_string(),
            "[0.+1.j]"
        );
    }
}
