//! The angle of complex numbers: not an operation of its own, but arctan2 of their parts.

use crate::array::Array;
use crate::declare::array_functions;
use crate::elementwise::checked_binary::atan2 as try_arctan2;
use crate::graph::Operand;

array_functions! {
    checked angles, free free_angles;

    /// Returns the angle of complex numbers from the positive real axis, as `np.angle`; lazy.
    ///
    /// The angle is from -π to π, or in degrees if asked for; that of a real number is 0 or π.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: complex numbers give the dtype of their parts; floats keep theirs, integers become floats.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let angle = Array::from([1.0, -1.0]).angle(true);
    /// assert_eq!(angle.to_vec::<f64>()?, [0.0, 180.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    angle / try_angle (self, degrees: bool) -> Array {
        let angle = if self.dtype().is_complex() {
            try_arctan2(self.try_imag()?, self.try_real()?)?
        } else {
            try_arctan2(Operand::from(0), self)?
        };
        if degrees { angle.try_multiply(180.0 / std::f64::consts::PI) } else { Ok(angle) }
    }
}
