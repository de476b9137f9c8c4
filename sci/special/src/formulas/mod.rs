//! The formulas, by subject: functions that are generic over [`Algebra`](ndany_core::formulas::algebra::Algebra).

mod coefficients;
pub mod convenience;
pub mod errors;
pub mod gamma;
pub mod incomplete;
pub mod statistical;
mod support;
