//! What solvers multiply by: sparse and dense arrays, and closures.

use std::fmt;
use std::sync::Arc;

use ndany_array::{Array, DType};

use super::refuse_shape;
use crate::Sparse;

/// A linear map of vectors, as `scipy.sparse.linalg.LinearOperator`.
pub trait Operator {
    /// Returns the numbers of rows and columns.
    fn shape(&self) -> [usize; 2];
    /// Returns the dtype of what it makes of ones.
    fn dtype(&self) -> DType;
    /// Returns `A x`.
    #[track_caller]
    fn matvec(&self, x: &Array) -> Array;
    /// Returns `Aᴴ x`.
    #[track_caller]
    fn rmatvec(&self, x: &Array) -> Array;
    /// The sparse array that it is, if it is one: kernels of products with it can be asked for ahead.
    #[doc(hidden)]
    fn as_sparse(&self) -> Option<&Sparse> {
        None
    }
}

impl Operator for Sparse {
    fn shape(&self) -> [usize; 2] {
        self.shape
    }
    fn dtype(&self) -> DType {
        self.values().dtype()
    }
    #[track_caller]
    fn matvec(&self, x: &Array) -> Array {
        self.matmul(x)
    }
    #[track_caller]
    fn rmatvec(&self, x: &Array) -> Array {
        match self.dtype().is_complex() {
            true => self.rmatmul(x.conj()).conj(),
            false => self.rmatmul(x),
        }
    }
    fn as_sparse(&self) -> Option<&Sparse> {
        Some(self)
    }
}

impl Operator for Array {
    fn shape(&self) -> [usize; 2] {
        match *Array::shape(self) {
            [m, n] => [m, n],
            ref got => refuse_shape("aslinearoperator", "a matrix".to_string(), got),
        }
    }
    fn dtype(&self) -> DType {
        Array::dtype(self)
    }
    #[track_caller]
    fn matvec(&self, x: &Array) -> Array {
        self.matmul(x)
    }
    #[track_caller]
    fn rmatvec(&self, x: &Array) -> Array {
        self.conj().t().matmul(x)
    }
}

type Map = Arc<dyn Fn(&Array) -> Array + Send + Sync>;

/// A linear map made of closures, as `scipy.sparse.linalg.LinearOperator`.
#[derive(Clone)]
pub struct LinearOperator {
    shape: [usize; 2],
    dtype: DType,
    matvec: Map,
    rmatvec: Option<Map>,
}

impl fmt::Debug for LinearOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n] = self.shape;
        write!(f, "LinearOperator({m} by {n}, {})", self.dtype)
    }
}

impl LinearOperator {
    /// Makes a linear map of a closure that returns `A x`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// use ndany::sparse::linalg::{LinearOperator, cg};
    /// let twice = LinearOperator::new([3, 3], F64, |x| x * 2.0);
    /// assert_eq!(cg(&twice, &array([2.0, 4.0, 6.0]), ..)?.x.to_string(), "[1. 2. 3.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn new(
        shape: [usize; 2],
        dtype: DType,
        matvec: impl Fn(&Array) -> Array + Send + Sync + 'static,
    ) -> Self {
        Self { shape, dtype, matvec: Arc::new(matvec), rmatvec: None }
    }

    /// Sets the closure that returns `Aᴴ x`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// use ndany::sparse::linalg::{LinearOperator, Operator};
    /// let twice = LinearOperator::new([3, 3], F64, |x| x * 2.0).rmatvec(|x| x * 2.0);
    /// assert_eq!(twice.shape(), [3, 3]);
    /// ```
    pub fn rmatvec(mut self, rmatvec: impl Fn(&Array) -> Array + Send + Sync + 'static) -> Self {
        self.rmatvec = Some(Arc::new(rmatvec));
        self
    }
}

impl Operator for LinearOperator {
    fn shape(&self) -> [usize; 2] {
        self.shape
    }
    fn dtype(&self) -> DType {
        self.dtype
    }
    #[track_caller]
    fn matvec(&self, x: &Array) -> Array {
        (self.matvec)(x)
    }
    #[track_caller]
    fn rmatvec(&self, x: &Array) -> Array {
        match &self.rmatvec {
            Some(rmatvec) => rmatvec(x),
            None => {
                crate::support::refuse("rmatvec", "the operator has no closure for it".to_string())
            }
        }
    }
}

impl From<&Sparse> for LinearOperator {
    fn from(a: &Sparse) -> Self {
        aslinearoperator(a)
    }
}
impl From<&Array> for LinearOperator {
    fn from(a: &Array) -> Self {
        aslinearoperator(a)
    }
}
impl From<&LinearOperator> for LinearOperator {
    fn from(a: &LinearOperator) -> Self {
        a.clone()
    }
}

/// Makes a linear map of an array, as `scipy.sparse.linalg.aslinearoperator`.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Operator, aslinearoperator};
/// let map = aslinearoperator(&sparse::eye_array(2));
/// assert_eq!(map.matvec(&array([3.0, 4.0])).to_string(), "[3. 4.]");
/// ```
pub fn aslinearoperator<A: Operator + Clone + Send + Sync + 'static>(a: &A) -> LinearOperator {
    let (shape, dtype, second) = (a.shape(), a.dtype(), a.clone());
    let first = a.clone();
    LinearOperator::new(shape, dtype, move |x| first.matvec(x)).rmatvec(move |x| second.rmatvec(x))
}
