//! Distributions of counts; int64 unless another dtype is chosen.
//!
//! How they are drawn is in `counts` and `tails`. Where values may be refused, the draw waits for a count of those that
//! are left; small means (below 10, given as a number) refuse nothing.

use super::parameter::{LARGEST_MEAN, Must, check, minus, number, require_integers};
use super::proposal::{Means, Method};
use super::{Draw, Generator, draws, wrong};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::elementwise::checked_binary;
use crate::graph::{Operand, device_of};
use ndany_core::shape::Shape;
use ndany_core::{DType, Result};

impl Draw<'_> {
    fn counts(&self) -> DType {
        self.dtype.unwrap_or(DType::I64)
    }

    /// Binomial counts of parameters that are good.
    #[track_caller]
    pub(super) fn binomials(
        &mut self,
        op: &'static str,
        dtype: DType,
        n: &Operand,
        p: &Operand,
        shape: &Shape,
    ) -> Result<Array> {
        let means = match (number(op, n)?, number(op, p)?) {
            (Some(n), Some(p)) => Means::of(n * p.min(1.0 - p)),
            _ => Means::Any,
        };
        self.propose(op, Method::Binomial(means), dtype, &[n.clone(), p.clone()], shape)
    }

    /// Hypergeometric counts of parameters that are good.
    #[track_caller]
    pub(super) fn hypergeometrics(
        &mut self,
        op: &'static str,
        dtype: DType,
        [good, bad, sample]: [&Operand; 3],
        shape: &Shape,
    ) -> Result<Array> {
        let means = match (number(op, good)?, number(op, bad)?, number(op, sample)?) {
            (Some(good), Some(bad), Some(sample)) => {
                let all = good + bad;
                Means::of(good.min(bad) * sample.min(all - sample) / all.max(1.0))
            }
            _ => Means::Any,
        };
        let parameters = [good, bad, sample].map(Operand::clone);
        self.propose(op, Method::Hypergeometric(means), dtype, &parameters, shape)
    }
}

