//! The table of reductions: identity, lifting of an element, combination, finish.
//!
//! A reduction runs by the canonical plan (`crate::plan`). Its state lives in registers of the dtype it
//! accumulates in: 16-bit floats accumulate in f32, `mean` and `var` of integers in f64. Reductions of
//! a complex number that treat both parts alike are two independent ones.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::UfuncDef;
use super::lowering::{self, LoweredValue as Value};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::number::Number;
use crate::program::{Body, Builder, Combine, Known, Op, Prim, RegType, SsaValue};

/// A reduction.
#[derive(Clone, Copy, Debug)]
pub struct ReductionDef {
    /// The method and the free function.
    pub name: &'static str,
    /// NumPy's name.
    pub numpy: &'static str,
    /// One line for the docs table.
    pub doc: &'static str,
    /// The elements.
    pub kind: Reduce,
}

/// What a reduction combines, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// `+`, identity 0.
    Sum,
    /// `*`, identity 1.
    Prod,
    /// The smallest; NaN wins; no identity.
    Min,
    /// The largest; NaN wins; no identity.
    Max,
    /// Logical or, identity false.
    Any,
    /// Logical and, identity true.
    All,
    /// Position of the first smallest (of the first NaN, if there is one).
    ArgMin,
    /// Position of the first largest (of the first NaN, if there is one).
    ArgMax,
    /// Sum over count.
    Mean,
    /// Second central moment over count less correction, by pairwise (count, mean, M2).
    Var,
    /// Square root of `Var`.
    Std,
    /// A row of two operands that may be applied in any order.
    Ufunc(&'static UfuncDef),
}

macro_rules! reductions {
    ($($name:ident = $numpy:literal, $kind:ident, $doc:literal;)+) => {
        $(#[doc = concat!("`", $numpy, "`.")]
        pub static $name: ReductionDef =
            ReductionDef { name: stringify_lower(Reduce::$kind), numpy: $numpy, doc: $doc, kind: Reduce::$kind };)+
        /// Every reduction.
        pub static REDUCTIONS: &[&ReductionDef] = &[$(&$name),+];
    };
}

const fn stringify_lower(kind: Reduce) -> &'static str {
    match kind {
        Reduce::Sum => "sum",
        Reduce::Prod => "prod",
        Reduce::Min => "min",
        Reduce::Max => "max",
        Reduce::Any => "any",
        Reduce::All => "all",
        Reduce::ArgMin => "argmin",
        Reduce::ArgMax => "argmax",
        Reduce::Mean => "mean",
        Reduce::Var => "var",
        Reduce::Std => "std",
        Reduce::Ufunc(row) => row.name,
    }
}

reductions! {
    SUM = "np.sum", Sum, "The sum.";
    PROD = "np.prod", Prod, "The product.";
    MIN = "np.min", Min, "The smallest element; NaN wins.";
    MAX = "np.max", Max, "The largest element; NaN wins.";
    ANY = "np.any", Any, "Is any element different from zero?";
    ALL = "np.all", All, "Are all elements different from zero?";
    ARGMIN = "np.argmin", ArgMin, "Position of the first smallest element, or of the first NaN.";
    ARGMAX = "np.argmax", ArgMax, "Position of the first largest element, or of the first NaN.";
    MEAN = "np.mean", Mean, "The arithmetic mean.";
    VAR = "np.var", Var, "The variance: mean squared distance from the mean.";
    STD = "np.std", Std, "The standard deviation.";
}

/// The dtypes of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionDTypes {
    /// To which elements are converted first.
    pub input: DType,
    /// Of the result.
    pub output: DType,
}

