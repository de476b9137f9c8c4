//! The normal distribution of vectors.

use ndany_array::api::{DType, Error, OneOf, Result, where_};
use ndany_array::extend::expect;
use ndany_array::linalg::{Eig, eigh};
use ndany_array::options::DrawShape;
use ndany_array::{Array, Ellipsis, Generator, IntoShape, NewAxis};

use super::{any, real, wrong};
use crate::fit::asked;

const OP: &str = "multivariate_normal";
const LOG_2PI: f64 = 1.837_877_066_409_345_5;

/// Whether [`multivariate_normal`] takes a covariance that has no inverse: the argument `allow_singular` of SciPy. `..` is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Singular {
    /// A covariance must be positive definite.
    #[default]
    Refused,
    /// A covariance may be singular: the density is that on the subspace where all vectors are, and is 0 outside of it.
    Allowed,
}

ndany_array::one_of!(Singular);

/// A normal distribution of vectors, as `scipy.stats.multivariate_normal`; [`multivariate_normal`] makes it.
///
/// Everything is lazy but what says that it waits. Components stand along the last axis; other axes are a batch of distributions and
/// of vectors, which broadcast.
#[derive(Clone, Debug)]
pub struct MultivariateNormal {
    mean: Array,
    covariance: Array,
    /// Eigenvectors over the roots of their eigenvalues, 0 where these are 0.
    whitening: Array,
    /// Eigenvectors of eigenvalues that are 0, else 0; and how far from the subspace of the others a vector may be.
    outside: Option<(Array, Array)>,
    log_determinant: Array,
    rank: Array,
}

/// Makes a normal distribution of vectors from a mean and a covariance, as `scipy.stats.multivariate_normal`.
///
/// A covariance of one axis is a diagonal, as in SciPy. Waits for the device, which finds the eigenvalues of the covariance.
///
/// - **Shapes**: `(…, k), (…, k, k)`, batches broadcast; numbers are a mean and a variance.
/// - **Dtypes**: real numbers; a covariance of float32 stays, all others are computed in float64.
/// - **Errors**: shapes that do not fit, complex numbers, a covariance that is not symmetric, that has a negative eigenvalue, or that is
///   singular without [`Singular::Allowed`].
///
/// ```
/// use ndany::prelude::*;
/// # let _guard = ndany::Device::open("reference")?.enter();
/// let d = stats::multivariate_normal(&array([1.0, 2.0]), &array([[2.0, 0.5], [0.5, 1.0]]), ..);
/// assert_eq!(d.pdf(&array([[1.0, 2.0], [0.0, 0.0]])).to_string(), "[0.12030983 0.01628216]");
/// assert_eq!(format!("{:.6}", d.entropy()), "3.117685");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn multivariate_normal(
    mean: impl AsRef<Array>,
    covariance: impl AsRef<Array>,
    singular: impl OneOf<Singular>,
) -> MultivariateNormal {
    let singular = singular.or(Singular::Refused);
    expect(MultivariateNormal::new(mean.as_ref(), covariance.as_ref(), singular))
}

impl MultivariateNormal {
    /// The same as [`multivariate_normal`] with errors as values.
    pub fn new(mean: &Array, covariance: &Array, singular: Singular) -> Result<Self> {
        asked(|| Self::of(mean, covariance, singular))
    }

    fn of(mean: &Array, covariance: &Array, singular: Singular) -> Result<Self> {
        let (mean, covariance) = (real(OP, "a mean", mean)?, real(OP, "a covariance", covariance)?);
        let mean = if mean.ndim() == 0 { mean.expand_dims(0) } else { mean };
        let size = mean.shape()[mean.ndim() - 1];
        let covariance = match covariance.ndim() {
            0 => covariance.reshape((1, 1)),
            1 if covariance.shape() == [size] => {
                &covariance * ndany_array::api::eye(size as i64).astype(covariance.dtype())
            }
            _ => covariance,
        };
        let fits = covariance.ndim() >= 2 && covariance.shape().ends_with(&[size, size]);
        if !fits || size == 0 {
            let expected = format!(
                "a covariance of shape (…, {size}, {size}) beside a mean of that many numbers"
            );
            return Err(Error::Shape { op: OP, expected, got: covariance.shape().into() });
        }
        if any(&covariance.isfinite().logical_not())? {
            return Err(wrong(OP, "the covariance has NaN or infinities"));
        }
        let largest = covariance.abs().max((-2, -1));
        let apart = (&covariance - covariance.swapaxes(-1, -2)).abs().max((-2, -1));
        if any(&apart.greater(&largest * 1e-8))? {
            return Err(wrong(OP, "the covariance is not symmetric"));
        }
        let Eig { eigenvalues, eigenvectors } = eigh(&covariance, ..);
        // What is below is 0, as in SciPy.
        let part = if covariance.dtype() == DType::F32 {
            1e3 * f64::from(f32::EPSILON)
        } else {
            1e6 * f64::EPSILON
        };
        let least = eigenvalues.abs().max(-1) * part;
        let limit = least.expand_dims(-1);
        if any(&eigenvalues.less(-&limit))? {
            return Err(wrong(OP, "the covariance is not positive semidefinite"));
        }
        let is_counted = eigenvalues.greater(&limit);
        let is_singular = any(&is_counted.logical_not())?;
        if is_singular && singular == Singular::Refused {
            return Err(wrong(
                OP,
                "the covariance is singular, which the option Singular::Allowed takes",
            ));
        }
        let positive = where_(&is_counted, &eigenvalues, 1.0);
        let weights = where_(&is_counted, 1.0 / positive.sqrt(), 0.0);
        let outside = is_singular.then(|| {
            let kept = where_(&is_counted, 0.0, 1.0).i((Ellipsis, NewAxis, ..));
            (&eigenvectors * kept, &least * 1e3)
        });
        Ok(Self {
            whitening: &eigenvectors * weights.i((Ellipsis, NewAxis, ..)),
            outside,
            log_determinant: positive.log().sum(-1),
            rank: is_counted.astype(eigenvalues.dtype()).sum(-1),
            mean,
            covariance,
        })
    }

