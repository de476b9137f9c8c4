//! Special functions, as `scipy.special`, over the arrays of ndany: lazy, fused with what stands around them, with the same bits on
//! every device.
//!
//! Each function is a formula over [`Algebra`](ndany_core::formulas::algebra::Algebra) in [`formulas`], and a declaration in
//! the room of its subject. f32 is computed in f64 and rounded once, unless a function says otherwise.

#![forbid(unsafe_code)]

#[macro_use]
mod declare;
mod convenience;
pub mod formulas;

pub use convenience::*;
pub use declare::Special;

/// Every function of this crate, by subject.
pub static TABLES: &[&[&Special]] = &[convenience::TABLE];

/// Every function of this crate.
pub fn functions() -> impl Iterator<Item = &'static Special> {
    TABLES.iter().copied().flatten().copied()
}
