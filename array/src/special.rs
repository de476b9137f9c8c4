//! Special functions, as `scipy.special`: error functions, gamma functions, logistic functions, entropy, logarithms that are 0
//! where they are multiplied by 0, element by element; sums of exponentials over axes.
//!
//! ```
//! use ndany::{Array, Device, special};
//! # let _guard = Device::open("reference")?.enter();
//! let x = Array::from([0.0, 1.0]);
//! assert_eq!(special::erf(&x).i(0).item::<f64>()?, 0.0);
//! assert_eq!(special::xlogy(&x, 1.0).to_vec::<f64>()?, [0.0, 0.0]);
//! assert_eq!(special::softmax(&x, ..).sum(..).item::<f64>()?, 1.0);
//! # Ok::<(), ndany::Error>(())
//! ```

use crate::Array;
use crate::arguments::IntoAxes;
use crate::arguments::options::*;
use crate::declare::array_functions;
use crate::elementwise::try_where;
use ndany_core::ops::reductions as table;

pub use crate::elementwise::special_binary::*;
pub use crate::elementwise::special_unary::*;
pub use exponentials::*;

array_functions! {
    mod exponentials, checked;

    /// Returns the logarithm of the sum of exponentials over axes, in one pass, as `scipy.special.logsumexp`.
    ///
    /// - **Shapes**: `(m, n) → (m,)` over axis 1, `()` over `..`.
    /// - **Dtypes**: real; floats keep theirs, bool and integers give float64.
    /// - **Errors**: complex numbers, an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(special::logsumexp(array([1000.0, 1000.0]), ..).to_string(), "1000.6931471805599");
    /// ```
    logsumexp / try_logsumexp (self, axes: impl IntoAxes<MaskOptions>) -> Array {
        self.reduce(&table::LOGSUMEXP, axes.into_axes())
    }

    /// Returns exponentials over their sum along axes, as `scipy.special.softmax`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, rows sum to 1 over axis 1, all elements over `..`; lazy.
    /// - **Dtypes**: floats and complex numbers keep theirs, bool and integers give float64.
    /// - **Errors**: an axis out of range or given twice, no elements to sum.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(special::softmax(array([[0.0, 0.0], [800.0, 0.0]]), 1).to_string(), "[[0.5 0.5]\n [1.  0. ]]");
    /// ```
    softmax / try_softmax (self, axes: impl IntoAxes<AxesOnly>) -> Array {
        let (x, axes) = (self.as_floats()?, axes.into_axes().keepdims());
        let weights = x.try_subtract(x.try_max(axes.clone())?)?.try_exp()?;
        weights.try_divide(weights.try_sum(axes)?)
    }

    /// Returns the logarithm of `softmax`, accurate where that is small, as `scipy.special.log_softmax`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, over axis 1 row by row; lazy.
    /// - **Dtypes**: real; floats keep theirs, bool and integers give float64.
    /// - **Errors**: complex numbers, an axis out of range or given twice, no elements to sum.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(special::log_softmax(array([1000.0, 0.0]), ..).to_string(), "[    0. -1000.]");
    /// ```
    log_softmax / try_log_softmax (self, axes: impl IntoAxes<AxesOnly>) -> Array {
        let (x, axes) = (self.as_floats()?, axes.into_axes().keepdims());
        let largest = x.try_max(axes.clone())?;
        let shifted = x.try_subtract(try_where(largest.try_isfinite()?, &largest, 0)?)?;
        shifted.try_subtract(shifted.try_logsumexp(axes)?)
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    #[test]
    fn elements_that_do_not_count_have_no_exponential() -> crate::Result<()> {
        let _guard = Device::open("reference")?.enter();
        let a = array([[1.0, f64::NAN, 2.0], [3.0, 4.0, 5.0], [f64::INFINITY, 0.5, 0.25]]);
        let mask = array([[true, false, true], [false, false, false], [false, true, true]]);
        let got = special::logsumexp(&a, over(1).where_(&mask)).to_vec::<f64>()?;
        let of = |numbers: [f64; 2]| special::logsumexp(array(numbers), ..).item::<f64>();
        assert_eq!(got, [of([1.0, 2.0])?, f64::NEG_INFINITY, of([0.5, 0.25])?]);
        Ok(())
    }
}
