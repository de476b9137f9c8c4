//! The gamma distribution and what is made of it, and distributions of angles.
//!
//! Values are proposed and refused on the device, and drawn again until none is refused: the draw waits for a count of
//! those that are left, and for nothing else. Means and bounds hold for every parameter that NumPy takes.

use super::parameter::{LARGEST_MEAN, Must, check, number, times};
use super::proposal::{Means, Method};
use super::samplers::Variate;
use super::{Draw, Generator, continuous::fit, draws};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::array::products::accumulator;
use crate::elementwise::{checked_binary, try_where};
use crate::graph::{Operand, device_of};
use ndany_core::shape::Shape;
use ndany_core::{DType, Result};

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

    /// Draws from the gamma distribution with scale 1 (Marsaglia & Tsang 2000), as NumPy's `Generator.standard_gamma`.
    ///
    /// Waits for the device, as everything of this kind: values that are refused are drawn again.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative parameter, parameters that do not broadcast to the shape, a dtype that is no float.
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

    /// Draws from the gamma distribution with a shape parameter and a scale, as NumPy's `Generator.gamma`.
    ///
    /// The mean is `k * scale`. Waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative parameter, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).gamma(4, 0.5, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 2.0).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    gamma / try_gamma (self, k: impl Into<Operand>, scale: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, k, scale, shape) = ("gamma", k.into(), scale.into(), self.shape("gamma", shape)?);
        check(op, "shape", &k, Must::NotBeNegative)?;
        check(op, "scale", &scale, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[k.clone(), scale.clone()])?.enter();
        fit(op, self.gammas(op, k, false, &shape)?.try_multiply(scale)?, &shape, dtype)
    }

    /// Draws from the beta distribution, as NumPy's `Generator.beta`.
    ///
    /// It is x / (x + y) of two gamma variates, by their logarithms, so that tiny parameters give what they should. Waits for the
    /// device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a parameter that is not above 0, parameters that do not broadcast to the shape, a dtype that is no
    ///   float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).beta(2, 2, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 0.5).abs() < 0.05);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    beta / try_beta (self, a: impl Into<Operand>, b: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, b, shape) = ("beta", a.into(), b.into(), self.shape("beta", shape)?);
        check(op, "a", &a, Must::BePositive)?;
        check(op, "b", &b, Must::BePositive)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[a.clone(), b.clone()])?.enter();
        let (x, y) = (self.gammas(op, a, true, &shape)?, self.gammas(op, b, true, &shape)?);
        fit(op, crate::elementwise::checked_unary::expit(x.try_subtract(y)?)?, &shape, dtype)
    }

    /// Draws from the χ² distribution with a number of degrees of freedom, as NumPy's `Generator.chisquare`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: degrees of freedom that are not above 0, parameters that do not broadcast to the shape, a dtype that is
    ///   no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).chisquare(4, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 4.0).abs() < 0.5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    chisquare / try_chisquare (self, df: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, df, shape) = ("chisquare", df.into(), self.shape("chisquare", shape)?);
        check(op, "df", &df, Must::BePositive)?;
        let dtype = self.float(op)?;
        let half = self.gammas(op, times(op, &df, 0.5)?, false, &shape)?;
        fit(op, half.try_multiply(2.0)?, &shape, dtype)
    }

    /// Draws from the noncentral χ² distribution, as NumPy's `Generator.noncentral_chisquare`.
    ///
    /// `nonc` is the sum of the squares of the means. Waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: degrees of freedom that are not above 0, a negative `nonc`, parameters that do not broadcast to the
    ///   shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).noncentral_chisquare(3, 1, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 4.0).abs() < 0.5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    noncentral_chisquare / try_noncentral_chisquare (self, df: impl Into<Operand>, nonc: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, df, nonc, shape) = ("noncentral_chisquare", df.into(), nonc.into(), self.shape("noncentral_chisquare", shape)?);
        check(op, "df", &df, Must::BePositive)?;
        check(op, "nonc", &nonc, Must::NotBeNegative)?;
        let dtype = self.float(op)?;
        let _guard = device_of(op, &[df.clone(), nonc.clone()])?.enter();
        fit(op, self.half_noncentral(op, &df, &nonc, &shape)?.try_multiply(2.0)?, &shape, dtype)
    }

    /// Draws from Fisher's F distribution, as NumPy's `Generator.f`; waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: degrees of freedom that are not above 0, parameters that do not broadcast to the shape, a dtype that is
    ///   no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).f(10, 20, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.11).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws from the noncentral F distribution, as NumPy's `Generator.noncentral_f`; waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: degrees of freedom that are not above 0, a negative `nonc`, parameters that do not broadcast to the
    ///   shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).noncentral_f(10, 20, 0, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.11).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws from Student's t distribution, as NumPy's `Generator.standard_t`; waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: degrees of freedom that are not above 0, parameters that do not broadcast to the shape, a dtype that is
    ///   no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).standard_t(10, 1000);
    /// assert!(x.mean(..).item::<f64>()?.abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws angles from −π to π about `mu` (Best & Fisher 1979), as NumPy's `Generator.vonmises`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: a negative concentration, parameters that do not broadcast to the shape, a dtype that is no float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).vonmises(0, 4, 1000);
    /// assert!(x.mean(..).item::<f64>()?.abs() < 0.1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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

    /// Draws from the inverse Gaussian distribution (Michael, Schucany & Haas 1976), as NumPy's `Generator.wald`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result has the float dtype of the generator, or of the option `dtype`.
    /// - **Errors**: parameters that are not above 0, parameters that do not broadcast to the shape, a dtype that is no
    ///   float.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).wald(1, 10, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.0).abs() < 0.1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
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
