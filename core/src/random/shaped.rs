//! The gamma distribution and what is made of it, and distributions of angles.
//!
//! Values are proposed and refused on the device, and drawn again until none is refused: the draw waits for a count of
//! those that are left, and for nothing else. Means and bounds hold for every parameter that NumPy takes.

use super::parameter::{LARGEST_MEAN, Must, check, number, times};
use super::proposal::{Means, Method};
use super::recipe::Variate;
use super::{Draw, Generator, continuous::fit, draws};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::array::products::accumulator;
use crate::dtype::DType;
use crate::error::Result;
use crate::graph::{Operand, device_of};
use crate::ops::rows::{checked_binary, try_where};
use crate::shape::Shape;

impl Draw<'_> {
    /// Gamma variates of scale 1, or their logarithms, in a dtype wide enough to compute with. The shape
    /// parameter has been checked.
    #[track_caller]
    pub(super) fn gammas(
        &mut self,
        op: &'static str,
        k: Operand,
        logarithm: bool,
        shape: &Shape,
    ) -> Result<Array> {
        let wide = accumulator(self.float(op)?);
        self.propose(op, Method::Gamma { logarithm }, wide, &[k], shape)
    }

    /// χ² / 2 of a number of degrees of freedom and a part that is not central.
    #[track_caller]
    fn half_noncentral(
        &mut self,
        op: &'static str,
        df: &Operand,
        nonc: &Operand,
        shape: &Shape,
    ) -> Result<Array> {
        // A Poisson number of pairs of degrees more, which holds for any number of them. Where it is
        // endless, as many as are countable.
        let mean = match number(op, nonc)? {
            Some(value) => {
                Operand::from(if value.is_nan() { value } else { (0.5 * value).min(LARGEST_MEAN) })
            }
            None => {
                checked_binary::minimum(checked_binary::multiply(nonc, 0.5)?, LARGEST_MEAN)?.into()
            }
        };
        let means = number(op, &mean)?.map_or(Means::Any, Means::of);
        let pairs = self.propose(op, Method::Poisson(means), DType::F64, &[mean], shape)?;
        let k = pairs.try_add(times(op, df, 0.5)?)?;
        self.gammas(op, k.into(), false, shape)
    }
}

