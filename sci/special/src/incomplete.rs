//! Incomplete gamma and beta functions, regularized, and their inverses.

use crate::formulas::incomplete;

special! { TABLE;
    /// Returns the regularized lower incomplete gamma function `P(a, x)`
    gammainc(a, x) = "sp.special.gammainc", incomplete::gammainc, 64 scalar, [2.0, array([1.0, 3.0])] => "[0.26424112 0.80085173]";
    /// Returns the regularized upper incomplete gamma function `Q(a, x)`
    gammaincc(a, x) = "sp.special.gammaincc", incomplete::gammaincc, 64 scalar, [2.0, array([1.0, 3.0])] => "[0.73575888 0.19914827]";
    /// Returns the inverse of `gammainc` in `x`
    gammaincinv(a, y) = "sp.special.gammaincinv", incomplete::gammaincinv, 64 scalar, [2.0, array([0.5, 0.9])] => "[1.67834699 3.88972017]";
    /// Returns the inverse of `gammaincc` in `x`
    gammainccinv(a, y) = "sp.special.gammainccinv", incomplete::gammainccinv, 64 scalar, [2.0, array([0.5, 0.1])] => "[1.67834699 3.88972017]";
    /// Returns the regularized incomplete beta function
    betainc(a, b, x) = "sp.special.betainc", incomplete::betainc, 256 scalar, [2.0, 3.0, array([0.5, 0.75])] => "[0.6875     0.94921875]";
    /// Returns the complement of `betainc`
    betaincc(a, b, x) = "sp.special.betaincc", incomplete::betaincc, 256 scalar, [2.0, 3.0, array([0.5, 0.75])] => "[0.3125     0.05078125]";
    /// Returns the inverse of `betainc` in `x`
    betaincinv(a, b, y) = "sp.special.betaincinv", incomplete::betaincinv, 256 scalar, [2.0, 3.0, array([0.6875, 0.5])] => "[0.5        0.38572757]";
    /// Returns the inverse of `betaincc` in `x`
    betainccinv(a, b, y) = "sp.special.betainccinv", incomplete::betainccinv, 256 scalar, [2.0, 3.0, array([0.3125, 0.5])] => "[0.5        0.38572757]";
}
