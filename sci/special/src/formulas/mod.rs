//! The formulas, by subject: functions that are generic over [`Algebra`](ndany_core::formulas::algebra::Algebra).

pub mod airy;
pub mod bessel;
pub mod bessel_order;
mod bessel_order_tables;
mod bessel_uniform;
mod coefficients;
pub mod combinatorics;
pub mod complex_airy;
pub mod complex_bessel;
pub mod complex_elliptic;
pub mod complex_errors;
pub mod complex_gamma;
pub mod complex_integrals;
pub mod complex_orthogonal;
pub mod convenience;
pub(crate) mod dd;
pub mod derivatives;
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
pub mod kelvin;
pub mod legendre;
pub mod noncentral;
pub mod orthogonal;
pub mod parameters;
mod plane;
pub mod spherical;
pub mod statistical;
pub mod struve;
mod support;

pub use support::apart;

pub(crate) use plane::sincos_pi as sine_and_cosine_of_half_turns;
pub(crate) use support::{gamma as value_of_gamma, pow as power};
