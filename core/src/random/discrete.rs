//! Distributions of counts; int64 unless another dtype is chosen.
//!
//! How they are drawn is in `counts` and `tails`. Where values may be refused, the draw waits for a count of those that
//! are left; small means (below 10, given as a number) refuse nothing.

use super::parameter::{LARGEST_MEAN, Must, check, minus, number, whole};
use super::proposal::{Means, Method};
use super::{Draw, Generator, draws, wrong};
use crate::arguments::IntoShape;
use crate::arguments::options::*;
use crate::array::Array;
use crate::dtype::DType;
use crate::error::Result;
use crate::graph::{Operand, device_of};
use crate::ops::rows::checked_binary;
use crate::shape::Shape;

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

    /// Poisson counts of this mean (from 0 to 9.2e18), as NumPy's `Generator.poisson` (Hörmann's PTRS, 1993).
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

    /// Successes in `n` trials of probability `p`, as NumPy's `Generator.binomial` (Hörmann's BTRS, 1993). Numbers of
    /// trials are exact up to 2^53.
    binomial / try_binomial (self, n: impl Into<Operand>, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, n, p, shape) = ("binomial", n.into(), p.into(), self.shape("binomial", shape)?);
        whole(op, &n)?;
        check(op, "n", &n, Must::NotBeNegative)?;
        check(op, "p", &p, Must::BeProbability)?;
        self.binomials(op, self.counts(), &n, &p, &shape)
    }

    /// Failures before the `n`-th success (`n` above 0, not only whole) of probability `p`, as NumPy's
    /// `Generator.negative_binomial`: Poisson counts whose mean is a gamma variate.
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

    /// Good ones in a sample without replacement from `good` and `bad` ones, as NumPy's `Generator.hypergeometric`
    /// (Stadlober's HRUA, 1990). Numbers are exact up to 2^53; `sample` is at most `good + bad`.
    hypergeometric / try_hypergeometric (self, good: impl Into<Operand>, bad: impl Into<Operand>, sample: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, shape) = ("hypergeometric", self.shape("hypergeometric", shape)?);
        let (good, bad, sample) = (good.into(), bad.into(), sample.into());
        for (name, operand) in [("good", &good), ("bad", &bad), ("sample", &sample)] {
            whole(op, operand)?;
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

    /// The logarithmic series of `p` (from 0 up to, not including, 1), as NumPy's `Generator.logseries` (Kemp 1981).
    /// Refuses nothing.
    logseries / try_logseries (self, p: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, p, shape) = ("logseries", p.into(), self.shape("logseries", shape)?);
        check(op, "p", &p, Must::NotBeCertain)?;
        self.propose(op, Method::Logarithmic, self.counts(), &[p], &shape)
    }

    /// Zipf of an exponent above 1, as NumPy's `Generator.zipf` (Devroye 1986): of the numbers below 2^63.
    zipf / try_zipf (self, a: impl Into<Operand>, shape: impl IntoShape<DrawShape>) {
        let (op, a, shape) = ("zipf", a.into(), self.shape("zipf", shape)?);
        check(op, "a", &a, Must::BeAboveOne)?;
        self.propose(op, Method::Zipf, self.counts(), &[a], &shape)
    }
}