    /// How many components a vector has.
    pub fn dim(&self) -> usize {
        self.mean.shape()[self.mean.ndim() - 1]
    }

    /// Returns the mean.
    pub fn mean(&self) -> Array {
        self.mean.clone()
    }

    /// Returns the covariance.
    pub fn cov(&self) -> Array {
        self.covariance.clone()
    }

    /// Returns the logarithm of the density, as `logpdf` of SciPy: `(…, k) → (…)`; lazy.
    ///
    /// - **Shapes**: `(…, k) → (…)`, broadcast with the batch of distributions. Of one component the axis may be left out, as in SciPy.
    /// - **Dtypes**: float32 if all are; else float64.
    /// - **Errors**: vectors of another number of components, complex numbers. Panics;
    ///   [`attempt`](fn@ndany_array::attempt) returns the error.
    #[track_caller]
    pub fn logpdf(&self, x: impl AsRef<Array>) -> Array {
        let apart = expect(self.apart(x.as_ref()));
        let distance = turned(&apart, &self.whitening).square().sum(-1);
        let value = (&self.rank * LOG_2PI + &self.log_determinant + distance) * -0.5;
        match &self.outside {
            None => value,
            Some((vectors, limit)) => {
                let rest = turned(&apart, vectors).square().sum(-1).sqrt();
                where_(rest.less(limit), value, f64::NEG_INFINITY)
            }
        }
    }

    /// Returns the density, as `pdf` of SciPy.
    ///
    /// - **Shapes**: as [`MultivariateNormal::logpdf`].
    /// - **Dtypes**: float32 if all are; else float64.
    /// - **Errors**: those of [`MultivariateNormal::logpdf`].
    #[track_caller]
    pub fn pdf(&self, x: impl AsRef<Array>) -> Array {
        self.logpdf(x).exp()
    }

    /// Returns the probability of at most `x`, as `cdf` of SciPy, of one component alone; lazy.
    ///
    /// - **Shapes**: as [`MultivariateNormal::logpdf`].
    /// - **Dtypes**: float32 if all are; else float64.
    /// - **Errors**: more than one component, which SciPy integrates by random points. Panics;
    ///   [`attempt`](fn@ndany_array::attempt) returns the error.
    #[track_caller]
    pub fn cdf(&self, x: impl AsRef<Array>) -> Array {
        if self.dim() != 1 {
            let reason = format!("cdf has one component, not {}", self.dim());
            expect::<()>(Err(Error::Unsupported { op: OP.into(), reason }));
        }
        let apart = expect(self.apart(x.as_ref()));
        let deviation = self.covariance.sqrt().i((Ellipsis, 0));
        crate::norm().cdf(apart / deviation).i((Ellipsis, 0))
    }

    /// Returns the differential entropy, as `entropy` of SciPy: that on the subspace, of a singular covariance.
    ///
    /// - **Shapes**: that of the batch of covariances; lazy.
    /// - **Dtypes**: that of the covariance.
    pub fn entropy(&self) -> Array {
        (&self.rank * (LOG_2PI + 1.0) + &self.log_determinant) * 0.5
    }

    /// Draws vectors, as [`Generator::multivariate_normal`]; of one distribution, not of a batch. Waits for the device.
    ///
    /// - **Shapes**: `(shape…, k)`.
    /// - **Dtypes**: the float dtype of the generator.
    /// - **Errors**: a batch of distributions. Panics; [`attempt`](fn@ndany_array::attempt) returns the error.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// # let _guard = ndany::Device::open("reference")?.enter();
    /// let d = stats::multivariate_normal(zeros(2, ..), eye(2), ..);
    /// assert_eq!(d.rvs(&mut random::default_rng(7), 10).shape(), [10, 2]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn rvs(&self, rng: &mut Generator, shape: impl IntoShape<DrawShape>) -> Array {
        rng.multivariate_normal(&self.mean, &self.covariance, shape)
    }

    /// How far vectors are from the mean.
    #[track_caller]
    fn apart(&self, x: &Array) -> Result<Array> {
        let x = real(OP, "a vector", x)?;
        let size = self.dim();
        // Numbers are vectors of one component.
        let x = if size == 1 && (x.ndim() == 0 || x.shape()[x.ndim() - 1] != 1) {
            x.expand_dims(-1)
        } else {
            x
        };
        if x.ndim() == 0 || x.shape()[x.ndim() - 1] != size {
            let expected = format!("vectors of {size} components along the last axis");
            return Err(Error::Shape { op: OP, expected, got: x.shape().into() });
        }
        asked(|| Ok(x - &self.mean))
    }
}

/// Row vectors times a matrix, or times the matrix of their place in the batch.
fn turned(vectors: &Array, matrices: &Array) -> Array {
    match matrices.ndim() {
        2 => vectors.matmul(matrices),
        _ => vectors.i((Ellipsis, NewAxis, ..)).matmul(matrices).i((Ellipsis, 0, ..)),
    }
}
