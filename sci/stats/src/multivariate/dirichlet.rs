//! The distribution of shares of a whole.

use ndany_array::api::{Result, special};
use ndany_array::extend::expect;
use ndany_array::options::DrawShape;
use ndany_array::{Array, Ellipsis, Generator, IntoShape, NewAxis};
use ndany_special::digamma;

use super::{any, of_shares, real, wrong};
use crate::fit::asked;

const OP: &str = "dirichlet";

/// A Dirichlet distribution, as `scipy.stats.dirichlet`; [`dirichlet`] makes it.
///
/// Shares stand along the last axis (SciPy: along the first); other axes are a batch of distributions and of shares, which broadcast.
#[derive(Clone, Debug)]
pub struct Dirichlet {
    alpha: Array,
}

/// Makes a Dirichlet distribution of concentrations, as `scipy.stats.dirichlet`; waits for the device, to check them.
///
/// - **Shapes**: `(…, k)`.
/// - **Dtypes**: real numbers; float32 stays, all others are computed in float64.
/// - **Errors**: concentrations that are not above 0, none of them, complex numbers.
///
/// ```
/// use ndany::prelude::*;
/// # let _guard = ndany::Device::open("reference")?.enter();
/// let d = stats::dirichlet(&array([0.4, 5.0, 15.0]));
/// assert_eq!(d.mean().to_string(), "[0.01960784 0.24509804 0.73529412]");
/// assert_eq!(format!("{:.6}", d.pdf(&array([0.2, 0.2, 0.6]))), "0.284383");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn dirichlet(alpha: impl AsRef<Array>) -> Dirichlet {
    expect(Dirichlet::new(alpha.as_ref()))
}

impl Dirichlet {
    /// The same as [`dirichlet`] with errors as values.
    pub fn new(alpha: &Array) -> Result<Self> {
        asked(|| {
            let alpha = real(OP, "alpha", alpha)?;
            if alpha.shape().last().is_none_or(|&count| count == 0) {
                return Err(wrong(
                    OP,
                    "alpha must have at least one concentration along the last axis",
                ));
            }
            match any(&alpha.greater(0.0).logical_not())? {
                true => Err(wrong(OP, "all concentrations must be above 0")),
                false => Ok(Self { alpha }),
            }
        })
    }

    fn total(&self) -> Array {
        self.alpha.sum(-1)
    }

    /// The logarithm of the beta function of the concentrations.
    fn log_beta(&self) -> Array {
        special::gammaln(&self.alpha).sum(-1) - special::gammaln(self.total())
    }

    /// Returns the logarithm of the density, as `logpdf` of SciPy; waits for the device, to check the shares.
    ///
    /// As in SciPy the last share may be left out, and is then what the others leave.
    ///
    /// - **Shapes**: `(…, k) → (…)` or `(…, k - 1) → (…)`, broadcast with the batch of distributions.
    /// - **Dtypes**: float32 if all are; else float64.
    /// - **Errors**: shares below 0 or above 1, or whose sum is not 1 (by more than 1e-9), or that are 0 where the concentration is below 1,
    ///   shapes that do not fit, complex numbers. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
    #[track_caller]
    pub fn logpdf(&self, x: impl AsRef<Array>) -> Array {
        let x = expect(self.shares(x.as_ref()));
        special::xlogy(&self.alpha - 1.0, x).sum(-1) - self.log_beta()
    }

    /// Returns the density, as `pdf` of SciPy.
    ///
    /// - **Shapes**: as [`Dirichlet::logpdf`].
    /// - **Dtypes**: float32 if all are; else float64.
    /// - **Errors**: those of [`Dirichlet::logpdf`].
    #[track_caller]
    pub fn pdf(&self, x: impl AsRef<Array>) -> Array {
        self.logpdf(x).exp()
    }

    fn shares(&self, x: &Array) -> Result<Array> {
        asked(|| {
            let x = real(OP, "shares", x)?;
            let count = self.alpha.shape()[self.alpha.ndim() - 1];
            let x = match x.shape().last() {
                Some(&own) if own == count => x,
                Some(&own) if own + 1 == count => {
                    let rest = 1.0 - x.sum(-1).expand_dims(-1);
                    ndany_array::api::concatenate(&[&x, &rest], -1)
                }
                _ => {
                    return Err(wrong(
                        OP,
                        format!(
                            "expected {count} or {} shares along the last axis, got the shape {:?}",
                            count - 1,
                            x.shape()
                        ),
                    ));
                }
            };
            if any(&x.greater_equal(0.0).logical_and(x.less_equal(1.0)).logical_not())? {
                return Err(wrong(OP, "shares must be from 0 to 1"));
            }
            if any(&x.equal(0.0).logical_and(self.alpha.less(1.0)))? {
                return Err(wrong(
                    OP,
                    "a share must be above 0 where its concentration is below 1",
                ));
            }
            let limit = if x.dtype() == ndany_array::api::DType::F32 { 1e-6 } else { 1e-9 };
            match any(&(x.sum(-1) - 1.0).abs().greater(limit))? {
                true => Err(wrong(OP, "shares must add up to 1")),
                false => Ok(x),
            }
        })
    }

    /// Returns the means of the shares, as `mean` of SciPy: `(…, k)`; lazy.
    pub fn mean(&self) -> Array {
        &self.alpha / self.total().expand_dims(-1)
    }

    /// Returns the variances of the shares, as `var` of SciPy: `(…, k)`; lazy.
    pub fn var(&self) -> Array {
        let mean = self.mean();
        &mean * (1.0 - &mean) / (self.total() + 1.0).expand_dims(-1)
    }

    /// Returns the covariances of the shares, as `cov` of SciPy: `(…, k, k)`; lazy.
    pub fn cov(&self) -> Array {
        let factor = 1.0 / (self.total() + 1.0);
        of_shares(&self.mean(), &factor.i((Ellipsis, NewAxis, NewAxis)))
    }

    /// Returns the differential entropy, as `entropy` of SciPy; lazy.
    pub fn entropy(&self) -> Array {
        let count = self.alpha.shape()[self.alpha.ndim() - 1] as f64;
        let total = self.total();
        let parts = ((&self.alpha - 1.0) * digamma(&self.alpha)).sum(-1);
        self.log_beta() + (&total - count) * digamma(&total) - parts
    }

    /// Draws shares, as [`Generator::dirichlet`]; waits for the device.
    ///
    /// - **Shapes**: `(shape…, k)`.
    /// - **Dtypes**: the float dtype of the generator.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let _guard = ndany::Device::open("reference")?.enter();
    /// let x = stats::dirichlet(&array([1.0, 2.0])).rvs(&mut random::default_rng(7), 10);
    /// assert!(x.sum(1).allclose(1.0, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn rvs(&self, rng: &mut Generator, shape: impl IntoShape<DrawShape>) -> Array {
        rng.dirichlet(&self.alpha, shape)
    }
}
