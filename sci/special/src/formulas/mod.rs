//! The formulas, by subject: functions that are generic over [`Algebra`](ndany_core::formulas::algebra::Algebra).

pub mod convenience;
