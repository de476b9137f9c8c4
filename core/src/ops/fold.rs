//! What rows of two operands are when they fold: their order, what they start from, their dtype.
//!
//! One rule for all rows: a row combines a state with an element by its own lowering. Rows that may be
//! applied in any order follow the canonical plan, the others go from left to right. Nothing here knows
//! arrays or axes.

use smallvec::{SmallVec, smallvec};

use super::lowering::{self, LoweredValue};
use super::reductions::ReductionOption::{Dtype, FromFirst, Initial, Keepdims, Where};
use super::reductions::{
    Element, Lifted, Masked, Reduced, ReductionDTypes, ReductionDef, ReductionFacts, body,
    registers,
};
use super::row::UfuncDef;
use super::signature::{self, Returns, Signature};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::number::Number;
use crate::program::{Builder, Combine, CombineOrder, Op, RegType};

/// How a row folds: NumPy's `ufunc.identity`, and whether it is "reorderable".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// From left to right only, over one axis; there is nothing to start from.
    Left,
    /// In any order, over any axes, from nothing.
    Any,
    /// In any order, from 0 or false.
    Zero,
    /// In any order, from 1 or true.
    One,
    /// In any order, from -1 or true: every bit set.
    Ones,
    /// In any order, from minus infinity.
    Bottom,
}

impl FoldKind {
    /// Whether elements may be combined in any order.
    pub fn reorders(self) -> bool {
        self != FoldKind::Left
    }

    /// What it starts from, as an element of `dtype`.
    pub fn identity(self, dtype: DType) -> Option<(DType, Number)> {
        let float = |value: f64| Some((DType::F64, Number::Float(value)));
        match self {
            FoldKind::Left | FoldKind::Any => None,
            FoldKind::Zero => float(0.0),
            FoldKind::One => float(1.0),
            FoldKind::Ones if dtype == DType::Bool => float(1.0),
            FoldKind::Ones => Some((DType::I64, Number::Int(-1))),
            FoldKind::Bottom => float(f64::NEG_INFINITY),
        }
    }
}

impl UfuncDef {
    /// Whether bool and integers narrower than 64 bits are folded in 64 bits.
    pub fn widens(&self) -> bool {
        matches!(self.name, "add" | "multiply")
    }

    /// Whether it folds booleans, whatever its operands are.
    pub fn is_logical(&self) -> bool {
        self.signature == Signature::TRUTH && self.fold.reorders()
    }

    /// The dtype in which elements of `dtype` are folded, and of the result; `asked` is NumPy's `dtype=`.
    pub fn folded_dtype(&self, dtype: DType, asked: Option<DType>) -> Result<DType> {
        let widens = self.widens();
        if self.signature.exponent {
            let reason = "its operands have two dtypes, so it does not fold".to_string();
            return Err(Error::Unsupported { op: self.name.to_string(), reason });
        }
        let operand = asked.unwrap_or(match dtype.kind() {
            Kind::Bool if widens => DType::I64,
            Kind::Int if widens && dtype.is_unsigned() => DType::U64,
            Kind::Int if widens => DType::I64,
            Kind::Bool | Kind::Int | Kind::Float | Kind::Complex => dtype,
        });
        let operand = if self.is_logical() && asked.is_none() { DType::Bool } else { operand };
        let (compute, output) = self.signature.resolve(self.name, operand)?;
        let remedy = "a fold needs a loop that returns what it takes: ask for another dtype";
        match compute == output && asked.is_none_or(|asked| asked == output) {
            true => Ok(output),
            false => Err(Error::DTypes { op: self.name, dtypes: operand.to_string(), remedy }),
        }
    }

    /// How a state and an element combine, both of `dtype` (which [`UfuncDef::folded_dtype`] gave): arguments
    /// are the state's registers, the element's and, if `masked`, whether the element counts.
    pub fn combine(&self, dtype: DType, masked: bool) -> Combine {
        debug_assert!(self.arity == 2 && self.signature.returns != Returns::Part);
        self.stepped(dtype, masked, |next| next)
    }

