//! Powers of two that scale matrices from the ends of their dtype's range to where squares and reciprocals of
//! elements are finite, as LAPACK's drivers do. The multiplication is exact, and ordinary matrices are not
//! scaled.

use std::ops::{AddAssign, Mul, Sub, SubAssign};

use faer::traits::{ComplexField, RealField};
use faer::{Mat, MatMut};
use num_complex::Complex;

/// A real number of 32 or 64 bits.
pub(super) trait Part: RealField + Copy + PartialOrd {
    /// Matrices whose largest part lies between the reciprocal of this and this are ordinary: the root of the
    /// least normal number, divided by the rounding unit.
    const ORDINARY: f64;
    const LEAST_NORMAL: f64;
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
}

impl Part for f32 {
    const ORDINARY: f64 = (1u64 << 40) as f64;
    const LEAST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
    fn of(x: f64) -> Self {
        x as f32
    }
    fn wide(self) -> f64 {
        self.into()
    }
}

impl Part for f64 {
    // 2⁴⁵⁹.
    const ORDINARY: f64 = f64::from_bits((1023 + 459) << 52);
    const LEAST_NORMAL: f64 = f64::MIN_POSITIVE;
    fn of(x: f64) -> Self {
        x
    }
    fn wide(self) -> f64 {
        self
    }
}

/// An element of a matrix, real or complex.
pub(super) trait Number:
    ComplexField<Real = Self::P>
    + Copy
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
{
    type P: Part + Number<P = Self::P>;
    /// Its largest part, or NaN if a part is NaN.
    fn largest(self) -> f64;
    /// The sum of its parts' absolute values, by which LAPACK compares pivots.
    fn abs1(self) -> Self::P;
    fn times(self, factor: Self::P) -> Self;
    /// Division by Smith's method (1962), which does not square the divisor.
    fn over(self, divisor: Self) -> Self;
}

macro_rules! numbers {
    ($($part:ty)+) => {$(
        impl Number for $part {
            type P = $part;
            fn largest(self) -> f64 {
                self.wide().abs()
            }
            fn abs1(self) -> $part {
                self.abs()
            }
            fn times(self, factor: $part) -> Self {
                self * factor
            }
            fn over(self, divisor: Self) -> Self {
                self / divisor
            }
        }

        impl Number for Complex<$part> {
            type P = $part;
            fn largest(self) -> f64 {
                worse(self.re.wide().abs(), self.im.wide().abs())
            }
            fn abs1(self) -> $part {
                self.re.abs() + self.im.abs()
            }
            fn times(self, factor: $part) -> Self {
                self * factor
            }
            fn over(self, divisor: Self) -> Self {
                let (x, y) = (self, divisor);
                if y.re.abs() >= y.im.abs() {
                    let ratio = y.im / y.re;
                    let size = y.re + y.im * ratio;
                    Self::new((x.re + x.im * ratio) / size, (x.im - x.re * ratio) / size)
                } else {
                    let ratio = y.re / y.im;
                    let size = y.re * ratio + y.im;
                    Self::new((x.re * ratio + x.im) / size, (x.im * ratio - x.re) / size)
                }
            }
        }
    )+};
}

numbers! { f32 f64 }

/// The larger number; NaN if either is NaN.
pub(super) fn worse(most: f64, x: f64) -> f64 {
    if x > most || x.is_nan() { x } else { most }
}

/// The largest part of all elements, or NaN if one is not finite. Several running maxima, since a comparison
/// waits for the one before.
pub(super) fn largest<T: Number>(elements: &[T]) -> f64 {
    let (eights, rest) = elements.as_chunks::<8>();
    let (mut most, mut nothing) = ([0.0; 8], [0.0; 8]);
    for eight in eights {
        for lane in 0..8 {
            let x = eight[lane].largest();
            most[lane] = if x > most[lane] { x } else { most[lane] };
            nothing[lane] += 0.0 * x;
        }
    }
    let all = most.into_iter().chain(nothing).chain(rest.iter().map(|x| x.largest()));
    all.fold(0.0, worse)
}

/// The divisor of a matrix: a power of four, 1 for ordinary matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale(pub(super) f64);

impl Default for Scale {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Scale {
    /// The scale of elements; `None` if one is not finite.
    pub(super) fn of<'a, T: Number + 'a>(rows: impl IntoIterator<Item = &'a [T]>) -> Option<Self> {
        let most = rows.into_iter().fold(0.0, |most, row| worse(most, largest(row)));
        let ordinary = 1.0 / T::P::ORDINARY..=T::P::ORDINARY;
        if ordinary.contains(&most) { Some(Self(1.0)) } else { Self::by::<T::P>(most) }
    }

    /// The scale of a matrix with this largest part, which is mapped to between 1 and 4; `None` if it is not
    /// finite.
    pub(super) fn by<P: Part>(most: f64) -> Option<Self> {
        if most == 0.0 {
            return Some(Self(1.0));
        }
        // The exponent, rounded to an even one (the bias is odd); subnormal numbers count as the least normal
        // one.
        let exponent = (most.to_bits() >> 52).max(1);
        let power = f64::from_bits((exponent - (exponent + 1) % 2) << 52);
        most.is_finite().then_some(Self(power.max(P::LEAST_NORMAL)))
    }

    /// The scale for algorithms that propagate NaN and infinity; such matrices are not scaled.
    pub(super) fn of_any<T: Number>(elements: &[T]) -> Self {
        Self::of([elements]).unwrap_or_default()
    }

    /// The inverse scale.
    pub(super) fn inverse(self) -> Self {
        Self(1.0 / self.0)
    }

    /// The scale of a value that is multiplied by `self` and divided by `other`.
    pub(super) fn over(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }

    /// The scale of a Cholesky factor.
    pub(super) fn root(self) -> Self {
        Self(self.0.sqrt())
    }

    pub(super) fn divide<T: Number>(self, matrix: &mut Mat<T>) {
        self.inverse().multiply(matrix.as_mut());
    }

    pub(super) fn multiply<T: Number>(self, mut matrix: MatMut<'_, T>) {
        if self.0 == 1.0 {
            return;
        }
        for j in 0..matrix.ncols() {
            for i in 0..matrix.nrows() {
                matrix[(i, j)] = self.times(matrix[(i, j)]);
            }
        }
    }

    /// A number multiplied by the scale.
    pub(super) fn times<T: Number>(self, x: T) -> T {
        x.times(T::P::of(self.0))
    }
}
