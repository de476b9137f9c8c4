//! Polynomials of one variable.
//!
//! NumPy has them twice. The functions at the crate's root ([`polyval`](crate::polyval()), [`roots`](crate::roots()), …)
//! are those of its main namespace: the highest power comes first. This module follows `numpy.polynomial.polynomial`
//! and `polyutils`: the lowest power comes first, which is what [`Polynomial`] holds.
//!
//! All of it is made of elementwise operations, convolutions and [`linalg`](crate::linalg), on the device of the
//! coefficients. Functions that drop zeros must know where they are, and so wait for the device: `polymul`, `polydiv`,
//! `roots`, `trimseq`, `trimcoef`, `as_series`, `polycompanion` and what is over them. Deliberately absent: series in
//! other bases (Chebyshev, Legendre, …), and the scaled domains of `numpy.polynomial`.

pub(crate) mod classic;
pub(crate) mod fit;
#[cfg(feature = "call")]
pub(crate) mod powers;
mod series;
mod value;

pub use fit::{Fit, PolyFit};
pub use series::{
    as_series, polycompanion, polyval, polyvalfromroots, polyvander, trimcoef, trimseq,
};
pub use value::Polynomial;

/// The functions with errors as values, for [`crate::checked::polynomial`].
pub(crate) mod checked {
    pub use super::value::checked::*;

    pub use super::series::{
        try_as_series as as_series, try_polycompanion as polycompanion, try_polyval as polyval,
        try_polyvalfromroots as polyvalfromroots, try_polyvander as polyvander,
        try_trimcoef as trimcoef, try_trimseq as trimseq,
    };
}

use crate::array::Array;
use ndany_core::{Error, Result};

/// Coefficients: one axis; a number counts as one coefficient.
fn coefficients(op: &'static str, array: &Array) -> Result<Array> {
    if array.ndim() > 1 {
        let expected = "coefficients along one axis".to_string();
        return Err(Error::Shape { op, expected, got: array.shape().into() });
    }
    array.try_atleast_1d()
}

/// Elements `from..to` of a flat array.
fn part(array: &Array, from: usize, to: usize) -> Result<Array> {
    array.try_i(from as isize..to as isize)
}

fn value_error(op: &'static str, reason: impl Into<String>) -> Error {
    Error::ArgumentValue { op: op.to_string(), reason: reason.into() }
}
