//! Powers of two that bring matrices from the ends of their dtype's range to where squares and reciprocals of elements
//! are numbers, as LAPACK's drivers do it. Multiplying by them is exact, and ordinary matrices stay as they are.

use std::ops::{AddAssign, Mul, Sub, SubAssign};

use faer::traits::{ComplexField, RealField};
use faer::{Mat, MatMut};
use num_complex::Complex;

/// A real number of 32 or 64 bits.
pub(super) trait Part: RealField + Copy + PartialOrd {
    /// Matrices whose largest part is between one by this and this are ordinary: the root of the least normal number, by
    /// the roundoff.
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
    /// Its largest part, or NaN where one is.
    fn largest(self) -> f64;
    /// The sum of its parts' sizes, by which LAPACK compares pivots.
    fn taxi(self) -> Self::P;
    fn times(self, factor: Self::P) -> Self;
    /// Divided, by Smith's method (1962): the divisor's square need not be a number.
    fn over(self, divisor: Self) -> Self;
}

macro_rules! numbers {
    ($($part:ty)+) => {$(
        impl Number for $part {
            type P = $part;
            fn largest(self) -> f64 {
                self.wide().abs()
            }
            fn taxi(self) -> $part {
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
            fn taxi(self) -> $part {
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

/// The larger, or NaN once there is one.
pub(super) fn worse(most: f64, x: f64) -> f64 {
    if x > most || x.is_nan() { x } else { most }
}

/// The largest part of elements, or NaN where one is not finite. In lanes, for a comparison waits for the one before.
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

/// By what a matrix is divided: a power of four, 1 for ordinary ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale(pub(super) f64);

impl Default for Scale {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Scale {
    /// Of elements; none where one is not finite.
    pub(super) fn of<'a, T: Number + 'a>(rows: impl IntoIterator<Item = &'a [T]>) -> Option<Self> {
        let most = rows.into_iter().fold(0.0, |most, row| worse(most, largest(row)));
        let ordinary = 1.0 / T::P::ORDINARY..=T::P::ORDINARY;
        if ordinary.contains(&most) { Some(Self(1.0)) } else { Self::by::<T::P>(most) }
    }

    /// Of a matrix with this largest part, which comes to lie from 1 to 4; none where it is not finite.
    pub(super) fn by<P: Part>(most: f64) -> Option<Self> {
        if most == 0.0 {
            return Some(Self(1.0));
        }
        // The exponent alone, and an even one (the bias is odd); numbers below the least normal one count as that.
        let exponent = (most.to_bits() >> 52).max(1);
        let power = f64::from_bits((exponent - (exponent + 1) % 2) << 52);
        most.is_finite().then_some(Self(power.max(P::LEAST_NORMAL)))
    }

    /// The same for those who go on with NaN and infinity, which stay as they are.
    pub(super) fn of_any<T: Number>(elements: &[T]) -> Self {
        Self::of([elements]).unwrap_or_default()
    }

    /// The way back.
    pub(super) fn inverse(self) -> Self {
        Self(1.0 / self.0)
    }

    /// What is to be multiplied by the one and divided by the other.
    pub(super) fn over(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }

    /// What Cholesky's factor is to be multiplied by.
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

    /// One number multiplied.
    pub(super) fn times<T: Number>(self, x: T) -> T {
        x.times(T::P::of(self.0))
    }
}
