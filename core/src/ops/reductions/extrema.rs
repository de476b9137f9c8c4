//! The smallest and the largest element, and their positions.

use smallvec::{SmallVec, smallvec};

use super::ReductionOption::{FromFirst, Initial, Keepdims, Where};
use super::{
    Element, Lifted, Masked, Reduced, ReductionDTypes, ReductionDef, ReductionFacts, body,
    by_parts, registers,
};
use crate::dtype::DType;
use crate::error::Result;
use crate::number::Number;
use crate::ops::lowering::{self, LoweredValue as Value};
use crate::program::{Builder, Known, Prim, RegType};

/// `np.min`.
pub static MIN: Extremum = Extremum {
    name: "min",
    numpy: "np.min",
    doc: "The smallest element; NaN wins.",
    end: End::Smallest,
};

/// `np.max`.
pub static MAX: Extremum = Extremum {
    name: "max",
    numpy: "np.max",
    doc: "The largest element; NaN wins.",
    end: End::Largest,
};

/// `np.argmin`.
pub static ARGMIN: Position = Position {
    name: "argmin",
    numpy: "np.argmin",
    doc: "Position of the first smallest element, or of the first NaN.",
    end: End::Smallest,
};

/// `np.argmax`.
pub static ARGMAX: Position = Position {
    name: "argmax",
    numpy: "np.argmax",
    doc: "Position of the first largest element, or of the first NaN.",
    end: End::Largest,
};

/// Which end of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Smallest,
    Largest,
}

/// An extreme element. NaN wins, and there is no identity.
#[derive(Debug)]
pub struct Extremum {
    name: &'static str,
    numpy: &'static str,
    doc: &'static str,
    end: End,
}

impl ReductionDef for Extremum {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: self.name,
            numpy: self.numpy,
            doc: self.doc,
            options: &[Keepdims, Initial, FromFirst, Where],
            takes_axis_of_scalar: true,
            counts: false,
            from_first: None,
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, _: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes::same(dtype))
    }

    fn over_nothing(&self, _: DType, _: f64) -> Option<(DType, Number)> {
        None
    }

    fn masked_as(&self, _: DType) -> Masked {
        Masked::Initial
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        match (element.value, self.end) {
            // Several complex numbers count as NaN; the first of them in the row wins.
            (Value::Complex(..), end) => position(element, end),
            (real, End::Smallest) if real.ty() == RegType::Bool => by_parts(real, Prim::And),
            (real, End::Largest) if real.ty() == RegType::Bool => by_parts(real, Prim::Or),
            (real, End::Smallest) => by_parts(real, Prim::Min),
            (real, End::Largest) => by_parts(real, Prim::Max),
        }
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
        match self.end {
            End::Smallest => lowering::minimum(builder, &[result, initial]),
            End::Largest => lowering::maximum(builder, &[result, initial]),
        }
    }
}

/// The position of the first extreme element, or of the first NaN.
#[derive(Debug)]
pub struct Position {
    name: &'static str,
    numpy: &'static str,
    doc: &'static str,
    end: End,
}

impl ReductionDef for Position {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: self.name,
            numpy: self.numpy,
            doc: self.doc,
            options: &[Keepdims],
            takes_axis_of_scalar: true,
            counts: false,
            from_first: None,
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, _: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes { input: dtype, output: DType::I64 })
    }

    fn over_nothing(&self, _: DType, _: f64) -> Option<(DType, Number)> {
        None
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        position(element, self.end)
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        Value::Real(row.states[if row.complex { 2 } else { 1 }])
    }
}

/// The state (element, position): of two, the better element, of equal ones the earlier.
fn position<'b>(element: &Element<'b>, end: End) -> Lifted<'b> {
    let index = element.index();
    let mut state = registers(element.value);
    let parts = state.len();
    state.push(index);
    let types: SmallVec<[RegType; 8]> =
        state.iter().chain(state.iter()).map(|term| term.ty()).collect();
    let known = match (end, parts) {
        (End::Smallest, 1) => Some(Known::FirstSmallest),
        (End::Largest, 1) => Some(Known::FirstLargest),
        _ => None,
    };
    let body = body(known, &types, |b, v| {
        let operand = |first: usize| match parts {
            1 => Value::Real(v[first]),
            _ => Value::Complex(v[first], v[first + 1]),
        };
        let (left, right) = (operand(0), operand(parts + 1));
        let nan = |value| lowering::isnan(b, &[value]).real();
        let better = match end {
            End::Smallest => lowering::less(b, &[right, left]).real(),
            End::Largest => lowering::less(b, &[left, right]).real(),
        };
        let (here, there) = (v[parts], v[2 * parts + 1]);
        // Lanes interleave positions, so of two equals the right one may be the first.
        let tie = (nan(left) & nan(right)) | lowering::equal(b, &[left, right]).real();
        let earlier = there.lt(here);
        let right_wins = (!nan(left) & (nan(right) | better)) | (tie & earlier);
        let mut result = registers(lowering::choose(b, &[Value::Real(right_wins), right, left]));
        result.push(right_wins.select(there, here));
        result
    });
    smallvec![(state, body)]
}
