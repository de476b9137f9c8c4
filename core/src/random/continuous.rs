//! Distributions of floats: a standard one, moved and stretched in the same launch, or what elementwise
//! operations make of it.
//!
//! Nothing here is drawn twice: see `shaped` for what may be.

use super::parameter::{Must, bits, check, minus, number, real};
use super::recipe::{Recipe, Variate};
use super::{Draw, Generator, draws, wrong};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::array::products::accumulator;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::{Operand, device_of};
use crate::ops::rows::{checked_binary, checked_unary, try_where};
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
        check(op, "location", &location, Must::BeReal)?;
        check(op, "scale", &scale, Must::NotBeNegative)?;
        if let (Operand::Scalar(location), Operand::Scalar(scale)) = (&location, &scale) {
            if real(op, location)? == 0.0 && real(op, scale)? == 1.0 {
                return self.standard(op, variate, dtype, &shape);
            }
            let recipe = Recipe { variate, dtype, scaled: true };
            let parameters = [bits(op, scale, dtype)?, bits(op, location, dtype)?];
            return self.draw(op, recipe, &parameters, shape);
        }
        let _guard = device_of(op, &[location.clone(), scale.clone()])?.enter();
        let standard = self.standard(op, variate, accumulator(dtype), &shape)?;
        fit(
            op,
            checked_binary::add(checked_binary::multiply(standard, scale)?, location)?,
            &shape,
            dtype,
        )
    }

    /// Standard variates wide enough to compute with, and the dtype of the result.
    #[track_caller]
    pub(super) fn material(
        &mut self,
        op: &'static str,
        variate: Variate,
        shape: &Shape,
    ) -> Result<(Array, DType)> {
        let dtype = self.float(op)?;
        Ok((self.standard(op, variate, accumulator(dtype), shape)?, dtype))
    }
}

/// The result in its dtype, if the parameters did not make it larger.
#[track_caller]
pub(super) fn fit(op: &'static str, array: Array, shape: &Shape, dtype: DType) -> Result<Array> {
    if array.shape() != shape.as_slice() {
        let (left, right) = (array.shape().into(), shape.as_slice().into());
        return Err(Error::Broadcast { op, left, right });
    }
    array.try_astype(dtype)
}

