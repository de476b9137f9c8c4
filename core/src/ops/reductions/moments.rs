//! Mean, variance and standard deviation.

use smallvec::smallvec;

use super::ReductionOption::{Ddof, Dtype, Keepdims, Mean, Where};
use super::sums::from_positive_zero;
use super::{
    Element, Lifted, Masked, Reduced, ReductionDTypes, ReductionDef, ReductionFacts, body,
    by_parts, float,
};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::number::Number;
use crate::ops::UfuncDef;
use crate::ops::lowering::{self, LoweredValue as Value};
use crate::ops::rows;
use crate::program::{Combine, Known, Prim, RegType, SsaValue};

/// `np.mean`.
pub static MEAN: ArithmeticMean = ArithmeticMean;

/// `np.var`.
pub static VAR: Spread = Spread {
    name: "var",
    numpy: "np.var",
    doc: "The variance: mean squared distance from the mean.",
    then: None,
};

/// `np.std`: the square root of `np.var`.
pub static STD: Spread = Spread {
    name: "std",
    numpy: "np.std",
    doc: "The standard deviation.",
    then: Some(&rows::sqrt),
};

/// The arithmetic mean: sum over count.
#[derive(Debug)]
pub struct ArithmeticMean;

impl ReductionDef for ArithmeticMean {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: "mean",
            numpy: "np.mean",
            doc: "The arithmetic mean.",
            options: &[Keepdims, Dtype, Where],
            takes_axis_of_scalar: false,
            counts: true,
            from_first: None,
            then: None,
        }
    }

    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        Ok(ReductionDTypes::same(inexact("mean", dtype, asked)?))
    }

    fn over_nothing(&self, output: DType, _: f64) -> Option<(DType, Number)> {
        match output.is_complex() {
            true => Some((DType::C128, Number::Complex(f64::NAN, f64::NAN))),
            false => float(f64::NAN),
        }
    }

    fn masked_as(&self, input: DType) -> Masked {
        Masked::Identity(input, 0)
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        by_parts(element.value, Prim::Add)
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        let count = row.count();
        match from_positive_zero(row.value()) {
            Value::Real(sum) => Value::Real(sum / count),
            // The count is a complex number, too: where a part is not finite, the other becomes NaN.
            Value::Complex(re, im) => {
                let [to_re, to_im] = [im * im.zero(), re * re.zero()];
                Value::Complex((re + to_re) / count, (im - to_im) / count)
            }
        }
    }
}

/// The second central moment over count less correction, by pairwise (count, mean, M2).
#[derive(Debug)]
pub struct Spread {
    name: &'static str,
    numpy: &'static str,
    doc: &'static str,
    then: Option<&'static UfuncDef>,
}

impl ReductionDef for Spread {
    fn facts(&self) -> ReductionFacts {
        ReductionFacts {
            name: self.name,
            numpy: self.numpy,
            doc: self.doc,
            options: &[Keepdims, Dtype, Where, Ddof, Mean],
            takes_axis_of_scalar: false,
            counts: true,
            from_first: None,
            then: self.then,
        }
    }

    /// The result is real.
    fn dtypes(&self, dtype: DType, asked: Option<DType>) -> Result<ReductionDTypes> {
        let input = inexact(self.name, dtype, asked)?;
        Ok(ReductionDTypes { input, output: input.part() })
    }

    /// No distances from a mean, divided by a number of degrees that is not below zero.
    fn over_nothing(&self, _: DType, correction: f64) -> Option<(DType, Number)> {
        float(if correction < 0.0 { 0.0 } else { f64::NAN })
    }

    fn masked_as(&self, _: DType) -> Masked {
        Masked::Weightless
    }

    fn lift<'b>(&self, element: &Element<'b>) -> Lifted<'b> {
        let (b, mask) = (lowering::builder_of(element.value), element.mask);
        let moments = |x: SsaValue<'b>| {
            let one = mask.map_or(x.one(), |mask| mask.cast(x.ty()));
            let x = mask.map_or(x, |mask| mask.select(x, x.zero()));
            // The distance from itself: 0, but NaN of an infinity, whose variance is none.
            let none = b.prim(Prim::Sub, &[x, x]);
            (smallvec![one, x, none], merged_moments(x.ty()))
        };
        match element.value {
            Value::Real(x) => smallvec![moments(x)],
            Value::Complex(re, im) => smallvec![moments(re), moments(im)],
        }
    }

    fn finish<'b>(&self, row: &Reduced<'_, 'b>) -> Value<'b> {
        let (b, ty) = (row.states[0].builder(), row.states[0].ty());
        let sum = if row.complex { row.states[2] + row.states[5] } else { row.states[2] };
        let degrees = row.count() - row.correction.unwrap_or(b.int(ty, 0));
        let degrees = b.prim(Prim::Max, &[degrees, b.int(ty, 0)]);
        Value::Real(sum / degrees)
    }
}

/// The dtype of averages, and of logarithms of sums: bool and integers are float64.
pub(super) fn inexact(op: &'static str, dtype: DType, asked: Option<DType>) -> Result<DType> {
    let input = asked.unwrap_or(match dtype.kind() {
        Kind::Bool | Kind::Int => DType::F64,
        Kind::Float | Kind::Complex => dtype,
    });
    match input.kind() {
        Kind::Float | Kind::Complex => Ok(input),
        Kind::Bool | Kind::Int => {
            let reason = format!("an average in {input}: ask for a float dtype");
            Err(Error::Unsupported { op: op.to_string(), reason })
        }
    }
}

/// (count, mean, M2) of two parts together: Chan, Golub & LeVeque 1979, in the form that weighs the
/// difference of the means by the right part's share.
fn merged_moments(ty: RegType) -> Combine {
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
