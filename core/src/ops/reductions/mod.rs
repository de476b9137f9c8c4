//! Reductions: what a definition says, and the table of them.
//!
//! A reduction is one definition: an implementation of [`ReductionDef`] in one of the files here, or a row of two operands
//! (`ops/fold.rs`). It runs by the canonical plan (`crate::plan`): every element of a row is lifted to a state, states are
//! combined two at a time, and the last one is finished. A state lives in registers of the dtype it accumulates in: 16-bit floats
//! accumulate in f32, `mean` and `var` of integers in f64. Reductions of a complex number that treat both parts alike are two
//! independent ones.

mod exponentials;
mod extrema;
mod moments;
mod sums;
mod truth;

use std::fmt::Debug;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::UfuncDef;
use super::lowering::{self, LoweredValue as Value};
use crate::dtype::DType;
use crate::error::Result;
use crate::number::Number;
use crate::program::{Body, Builder, Combine, Known, Op, Prim, RegType, SsaValue};

pub use exponentials::LOGSUMEXP;
pub use extrema::{ARGMAX, ARGMIN, MAX, MIN};
pub use moments::{MEAN, STD, VAR};
pub use sums::{PROD, SUM, sum_prim};
pub use truth::{ALL, ANY};

/// Every reduction but those by ufuncs, in the order of the docs.
pub static REDUCTIONS: &[&dyn ReductionDef] =
    &[&SUM, &PROD, &MIN, &MAX, &ANY, &ALL, &ARGMIN, &ARGMAX, &MEAN, &VAR, &STD, &LOGSUMEXP];

/// The definition of a reduction: everything that arrays, the graph, the docs and the conformance suite know of it.
pub trait ReductionDef: Debug + Sync {
    /// Names and options.
    fn facts(&self) -> ReductionFacts;

    /// The dtypes for elements of `dtype`, with `asked` as NumPy's `dtype=`.
    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes>;

    /// The result over no elements, of dtype `output`, where there is one; `correction` is NumPy's `ddof`.
    fn over_nothing(&self, output: DType, correction: f64) -> Option<(DType, Number)>;

    /// The initial value where none is given. It is combined as a given one.
    fn start(&self, input: DType) -> Option<(DType, Number)> {
        let _ = input;
        None
    }

    /// What an element of dtype `input` counts as where the mask is false.
    fn masked_as(&self, input: DType) -> Masked {
        let _ = input;
        unreachable!("masks are not among its options")
    }

    /// The value that is reduced: the element, converted to [`ReductionDTypes::input`], or its truth value.
    fn operand<'b>(&self, element: Value<'b>) -> Value<'b> {
        element
    }

    /// The state of one element.
    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b>;

    /// The result from the state of a whole row.
    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b>;

    /// A result and the initial value together, computed in dtype `input`.
    fn with_initial<'b>(
        &self,
        builder: &'b Builder,
        input: DType,
        result: Value<'b>,
        initial: Value<'b>,
    ) -> Value<'b> {
        let _ = (builder, input, result, initial);
        unreachable!("an initial value is not among its options")
    }
}

/// Names and options of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct ReductionFacts {
    /// The method and the free function.
    pub name: &'static str,
    /// NumPy's name.
    pub numpy: &'static str,
    /// One line for the docs table.
    pub doc: &'static str,
    /// NumPy's keywords of the function, beside `axis` and `out`.
    pub options: &'static [ReductionOption],
    /// Whether a 0-d array has an axis 0 to reduce, as it has in NumPy's ufuncs and not in its statistics.
    pub takes_axis_of_scalar: bool,
    /// Whether the result depends on the number of elements that count.
    pub counts: bool,
    /// The ufunc that reduces in its place under the option `FromFirst`, where it starts from an identity otherwise.
    pub from_first: Option<&'static UfuncDef>,
    /// The elementwise operation that is applied to the result of `finish`.
    pub then: Option<&'static UfuncDef>,
}

impl ReductionFacts {
    /// Whether the option is among those it takes.
    pub fn takes(&self, option: ReductionOption) -> bool {
        self.options.contains(&option)
    }
}

/// An option of a reduction beside the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionOption {
    /// Reduced axes stay, with extent 1.
    Keepdims,
    /// Elements are converted first.
    Dtype,
    /// A value that is combined with the result.
    Initial,
    /// NumPy's `initial=None`: no identity, the first element is the first state.
    FromFirst,
    /// A mask of the elements that count.
    Where,
    /// What is taken off the number of elements.
    Ddof,
    /// A mean that is known.
    Mean,
}

impl ReductionOption {
    /// The method of `over(…)` that sets it.
    pub fn name(self) -> &'static str {
        match self {
            ReductionOption::Keepdims => "keepdims",
            ReductionOption::Dtype => "dtype",
            ReductionOption::Initial => "initial",
            ReductionOption::FromFirst => "from_first",
            ReductionOption::Where => "where_",
            ReductionOption::Ddof => "ddof",
            ReductionOption::Mean => "mean",
        }
    }
}

