//! Special functions, elementwise, as `scipy.special`: error functions, gamma functions, logistic functions, and logarithms that
//! are 0 where they are multiplied by 0. Floats only; integers count as F64.
//!
//! ```
//! use ndany::{Array, Device, special};
//! # let _guard = Device::open("reference")?.enter();
//! let x = Array::from([0.0, 1.0]);
//! assert_eq!(special::erf(&x).i(0).item::<f64>()?, 0.0);
//! assert_eq!(special::xlogy(&x, 1.0).to_vec::<f64>()?, [0.0, 0.0]);
//! # Ok::<(), ndany::Error>(())
//! ```

pub use crate::elementwise::special_binary::*;
pub use crate::elementwise::special_unary::*;
