//! The distribution of how many of `n` trials have each outcome.

use ndany_array::api::{DType, Result, arange, special, where_};
use ndany_array::extend::expect;
use ndany_array::options::DrawShape;
use ndany_array::{Array, Ellipsis, Generator, IntoShape, NewAxis, Operand};

use super::{any, of_shares, real, wrong};
use crate::fit::asked;

const OP: &str = "multinomial";
/// How far from 1 the sum of probabilities may be.
const ROUNDING: f64 = 1e-8;

/// A multinomial distribution, as `scipy.stats.multinomial`; [`multinomial`] makes it.
///
/// Outcomes stand along the last axis; other axes are a batch of distributions and of counts, which broadcast.
#[derive(Clone, Debug)]
pub struct Multinomial {
    n: Array,
    p: Array,
}

/// Makes the distribution of how many of `n` trials have each outcome, as `scipy.stats.multinomial`; waits for the device, to check.
///
/// - **Shapes**: `(…), (…, k)`, batches broadcast.
/// - **Dtypes**: real numbers; computed in float64.
/// - **Errors**: probabilities outside of 0 to 1 or whose sum is not 1 (SciPy changes the last one, and will give NaN), an `n` that is
///   negative or not whole, complex numbers.
///
/// ```
/// use ndany::prelude::*;
/// # let _guard = ndany::Device::open("reference")?.enter();
/// let d = stats::multinomial(8, &array([0.3, 0.2, 0.5]));
/// assert_eq!(format!("{:.6}", d.pmf(&array([1, 3, 4]))), "0.042");
/// assert_eq!(d.mean().to_string(), "[2.4 1.6 4. ]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn multinomial(n: impl Into<Operand>, p: impl AsRef<Array>) -> Multinomial {
    expect(Multinomial::new(n, p.as_ref()))
}

impl Multinomial {
    /// The same as [`multinomial`] with errors as values.
    pub fn new(n: impl Into<Operand>, p: &Array) -> Result<Self> {
        let n = n.into();
        asked(|| {
            let n = real(OP, "n", &ndany_array::checked::add(n, 0)?)?.astype(DType::F64);
            let p = real(OP, "p", p)?.astype(DType::F64);
            if p.shape().last().is_none_or(|&count| count == 0) {
                return Err(wrong(OP, "p must have at least one outcome along the last axis"));
            }
            if any(&p.greater_equal(0.0).logical_and(p.less_equal(1.0)).logical_not())? {
                return Err(wrong(OP, "probabilities must be from 0 to 1"));
            }
            if any(&(p.sum(-1) - 1.0).abs().greater(ROUNDING))? {
                return Err(wrong(OP, "probabilities must add up to 1"));
            }
            match any(&n.greater_equal(0.0).logical_and(n.equal(n.floor())).logical_not())? {
                true => Err(wrong(OP, "n must be a whole number from 0 on")),
                false => Ok(Self { n, p }),
            }
        })
    }

    /// Returns the logarithm of the probability of counts, as `logpmf` of SciPy: −∞ where they are negative, not whole or not `n`
    /// together; lazy.
    ///
    /// - **Shapes**: `(…, k) → (…)`, broadcast with the batch of distributions.
    /// - **Dtypes**: real numbers; the result is float64.
    /// - **Errors**: shapes that do not fit, complex numbers. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
    #[track_caller]
    pub fn logpmf(&self, x: impl AsRef<Array>) -> Array {
        let x = expect(self.counts(x.as_ref()));
        let parts = special::xlogy(&x, &self.p) - special::gammaln(&x + 1.0);
        let value = special::gammaln(&self.n + 1.0) + parts.sum(-1);
        let is_count = x.greater_equal(0.0).logical_and(x.equal(x.floor())).all(-1);
        let fits = is_count.logical_and(x.sum(-1).equal(&self.n));
        where_(fits, value, f64::NEG_INFINITY)
    }

    /// Returns the probability of counts, as `pmf` of SciPy.
    ///
    /// - **Shapes**: as [`Multinomial::logpmf`].
    /// - **Dtypes**: real numbers; the result is float64.
    /// - **Errors**: those of [`Multinomial::logpmf`].
    #[track_caller]
    pub fn pmf(&self, x: impl AsRef<Array>) -> Array {
        self.logpmf(x).exp()
    }

    fn counts(&self, x: &Array) -> Result<Array> {
        let count = self.p.shape()[self.p.ndim() - 1];
        match x.shape().last() {
            Some(&own) if own == count => Ok(real(OP, "counts", x)?.astype(DType::F64)),
            _ => Err(wrong(
                OP,
                format!(
                    "expected {count} counts along the last axis, got the shape {:?}",
                    x.shape()
                ),
            )),
        }
    }

    /// Returns the means of the counts: `(…, k)`; lazy.
    pub fn mean(&self) -> Array {
        self.n.expand_dims(-1) * &self.p
    }

    /// Returns the covariances of the counts, as `cov` of SciPy: `(…, k, k)`; lazy.
    pub fn cov(&self) -> Array {
        of_shares(&self.p, &self.n.i((Ellipsis, NewAxis, NewAxis)))
    }

    /// Returns the entropy, as `entropy` of SciPy: a sum over the counts of each outcome. Waits for the device, to know the largest `n`.
    #[track_caller]
    pub fn entropy(&self) -> Array {
        let most = expect(self.n.max(..).item::<f64>());
        let trials = &self.n * special::entr(&self.p).sum(-1) - special::gammaln(&self.n + 1.0);
        if most < 1.0 {
            return trials;
        }
        let counts = arange(most as i64).astype(DType::F64) + 1.0;
        let (n, p) = (self.n.i((Ellipsis, NewAxis, NewAxis)), self.p.i((Ellipsis, NewAxis)));
        let weights = crate::binom(n, p).pdf(&counts);
        trials + (weights * special::gammaln(counts + 1.0)).sum((-2, -1))
    }

    /// Draws counts, as [`Generator::multinomial`]; waits for the device.
    ///
    /// - **Shapes**: `(shape…, k)`.
    /// - **Dtypes**: int64.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let _guard = ndany::Device::open("reference")?.enter();
    /// let x = stats::multinomial(60, &array([0.25, 0.75])).rvs(&mut random::default_rng(7), 10);
    /// assert!(x.sum(1).equal(60).all(..).item::<bool>()?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn rvs(&self, rng: &mut Generator, shape: impl IntoShape<DrawShape>) -> Array {
        rng.multinomial(self.n.astype(DType::I64), &self.p, shape)
    }
}