impl ReductionDef {
    /// The dtypes for elements of `dtype`, with `asked` as NumPy's `dtype=`.
    pub fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        let same = |input: DType| ReductionDTypes { input, output: input };
        Ok(match self.kind {
            Reduce::Sum | Reduce::Prod => same(asked.unwrap_or(match dtype.kind() {
                Kind::Bool => DType::I64,
                Kind::Int if dtype.is_unsigned() => DType::U64,
                Kind::Int => DType::I64,
                Kind::Float | Kind::Complex => dtype,
            })),
            Reduce::Mean | Reduce::Var | Reduce::Std => {
                let input = asked.unwrap_or(match dtype.kind() {
                    Kind::Bool | Kind::Int => DType::F64,
                    Kind::Float | Kind::Complex => dtype,
                });
                if !matches!(input.kind(), Kind::Float | Kind::Complex) {
                    let remedy = "ask for a float dtype";
                    return Err(Error::DTypes { op: self.name, dtypes: input.to_string(), remedy });
                }
                let output = if self.kind == Reduce::Mean { input } else { input.part() };
                ReductionDTypes { input, output }
            }
            Reduce::Min | Reduce::Max => same(dtype),
            Reduce::Any | Reduce::All => ReductionDTypes { input: dtype, output: DType::Bool },
            Reduce::ArgMin | Reduce::ArgMax => ReductionDTypes { input: dtype, output: DType::I64 },
            Reduce::Ufunc(row) => same(row.folded_dtype(dtype, asked)?),
        })
    }

    /// The result over no elements, of dtype `dtype`, where there is one.
    pub fn of_nothing(&self, dtype: DType) -> Option<(DType, Number)> {
        let value = |value: f64| Some((DType::F64, Number::Float(value)));
        match self.kind {
            Reduce::Sum | Reduce::Any => value(0.0),
            Reduce::Prod | Reduce::All => value(1.0),
            Reduce::Mean if dtype.is_complex() => {
                Some((DType::C128, Number::Complex(f64::NAN, f64::NAN)))
            }
            Reduce::Mean | Reduce::Var | Reduce::Std => value(f64::NAN),
            Reduce::Min | Reduce::Max | Reduce::ArgMin | Reduce::ArgMax => None,
            Reduce::Ufunc(row) => row.fold.identity(dtype),
        }
    }

    /// Whether `initial` is allowed.
    pub fn takes_initial(&self) -> bool {
        matches!(
            self.kind,
            Reduce::Sum | Reduce::Prod | Reduce::Min | Reduce::Max | Reduce::Ufunc(_)
        )
    }
}

/// The state of one element: for each independent reduction its registers and their combination.
pub type Lifted<'b> = SmallVec<[(SmallVec<[SsaValue<'b>; 4]>, Combine); 2]>;

fn both<'b>(value: Value<'b>, combine: impl Fn() -> Combine) -> Lifted<'b> {
    match value {
        Value::Real(x) => smallvec![(smallvec![x], combine())],
        Value::Complex(re, im) => {
            smallvec![(smallvec![re], combine()), (smallvec![im], combine())]
        }
    }
}

