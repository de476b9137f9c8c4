//! Probabilities and quantiles of distributions, as functions.

use crate::formulas::statistical;

special! { TABLE;
    /// Returns the probability that a χ² variable of `v` degrees of freedom is at most `x`
    chdtr(v, x) = "sp.special.chdtr", statistical::chdtr, 256, [2.0, array([1.0, 4.0])] => "[0.39346934 0.86466472]";
    /// Returns the probability that a χ² variable of `v` degrees of freedom is more than `x`
    chdtrc(v, x) = "sp.special.chdtrc", statistical::chdtrc, 256, [2.0, array([1.0, 4.0])] => "[0.60653066 0.13533528]";
    /// Returns the `x` at which `chdtrc` is `p`
    chdtri(v, p) = "sp.special.chdtri", statistical::chdtri, 64, [2.0, array([0.5, 0.05])] => "[1.38629436 5.99146455]";
    /// Returns the probability that a gamma variable of rate `a` and shape `b` is at most `x`
    gdtr(a, b, x) = "sp.special.gdtr", statistical::gdtr, 256, [1.0, 2.0, array([1.0, 3.0])] => "[0.26424112 0.80085173]";
    /// Returns the probability that a gamma variable of rate `a` and shape `b` is more than `x`
    gdtrc(a, b, x) = "sp.special.gdtrc", statistical::gdtrc, 256, [1.0, 2.0, array([1.0, 3.0])] => "[0.73575888 0.19914827]";
    /// Returns the rate at which `gdtr` is `p`
    gdtria(p, b, x) = "sp.special.gdtria", statistical::gdtria, 64, [array([0.5, 0.9]), 2.0, 1.0] => "[1.67834699 3.88972017]";
    /// Returns the `x` at which `gdtr` is `p`
    gdtrix(a, b, p) = "sp.special.gdtrix", statistical::gdtrix, 64, [1.0, 2.0, array([0.5, 0.9])] => "[1.67834699 3.88972017]";
    /// Returns the probability that a Poisson variable of mean `m` is at most `k`
    pdtr(k, m) = "sp.special.pdtr", statistical::pdtr, 256, [array([0.0, 2.0]), 1.0] => "[0.36787944 0.9196986 ]";
    /// Returns the probability that a Poisson variable of mean `m` is more than `k`
    pdtrc(k, m) = "sp.special.pdtrc", statistical::pdtrc, 256, [array([0.0, 2.0]), 1.0] => "[0.63212056 0.0803014 ]";
    /// Returns the mean at which `pdtr` is `y`
    pdtri(k, y) = "sp.special.pdtri", statistical::pdtri, 64, [1.0, array([0.5, 0.1])] => "[1.67834699 3.88972017]";
    /// Returns the probability of at most `k` successes in `n` trials, a whole number or its whole part, of probability `p`
    bdtr(k, n, p) = "sp.special.bdtr", statistical::bdtr, 512, [array([0.0, 2.0]), 4.0, 0.5] => "[0.0625 0.6875]";
    /// Returns the probability of more than `k` successes in `n` trials, a whole number or its whole part, of probability `p`
    bdtrc(k, n, p) = "sp.special.bdtrc", statistical::bdtrc, 512, [array([0.0, 2.0]), 4.0, 0.5] => "[0.9375 0.3125]";
    /// Returns the probability of a trial at which `bdtr` is `y`
    bdtri(k, n, y) = "sp.special.bdtri", statistical::bdtri, 64, [2.0, 4.0, array([0.6875, 0.5])] => "[0.5        0.61427243]";
    /// Returns the probability that an F variable is at most `x`
    fdtr(dfn, dfd, x) = "sp.special.fdtr", statistical::fdtr, 512, [2.0, 4.0, array([1.0, 2.0])] => "[0.55555556 0.75      ]";
    /// Returns the probability that an F variable is more than `x`
    fdtrc(dfn, dfd, x) = "sp.special.fdtrc", statistical::fdtrc, 512, [2.0, 4.0, array([1.0, 2.0])] => "[0.44444444 0.25      ]";
    /// Returns the `x` at which `fdtr` is `p`
    fdtri(dfn, dfd, p) = "sp.special.fdtri", statistical::fdtri, 64, [2.0, 4.0, array([0.75, 0.5])] => "[2.         0.82842712]";
    /// Returns the probability that Student's t of `df` degrees of freedom is at most `t`
    stdtr(df, t) = "sp.special.stdtr", statistical::stdtr, 256, [1.0, array([0.0, 1.0])] => "[0.5  0.75]";
    /// Returns the `t` at which `stdtr` is `p`
    stdtrit(df, p) = "sp.special.stdtrit", statistical::stdtrit, 64, [1.0, array([0.5, 0.75])] => "[0. 1.]";
    /// Returns the probability of at most `k` failures before `n` successes, at least 1, of probability `p`; the whole parts of both counts count
    nbdtr(k, n, p) = "sp.special.nbdtr", statistical::nbdtr, 512, [array([0.0, 2.0]), 2.0, 0.5] => "[0.25   0.6875]";
    /// Returns the probability of more than `k` failures before `n` successes, at least 1, of probability `p`; the whole parts of both counts count
    nbdtrc(k, n, p) = "sp.special.nbdtrc", statistical::nbdtrc, 512, [array([0.0, 2.0]), 2.0, 0.5] => "[0.75   0.3125]";
    /// Returns the probability of a success at which `nbdtr` is `y`, NaN of `n` below 1
    nbdtri(k, n, y) = "sp.special.nbdtri", statistical::nbdtri, 64, [2.0, 2.0, array([0.6875, 0.5])] => "[0.5        0.38572757]";
    /// Returns the probability that Kolmogorov's limiting statistic is more than `y`
    kolmogorov(y) = "sp.special.kolmogorov", statistical::kolmogorov, 64, [array([0.5, 1.0])] => "[0.96394524 0.26999967]";
    /// Returns the inverse of `kolmogorov`
    kolmogi(p) = "sp.special.kolmogi", statistical::kolmogi, 16, [array([0.5, 0.05])] => "[0.82757356 1.35809864]";
}
