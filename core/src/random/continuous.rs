//! Distributions of floats: a standard one, moved and stretched in the same launch, or what elementwise
//! operations make of it.
//!
//! Parameters are numbers, which are checked, or arrays that broadcast to the shape, which are not: a
//! negative scale in an array mirrors the distribution, a zero where none may be gives infinities or NaN.

use super::recipe::{Recipe, Variate};
use super::{Draw, Generator, draws, real, wrong};
use crate::array::products::accumulator;
use crate::array::{Array, IntoShape};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::Operand;
use crate::ops::rows::{binary, try_where, unary};
use crate::shape::Shape;

impl Draw<'_> {
    /// `standard * scale + location`: in the launch that draws where both are numbers.
    #[track_caller]
    fn located(
        &mut self,
        op: &'static str,
        variate: Variate,
        location: Operand,
        scale: Operand,
        shape: Shape,
    ) -> Result<Array> {
        let dtype = self.float(op)?;
        if let Operand::Scalar(scale) = &scale {
            not_negative(op, "scale", real(op, scale)?)?;
        }
        if let (Operand::Scalar(location), Operand::Scalar(scale)) = (&location, &scale) {
            let (location, scale) = (real(op, location)?, real(op, scale)?);
            if location == 0.0 && scale == 1.0 {
                return self.standard(op, variate, dtype, &shape);
            }
            let recipe = Recipe { variate, dtype, scaled: true };
            let wide = accumulator(dtype);
            let [scale, location] = [scale, location].map(|value| match wide {
                DType::F32 => u64::from((value as f32).to_bits()),
                _ => value.to_bits(),
            });
            return self.draw(op, recipe, &[scale, location], shape);
        }
        let standard = self.standard(op, variate, accumulator(dtype), &shape)?;
        fit(op, binary::try_add(binary::try_multiply(standard, scale)?, location)?, &shape, dtype)
    }

    /// Standard variates wide enough to compute with, and the dtype of the result.
    #[track_caller]
    fn material(
        &mut self,
        op: &'static str,
        variate: Variate,
        shape: &Shape,
    ) -> Result<(Array, DType)> {
        let dtype = self.float(op)?;
        Ok((self.standard(op, variate, accumulator(dtype), shape)?, dtype))
    }
}

fn not_negative(op: &'static str, name: &str, value: f64) -> Result<()> {
    if value < 0.0 { Err(wrong(op, format!("{name} is {value}, below 0"))) } else { Ok(()) }
}

fn positive(op: &'static str, name: &str, operand: &Operand) -> Result<()> {
    match operand {
        Operand::Scalar(scalar) if real(op, scalar)? <= 0.0 => {
            Err(wrong(op, format!("{name} must be above 0")))
        }
        Operand::Scalar(_) | Operand::Array(_) => Ok(()),
    }
}

fn probability(op: &'static str, operand: &Operand) -> Result<()> {
    match operand {
        Operand::Scalar(scalar) if !(0.0..=1.0).contains(&real(op, scalar)?) => {
            Err(wrong(op, "a probability must be from 0 to 1"))
        }
        Operand::Scalar(_) | Operand::Array(_) => Ok(()),
    }
}

/// The result in its dtype, if the parameters did not make it larger.
#[track_caller]
fn fit(op: &'static str, array: Array, shape: &Shape, dtype: DType) -> Result<Array> {
    if array.shape() != shape.as_slice() {
        let (left, right) = (array.shape().into(), shape.as_slice().into());
        return Err(Error::Broadcast { op, left, right });
    }
    array.try_astype(dtype)
}

