//! Linear algebra that follows from the patterns of the seam, and so has the same bits on every device.
//!
//! Deliberately absent: factorizations by vendor libraries, which are faster on large matrices.

mod jacobi;

pub(crate) use jacobi::singular_values;