impl Reduce {
    /// The state of one element, already converted to `dtype`; `index` makes its position in the row.
    /// Where `mask` is false the element counts as `masked`, or not at all.
    pub fn lift<'b>(
        self,
        value: Value<'b>,
        dtype: DType,
        index: impl FnOnce() -> SsaValue<'b>,
        mask: Option<SsaValue<'b>>,
        masked: Option<Value<'b>>,
    ) -> Lifted<'b> {
        let b = lowering::builder_of(value);
        let value = match self {
            Reduce::Any | Reduce::All => Value::Real(lowering::is_nonzero(value)),
            _ => value,
        };
        let value = match (mask, masked) {
            (Some(mask), Some(other)) => lowering::choose(b, &[Value::Real(mask), value, other]),
            _ => value,
        };
        match self {
            Reduce::Sum => both(value, || Combine::Prim(sum_prim(value.ty()))),
            Reduce::Prod => match value {
                Value::Real(x) if x.ty() == RegType::Bool => {
                    smallvec![(smallvec![x], Combine::Prim(Prim::And))]
                }
                Value::Real(x) => smallvec![(smallvec![x], Combine::Prim(Prim::Mul))],
                Value::Complex(re, im) => {
                    let body = body(None, &[re.ty(); 4], |b, v| {
                        let product = [Value::Complex(v[0], v[1]), Value::Complex(v[2], v[3])];
                        registers(lowering::multiply(b, &product))
                    });
                    smallvec![(smallvec![re, im], body)]
                }
            },
            Reduce::Min | Reduce::Max => self.lift_extremum(value, index),
            Reduce::Any => smallvec![(smallvec![value.real()], Combine::Prim(Prim::Or))],
            Reduce::All => smallvec![(smallvec![value.real()], Combine::Prim(Prim::And))],
            Reduce::ArgMin | Reduce::ArgMax => self.lift_position(value, index()),
            Reduce::Ufunc(row) => smallvec![(registers(value), row.combine(dtype, false))],
            Reduce::Mean => {
                let mut lifted = both(value, || Combine::Prim(Prim::Add));
                lifted.extend(mask.map(|mask| count(mask)));
                lifted
            }
            Reduce::Var | Reduce::Std => {
                let moments = |x: SsaValue<'b>| {
                    let one = mask.map_or(x.one(), |mask| mask.cast(x.ty()));
                    let x = mask.map_or(x, |mask| mask.select(x, x.zero()));
                    // The distance from itself: 0, but NaN of an infinity, whose variance is none.
                    let none = b.prim(Prim::Sub, &[x, x]);
                    (smallvec![one, x, none], moments_body(x.ty()))
                };
                let mut lifted: Lifted<'b> = match value {
                    Value::Real(x) => smallvec![moments(x)],
                    Value::Complex(re, im) => smallvec![moments(re), moments(im)],
                };
                lifted.extend(mask.map(|mask| count(mask)));
                lifted
            }
        }
    }

    fn lift_extremum<'b>(
        self,
        value: Value<'b>,
        index: impl FnOnce() -> SsaValue<'b>,
    ) -> Lifted<'b> {
        let prim = match (self, value.ty()) {
            (Reduce::Min, RegType::Bool) => Prim::And,
            (_, RegType::Bool) => Prim::Or,
            (Reduce::Min, _) => Prim::Min,
            (_, _) => Prim::Max,
        };
        match value {
            Value::Real(x) => smallvec![(smallvec![x], Combine::Prim(prim))],
            // Several complex numbers count as NaN; the first of them in the row wins.
            Value::Complex(..) => self.lift_position(value, index()),
        }
    }

    fn lift_position<'b>(self, value: Value<'b>, index: SsaValue<'b>) -> Lifted<'b> {
        let mut state = registers(value);
        let parts = state.len();
        state.push(index);
        let types: SmallVec<[RegType; 8]> =
            state.iter().chain(state.iter()).map(|term| term.ty()).collect();
        let known = match (self, parts) {
            (Reduce::ArgMin, 1) => Some(Known::FirstSmallest),
            (Reduce::ArgMax, 1) => Some(Known::FirstLargest),
            _ => None,
        };
        let body = body(known, &types, |b, v| {
            let operand = |first: usize| match parts {
                1 => Value::Real(v[first]),
                _ => Value::Complex(v[first], v[first + 1]),
            };
            let (left, right) = (operand(0), operand(parts + 1));
            let nan = |value| lowering::isnan(b, &[value]).real();
            let better = match self {
                Reduce::ArgMin | Reduce::Min => lowering::less(b, &[right, left]).real(),
                _ => lowering::less(b, &[left, right]).real(),
            };
            let (here, there) = (v[parts], v[2 * parts + 1]);
            // Lanes interleave positions, so of two equals the right one may be the first.
            let tie = (nan(left) & nan(right)) | lowering::equal(b, &[left, right]).real();
            let earlier = there.lt(here);
            let right_wins = (!nan(left) & (nan(right) | better)) | (tie & earlier);
            let mut result =
                registers(lowering::choose(b, &[Value::Real(right_wins), right, left]));
            result.push(right_wins.select(there, here));
            result
        });
        smallvec![(state, body)]
    }

    /// The result from the registers of every reduction of [`Reduce::lift`], in that order.
    ///
    /// `count` is the number of elements where no mask was given; `correction` is NumPy's `ddof`, both
    /// already in the type accumulated in.
    pub fn finish<'b>(
        self,
        states: &[SsaValue<'b>],
        complex: bool,
        masked: bool,
        count: Option<SsaValue<'b>>,
        correction: Option<SsaValue<'b>>,
    ) -> Value<'b> {
        let divisor = |ty: RegType| match (masked, count) {
            (true, _) => states[states.len() - 1].cast(ty),
            (false, Some(count)) => count,
            (false, None) => unreachable!("a mean needs a count"),
        };
        match self {
            Reduce::Any | Reduce::All => Value::Real(states[0]),
            // NumPy's sums start from +0.0, so that of -0.0 alone is +0.0.
            Reduce::Sum if complex => {
                Value::Complex(states[0] + states[0].zero(), states[1] + states[1].zero())
            }
            Reduce::Sum if states[0].ty().is_float() => Value::Real(states[0] + states[0].zero()),
            Reduce::Prod | Reduce::Min | Reduce::Max | Reduce::Ufunc(_) if complex => {
                Value::Complex(states[0], states[1])
            }
            Reduce::Sum | Reduce::Prod | Reduce::Min | Reduce::Max | Reduce::Ufunc(_) => {
                Value::Real(states[0])
            }
            Reduce::ArgMin | Reduce::ArgMax => Value::Real(states[if complex { 2 } else { 1 }]),
            Reduce::Mean => {
                let count = divisor(states[0].ty());
                let sum = |state: SsaValue<'b>| state + state.zero();
                match complex {
                    // The count is a complex number, too: where a part is not finite, the other becomes NaN.
                    true => {
                        let (re, im) = (sum(states[0]), sum(states[1]));
                        let [to_re, to_im] = [im * im.zero(), re * re.zero()];
                        Value::Complex((re + to_re) / count, (im - to_im) / count)
                    }
                    false => Value::Real(sum(states[0]) / count),
                }
            }
            Reduce::Var | Reduce::Std => {
                let b = states[0].builder();
                let ty = states[0].ty();
                let sum = if complex { states[2] + states[5] } else { states[2] };
                let degrees = divisor(ty) - correction.unwrap_or(b.int(ty, 0));
                let degrees = b.prim(Prim::Max, &[degrees, b.int(ty, 0)]);
                let variance = sum / degrees;
                Value::Real(match self {
                    Reduce::Std => b.prim(Prim::Sqrt, &[variance]),
                    _ => variance,
                })
            }
        }
    }
}

