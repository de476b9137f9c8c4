//! The exponential of matrices: Padé's approximant of order 13 of the matrix made small, squared up again (Higham, "The
//! Scaling and Squaring Method for the Matrix Exponential Revisited", 2005).

use super::task::{inexact, square};
use crate::arguments::Eye;
use crate::arguments::over;
use crate::array::{Array, try_eye};
use crate::declare::array_functions;
use crate::elementwise::try_where;
use ndany_core::ops::reductions as table;
use ndany_core::shape::Shape;
use ndany_core::{DType, Result};

/// The coefficients of the numerator, from that of the 13th power down (Higham, table 10.4 of "Functions of Matrices");
/// the denominator has the same with alternating signs.
const PADE: [f64; 14] = [
    1.0,
    182.0,
    16_380.0,
    960_960.0,
    40_840_800.0,
    1_323_241_920.0,
    33_522_128_640.0,
    670_442_572_800.0,
    10_559_470_521_600.0,
    129_060_195_264_000.0,
    1_187_353_796_428_800.0,
    7_771_770_303_897_600.0,
    32_382_376_266_240_000.0,
    64_764_752_532_480_000.0,
];

/// The norm up to which the approximant is exact to roundings of 64 bits.
const SMALL: f64 = 5.371_920_351_148_152;

array_functions! {
    mod exponentials, checked;

    /// Returns the exponential of square matrices, `1 + a + a²/2! + …`, as `scipy.linalg.expm`.
    ///
    /// Waits for the device, to see how often the largest must be halved.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let turn = Array::from([[0.0, -1.0], [1.0, 0.0]]) * std::f64::consts::FRAC_PI_2;
    /// assert!(linalg::expm(&turn).allclose(&Array::from([[0.0, -1.0], [1.0, 0.0]]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    expm / try_expm (self) -> Array {
        const OP: &str = "expm";
        let a = inexact(OP, self)?;
        let (outer, n) = square(OP, &a)?;
        if a.size() == 0 {
            return Ok(a);
        }
        let dtype = a.dtype();
        let sums = a.try_absolute()?.reduce(&table::SUM, over(-2))?;
        let norm = sums.reduce(&table::MAX, over(-1))?.try_astype(DType::F64)?;
        // Halvings of each matrix, as whole numbers; what is no number has none.
        let halvings = norm.try_divide(SMALL)?.try_log2()?.try_ceil()?.try_maximum(0.0)?;
        let halvings = try_where(&halvings.try_isfinite()?, &halvings, 0.0)?;
        let most = halvings.reduce(&table::MAX, over(..))?.item::<f64>()? as u32;
        let halvings = halvings.try_expand_dims([-2, -1])?;
        let scale = halvings.try_negative()?.try_exp2()?.try_astype(dtype.part())?;
        let shape: Shape = outer.iter().copied().chain([n, n]).collect();
        let identity = {
            let _guard = a.device().enter();
            try_eye(Eye::of(n, n, 0, dtype))?.try_broadcast_to(shape.as_slice())?
        };
        let a = a.try_multiply(&scale)?;
        let a2 = a.try_matmul(&a)?;
        let a4 = a2.try_matmul(&a2)?;
        let a6 = a4.try_matmul(&a2)?;
        // Powers 13, 11, 9 and 7, 5, 3, 1 of the odd part; 12 to 0 of the even one.
        let sum = |first: usize| -> Result<[Array; 2]> {
            let term = |power: &Array, k: usize| power.try_multiply(PADE[k]);
            let high = term(&a6, first)?.try_add(term(&a4, first + 2)?)?.try_add(term(&a2, first + 4)?)?;
            let low = term(&a6, first + 6)?.try_add(term(&a4, first + 8)?)?;
            let low = low.try_add(term(&a2, first + 10)?)?.try_add(term(&identity, first + 12)?)?;
            Ok([high, low])
        };
        let [high, low] = sum(0)?;
        let odd = a.try_matmul(&a6.try_matmul(&high)?.try_add(low)?)?;
        let [high, low] = sum(1)?;
        let even = a6.try_matmul(&high)?.try_add(low)?;
        let mut power = even.try_subtract(&odd)?.try_solve(&even.try_add(&odd)?)?;
        for step in 0..most {
            let squared = power.try_matmul(&power)?;
            let more = halvings.try_greater(f64::from(step))?;
            power = try_where(&more, &squared, &power)?;
        }
        power.try_astype(dtype)
    }
}
