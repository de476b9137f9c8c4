//! Sums of exponentials.

use smallvec::smallvec;

use super::ReductionOption::{Keepdims, Where};
use super::moments::inexact;
use super::{
    Element, Lifted, Masked, Reduced, ReductionDTypes, ReductionDef, ReductionFacts, body, float,
};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::number::Number;
use crate::ops::Formula;
use crate::ops::lowering::LoweredValue as Value;
use crate::program::Prim;

/// `scipy.special.logsumexp`.
pub static LOGSUMEXP: LogSumExp = LogSumExp;

/// The logarithm of the sum of exponentials, in one pass.
///
/// The state is the largest element and the sum of the other exponentials over its own, so that nothing overflows, and the
/// sum keeps its digits where the largest element outweighs the others.
#[derive(Debug)]
pub struct LogSumExp;

impl ReductionDef for LogSumExp {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: "logsumexp",
            numpy: "sp.special.logsumexp",
            doc: "The logarithm of the sum of exponentials.",
            options: &[Keepdims, Where],
            takes_axis_of_scalar: false,
            counts: false,
            from_first: None,
            then: None,
        }
    }

    /// Floats keep theirs, bool and integers are float64.
    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        if dtype.is_complex() {
            let remedy = "of complex numbers it is log(sum(exp(x))): write that";
            return Err(Error::DTypes { op: "logsumexp", dtypes: dtype.to_string(), remedy });
        }
        Ok(ReductionDTypes::same(inexact("logsumexp", dtype, asked)?))
    }

    fn over_nothing(&self, _: DType, _: f64) -> Option<(DType, Number)> {
        float(f64::NEG_INFINITY)
    }

    fn masked_as(&self, _: DType) -> Masked {
        Masked::Weightless
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        let x = element.value.real();
        // The exponential of minus infinity is 0.
        let nothing = x.builder().float(x.ty(), f64::NEG_INFINITY);
        let x = element.mask.map_or(x, |mask| mask.select(x, nothing));
        let combine = body(None, &[x.ty(); 4], |b, v| {
            let (largest, smallest) =
                (b.prim(Prim::Max, &[v[0], v[2]]), b.prim(Prim::Min, &[v[0], v[2]]));
            // The difference of two equal infinities would be NaN.
            let distance = v[0].equals(v[2]).select(v[0].zero(), smallest - largest);
            let weight = b.formula(Formula::Exp, &[distance]);
            let right_is_smaller = v[2].lt(v[0]);
            let kept = right_is_smaller.select(v[1], v[3]);
            let scaled = right_is_smaller.select(v[3], v[1]);
            smallvec![largest, kept + (scaled + scaled.one()) * weight]
        });
        smallvec![(smallvec![x, x.zero()], combine)]
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        let (largest, others) = (row.states[0], row.states[1]);
        Value::Real(largest + largest.builder().formula(Formula::Log1p, &[others]))
    }
}
