//! Special functions, as `scipy.special`: error functions, gamma functions, logistic functions, entropy, logarithms that are 0
//! where they are multiplied by 0, element by element; sums of exponentials over axes.
//!
//! ```
//! use ndany::{Array, Device, special};
//! # let _guard = Device::open("reference")?.enter();
//! let x = Array::from([0.0, 1.0]);
//! assert_eq!(special::erf(&x).i(0).item::<f64>()?, 0.0);
//! assert_eq!(special::xlogy(&x, 1.0).to_vec::<f64>()?, [0.0, 0.0]);
//! # Ok::<(), ndany::Error>(())
//! ```

use crate::arguments::IntoAxes;
use crate::arguments::options::*;
use crate::declare::array_functions;
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
    logsumexp / try_logsumexp (self, axes: impl IntoAxes<LogSumExpOptions>) -> Array {
        self.reduce(&table::LOGSUMEXP, axes.into_axes())
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
