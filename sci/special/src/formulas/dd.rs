//! Sums of two floats, for what is computed on the host: some 32 digits.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::support::two_sum;

/// `.0` + `.1`, of which the second is at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double(pub(crate) f64, pub(crate) f64);

impl Double {
    pub(crate) fn value(self) -> f64 {
        self.0 + self.1
    }

    /// A power of two times the number.
    pub(crate) fn scaled(self, factor: f64) -> Double {
        Double(self.0 * factor, self.1 * factor)
    }

    pub(crate) fn sqrt(self) -> Double {
        if self.0 <= 0.0 {
            return Double(0.0, 0.0);
        }
        let root = self.0.sqrt();
        let rest = root.mul_add(-root, self.0) + self.1;
        quick_sum(root, rest / (root + root))
    }
}

/// A sum with its rounding error.
fn exact_sum(x: f64, y: f64) -> Double {
    let (sum, error) = two_sum(x, y);
    Double(sum, error)
}

/// A sum whose first term is the larger one, with its rounding error.
fn quick_sum(large: f64, small: f64) -> Double {
    let sum = large + small;
    Double(sum, small - (sum - large))
}

impl From<f64> for Double {
    fn from(value: f64) -> Double {
        Double(value, 0.0)
    }
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let (high, low) = (exact_sum(self.0, other.0), exact_sum(self.1, other.1));
        let sum = quick_sum(high.0, high.1 + low.0);
        quick_sum(sum.0, sum.1 + low.1)
    }
}

impl Neg for Double {
    type Output = Double;
    fn neg(self) -> Double {
        Double(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, other: Double) -> Double {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product);
        quick_sum(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Double {
    type Output = Double;
    fn div(self, other: Double) -> Double {
        let first = self.0 / other.0;
        let rest = self - other * Double::from(first);
        let second = rest.0 / other.0;
        let rest = rest - other * Double::from(second);
        quick_sum(first, second) + Double::from(rest.0 / other.0)
    }
}
