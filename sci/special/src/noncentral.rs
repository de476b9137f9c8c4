//! Noncentral distributions, and Smirnov's statistic, as functions.

use crate::formulas::noncentral;

special! { TABLE;
    /// Returns the probability that a noncentral χ² variable is at most `x`
    chndtr(x, df, nc) = "sp.special.chndtr", noncentral::chndtr, 512, [array([1.0, 4.0]), 2.0, 1.0] => "[0.2671202  0.73098794]";
    /// Returns the `x` at which `chndtr` is `p`
    chndtrix(p, df, nc) = "sp.special.chndtrix", noncentral::chndtrix, 512, [array([0.5, 0.9]), 2.0, 1.0] => "[2.17703855 6.77013026]";
    /// Returns the probability that a noncentral F variable is at most `f`
    ncfdtr(dfn, dfd, nc, f) = "sp.special.ncfdtr", noncentral::ncfdtr, 512, [2.0, 4.0, 1.0, array([1.0, 4.0])] => "[0.42461115 0.81513055]";
    /// Returns the `f` at which `ncfdtr` is `p`
    ncfdtri(dfn, dfd, nc, p) = "sp.special.ncfdtri", noncentral::ncfdtri, 512, [2.0, 4.0, 1.0, array([0.5, 0.9])] => "[1.29131819 6.45556573]";
    /// Returns the probability that a noncentral t variable is at most `t`
    nctdtr(df, nc, t) = "sp.special.nctdtr", noncentral::nctdtr, 512, [4.0, 1.0, array([1.0, 2.0])] => "[0.47644213 0.76456745]";
    /// Returns the `t` at which `nctdtr` is `p`
    nctdtrit(df, nc, p) = "sp.special.nctdtrit", noncentral::nctdtrit, 512, [4.0, 1.0, array([0.5, 0.9])] => "[1.06693161 2.98430143]";
    /// Returns the probability that Smirnov's one-sided statistic of `n` points, at most 1000, of which the whole part counts, is at least `d`
    smirnov(n, d) = "sp.special.smirnov", noncentral::smirnov, 512, [4.0, array([0.25, 0.5])] => "[0.51171875 0.09375   ]";
    /// Returns the inverse of `smirnov`
    smirnovi(n, p) = "sp.special.smirnovi", noncentral::smirnovi, 64, [4.0, array([0.5, 0.1])] => "[0.25552048 0.49265262]";
}
