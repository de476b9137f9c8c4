//! Whether any or all elements are different from zero.

use super::ReductionOption::{Keepdims, Where};
use super::{
    Element, Lifted, Masked, Reduced, ReductionDTypes, ReductionDef, ReductionFacts, by_parts,
    float,
};
use crate::dtype::DType;
use crate::error::Result;
use crate::number::Number;
use crate::ops::lowering::{self, LoweredValue as Value};
use crate::program::Prim;

/// `np.any`.
pub static ANY: Truth = Truth {
    name: "any",
    numpy: "np.any",
    doc: "Is any element different from zero?",
    combine: Prim::Or,
    identity: 0,
};

/// `np.all`.
pub static ALL: Truth = Truth {
    name: "all",
    numpy: "np.all",
    doc: "Are all elements different from zero?",
    combine: Prim::And,
    identity: 1,
};

/// Truth values of the elements, combined by a logical operation.
#[derive(Debug)]
pub struct Truth {
    name: &'static str,
    numpy: &'static str,
    doc: &'static str,
    combine: Prim,
    identity: u8,
}

impl ReductionDef for Truth {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: self.name,
            numpy: self.numpy,
            doc: self.doc,
            options: &[Keepdims, Where],
            takes_axis_of_scalar: true,
            counts: false,
            from_first: None,
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, _: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes { input: dtype, output: DType::Bool })
    }

    fn over_nothing(&self, _: DType, _: f64) -> Option<(DType, Number)> {
        float(f64::from(self.identity))
    }

    fn masked_as(&self, _: DType) -> Masked {
        Masked::Identity(DType::Bool, i64::from(self.identity))
    }

    fn operand<'b>(&self, element: Value<'b>) -> Value<'b> {
        Value::Real(lowering::is_nonzero(element))
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        by_parts(element.value, self.combine)
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        Value::Real(row.states[0])
    }
}
