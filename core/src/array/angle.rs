//! The angle of complex numbers: not an operation of its own, but arctan2 of their parts.

use super::Array;
use crate::declare::array_functions;
use crate::graph::Operand;
use crate::ops::rows::checked_binary::atan2 as try_arctan2;

array_functions! {
    checked angles;

    /// The angle of each complex number from the positive real axis, from -π to π, as `np.angle`;
    /// in degrees if asked for. Of a real number it is 0 or π; integers give floats. Lazy.
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
