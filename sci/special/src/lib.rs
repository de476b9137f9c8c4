//! Special functions, as `scipy.special`, over the arrays of ndany: lazy, fused with what stands around them, with the same bits on
//! every device.
//!
//! Each function is a formula over [`Algebra`](ndany_core::formulas::algebra::Algebra) in [`formulas`], and a declaration in
//! the room of its subject. f32 is computed in f64 and rounded once, unless a function says otherwise.

#![forbid(unsafe_code)]

#[macro_use]
mod declare;
mod bessel;
mod convenience;
mod elliptic;
mod errors;
pub mod formulas;
mod fresnel;
mod gamma;
mod hypergeometric;
mod incomplete;
mod integrals;
mod jacobi;
mod legendre;
mod noncentral;
mod orthogonal;
mod parameters;
mod statistical;

pub use bessel::*;
pub use convenience::*;
pub use elliptic::*;
pub use errors::*;
pub use fresnel::*;
pub use gamma::*;
pub use hypergeometric::*;
pub use incomplete::*;
pub use integrals::*;
pub use jacobi::*;
pub use legendre::*;
pub use noncentral::*;
pub use orthogonal::*;
pub use parameters::*;
pub use statistical::*;

use ndany_array::extend::{Function, Table};

/// Every function of this crate, by subject.
pub static TABLES: &[&[&Function]] = &[
    bessel::TABLE,
    convenience::TABLE,
    elliptic::TABLE,
    errors::TABLE,
    fresnel::TABLE,
    gamma::TABLE,
    hypergeometric::TABLE,
    incomplete::TABLE,
    integrals::TABLE,
    jacobi::TABLE,
    legendre::TABLE,
    noncentral::TABLE,
    orthogonal::TABLE,
    parameters::TABLE,
    statistical::TABLE,
];

/// The functions for calls by name.
pub static TABLE: Table = Table { functions: TABLES };
