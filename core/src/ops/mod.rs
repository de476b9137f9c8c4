//! Operations.
pub mod algebra;
pub mod derived;
pub use derived::Formula;
