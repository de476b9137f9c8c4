//! Scans: running sums along an axis.

use super::Array;
use super::reduce::Over;
use crate::graph::evaluate;
use crate::graph::node::{Expr, Node};
use crate::ops::reductions::{SUM, sum_prim};
use crate::program::Ty;
use crate::shape::{self, Shape};
use crate::statistics;
use crate::twins::twins;

twins! {
    mod scans;

    /// Running sums along an axis (`..`: over the raveled array), as `np.cumsum`, by the canonical plan
    /// for scans; bool and integers add up in 64 bits, 16-bit floats in f32. What is pending in front
    /// joins the same pass.
    cumsum / try_cumsum (self, over: impl Into<Over>) -> Array {
        let over = over.into();
        let array = match over.single_axis("cumsum", self.ndim())? {
            Some(axis) => self.try_moveaxis(axis as isize, -1)?,
            None => self.try_ravel()?,
        };
        let dtypes = SUM.dtypes(self.dtype(), over.asked_dtype())?;
        let (shape, device) = (Shape::from_slice(array.shape()), array.device().clone());
        shape::checked_size("cumsum", &shape, dtypes.output)?;
        statistics::count(|counts| &mut counts.operations);
        let combine = sum_prim(Ty::of(dtypes.output));
        let outcome = evaluate::scan(&device, &Expr::Cast(array), &shape, combine, dtypes.output);
        let scanned = Array::of_node(Node::done("cumsum", shape, dtypes.output, device, outcome));
        match over.single_axis("cumsum", self.ndim())? {
            Some(axis) => scanned.try_moveaxis(-1, axis as isize),
            None => Ok(scanned),
        }
    }
}