draws! {
    mod checked;

    /// Uniform from `low` up to, not including, `high`, as NumPy's `Generator.uniform`: `low + (high - low) x`
    /// of [`Generator::random`], whose rounding may reach `high`.
    uniform / try_uniform (self, low: impl Into<Operand>, high: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        const OP: &str = "uniform";
        let (low, high) = (low.into(), high.into());
        let span = minus(OP, &high, &low)?;
        if let Some(span) = number(OP, &span)?.filter(|span| !span.is_finite()) {
            return Err(Error::ArgumentOverflow { op: OP.to_string(), value: span });
        }
        check(OP, "high - low", &span, Must::NotBeNegative)?;
        let shape = self.shape(OP, shape)?;
        self.located(OP, Variate::Uniform, low, span, shape)
    }

    /// Normal with this mean and standard deviation, as NumPy's `Generator.normal`. Tails reach 6.6 standard
    /// deviations in float32, 9.4 in float64.
    normal / try_normal (self, mean: impl Into<Operand>, deviation: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("normal", shape)?;
        self.located("normal", Variate::Normal, mean.into(), deviation.into(), shape)
    }

    /// Exponential with this mean, as NumPy's `Generator.exponential`.
    exponential / try_exponential (self, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let zero = Operand::from(0.0);
        let shape = self.shape("exponential", shape)?;
        self.located("exponential", Variate::Exponential, zero, scale.into(), shape)
    }

    /// Laplace (two-sided exponential), as NumPy's `Generator.laplace`.
    laplace / try_laplace (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("laplace", shape)?;
        self.located("laplace", Variate::Laplace, location.into(), scale.into(), shape)
    }

    /// Logistic, as NumPy's `Generator.logistic`.
    logistic / try_logistic (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("logistic", shape)?;
        self.located("logistic", Variate::Logistic, location.into(), scale.into(), shape)
    }

    /// Gumbel (of largest values), as NumPy's `Generator.gumbel`.
    gumbel / try_gumbel (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("gumbel", shape)?;
        self.located("gumbel", Variate::Gumbel, location.into(), scale.into(), shape)
    }

    /// Cauchy, moved and stretched.
    cauchy / try_cauchy (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("cauchy", shape)?;
        self.located("cauchy", Variate::Cauchy, location.into(), scale.into(), shape)
    }

    /// `exp` of a normal variate, as NumPy's `Generator.lognormal`.
    lognormal / try_lognormal (self, mean: impl Into<Operand>, sigma: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, shape) = ("lognormal", self.shape("lognormal", shape)?);
        let dtype = self.float(op)?;
        let mut wide = Draw { generator: &mut *self.generator, dtype: Some(accumulator(dtype)) };
        let normal = wide.located(op, Variate::Normal, mean.into(), sigma.into(), shape)?;
        normal.try_exp()?.try_astype(dtype)
    }

    /// Weibull with this shape parameter, as NumPy's `Generator.weibull`.
    weibull / try_weibull (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("weibull", a.into(), self.shape("weibull", shape)?);
        check(op, "a", &a, Must::NotBeNegative)?;
        let _guard = device_of(op, std::slice::from_ref(&a))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        let power = checked_binary::divide(1.0, &a)?.try_astype(variates.dtype())?;
        let values = variates.try_power(power)?;
        // An endless power would leave what is above 1 without end.
        fit(op, try_where(checked_binary::equal(a, 0)?, 0.0, values)?, &shape, dtype)
    }

    /// Pareto of the second kind (Lomax), as NumPy's `Generator.pareto`.
    pareto / try_pareto (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("pareto", a.into(), self.shape("pareto", shape)?);
        check(op, "a", &a, Must::BePositive)?;
        let _guard = device_of(op, std::slice::from_ref(&a))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_divide(a)?.try_expm1()?, &shape, dtype)
    }

    /// Of density `a x^(a-1)` on (0, 1), as NumPy's `Generator.power`.
    power / try_power (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("power", a.into(), self.shape("power", shape)?);
        check(op, "a", &a, Must::BePositive)?;
        let _guard = device_of(op, std::slice::from_ref(&a))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_negative()?.try_divide(a)?.try_exp()?, &shape, dtype)
    }

    /// Rayleigh, as NumPy's `Generator.rayleigh`.
    rayleigh / try_rayleigh (self, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, scale, shape) = ("rayleigh", scale.into(), self.shape("rayleigh", shape)?);
        check(op, "scale", &scale, Must::NotBeNegative)?;
        let _guard = device_of(op, std::slice::from_ref(&scale))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_multiply(2.0)?.try_sqrt()?.try_multiply(scale)?, &shape, dtype)
    }

    /// Triangular, as NumPy's `Generator.triangular`: `left <= mode <= right` and `left < right`.
    triangular / try_triangular (self, left: impl Into<Operand>, mode: impl Into<Operand>, right: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, shape) = ("triangular", self.shape("triangular", shape)?);
        let (left, mode, right) = (left.into(), mode.into(), right.into());
        let _guard = device_of(op, &[left.clone(), mode.clone(), right.clone()])?.enter();
        let (rise, fall, span) =
            (minus(op, &mode, &left)?, minus(op, &right, &mode)?, minus(op, &right, &left)?);
        check(op, "mode - left", &rise, Must::NotBeNegative)?;
        check(op, "right - mode", &fall, Must::NotBeNegative)?;
        check(op, "right - left", &span, Must::BePositive)?;
        if number(op, &span)?.is_some_and(f64::is_infinite) {
            return Err(wrong(op, "left and right are too far apart"));
        }
        let (x, dtype) = self.material(op, Variate::Uniform, &shape)?;
        let part = |side: &Operand, x: &Array| {
            x.try_multiply(checked_binary::multiply(&span, side)?.try_astype(x.dtype())?)?.try_sqrt()
        };
        let rising = part(&rise, &x)?.try_add(&left)?;
        let falling = checked_binary::subtract(&right, part(&fall, &checked_binary::subtract(1.0, &x)?)?)?;
        let turn = checked_binary::divide(&rise, &span)?.try_astype(x.dtype())?;
        fit(op, try_where(x.try_less(turn)?, rising, falling)?, &shape, dtype)
    }

    /// Trials up to the first success of probability `p`, as NumPy's `Generator.geometric`; int64.
    geometric / try_geometric (self, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, p, shape) = ("geometric", p.into(), self.shape("geometric", shape)?);
        check(op, "p", &p, Must::BeLikely)?;
        let _guard = device_of(op, std::slice::from_ref(&p))?.enter();
        let variates = self.standard(op, Variate::Exponential, DType::F64, &shape)?;
        let rate = checked_unary::log1p(checked_unary::negative(p)?)?.try_astype(DType::F64)?.try_negative()?;
        fit(op, variates.try_divide(rate)?.try_ceil()?.try_maximum(1.0)?, &shape, self.dtype.unwrap_or(DType::I64))
    }

    /// True with probability `p`; bool. In units of 2^-53.
    bernoulli / try_bernoulli (self, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, p, shape) = ("bernoulli", p.into(), self.shape("bernoulli", shape)?);
        check(op, "p", &p, Must::BeProbability)?;
        let _guard = device_of(op, std::slice::from_ref(&p))?.enter();
        let variates = self.standard(op, Variate::Uniform, DType::F64, &shape)?;
        fit(op, variates.try_less(p)?, &shape, self.dtype.unwrap_or(DType::Bool))
    }
}
