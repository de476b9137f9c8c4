//! Gamma functions and what is made of them.

use crate::complex::*;
use crate::formulas::gamma;

special! { TABLE;
    /// Returns the digamma function, the derivative of `log Γ`
    digamma(z) = "sp.special.digamma", gamma::digamma, 4 scalar, with digamma_complex, [array([1.0, 2.0])] => "[-0.57721566  0.42278434]";
    /// Returns the digamma function under its other name
    psi(z) = "sp.special.psi", gamma::digamma, 4 scalar, with psi_complex, [array([1.0, 2.0])] => "[-0.57721566  0.42278434]";
    /// Returns the derivative of order `n` of the digamma function, for a whole number `n`
    polygamma(n, x) = "sp.special.polygamma", gamma::polygamma, 8, [1.0, array([1.0, 2.0])] => "[1.64493407 0.64493407]";
    /// Returns Hurwitz's zeta function of `x` above 1
    zeta(x, q) = "sp.special.zeta", gamma::zeta, 8 scalar, [2.0, array([1.0, 2.0])] => "[1.64493407 0.64493407]";
    /// Returns Riemann's zeta function less 1
    zetac(x) = "sp.special.zetac", gamma::zetac, 16, [array([2.0, 3.0])] => "[0.64493407 0.2020569 ]";
    /// Returns the beta function
    beta(a, b) = "sp.special.beta", gamma::beta, 64 flat, [2.0, array([1.0, 3.0])] => "[0.5        0.08333333]";
    /// Returns the logarithm of the absolute value of the beta function
    betaln(a, b) = "sp.special.betaln", gamma::betaln_at_all, 16 flat, [2.0, array([1.0, 3.0])] => "[-0.69314718 -2.48490665]";
    /// Returns the binomial coefficient of real numbers
    binom(n, k) = "sp.special.binom", gamma::binom, 64 scalar, [5.0, array([2.0, 2.5])] => "[10.         10.86497745]";
    /// Returns Pochhammer's symbol `Γ(z + m) / Γ(z)`
    poch(z, m) = "sp.special.poch", gamma::poch, 64 scalar, [2.0, array([3.0, 0.5])] => "[24.          1.32934039]";
    /// Returns `1 / Γ(z)`, which is 0 at the poles of `Γ`
    rgamma(z) = "sp.special.rgamma", gamma::rgamma, 4 flat, with rgamma_complex, [array([5.0, -1.0])] => "[0.04166667 0.        ]";
    /// Returns the logarithm of `Γ` on the real line, NaN of negative numbers
    loggamma(z) = "sp.special.loggamma", gamma::loggamma, 2 flat, with loggamma_complex, [array([5.0, -0.5])] => "[3.17805383        nan]";
    /// Returns the sign of `Γ`
    gammasgn(x) = "sp.special.gammasgn", gamma::gammasgn, 0, [array([1.5, -0.5])] => "[ 1. -1.]";
}
