//! Distributions and descriptive statistics, as `scipy.stats`, over the arrays of ndany: densities, probabilities, quantiles, moments and
//! random variates, lazy and fused with the operations around them, with the same bits on every device.
//!
//! A distribution is a value with its parameters, which may be arrays:
//!
//! ```
//! use ndany::prelude::*;
//! # let _guard = ndany::Device::open("reference")?.enter();
//! let d = stats::gamma(array([1.0, 2.0, 5.0])).scale(2.0);
//! assert_eq!(d.mean().to_string(), "[ 2.  4. 10.]");
//! assert_eq!(d.cdf(4.0).to_string(), "[0.86466472 0.59399415 0.05265302]");
//! assert_eq!(d.sf(d.ppf(0.25)).to_string(), "[0.75 0.75 0.75]");
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! The number of a distribution's family in SciPy that is `X(shape, loc, scale)` is `stats::X(shape).loc(loc).scale(scale)` here.
//!
//! [`Distribution::fit`] finds parameters by data. [`multivariate_normal`], [`dirichlet`] and [`multinomial`] are distributions of vectors,
//! whose components stand along the last axis. [`describe`], [`skew`], [`zscore`], [`rankdata`] and their kin describe samples; their axes are
//! those of reductions.
//!
//! ```
//! use ndany::prelude::*;
//! # let _guard = ndany::Device::open("reference")?.enter();
//! let x = stats::norm().loc(5.0).rvs(&mut random::default_rng(3), 1000);
//! let fit = stats::norm().fit(&x, ..)?;
//! assert!((fit.loc - 5.0).abs() < 0.2 && fit.converged);
//! assert!(stats::skew(&x, .., ..).item::<f64>()?.abs() < 0.3);
//! # Ok::<(), ndany::Error>(())
//! ```

#![forbid(unsafe_code)]

#[macro_use]
mod declare;
mod descriptive;
mod distribution;
mod families;
mod family;
mod fit;
mod multivariate;
mod newton;
mod search;
mod words;

use ndany_array::Operand;
use ndany_array::extend::{Function, Table};

use families::{
    beta as of_beta, circular, closed, counts, discrete, gamma as of_gamma, normal, positive,
};

pub use descriptive::{
    Bias, Description, Kind, Line, Ties, describe, entropy, gmean, hmean, iqr, kurtosis,
    median_abs_deviation, mode, moment, percentileofscore, rankdata, sem, skew, trim_mean,
    variation, zscore,
};
pub use distribution::Distribution;
pub use family::Family;
pub use fit::{Fit, Fixed};
pub use multivariate::{
    Dirichlet, Multinomial, MultivariateNormal, Singular, dirichlet, multinomial,
    multivariate_normal,
};

/// Operands of a discrete family with the scale that it does not have.
fn with_scale<A: ndany_core::formulas::algebra::Algebra>(a: &A, v: &[A::F]) -> Vec<A::F> {
    let mut all = v.to_vec();
    all.push(a.f(1.0));
    all
}

