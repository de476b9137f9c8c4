//! What functions that make arrays take besides a shape: a dtype, the numbers of a range, the extents of a matrix.

use std::ops::{Range, RangeFull};

use smallvec::SmallVec;

use super::integers::{Integer, Integers};
use super::shape::extents;
use crate::scalar::Scalar;
use ndany_core::{DType, Error, Result};

/// The dtype of an array that is made: a [`DType`], or `..` for NumPy's default.
///
/// ```
/// use ndany::{DType, Device, full, zeros};
/// # let _guard = Device::open("reference")?.enter();
/// assert_eq!(zeros(3, ..).dtype(), DType::F64);
/// assert_eq!(full(3, 7, ..).dtype(), DType::I64);
/// assert_eq!(zeros(3, DType::F32).dtype(), DType::F32);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Creation(Option<DType>);

impl Creation {
    pub(crate) fn or(self, default: DType) -> DType {
        self.0.unwrap_or(default)
    }
}

impl From<DType> for Creation {
    fn from(dtype: DType) -> Self {
        Self(Some(dtype))
    }
}
impl From<RangeFull> for Creation {
    fn from(_: RangeFull) -> Self {
        Self(None)
    }
}

/// The numbers of [`arange`](crate::arange()): `stop`, `(start, stop)`, `start..stop` or `(start, stop, step)`; and a dtype.
///
/// ```
/// use ndany::{Arange, DType, Device, arange};
/// # let _guard = Device::open("reference")?.enter();
/// assert_eq!(arange(3).to_vec::<i64>()?, [0, 1, 2]);
/// assert_eq!(arange(2..4).to_vec::<i64>()?, [2, 3]);
/// assert_eq!(arange((0.0, 1.0, 0.5)).to_vec::<f64>()?, [0.0, 0.5]);
/// assert_eq!(arange(Arange::new((5, 0, -2)).dtype(DType::F32)).to_vec::<f32>()?, [5.0, 3.0, 1.0]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Arange {
    pub(crate) start: Scalar,
    pub(crate) stop: Scalar,
    pub(crate) step: Scalar,
    pub(crate) dtype: Option<DType>,
}

impl Arange {
    /// Starts the options of [`arange`](fn@crate::arange) with a range, whose numbers say the dtype.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(ndany::Arange::new(3)).to_string(), "[0 1 2]");
    /// ```
    pub fn new(range: impl Into<Arange>) -> Self {
        range.into()
    }

    /// Sets the dtype of the elements, as `dtype=` of `np.arange`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(arange(ndany::Arange::new(3).dtype(F64)).to_string(), "[0. 1. 2.]");
    /// ```
    pub fn dtype(self, dtype: DType) -> Self {
        Self { dtype: Some(dtype), ..self }
    }

    pub(crate) fn of(
        start: impl Into<Scalar>,
        stop: impl Into<Scalar>,
        step: impl Into<Scalar>,
        dtype: Option<DType>,
    ) -> Self {
        Self { start: start.into(), stop: stop.into(), step: step.into(), dtype }
    }
}

impl<T: Into<Scalar>> From<T> for Arange {
    fn from(stop: T) -> Self {
        Self::of(0, stop, 1, None)
    }
}
impl<T: Into<Scalar>> From<Range<T>> for Arange {
    fn from(range: Range<T>) -> Self {
        Self::of(range.start, range.end, 1, None)
    }
}
impl<A: Into<Scalar>, B: Into<Scalar>> From<(A, B)> for Arange {
    fn from((start, stop): (A, B)) -> Self {
        Self::of(start, stop, 1, None)
    }
}
impl<A: Into<Scalar>, B: Into<Scalar>, C: Into<Scalar>> From<(A, B, C)> for Arange {
    fn from((start, stop, step): (A, B, C)) -> Self {
        Self::of(start, stop, step, None)
    }
}

/// A matrix with ones on, or up to, a diagonal: what [`eye`](crate::eye) and [`tri`](crate::tri) take. An integer is a square
/// matrix, a pair of them rows and columns.
///
/// ```
/// use ndany::{DType, Device, Eye, eye};
/// # let _guard = Device::open("reference")?.enter();
/// assert_eq!(eye(2).to_string(), "[[1. 0.]\n [0. 1.]]");
/// assert_eq!(eye(Eye::new((2, 3)).k(1).dtype(DType::I64)).to_string(), "[[0 1 0]\n [0 0 1]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Eye {
    extents: SmallVec<[isize; 4]>,
    pub(crate) k: isize,
    pub(crate) dtype: Option<DType>,
}

impl Eye {
    /// Starts the options of [`eye`](fn@crate::eye) with an extent or `(rows, columns)`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(eye(ndany::Eye::new(2)).to_string(), "[[1. 0.]\n [0. 1.]]");
    /// ```
    pub fn new(extents: impl Integers) -> Self {
        Self { extents: extents.integers(), k: 0, dtype: None }
    }

    /// Sets the diagonal, positive above the main one, as `k=` of `np.eye`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(eye(ndany::Eye::new(2).k(1)).to_string(), "[[0. 1.]\n [0. 0.]]");
    /// ```
    pub fn k(self, k: isize) -> Self {
        Self { k, ..self }
    }

    /// Sets the dtype of the elements, as `dtype=` of `np.eye`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(eye(ndany::Eye::new(2).dtype(I32)).to_string(), "[[1 0]\n [0 1]]");
    /// ```
    pub fn dtype(self, dtype: DType) -> Self {
        Self { dtype: Some(dtype), ..self }
    }

    /// A matrix as plain values.
    pub(crate) fn of(rows: usize, columns: usize, k: isize, dtype: DType) -> Self {
        Self { k, dtype: Some(dtype), ..Self::new((rows, columns)) }
    }

    /// Rows and columns.
    pub(crate) fn matrix(&self, op: &'static str) -> Result<[usize; 2]> {
        matrix(op, &self.extents)
    }
}

/// Rows and columns of a matrix: one extent of a square one, or two.
pub(crate) fn matrix(op: &'static str, asked: &[isize]) -> Result<[usize; 2]> {
    match extents(op, asked)?[..] {
        [extent] => Ok([extent, extent]),
        [rows, columns] => Ok([rows, columns]),
        ref other => {
            let expected = "one or two extents".to_string();
            Err(Error::Shape { op, expected, got: other.into() })
        }
    }
}

impl<T: Integer + Integers> From<T> for Eye {
    fn from(extent: T) -> Self {
        Self::new(extent)
    }
}
impl<A: Integer, B: Integer> From<(A, B)> for Eye {
    fn from(extents: (A, B)) -> Self {
        Self::new(extents)
    }
}