    /// The same where each state is stored as an element of `stored` before the next step: a result of
    /// dtype `output` is converted to `stored`, and back to `dtype`. A row of one operand leaves the
    /// element out.
    pub fn combine_stored(&self, dtype: DType, output: DType, stored: DType) -> Combine {
        self.stepped(dtype, false, |next| {
            let rounded = match next {
                LoweredValue::Real(term) => LoweredValue::Real(term.round_to(output)),
                complex @ LoweredValue::Complex(..) => complex,
            };
            signature::cast(signature::cast(rounded, output, stored), stored, dtype)
        })
    }

    fn stepped(
        &self,
        dtype: DType,
        masked: bool,
        store: impl for<'b> FnOnce(LoweredValue<'b>) -> LoweredValue<'b>,
    ) -> Combine {
        let (ty, parts) = (RegType::of(dtype), if dtype.is_complex() { 2 } else { 1 });
        let mut types: SmallVec<[RegType; 8]> = SmallVec::from_elem(ty, 2 * parts);
        types.extend(masked.then_some(RegType::Bool));
        let combine = body(None, &types, |b, v| {
            let value = |first: usize| match parts {
                1 => LoweredValue::Real(v[first]),
                _ => LoweredValue::Complex(v[first], v[first + 1]),
            };
            let element = match (masked, value(parts)) {
                // What does not count is not looked at: an exponent of -1 is no error there.
                (true, LoweredValue::Real(x)) => {
                    LoweredValue::Real(v[2 * parts].select(x, x.one()))
                }
                (_, element) => element,
            };
            let operands = [value(0), element];
            let next = store((self.lower)(b, dtype, &operands[..self.arity]));
            let next = match masked {
                true => lowering::choose(b, &[LoweredValue::Real(v[2 * parts]), next, value(0)]),
                false => next,
            };
            next.terms().into_iter().collect()
        });
        plain(&combine, parts).unwrap_or(combine)
    }

    /// In which order it folds elements of `dtype`.
    pub fn order(&self, dtype: DType) -> CombineOrder {
        if self.commutes(dtype) { CombineOrder::Plan } else { CombineOrder::Left }
    }

    /// Whether it may be combined as the plan does, which does not keep the order of elements. Of complex numbers
    /// that count as equal or as NaN an extremum is the first.
    pub fn commutes(&self, dtype: DType) -> bool {
        let extremum = self.fold == FoldKind::Any;
        self.fold.reorders() && !(extremum && dtype.is_complex())
    }
}

/// The reduction by a row that may be applied in any order: NumPy's `ufunc.reduce`.
impl ReductionDef for UfuncDef {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: self.name,
            numpy: self.numpy,
            doc: self.doc,
            options: &[Keepdims, Dtype, Initial, FromFirst, Where],
            takes_axis_of_scalar: true,
            counts: false,
            from_first: None,
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes::same(self.folded_dtype(dtype, asked)?))
    }

    fn over_nothing(&self, output: DType, _: f64) -> Option<(DType, Number)> {
        self.fold.identity(output)
    }

    fn start(&self, input: DType) -> Option<(DType, Number)> {
        self.fold.identity(input)
    }

    fn masked_as(&self, _: DType) -> Masked {
        Masked::Initial
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        smallvec![(registers(element.value), self.combine(element.dtype, false))]
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> LoweredValue<'b> {
        row.value()
    }

    fn with_initial<'b>(
        &self,
        builder: &'b Builder,
        input: DType,
        result: LoweredValue<'b>,
        initial: LoweredValue<'b>,
    ) -> LoweredValue<'b> {
        (self.lower)(builder, input, &[initial, result])
    }
}

/// The primitive that a body applies to each part of two states, if it is nothing else.
fn plain(combine: &Combine, parts: usize) -> Option<Combine> {
    let Combine::Body(body) = combine else { return None };
    let mut prims = body.results.iter().enumerate().map(|(part, &result)| {
        let instr = body.instrs[usize::from(result)];
        let argument = |arg: u16, position: usize| {
            body.instrs[usize::from(arg)].op == Op::Argument(position as u16)
        };
        match instr.op {
            Op::Prim(prim)
                if prim.combines()
                    && argument(instr.args[0], part)
                    && argument(instr.args[1], parts + part) =>
            {
                Some(prim)
            }
            _ => None,
        }
    });
    let first = prims.next()??;
    prims.all(|prim| prim == Some(first)).then_some(Combine::Prim(first))
}
