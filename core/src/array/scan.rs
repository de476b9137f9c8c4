//! Scans: running sums along an axis.

use smallvec::smallvec;

use super::Array;
use super::reduce::Over;
use crate::graph::fold::{Fold, Pattern, fold};
use crate::ops::reductions::{SUM, sum_prim};
use crate::program::Ty;
use crate::twins::twins;

twins! {
    mod scans;

    /// Running sums along an axis (`..`: over the raveled array), as `np.cumsum`, by the canonical plan
    /// for scans; bool and integers add up in 64 bits, 16-bit floats in f32. What is pending in front
    /// joins the same pass.
    cumsum / try_cumsum (self, over: impl Into<Over>) -> Array {
        let over = over.into();
        let (array, axis) = match over.single_axis("cumsum", self.ndim())? {
            Some(axis) => (self.clone(), axis),
            None => (self.try_ravel()?, 0),
        };
        let dtype = SUM.dtypes(self.dtype(), over.asked_dtype())?.output;
        let pattern = Pattern::Scan { combine: sum_prim(Ty::of(dtype)) };
        fold(&Fold { op: "cumsum", array: &array, dtype, axes: smallvec![axis], pattern })
    }
}