/// The dtypes of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionDTypes {
    /// To which elements are converted first.
    pub input: DType,
    /// Of the result.
    pub output: DType,
}

impl ReductionDTypes {
    /// One dtype throughout.
    pub fn same(dtype: DType) -> Self {
        Self { input: dtype, output: dtype }
    }
}

/// What an element counts as where the mask is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masked {
    /// The identity, 0 or 1 of this dtype, as a constant of the program.
    Identity(DType, i64),
    /// [`ReductionDef::start`], else the initial value, which a mask requires then; an argument of the program.
    Initial,
    /// Nothing: [`ReductionDef::lift`] looks at the mask.
    Weightless,
}

/// One element, as a reduction takes it.
#[derive(Clone, Copy, Debug)]
pub struct Element<'b> {
    /// What [`ReductionDef::operand`] gave, or, where the mask is false, what the element counts as.
    pub value: Value<'b>,
    /// The dtype it was converted to.
    pub dtype: DType,
    /// Whether it counts; `None` where every element does.
    pub mask: Option<SsaValue<'b>>,
}

impl<'b> Element<'b> {
    /// Its position in the row.
    pub fn index(&self) -> SsaValue<'b> {
        lowering::builder_of(self.value).push(Op::Index, RegType::I64, [0; 3])
    }
}

/// The registers of a state.
pub type State<'b> = SmallVec<[SsaValue<'b>; 4]>;

/// The state of one element: for each independent reduction its registers and their combination.
pub type Lifted<'b> = SmallVec<[(State<'b>, Combine); 2]>;

/// The state of a whole row.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<'s, 'b> {
    /// The registers of every reduction of [`ReductionDef::lift`], in that order. After them the number of elements that count,
    /// where [`ReductionFacts::counts`] and there is a mask.
    pub states: &'s [SsaValue<'b>],
    /// Whether the elements are complex.
    pub complex: bool,
    /// Whether there is a mask.
    pub masked: bool,
    /// The number of elements, in the type accumulated in, where [`ReductionFacts::counts`].
    pub size: Option<SsaValue<'b>>,
    /// NumPy's `ddof`, in the type accumulated in, where it is among the options.
    pub correction: Option<SsaValue<'b>>,
}

impl<'b> Reduced<'_, 'b> {
    /// The first registers as a value of the elements' kind.
    pub fn value(&self) -> Value<'b> {
        match self.complex {
            true => Value::Complex(self.states[0], self.states[1]),
            false => Value::Real(self.states[0]),
        }
    }

    /// The number of elements that count, in the type accumulated in.
    pub fn count(&self) -> SsaValue<'b> {
        match (self.masked, self.size) {
            (true, _) => self.states[self.states.len() - 1].cast(self.states[0].ty()),
            (false, Some(size)) => size,
            (false, None) => unreachable!("the number of elements is not among its facts"),
        }
    }
}

impl dyn ReductionDef {
    /// The method and the free function.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }

    /// The state of an element, already converted to `dtype`. Where `mask` is false it counts as `masked`, or not at all.
    pub fn lifted<'b>(
        &self,
        element: Value<'b>,
        dtype: DType,
        mask: Option<SsaValue<'b>>,
        masked: Option<Value<'b>>,
    ) -> Lifted<'b> {
        let value = self.operand(element);
        let value = match (mask, masked) {
            (Some(mask), Some(other)) => {
                lowering::choose(lowering::builder_of(value), &[Value::Real(mask), value, other])
            }
            _ => value,
        };
        let mut lifted = self.lift(&Element { value, dtype, mask });
        if let (true, Some(mask)) = (self.facts().counts, mask) {
            lifted.push((smallvec![mask.cast(RegType::I64)], Combine::Prim(Prim::Add)));
        }
        lifted
    }

    /// The result from the state of a whole row of elements of `dtype`, without the initial value.
    pub fn finished<'b>(&self, row: &Reduced<'_, 'b>, dtype: DType) -> Value<'b> {
        let value = self.finish(row);
        match self.facts().then {
            Some(then) => (then.lower)(lowering::builder_of(value), dtype, &[value]),
            None => value,
        }
    }
}

/// A real number.
fn float(value: f64) -> Option<(DType, Number)> {
    Some((DType::F64, Number::Float(value)))
}

/// Both parts of a complex number by themselves, or a real number, with this combination.
fn by_parts<'b>(value: Value<'b>, prim: Prim) -> Lifted<'b> {
    registers(value).into_iter().map(|x| (smallvec![x], Combine::Prim(prim))).collect()
}

pub(super) fn registers(value: Value<'_>) -> State<'_> {
    match value {
        Value::Real(x) => smallvec![x],
        Value::Complex(re, im) => smallvec![re, im],
    }
}

/// Records the combination of two states whose registers have these types, left then right.
pub(super) fn body(
    known: Option<Known>,
    types: &[RegType],
    write: impl for<'b> FnOnce(&'b Builder, &[SsaValue<'b>]) -> State<'b>,
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
    let (instrs, loops) = builder.into_parts();
    Combine::Body(Arc::new(Body { instrs, loops, results, known }))
}
