//! What a product of matrices is checked for.

use super::Matmul;
use super::checked::{Check, Refusal};
use crate::error::Result;
use crate::shape::Shape;

impl Check for Matmul<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("matmul");
        let Self { batch, m, k, n, left, right, out } = self;
        for (what, view, extents) in
            [("left", left, [*m, *k]), ("right", right, [*k, *n]), ("out", out, [*m, *n])]
        {
            refusal.dtype(what, view, out.dtype)?;
            let mut shape = Shape::from_slice(batch);
            shape.extend_from_slice(&extents);
            refusal.shape(&shape)?;
            refusal.view(what, view, &shape)?;
        }
        Ok(())
    }
}
