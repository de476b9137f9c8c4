//! Sums and products.

use smallvec::smallvec;

use super::ReductionOption::{Dtype, FromFirst, Initial, Keepdims, Where};
use super::{
    Element, Lifted, Masked, Reduced, ReductionDTypes, ReductionDef, ReductionFacts, body,
    by_parts, float, registers,
};
use crate::dtype::{DType, Kind};
use crate::error::Result;
use crate::number::Number;
use crate::ops::lowering::{self, LoweredValue as Value};
use crate::ops::rows;
use crate::program::{Builder, Combine, Prim, RegType};

/// `np.sum`.
pub static SUM: Sum = Sum;

/// `np.prod`.
pub static PROD: Prod = Prod;

/// The sum: `+` from 0.
#[derive(Debug)]
pub struct Sum;

impl ReductionDef for Sum {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: "sum",
            numpy: "np.sum",
            doc: "The sum.",
            options: &[Keepdims, Dtype, Initial, FromFirst, Where],
            takes_axis_of_scalar: true,
            counts: false,
            from_first: Some(&rows::add),
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes::same(asked.unwrap_or(widened(dtype))))
    }

    fn over_nothing(&self, _: DType, _: f64) -> Option<(DType, Number)> {
        float(0.0)
    }

    fn masked_as(&self, input: DType) -> Masked {
        Masked::Identity(input, 0)
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        by_parts(element.value, sum_prim(element.value.ty()))
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        from_positive_zero(row.value())
    }

    fn with_initial<'b>(
        &self,
        builder: &'b Builder,
        _: DType,
        result: Value<'b>,
        initial: Value<'b>,
    ) -> Value<'b> {
        lowering::add(builder, &[result, initial])
    }
}

/// The product: `*` from 1.
#[derive(Debug)]
pub struct Prod;

impl ReductionDef for Prod {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: "prod",
            numpy: "np.prod",
            doc: "The product.",
            options: &[Keepdims, Dtype, Initial, FromFirst, Where],
            takes_axis_of_scalar: true,
            counts: false,
            from_first: Some(&rows::multiply),
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes::same(asked.unwrap_or(widened(dtype))))
    }

    fn over_nothing(&self, _: DType, _: f64) -> Option<(DType, Number)> {
        float(1.0)
    }

    fn masked_as(&self, input: DType) -> Masked {
        Masked::Identity(input, 1)
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        let combine = match element.value {
            Value::Real(x) if x.ty() == RegType::Bool => Combine::Prim(Prim::And),
            Value::Real(_) => Combine::Prim(Prim::Mul),
            Value::Complex(part, _) => body(None, &[part.ty(); 4], |b, v| {
                let product = [Value::Complex(v[0], v[1]), Value::Complex(v[2], v[3])];
                registers(lowering::multiply(b, &product))
            }),
        };
        smallvec![(registers(element.value), combine)]
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        row.value()
    }

    fn with_initial<'b>(
        &self,
        builder: &'b Builder,
        _: DType,
        result: Value<'b>,
        initial: Value<'b>,
    ) -> Value<'b> {
        lowering::multiply(builder, &[result, initial])
    }
}

/// Bool and integers add up and multiply in 64 bits.
fn widened(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Bool => DType::I64,
        Kind::Int if dtype.is_unsigned() => DType::U64,
        Kind::Int => DType::I64,
        Kind::Float | Kind::Complex => dtype,
    }
}

/// How two partial sums combine; sums asked for as bool are NumPy's `add` of bool, which is `or`.
pub fn sum_prim(ty: RegType) -> Prim {
    if ty == RegType::Bool { Prim::Or } else { Prim::Add }
}

/// NumPy's sums start from +0.0, so that of -0.0 alone is +0.0.
pub(super) fn from_positive_zero(sum: Value<'_>) -> Value<'_> {
    match sum {
        Value::Real(x) if x.ty().is_float() => Value::Real(x + x.zero()),
        Value::Real(x) => Value::Real(x),
        Value::Complex(re, im) => Value::Complex(re + re.zero(), im + im.zero()),
    }
}
