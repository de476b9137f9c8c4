//! Distributions of floats: a standard one, moved and stretched in the same launch, or what elementwise
//! operations make of it.
//!
//! Nothing here is drawn twice: see `gamma_family` for what may be.

use super::parameter::{Must, bits, check, minus, number, real};
use super::samplers::{Sampler, Variate};
use super::{Draw, Generator, draws, wrong};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::array::products::accumulator;
use crate::elementwise::{checked_binary, checked_unary, try_where};
use crate::graph::{Operand, device_of};
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Result};

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
            let sampler = Sampler { variate, dtype, scaled: true };
            let parameters = [bits(op, scale, dtype)?, bits(op, location, dtype)?];
            return self.draw(op, sampler, &parameters, shape);
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

    /// Draws uniformly from `low` up to, not including, `high`, as NumPy's `Generator.uniform`.
    ///
    /// It is `low + (high - low) x` of [`Generator::random`], whose rounding may reach `high`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a span that is not finite, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).uniform(2, 4, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 3.0).abs() < 0.1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws from the normal distribution with a mean and a standard deviation, as NumPy's `Generator.normal`.
    ///
    /// Tails reach 6.6 standard deviations in float32, 9.4 in float64.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative deviation, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).normal(5, 2, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 5.0).abs() < 0.3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    normal / try_normal (self, mean: impl Into<Operand>, deviation: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("normal", shape)?;
        self.located("normal", Variate::Normal, mean.into(), deviation.into(), shape)
    }

    /// Draws from the exponential distribution with this mean, as NumPy's `Generator.exponential`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative scale, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).exponential(2, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 2.0).abs() < 0.3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    exponential / try_exponential (self, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let zero = Operand::from(0.0);
        let shape = self.shape("exponential", shape)?;
        self.located("exponential", Variate::Exponential, zero, scale.into(), shape)
    }

    /// Draws from the Laplace (two-sided exponential) distribution, as NumPy's `Generator.laplace`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative scale, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).laplace(1, 1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.0).abs() < 0.3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    laplace / try_laplace (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("laplace", shape)?;
        self.located("laplace", Variate::Laplace, location.into(), scale.into(), shape)
    }

    /// Draws from the logistic distribution, as NumPy's `Generator.logistic`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative scale, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).logistic(1, 1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.0).abs() < 0.3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    logistic / try_logistic (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("logistic", shape)?;
        self.located("logistic", Variate::Logistic, location.into(), scale.into(), shape)
    }

    /// Draws from the Gumbel distribution (of largest values), as NumPy's `Generator.gumbel`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative scale, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).gumbel(0, 1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 0.577).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    gumbel / try_gumbel (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("gumbel", shape)?;
        self.located("gumbel", Variate::Gumbel, location.into(), scale.into(), shape)
    }

    /// Draws from the Cauchy distribution with a location and a scale, as `scipy.stats.cauchy.rvs`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative scale, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).cauchy(3, 1, 1001);
    /// assert!((x.median(..).item::<f64>()? - 3.0).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    cauchy / try_cauchy (self, location: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let shape = self.shape("cauchy", shape)?;
        self.located("cauchy", Variate::Cauchy, location.into(), scale.into(), shape)
    }

    /// Draws `exp` of a normal variate, as NumPy's `Generator.lognormal`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative sigma, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).lognormal(0, 1, 1001);
    /// assert!((x.median(..).item::<f64>()? - 1.0).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    lognormal / try_lognormal (self, mean: impl Into<Operand>, sigma: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, shape) = ("lognormal", self.shape("lognormal", shape)?);
        let dtype = self.float(op)?;
        let mut wide = Draw { generator: &mut *self.generator, dtype: Some(accumulator(dtype)) };
        let normal = wide.located(op, Variate::Normal, mean.into(), sigma.into(), shape)?;
        normal.try_exp()?.try_astype(dtype)
    }

    /// Draws from the Weibull distribution with a shape parameter, as NumPy's `Generator.weibull`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative parameter, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).weibull(1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.0).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws from the Pareto distribution of the second kind (Lomax), as NumPy's `Generator.pareto`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a parameter that is not above 0, parameters that do not broadcast to the shape, a dtype that is no
    ///   float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).pareto(3, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 0.5).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pareto / try_pareto (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("pareto", a.into(), self.shape("pareto", shape)?);
        check(op, "a", &a, Must::BePositive)?;
        let _guard = device_of(op, std::slice::from_ref(&a))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_divide(a)?.try_expm1()?, &shape, dtype)
    }

    /// Draws from the density `a x^(a-1)` on (0, 1), as NumPy's `Generator.power`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a parameter that is not above 0, parameters that do not broadcast to the shape, a dtype that is no
    ///   float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).power(1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 0.5).abs() < 0.05);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    power / try_power (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("power", a.into(), self.shape("power", shape)?);
        check(op, "a", &a, Must::BePositive)?;
        let _guard = device_of(op, std::slice::from_ref(&a))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_negative()?.try_divide(a)?.try_exp()?, &shape, dtype)
    }

    /// Draws from the Rayleigh distribution, as NumPy's `Generator.rayleigh`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative scale, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).rayleigh(1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.253).abs() < 0.1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    rayleigh / try_rayleigh (self, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, scale, shape) = ("rayleigh", scale.into(), self.shape("rayleigh", shape)?);
        check(op, "scale", &scale, Must::NotBeNegative)?;
        let _guard = device_of(op, std::slice::from_ref(&scale))?.enter();
        let (variates, dtype) = self.material(op, Variate::Exponential, &shape)?;
        fit(op, variates.try_multiply(2.0)?.try_sqrt()?.try_multiply(scale)?, &shape, dtype)
    }

    /// Draws from the triangular distribution, as NumPy's `Generator.triangular`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: parameters without `left <= mode <= right` and `left < right`, parameters that do not broadcast to the
    ///   shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).triangular(0, 1, 2, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.0).abs() < 0.1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws the number of trials up to the first success of probability `p`, as NumPy's `Generator.geometric`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: a probability that is not above 0 and at most 1, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).geometric(0.5, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 2.0).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    geometric / try_geometric (self, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, p, shape) = ("geometric", p.into(), self.shape("geometric", shape)?);
        check(op, "p", &p, Must::BeLikely)?;
        let _guard = device_of(op, std::slice::from_ref(&p))?.enter();
        let variates = self.standard(op, Variate::Exponential, DType::F64, &shape)?;
        let rate = checked_unary::log1p(checked_unary::negative(p)?)?.try_astype(DType::F64)?.try_negative()?;
        fit(op, variates.try_divide(rate)?.try_ceil()?.try_maximum(1.0)?, &shape, self.dtype.unwrap_or(DType::I64))
    }

    /// Draws true with probability `p`, as `np.random.Generator.random` below `p`; in units of 2^-53.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is bool.
    /// - **Errors**: a probability outside of 0 to 1, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).bernoulli(0.25, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 0.25).abs() < 0.05);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    bernoulli / try_bernoulli (self, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, p, shape) = ("bernoulli", p.into(), self.shape("bernoulli", shape)?);
        check(op, "p", &p, Must::BeProbability)?;
        let _guard = device_of(op, std::slice::from_ref(&p))?.enter();
        let variates = self.standard(op, Variate::Uniform, DType::F64, &shape)?;
        fit(op, variates.try_less(p)?, &shape, self.dtype.unwrap_or(DType::Bool))
    }
}
