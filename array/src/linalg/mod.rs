//! Linear algebra: factorizations, systems of equations, and what follows from them, as `numpy.linalg`.
//!
//! Everything is over the matrices in the last two axes; the axes in front are a batch. Booleans and integers count as
//! f64; floats of 16 bits are a `TypeError`, as in NumPy. Results carry a bound instead of promised bits, since devices factor
//! by their vendors' libraries; norms are made of reductions and rotations, and keep their bits. Functions that must know
//! whether a factorization came off wait for the device.
//!
//! Products are methods of arrays: [`Array::matmul`](crate::Array::matmul) and its kin.
//!
//! ```
//! use ndany::{Array, Device, linalg};
//! # let _guard = Device::open("reference")?.enter();
//! let a = Array::from([[2.0, 1.0], [1.0, 3.0]]);
//! let x = linalg::solve(&a, &Array::from([3.0, 5.0]));
//! assert!(x.allclose(&Array::from([0.8, 1.4]), ..)?);
//! # Ok::<(), ndany::Error>(())
//! ```

mod equations;
mod exponential;
mod factors;
mod jacobi;
mod norm;
mod numbers;
mod reflections;
pub(crate) mod task;

pub use equations::{Cutoff, Lstsq, equations::*};
pub use exponential::exponentials::*;
pub use factors::{Eig, Lu, Qr, Svd, Triangle, factors::*};
pub use norm::{Norm, norms::*};
pub use numbers::{Slogdet, numbers::*};
pub use reflections::{Reflections, reflections::*};

pub use crate::array::products::{multi_dot, powers::*};

pub(crate) use jacobi::singular_values;

/// The functions with errors as values, for [`crate::checked`].
pub(crate) mod checked {
    pub use super::equations::checked::*;
    pub use super::exponential::checked::*;
    pub use super::factors::checked::*;
    pub use super::norm::checked::*;
    pub use super::numbers::checked::*;
    pub use super::reflections::checked::*;
}
