//! The formulas, by subject: functions that are generic over [`Algebra`](ndany_core::formulas::algebra::Algebra).

pub mod bessel;
mod coefficients;
pub mod convenience;
pub mod elliptic;
pub mod errors;
pub mod faddeeva;
pub mod fresnel;
mod fresnel_tables;
pub mod gamma;
pub mod hypergeometric;
pub mod incomplete;
pub mod integrals;
pub mod jacobi;
pub mod legendre;
pub mod noncentral;
pub mod orthogonal;
pub mod parameters;
pub mod statistical;
mod support;
