//! Special functions, as `scipy.special`, over the arrays of ndany: lazy, fused with what stands around them, with the same bits on
//! every device.
//!
//! Each function is a formula over [`Algebra`](ndany_core::formulas::algebra::Algebra) in [`formulas`], and a declaration in
//! the room of its subject. f32 is computed in f64 and rounded once, unless a function says otherwise.

#![forbid(unsafe_code)]

#[macro_use]
mod declare;
mod airy;
mod bessel;
mod bessel_order;
mod combinatorics;
mod complex;
mod convenience;
mod derivatives;
mod elliptic;
mod errors;
pub mod formulas;
mod fresnel;
mod gamma;
mod hypergeometric;
mod incomplete;
mod integrals;
mod jacobi;
mod kelvin;
mod legendre;
mod noncentral;
mod orthogonal;
mod parameters;
mod roots;
mod spherical;
mod statistical;
mod struve;
mod zeros;

pub use airy::*;
pub use bessel::*;
pub use bessel_order::*;
pub use combinatorics::*;
pub use complex::*;
pub use convenience::*;
pub use derivatives::*;
pub use elliptic::*;
pub use errors::*;
pub use fresnel::*;
pub use gamma::*;
pub use hypergeometric::*;
pub use incomplete::*;
pub use integrals::*;
pub use jacobi::*;
pub use kelvin::*;
pub use legendre::*;
pub use noncentral::*;
pub use orthogonal::*;
pub use parameters::*;
pub use roots::*;
pub use spherical::*;
pub use statistical::*;
pub use struve::*;
pub use zeros::*;

use ndany_array::extend::{Function, Table};

/// Every function of this crate, by subject.
pub static TABLES: &[&[&Function]] = &[
    airy::TABLE,
    bessel::TABLE,
    bessel_order::TABLE,
    combinatorics::TABLE,
    complex::TABLE,
    convenience::TABLE,
    derivatives::TABLE,
    elliptic::TABLE,
    errors::TABLE,
    fresnel::TABLE,
    gamma::TABLE,
    hypergeometric::TABLE,
    incomplete::TABLE,
    integrals::TABLE,
    jacobi::TABLE,
    kelvin::TABLE,
    legendre::TABLE,
    noncentral::TABLE,
    orthogonal::TABLE,
    parameters::TABLE,
    spherical::TABLE,
    statistical::TABLE,
    struve::TABLE,
];

/// Functions that those of [`TABLES`] call: with an option, or of complex operands.
pub static FORMS: &[&[&Function]] =
    &[derivatives::SPHERICAL, combinatorics::REPEATED, complex::FORMS, complex::ROWS];

/// The functions for calls by name.
pub static TABLE: Table = Table {
    functions: TABLES,
    complex_rows: complex::ROWS,
    computed: &[roots::COMPUTED, zeros::OF_ORDER, zeros::OF_KELVIN, zeros::OTHERS],
};
