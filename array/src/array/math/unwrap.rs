//! Phases without jumps.

use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxis};
use crate::array::{Array, try_concatenate};
use crate::declare::array_functions;
use crate::elementwise::try_where;
use crate::scalar::Scalar;
use ndany_core::shape::axis_index;
use ndany_core::{DType, Error, Kind, Number};

array_functions! {
    checked phases, free free_phases;

    /// Removes jumps of whole turns (2 π) from phases along an axis, the last one for `..`, as `np.unwrap`.
    ///
    /// The options `period` and `discont` give another turn or least jump.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: real numbers; floats keep theirs, integers give float64 unless the period is an integer.
    /// - **Errors**: a 0-d array, an axis out of range, complex numbers, a period of zero.
    ///
    /// ```
    /// use ndany::{Array, Device, along};
    /// # let _guard = Device::open("reference")?.enter();
    /// let hours = Array::from([22, 23, 0, 1]);
    /// assert_eq!(hours.unwrap_phase(along(-1).period(24)).to_vec::<i32>()?, [22, 23, 24, 25]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    unwrap_phase / try_unwrap_phase (self, axis: impl IntoAxis<PhaseOptions>) -> Array {
        const OP: &str = "unwrap";
        if self.ndim() == 0 {
            return Err(Error::Shape { op: OP, expected: "at least one axis".to_string(), got: self.shape().into() });
        }
        let options = axis.into_axis();
        let axis = options.one(OP)?;
        let place = axis_index(OP, axis, self.ndim())?;
        let steps = self.try_diff(AxisOptions::from(Some(axis)))?;
        let period = options.given_period().unwrap_or_else(|| Scalar::from(std::f64::consts::TAU));
        let dtype = period.promote_with(steps.dtype());
        let wrong = |reason: &str| Err(Error::ArgumentValue { op: OP.to_string(), reason: reason.to_string() });
        let (half, ambiguous): (Scalar, bool) = match (period.number(), dtype.kind()) {
            (Number::Complex(..), _) | (_, Kind::Bool | Kind::Complex) => {
                let dtypes = self.dtype().to_string();
                return Err(Error::DTypes { op: OP, dtypes, remedy: "phases and the period are real numbers" });
            }
            (Number::Bool(_), _) => return wrong("the period is a number"),
            (Number::Int(period), Kind::Int) => (Scalar::weak_int(period.div_euclid(2)), period % 2 == 0),
            (Number::Int(period), Kind::Float) => (Scalar::from(period as f64 / 2.0), true),
            (Number::Float(period), Kind::Int | Kind::Float) => (Scalar::from(period / 2.0), true),
        };
        let low: Scalar = match half.number() {
            Number::Int(half) => Scalar::weak_int(-half),
            Number::Float(half) => Scalar::from(-half),
            Number::Bool(_) | Number::Complex(..) => unreachable!("made above"),
        };
        let jump = options.given_discont().unwrap_or(match period.number() {
            Number::Int(period) => period as f64 / 2.0,
            Number::Float(period) => period / 2.0,
            Number::Bool(_) | Number::Complex(..) => unreachable!("refused above"),
        });
        let mut wrapped = steps.try_subtract(low)?.try_remainder(period)?.try_add(low)?;
        if ambiguous {
            let at_end = wrapped.try_equal(low)?.try_logical_and(steps.try_greater(0)?)?;
            wrapped = try_where(at_end, half, wrapped)?;
        }
        let correction = wrapped.try_subtract(&steps)?;
        let small = steps.try_absolute()?.try_less(jump)?;
        let correction = try_where(small, Scalar::typed(correction.dtype(), 0), correction)?;
        let part = |from: usize, to: usize| {
            let mut items = vec![crate::array::Index::from(..); place];
            items.push(crate::array::Index::from(from as isize..to as isize));
            self.try_i(items.as_slice())
        };
        let extent = self.shape()[place];
        let whole: DType = dtype;
        let later = part(1.min(extent), extent)?.try_add(correction.try_cumsum(axis)?)?.try_astype(whole)?;
        try_concatenate(&[&part(0, 1.min(extent))?.try_astype(whole)?, &later], place as isize)
    }
}