/// How two partial sums combine; sums asked for as bool are NumPy's `add` of bool, which is `or`.
pub fn sum_prim(ty: RegType) -> Prim {
    if ty == RegType::Bool { Prim::Or } else { Prim::Add }
}

fn count(mask: SsaValue<'_>) -> (SmallVec<[SsaValue<'_>; 4]>, Combine) {
    (smallvec![mask.cast(RegType::I64)], Combine::Prim(Prim::Add))
}

fn registers(value: Value<'_>) -> SmallVec<[SsaValue<'_>; 4]> {
    match value {
        Value::Real(x) => smallvec![x],
        Value::Complex(re, im) => smallvec![re, im],
    }
}

/// Records the combination of two states whose registers have these types, left then right.
pub(super) fn body(
    known: Option<Known>,
    types: &[RegType],
    write: impl for<'b> FnOnce(&'b Builder, &[SsaValue<'b>]) -> SmallVec<[SsaValue<'b>; 4]>,
) -> Combine {
    let builder = Builder::new();
    let results = {
        let arguments: SmallVec<[SsaValue<'_>; 8]> = types
            .iter()
            .enumerate()
            .map(|(position, &ty)| builder.push(Op::Argument(position as u16), ty, [0; 3]))
            .collect();
        write(&builder, &arguments).iter().map(|term| term.reg()).collect()
    };
    Combine::Body(Arc::new(Body { instrs: builder.into_instrs(), results, known }))
}

/// (count, mean, M2) of two parts together: Chan, Golub & LeVeque 1979, in the form that weighs the
/// difference of the means by the right part's share.
fn moments_body(ty: RegType) -> Combine {
    body(Some(Known::Moments), &[ty; 6], |_, v| {
        let (n_left, mean_left, m2_left) = (v[0], v[1], v[2]);
        let (n_right, mean_right, m2_right) = (v[3], v[4], v[5]);
        let count = n_left + n_right;
        let nothing = count.equals(count.zero());
        let share = n_right / nothing.select(count.one(), count);
        let distance = mean_right - mean_left;
        let mean = mean_left + distance * share;
        let m2 = (m2_left + m2_right) + (distance * distance) * (n_left * share);
        smallvec![count, mean, m2]
    })
}