draws! {
    mod checked;

    /// Draws Poisson counts of a mean (Hörmann's PTRS, 1993), as NumPy's `Generator.poisson`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: a mean outside of 0 to 9.2e18, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::{Array, Device, Generator};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut rng = Generator::new(42);
    /// let photons = rng.poisson(&Array::from([0.5, 20.0, 1e6]), (10, 3));
    /// let heads = rng.binomial(10, 0.5, 100);
    /// assert!(heads.max(..).item::<i64>()? <= 10 && photons.min(..).item::<i64>()? >= 0);
    /// assert_eq!(ndany::checked::random::poisson(&mut rng, -1.0, 3).expect_err("below 0").class(), "ValueError");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    poisson / try_poisson (self, mean: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, mean, shape) = ("poisson", mean.into(), self.shape("poisson", shape)?);
        check(op, "mean", &mean, Must::BeMean)?;
        let means = number(op, &mean)?.map_or(Means::Any, Means::of);
        self.propose(op, Method::Poisson(means), self.counts(), &[mean], &shape)
    }

    /// Draws the successes in `n` trials of probability `p` (Hörmann's BTRS, 1993), as NumPy's `Generator.binomial`.
    ///
    /// Numbers of trials are exact up to 2^53.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: a negative `n`, a probability outside of 0 to 1, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).binomial(10, 0.5, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 5.0).abs() < 0.3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    binomial / try_binomial (self, n: impl Into<Operand>, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, n, p, shape) = ("binomial", n.into(), p.into(), self.shape("binomial", shape)?);
        require_integers(op, &n)?;
        check(op, "n", &n, Must::NotBeNegative)?;
        check(op, "p", &p, Must::BeProbability)?;
        self.binomials(op, self.counts(), &n, &p, &shape)
    }

    /// Draws the failures before the `n`-th success of probability `p`, as NumPy's `Generator.negative_binomial`.
    ///
    /// They are Poisson counts whose mean is a gamma variate; `n` need not be whole.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: an `n` that is not above 0, a probability that is not above 0 and at most 1, parameters that do not
    ///   broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).negative_binomial(5, 0.5, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 5.0).abs() < 0.5);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    negative_binomial / try_negative_binomial (self, n: impl Into<Operand>, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, n, p, shape) = ("negative_binomial", n.into(), p.into(), self.shape("negative_binomial", shape)?);
        check(op, "n", &n, Must::BePositive)?;
        check(op, "p", &p, Must::BeLikely)?;
        let dtype = self.counts();
        let _guard = device_of(op, &[n.clone(), p.clone()])?.enter();
        let rest = minus(op, &Operand::from(1.0), &p)?;
        let odds = checked_binary::divide(rest, p)?;
        let means = self.like(DType::F64).gammas(op, n, false, &shape)?.try_multiply(odds)?;
        let means = super::continuous::fit(op, means, &shape, DType::F64)?.try_minimum(LARGEST_MEAN)?;
        self.propose(op, Method::Poisson(Means::Any), dtype, &[means.into()], &shape)
    }

    /// Draws the good ones in a sample without replacement, as NumPy's `Generator.hypergeometric`.
    ///
    /// By Stadlober's HRUA (1990). Numbers are exact up to 2^53.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: negative numbers, a sample above `good + bad`, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).hypergeometric(10, 10, 10, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 5.0).abs() < 0.3);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    hypergeometric / try_hypergeometric (self, good: impl Into<Operand>, bad: impl Into<Operand>, sample: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, shape) = ("hypergeometric", self.shape("hypergeometric", shape)?);
        let (good, bad, sample) = (good.into(), bad.into(), sample.into());
        for (name, operand) in [("good", &good), ("bad", &bad), ("sample", &sample)] {
            require_integers(op, operand)?;
            check(op, name, operand, Must::NotBeNegative)?;
        }
        let _guard = device_of(op, &[good.clone(), bad.clone(), sample.clone()])?.enter();
        let too_many = match (number(op, &good)?, number(op, &bad)?, number(op, &sample)?) {
            (Some(good), Some(bad), Some(sample)) => sample > good + bad,
            _ => {
                let all = checked_binary::add(&good, &bad)?;
                all.try_less(&sample)?.try_any(..)?.item::<bool>()?
            }
        };
        if too_many {
            return Err(wrong(op, "sample must be at most good + bad"));
        }
        self.hypergeometrics(op, self.counts(), [&good, &bad, &sample], &shape)
    }

    /// Draws from the logarithmic series distribution (Kemp 1981), as NumPy's `Generator.logseries`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: a probability that is not at least 0 and below 1, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).logseries(0.5, 1000);
    /// assert!((x.mean(..).item::<f64>()? - 1.443).abs() < 0.2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    logseries / try_logseries (self, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, p, shape) = ("logseries", p.into(), self.shape("logseries", shape)?);
        check(op, "p", &p, Must::NotBeCertain)?;
        self.propose(op, Method::Logarithmic, self.counts(), &[p], &shape)
    }

    /// Draws from the Zipf distribution of the numbers below 2^63 (Devroye 1986), as NumPy's `Generator.zipf`.
    ///
    /// - **Shapes**: `(…) → shape`, parameters broadcast to it.
    /// - **Dtypes**: real parameters; the result is int64.
    /// - **Errors**: an exponent that is not above 1, parameters that do not broadcast to the shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let x = Generator::new(7).zipf(4, 1000);
    /// assert_eq!(x.min(..).item::<i64>()?, 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    zipf / try_zipf (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("zipf", a.into(), self.shape("zipf", shape)?);
        check(op, "a", &a, Must::BeAboveOne)?;
        self.propose(op, Method::Zipf, self.counts(), &[a], &shape)
    }
}
