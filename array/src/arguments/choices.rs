//! Choices between ways to do the same, which options name; the functions that follow them have their meaning.

use std::ops::RangeFull;

/// One of the ways of an enumeration, or `..` for NumPy's default.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{T}`",
    label = "expected a variant of `{T}`, or `..` for NumPy's default"
)]
pub trait OneOf<T> {
    /// The way, or the function's default.
    #[doc(hidden)]
    fn or(self, default: T) -> T;
}

/// Implements [`OneOf`] for enumerations and `..`, here and in crates beside this one.
#[doc(hidden)]
#[macro_export]
macro_rules! one_of {
    ($($choice:ty),+) => {$(
        impl $crate::api::OneOf<$choice> for $choice {
            fn or(self, _: $choice) -> $choice {
                self
            }
        }
        impl $crate::api::OneOf<$choice> for std::ops::RangeFull {
            fn or(self, default: $choice) -> $choice {
                default
            }
        }
    )+};
}
pub(crate) use one_of;
one_of!(IndexMode);

/// What becomes of a position out of range, as NumPy's `mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexMode {
    /// It is an error; `-n..0` counts from the end.
    #[default]
    Raise,
    /// It is taken modulo the extent.
    Wrap,
    /// It becomes the nearest there is, so that negative ones are 0.
    Clip,
}

impl From<RangeFull> for IndexMode {
    fn from(_: RangeFull) -> Self {
        Self::Raise
    }
}

/// A method of finding quantiles, with NumPy's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuantileMethod {
    /// Hyndman & Fan 1.
    InvertedCdf,
    /// Hyndman & Fan 2.
    AveragedInvertedCdf,
    /// Hyndman & Fan 3.
    ClosestObservation,
    /// Hyndman & Fan 4.
    InterpolatedInvertedCdf,
    /// Hyndman & Fan 5.
    Hazen,
    /// Hyndman & Fan 6.
    Weibull,
    /// Hyndman & Fan 7, NumPy's default.
    #[default]
    Linear,
    /// Hyndman & Fan 8.
    MedianUnbiased,
    /// Hyndman & Fan 9.
    NormalUnbiased,
    /// The element before.
    Lower,
    /// The element after.
    Higher,
    /// The mean of those two.
    Midpoint,
    /// The nearer of those two, of equally near ones that at an even position.
    Nearest,
}

/// Those of linear algebra.
pub mod linalg {
    use super::RangeFull;

    /// Which norm; `..` is the default: Euclidean of vectors, Frobenius of matrices.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub enum Norm {
        /// Square root of the sum of squares.
        #[default]
        Default,
        /// The same, of matrices only.
        Frobenius,
        /// Sum of the singular values, of matrices only.
        Nuclear,
        /// Of vectors `Σ|x|^p` to the power `1/p`, with infinities for the largest and smallest magnitude and 0
        /// for the count of what is not zero; of matrices the largest (or, negative, smallest) sum of
        /// magnitudes of a column (1) or a row (infinity), or singular value (2).
        Order(f64),
    }

    impl From<RangeFull> for Norm {
        fn from(_: RangeFull) -> Self {
            Norm::Default
        }
    }
    impl From<f64> for Norm {
        fn from(order: f64) -> Self {
            Norm::Order(order)
        }
    }
    impl From<i32> for Norm {
        fn from(order: i32) -> Self {
            Norm::Order(f64::from(order))
        }
    }
}

/// Those of Fourier transforms.
pub mod fft {
    /// Which way divides by the number of points, so that both together change nothing: NumPy's `norm`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Norm {
        /// The inverse.
        #[default]
        Backward,
        /// Each by the square root, so that lengths of vectors stay.
        Ortho,
        /// The transform.
        Forward,
    }
}