draws! {
    /// Uniform from `low` up to, not including, `high`, as NumPy's `Generator.uniform`: `low + (high - low) x`
    /// of [`Generator::random`], whose rounding may reach `high`.
    uniform / try_uniform (self, low: impl Into<Operand>, high: impl Into<Operand>, shape: impl IntoShape) {
        const OP: &str = "uniform";
        let (low, high) = (low.into(), high.into());
        let span = match (&low, &high) {
            (Operand::Scalar(low), Operand::Scalar(high)) => {
                let span = real(OP, high)? - real(OP, low)?;
                if !span.is_finite() {
                    return Err(Error::ArgumentOverflow { op: OP.to_string(), value: span });
                }
                not_negative(OP, "high - low", span)?;
                Operand::from(span)
            }
            _ => Operand::Array(binary::try_subtract(&high, &low)?),
        };
        self.located(OP, Variate::Uniform, low, span, shape.into_shape())
    }

    /// Normal with this mean and standard deviation, as NumPy's `Generator.normal`. Tails reach 6.6 standard
    /// deviations in float32, 9.4 in float64.
    normal / try_normal (self, mean: impl Into<Operand>, deviation: impl Into<Operand>, shape: impl IntoShape) {
        self.located("normal", Variate::Normal, mean.into(), deviation.into(), shape.into_shape())
    }

    /// Exponential with this mean, as NumPy's `Generator.exponential`.
    exponential / try_exponential (self, scale: impl Into<Operand>, shape: impl IntoShape) {
        let zero = Operand::from(0.0);
        self.located("exponential", Variate::Exponential, zero, scale.into(), shape.into_shape())
    }

    /// Laplace (two-sided exponential), as NumPy's `Generator.laplace`.
    laplace / try_laplace (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape) {
        self.located("laplace", Variate::Laplace, location.into(), scale.into(), shape.into_shape())
    }

    /// Logistic, as NumPy's `Generator.logistic`.
    logistic / try_logistic (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape) {
        self.located("logistic", Variate::Logistic, location.into(), scale.into(), shape.into_shape())
    }

    /// Gumbel (of largest values), as NumPy's `Generator.gumbel`.
    gumbel / try_gumbel (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape) {
        self.located("gumbel", Variate::Gumbel, location.into(), scale.into(), shape.into_shape())
    }

    /// Cauchy, moved and stretched.
    cauchy / try_cauchy (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape) {
        self.located("cauchy", Variate::Cauchy, location.into(), scale.into(), shape.into_shape())
    }

    /// `exp` of a normal variate, as NumPy's `Generator.lognormal`.
    lognormal / try_lognormal (self, mean: impl Into<Operand>, sigma: impl Into<Operand>, shape: impl IntoShape) {
        let (op, shape) = ("lognormal", shape.into_shape());
        let dtype = self.float(op)?;
        let mut wide = Draw { generator: &mut *self.generator, dtype: Some(accumulator(dtype)) };
        let normal = wide.located(op, Variate::Normal, mean.into(), sigma.into(), shape)?;
        normal.try_exp()?.try_astype(dtype)
    }

    /// Weibull with this shape parameter, as NumPy's `Generator.weibull`.
    weibull / try_weibull (self, a: impl Into<Operand>, shape: impl IntoShape) {
        let (op, a, shape) = ("weibull", a.into(), shape.into_shape());
        positive(op, "a", &a)?;
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        let one = Operand::from(1.0);
        fit(op, variates.try_power(binary::try_divide(one, a)?.try_astype(variates.dtype())?)?, &shape, dtype)
    }

    /// Pareto of the second kind (Lomax), as NumPy's `Generator.pareto`.
    pareto / try_pareto (self, a: impl Into<Operand>, shape: impl IntoShape) {
        let (op, a, shape) = ("pareto", a.into(), shape.into_shape());
        positive(op, "a", &a)?;
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_divide(a)?.try_expm1()?, &shape, dtype)
    }

    /// Of density `a x^(a-1)` on (0, 1), as NumPy's `Generator.power`.
    power / try_power (self, a: impl Into<Operand>, shape: impl IntoShape) {
        let (op, a, shape) = ("power", a.into(), shape.into_shape());
        positive(op, "a", &a)?;
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_negative()?.try_divide(a)?.try_exp()?, &shape, dtype)
    }

    /// Rayleigh, as NumPy's `Generator.rayleigh`.
    rayleigh / try_rayleigh (self, scale: impl Into<Operand>, shape: impl IntoShape) {
        let (op, scale, shape) = ("rayleigh", scale.into(), shape.into_shape());
        if let Operand::Scalar(scale) = &scale {
            not_negative(op, "scale", real(op, scale)?)?;
        }
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_multiply(2.0)?.try_sqrt()?.try_multiply(scale)?, &shape, dtype)
    }

    /// Triangular, as NumPy's `Generator.triangular`: `left <= mode <= right` and `left < right`.
    triangular / try_triangular (self, left: f64, mode: f64, right: f64, shape: impl IntoShape) {
        let (op, shape) = ("triangular", shape.into_shape());
        let ordered = left <= mode && mode <= right && left < right;
        if !ordered || !(right - left).is_finite() {
            return Err(wrong(op, format!("left, mode, right are {left}, {mode}, {right}")));
        }
        let (x, dtype) = self.material(op, Variate::Uniform, &shape)?;
        let span = right - left;
        let rising = (&x * (span * (mode - left))).try_sqrt()?.try_add(left)?;
        let rest = binary::try_subtract(1.0, &x)?;
        let falling = binary::try_subtract(right, (rest * (span * (right - mode))).try_sqrt()?)?;
        fit(op, try_where(x.try_less((mode - left) / span)?, rising, falling)?, &shape, dtype)
    }

    /// Trials up to the first success of probability `p`, as NumPy's `Generator.geometric`; int64.
    geometric / try_geometric (self, p: impl Into<Operand>, shape: impl IntoShape) {
        let (op, p, shape) = ("geometric", p.into(), shape.into_shape());
        probability(op, &p)?;
        positive(op, "p", &p)?;
        let variates = self.standard(op, Variate::Exponential, DType::F64, &shape)?;
        let rate = unary::try_log1p(unary::try_negative(p)?)?.try_astype(DType::F64)?.try_negative()?;
        fit(op, variates.try_divide(rate)?.try_ceil()?.try_maximum(1.0)?, &shape, self.dtype.unwrap_or(DType::I64))
    }

    /// True with probability `p`; bool. In units of 2^-53.
    bernoulli / try_bernoulli (self, p: impl Into<Operand>, shape: impl IntoShape) {
        let (op, p, shape) = ("bernoulli", p.into(), shape.into_shape());
        probability(op, &p)?;
        let variates = self.standard(op, Variate::Uniform, DType::F64, &shape)?;
        fit(op, variates.try_less(p)?, &shape, self.dtype.unwrap_or(DType::Bool))
    }
}