draws! {
    mod checked;

    /// Gamma of this shape parameter and scale 1, as NumPy's `Generator.standard_gamma` (Marsaglia & Tsang 2000).
    /// The parameter is at least 0. Waits for the device, as everything of this kind: values that are refused are
    /// drawn again.
    ///
    /// ```
    /// use ndany::{Array, Device, Generator};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut rng = Generator::new(42);
    /// let waits = rng.gamma(2.0, 0.5, (100, 3));
    /// let shares = rng.beta(&Array::from([0.5, 2.0, 9.0]), 2.0, (100, 3));
    /// assert!(waits.greater(0.0).all(..).item::<bool>()? && shares.less_equal(1.0).all(..).item::<bool>()?);
    /// let mixture = rng.dirichlet(&Array::from([1.0, 2.0, 3.0]), 5);
    /// assert!((mixture.sum(1) - 1.0).abs().less(1e-12).all(..).item::<bool>()?);
    /// assert_eq!(ndany::checked::random::gamma(&mut rng, -1.0, 1.0, 3).expect_err("below 0").class(), "ValueError");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    standard_gamma / try_standard_gamma (self, k: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, k, shape) = ("standard_gamma", k.into(), self.shape("standard_gamma", shape)?);
        check(op, "shape", &k, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        self.propose(op, Method::Gamma { logarithm: false }, dtype, &[k], &shape)
    }

    /// Gamma of this shape parameter and scale (mean `k * scale`), as NumPy's `Generator.gamma`; both at least 0.
    gamma / try_gamma (self, k: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, k, scale, shape) = ("gamma", k.into(), scale.into(), self.shape("gamma", shape)?);
        check(op, "shape", &k, Must::NotBeNegative)?;
        check(op, "scale", &scale, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[k.clone(), scale.clone()])?.enter();
        fit(op, self.gammas(op, k, false, &shape)?.try_multiply(scale)?, &shape, dtype)
    }

    /// Beta of two shape parameters above 0, as NumPy's `Generator.beta`: x / (x + y) of two gamma variates, by their
    /// logarithms, so that tiny parameters give what they should.
    beta / try_beta (self, a: impl Into<Operand>, b: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, b, shape) = ("beta", a.into(), b.into(), self.shape("beta", shape)?);
        check(op, "a", &a, Must::BePositive)?;
        check(op, "b", &b, Must::BePositive)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[a.clone(), b.clone()])?.enter();
        let (x, y) = (self.gammas(op, a, true, &shape)?, self.gammas(op, b, true, &shape)?);
        fit(op, crate::checked::expit(x.try_subtract(y)?)?, &shape, dtype)
    }

    /// χ² of this many degrees of freedom (above 0, not only whole), as NumPy's `Generator.chisquare`.
    chisquare / try_chisquare (self, df: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, df, shape) = ("chisquare", df.into(), self.shape("chisquare", shape)?);
        check(op, "df", &df, Must::BePositive)?;
        let dtype = self.float(op)?;
        let half = self.gammas(op, times(op, &df, 0.5)?, false, &shape)?;
        fit(op, half.try_multiply(2.0)?, &shape, dtype)
    }

    /// χ² that is not central, as NumPy's `Generator.noncentral_chisquare`: `nonc` (at least 0) is the sum of the
    /// squares of the means.
    noncentral_chisquare / try_noncentral_chisquare (self, df: impl Into<Operand>, nonc: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, df, nonc, shape) = ("noncentral_chisquare", df.into(), nonc.into(), self.shape("noncentral_chisquare", shape)?);
        check(op, "df", &df, Must::BePositive)?;
        check(op, "nonc", &nonc, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[df.clone(), nonc.clone()])?.enter();
        fit(op, self.half_noncentral(op, &df, &nonc, &shape)?.try_multiply(2.0)?, &shape, dtype)
    }

    /// Fisher's F of two numbers of degrees of freedom, as NumPy's `Generator.f`.
    f / try_f (self, dfnum: impl Into<Operand>, dfden: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, dfnum, dfden, shape) = ("f", dfnum.into(), dfden.into(), self.shape("f", shape)?);
        check(op, "dfnum", &dfnum, Must::BePositive)?;
        check(op, "dfden", &dfden, Must::BePositive)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[dfnum.clone(), dfden.clone()])?.enter();
        let above = self.gammas(op, times(op, &dfnum, 0.5)?, false, &shape)?.try_divide(dfnum)?;
        let below = self.gammas(op, times(op, &dfden, 0.5)?, false, &shape)?.try_divide(dfden)?;
        fit(op, above.try_divide(below)?, &shape, dtype)
    }

    /// F whose numerator is not central, as NumPy's `Generator.noncentral_f`.
    noncentral_f / try_noncentral_f (self, dfnum: impl Into<Operand>, dfden: impl Into<Operand>, nonc: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, shape) = ("noncentral_f", self.shape("noncentral_f", shape)?);
        let (dfnum, dfden, nonc) = (dfnum.into(), dfden.into(), nonc.into());
        check(op, "dfnum", &dfnum, Must::BePositive)?;
        check(op, "dfden", &dfden, Must::BePositive)?;
        check(op, "nonc", &nonc, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[dfnum.clone(), dfden.clone(), nonc.clone()])?.enter();
        let above = self.half_noncentral(op, &dfnum, &nonc, &shape)?.try_divide(dfnum)?;
        let below = self.gammas(op, times(op, &dfden, 0.5)?, false, &shape)?.try_divide(dfden)?;
        fit(op, above.try_divide(below)?, &shape, dtype)
    }

    /// Student's t of this many degrees of freedom, as NumPy's `Generator.standard_t`.
    standard_t / try_standard_t (self, df: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, df, shape) = ("standard_t", df.into(), self.shape("standard_t", shape)?);
        check(op, "df", &df, Must::BePositive)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, std::slice::from_ref(&df))?.enter();
        let normal = self.standard(op, Variate::Normal, accumulator(dtype), &shape)?;
        let half = times(op, &df, 0.5)?;
        let gammas = self.gammas(op, half.clone(), false, &shape)?;
        fit(op, normal.try_divide(gammas.try_divide(half)?.try_sqrt()?)?, &shape, dtype)
    }

    /// Angles from −π to π about `mu` with this concentration (at least 0), as NumPy's `Generator.vonmises` (Best &
    /// Fisher 1979).
    vonmises / try_vonmises (self, mu: impl Into<Operand>, kappa: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, mu, kappa, shape) = ("vonmises", mu.into(), kappa.into(), self.shape("vonmises", shape)?);
        check(op, "mu", &mu, Must::BeReal)?;
        check(op, "kappa", &kappa, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[mu.clone(), kappa.clone()])?.enter();
        let angle = self.propose(op, Method::VonMises, DType::F64, &[kappa], &shape)?.try_add(mu)?;
        let (pi, turn) = (std::f64::consts::PI, std::f64::consts::TAU);
        let wrapped = angle.try_add(pi)?.try_remainder(turn)?.try_subtract(pi)?;
        fit(op, try_where(angle.try_absolute()?.try_less_equal(pi)?, angle, wrapped)?, &shape, dtype)
    }

    /// The inverse Gaussian of this mean and scale (both above 0), as NumPy's `Generator.wald`: the one of two roots
    /// that a uniform number picks (Michael, Schucany & Haas 1976). Refuses nothing.
    wald / try_wald (self, mean: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, mean, scale, shape) = ("wald", mean.into(), scale.into(), self.shape("wald", shape)?);
        check(op, "mean", &mean, Must::BePositive)?;
        check(op, "scale", &scale, Must::BePositive)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[mean.clone(), scale.clone()])?.enter();
        let wide = accumulator(dtype);
        let normal = self.standard(op, Variate::Normal, wide, &shape)?;
        let uniform = self.standard(op, Variate::Uniform, wide, &shape)?;
        let half = checked_binary::divide(times(op, &mean, 0.5)?, scale)?.try_astype(wide)?;
        let w = normal.try_square()?.try_multiply(half)?;
        // The smaller root is mean / ratio, the larger mean * ratio.
        let ratio = w.try_add(2.0)?.try_multiply(&w)?.try_sqrt()?.try_add(&w)?.try_add(1.0)?;
        let smaller = uniform.try_multiply(checked_binary::divide(1.0, &ratio)?.try_add(1.0)?)?.try_less_equal(1.0)?;
        let root = try_where(smaller, checked_binary::divide(1.0, &ratio)?, ratio)?;
        fit(op, root.try_multiply(mean)?, &shape, dtype)
    }
}