families! {
    /// Makes a normal distribution, as `scipy.stats.norm`: `loc` is the mean and `scale` the standard deviation.
    norm() = continuous normal::Norm, "().cdf(0.0).item::<f64>().unwrap(), 0.5";
    /// Makes a uniform distribution from `loc` to `loc + scale`, as `scipy.stats.uniform`.
    uniform() = continuous closed::Uniform, "().cdf(0.25).item::<f64>().unwrap(), 0.25";
    /// Makes an exponential distribution, as `scipy.stats.expon`: `scale` is the mean.
    expon() = continuous closed::Expon, "().mean().item::<f64>().unwrap(), 1.0";
    /// Makes Student's t distribution with `df` degrees of freedom, as `scipy.stats.t`.
    t(df) = continuous of_beta::T, "(3.0).cdf(0.0).item::<f64>().unwrap(), 0.5";
    /// Makes a χ² distribution with `df` degrees of freedom, as `scipy.stats.chi2`.
    chi2(df) = continuous of_gamma::Chi2, "(4.0).var().item::<f64>().unwrap(), 8.0";
    /// Makes a gamma distribution of shape `a`, as `scipy.stats.gamma`.
    gamma(a) = continuous of_gamma::Gamma, "(3.0).mean().item::<f64>().unwrap(), 3.0";
    /// Makes a beta distribution, as `scipy.stats.beta`.
    beta(a, b) = continuous of_beta::Beta, "(2.0, 2.0).mean().item::<f64>().unwrap(), 0.5";
    /// Makes an F distribution with `dfn` and `dfd` degrees of freedom, as `scipy.stats.f`.
    f(dfn, dfd) = continuous of_beta::F, "(2.0, 4.0).mean().item::<f64>().unwrap(), 2.0";
    /// Makes the distribution of e^(s z) of a normal variable z, as `scipy.stats.lognorm`: `scale` is the median.
    lognorm(s) = continuous normal::Lognorm, "(0.5).cdf(1.0).item::<f64>().unwrap(), 0.5";
    /// Makes a binomial distribution of `n` trials of probability `p`, as `scipy.stats.binom`.
    binom(n, p) = discrete discrete::Binom, "(4.0, 0.5).mean().item::<f64>().unwrap(), 2.0";
    /// Makes a Poisson distribution of mean `mu`, as `scipy.stats.poisson`.
    poisson(mu) = discrete discrete::Poisson, "(3.0).var().item::<f64>().unwrap(), 3.0";
    /// Makes a Bernoulli distribution, as `scipy.stats.bernoulli`: 1 of probability `p`, else 0.
    bernoulli(p) = discrete discrete::Bernoulli, "(0.25).pdf(1.0).item::<f64>().unwrap(), 0.25";
    /// Makes a negative binomial distribution, as `scipy.stats.nbinom`: failures before `n` successes of probability `p`.
    nbinom(n, p) = discrete discrete::Nbinom, "(3.0, 0.5).mean().item::<f64>().unwrap(), 3.0";
    /// Makes a geometric distribution, as `scipy.stats.geom`: trials until the first success of probability `p`.
    geom(p) = discrete discrete::Geom, "(0.5).mean().item::<f64>().unwrap(), 2.0";
    /// Makes a hypergeometric distribution, as `scipy.stats.hypergeom`: successes among `draws` of `m` objects, of which `n` are
    /// successes.
    hypergeom(m, n, draws) = discrete discrete::Hypergeom, "(20.0, 5.0, 8.0).mean().item::<f64>().unwrap(), 2.0";
    /// Makes a Laplace distribution, as `scipy.stats.laplace`.
    laplace() = continuous closed::Laplace, "().cdf(0.0).item::<f64>().unwrap(), 0.5";
    /// Makes a logistic distribution, as `scipy.stats.logistic`.
    logistic() = continuous closed::Logistic, "().cdf(0.0).item::<f64>().unwrap(), 0.5";
    /// Makes a Cauchy distribution, as `scipy.stats.cauchy`, which has no mean.
    cauchy() = continuous closed::Cauchy, "().cdf(0.0).item::<f64>().unwrap(), 0.5";
    /// Makes a Pareto distribution of exponent `b`, as `scipy.stats.pareto`.
    pareto(b) = continuous closed::Pareto, "(2.0).mean().item::<f64>().unwrap(), 2.0";
    /// Makes a Weibull distribution of exponent `c`, as `scipy.stats.weibull_min`.
    weibull_min(c) = continuous closed::WeibullMin, "(1.0).sf(0.0).item::<f64>().unwrap(), 1.0";
    /// Makes a normal distribution between the ends `a` and `b` of the standard variable, as `scipy.stats.truncnorm`.
    truncnorm(a, b) = continuous normal::Truncnorm, "(-1.0, 1.0).cdf(-1.0).item::<f64>().unwrap(), 0.0";
    /// Makes Gumbel's distribution of largest values, as `scipy.stats.gumbel_r`.
    gumbel_r() = continuous closed::GumbelR, "().kurtosis().item::<f64>().unwrap(), 2.4";
    /// Makes Gumbel's distribution of smallest values, as `scipy.stats.gumbel_l`.
    gumbel_l() = continuous closed::GumbelL, "().kurtosis().item::<f64>().unwrap(), 2.4";
    /// Makes a generalized normal distribution of exponent `beta`, as `scipy.stats.gennorm`.
    gennorm(beta) = continuous of_gamma::Gennorm, "(2.0).mean().item::<f64>().unwrap(), 0.0";
    /// Makes an inverse gamma distribution of shape `a`, as `scipy.stats.invgamma`.
    invgamma(a) = continuous of_gamma::Invgamma, "(3.0).mean().item::<f64>().unwrap(), 0.5";
    /// Makes a Rayleigh distribution, as `scipy.stats.rayleigh`.
    rayleigh() = continuous closed::Rayleigh, "().cdf(0.0).item::<f64>().unwrap(), 0.0";
    /// Makes a skew normal distribution of skewness parameter `a`, as `scipy.stats.skewnorm`.
    skewnorm(a) = continuous normal::Skewnorm, "(0.0).mean().item::<f64>().unwrap(), 0.0";
    /// Makes the distribution of the absolute value of a normal variable, as `scipy.stats.halfnorm`.
    halfnorm() = continuous normal::Halfnorm, "().cdf(0.0).item::<f64>().unwrap(), 0.0";
    /// Makes a von Mises distribution of concentration `kappa`, as `scipy.stats.vonmises`: its `cdf` grows by 1 with each turn, and its
    /// variates are between −π and π.
    vonmises(kappa) = continuous circular::Vonmises, "(2.0).cdf(0.0).item::<f64>().unwrap(), 0.5";
    /// Makes a χ distribution with `df` degrees of freedom, as `scipy.stats.chi`.
    chi(df) = continuous positive::Chi, "(2.0).cdf(0.0).item::<f64>().unwrap(), 0.0";
    /// Makes a Maxwell distribution, as `scipy.stats.maxwell`.
    maxwell() = continuous positive::Maxwell, "().cdf(0.0).item::<f64>().unwrap(), 0.0";
    /// Makes a double gamma distribution of shape `a`, as `scipy.stats.dgamma`.
    dgamma(a) = continuous positive::Dgamma, "(2.0).var().item::<f64>().unwrap(), 6.0";
    /// Makes a Lévy distribution, as `scipy.stats.levy`, whose mean is infinite.
    levy() = continuous positive::Levy, "().mean().item::<f64>().unwrap(), f64::INFINITY";
    /// Makes an inverse Gaussian distribution of mean `mu`, as `scipy.stats.invgauss`.
    invgauss(mu) = continuous positive::Invgauss, "(2.0).var().item::<f64>().unwrap(), 8.0";
    /// Makes the distribution of the sum of a normal variable and an exponential one of mean `k`, as `scipy.stats.exponnorm`.
    exponnorm(k) = continuous positive::Exponnorm, "(2.0).var().item::<f64>().unwrap(), 5.0";
    /// Makes a distribution from `a` to `b` whose logarithm is uniform, as `scipy.stats.loguniform`.
    loguniform(a, b) = continuous positive::Loguniform, "(1.0, 100.0).cdf(10.0).item::<f64>().unwrap(), 0.5";
    /// Makes a triangular distribution from 0 to 1 with its mode at `c`, as `scipy.stats.triang`.
    triang(c) = continuous positive::Triang, "(0.5).cdf(0.5).item::<f64>().unwrap(), 0.5";
    /// Makes the distribution of the absolute value of a Cauchy variable, as `scipy.stats.halfcauchy`.
    halfcauchy() = continuous positive::Halfcauchy, "().cdf(1.0).item::<f64>().unwrap(), 0.5";
    /// Makes a beta-binomial distribution, as `scipy.stats.betabinom`: `n` trials whose probability has the beta distribution of `a`
    /// and `b`.
    betabinom(n, a, b) = discrete counts::Betabinom, "(8.0, 2.0, 2.0).mean().item::<f64>().unwrap(), 4.0";
    /// Makes a discrete uniform distribution from `low` up to, not including, `high`, as `scipy.stats.randint`.
    randint(low, high) = discrete counts::Randint, "(0.0, 4.0).pdf(1.0).item::<f64>().unwrap(), 0.25";
    /// Makes a Zipf distribution of exponent `a` above 1, as `scipy.stats.zipf`.
    zipf(a) = discrete counts::Zipf, "(2.0).cdf(0.0).item::<f64>().unwrap(), 0.0";
    /// Makes a logarithmic distribution, as `scipy.stats.logser`.
    logser(p) = discrete counts::Logser, "(0.5).cdf(0.0).item::<f64>().unwrap(), 0.0";
    /// Makes a discrete Laplace distribution, as `scipy.stats.dlaplace`.
    dlaplace(a) = discrete counts::Dlaplace, "(1.0).mean().item::<f64>().unwrap(), 0.0";
    /// Makes a discrete exponential distribution, as `scipy.stats.planck`.
    planck(lambda_) = discrete counts::Planck, "(1.0).cdf(-1.0).item::<f64>().unwrap(), 0.0";
    /// Makes a truncated discrete exponential distribution of the numbers below `n`, as `scipy.stats.boltzmann`.
    boltzmann(lambda_, n) = discrete counts::Boltzmann, "(1.0, 5.0).cdf(4.0).item::<f64>().unwrap(), 1.0";
}

/// The functions for calls by name.
pub static TABLE: Table = Table { functions: FUNCTIONS, complex_rows: &[], computed: &[] };
