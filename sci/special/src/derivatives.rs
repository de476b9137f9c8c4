//! Derivatives of Bessel functions, and the multivariate gamma function.

use crate::complex::*;
use crate::formulas::derivatives;

special! { TABLE;
    /// Returns the derivative of order `n`, a whole number up to 32, of the Bessel function of the first kind of real order `v`
    jvp(v, z, n) = "sp.special.jvp", derivatives::jvp, 64, by "v z n?" [1.0], with jvp_complex, [1.5, array([1.0, 2.0]), 1.0] => "[0.31094995 0.1445458 ]";
    /// Returns the derivative of order `n`, a whole number up to 32, of the Bessel function of the second kind of real order `v`
    yvp(v, z, n) = "sp.special.yvp", derivatives::yvp, 64, by "v z n?" [1.0], with yvp_complex, [1.5, array([1.0, 2.0]), 1.0] => "[1.22264449 0.53150317]";
    /// Returns the derivative of order `n`, a whole number up to 32, of the modified Bessel function of the first kind of real order `v`
    ivp(v, z, n) = "sp.special.ivp", derivatives::ivp, 64, by "v z n?" [1.0], with ivp_complex, [1.5, array([1.0, 2.0]), 1.0] => "[0.4973869  1.22163197]";
    /// Returns the derivative of order `n`, a whole number up to 32, of the modified Bessel function of the second kind of real order `v`
    kvp(v, z, n) = "sp.special.kvp", derivatives::kvp, 64, by "v z n?" [1.0], with kvp_complex, [1.5, array([1.0, 2.0]), 1.0] => "[-1.84427402 -0.25486777]";
    /// Returns the logarithm of the multivariate gamma function of `d` dimensions, a whole number up to 500
    multigammaln(a, d) = "sp.special.multigammaln", derivatives::multigammaln, 16, by "a d" [], [array([3.0, 10.0]), 2.0] => "[ 1.55019499 25.06352584]";
}

// What the spherical functions call where `derivative` is true.
special! { SPHERICAL;
    /// Returns the derivative of the spherical Bessel function of the first kind of whole order `n`
    spherical_jn_derivative(n, z) = "sp.special.spherical_jn" as "`scipy.special.spherical_jn` with `derivative=True`", derivatives::spherical_jn_derivative, 64, [1.0, array([1.0, 2.0])] => "[0.23913363 0.01925094]";
    /// Returns the derivative of the spherical Bessel function of the second kind of whole order `n`
    spherical_yn_derivative(n, z) = "sp.special.spherical_yn" as "`scipy.special.spherical_yn` with `derivative=True`", derivatives::spherical_yn_derivative, 64, [1.0, array([1.0, 2.0])] => "[2.22324428 0.55868542]";
    /// Returns the derivative of the modified spherical Bessel function of the first kind of whole order `n`
    spherical_in_derivative(n, z) = "sp.special.spherical_in" as "`scipy.special.spherical_in` with `derivative=True`", derivatives::spherical_in_derivative, 32, [1.0, array([1.0, 2.0])] => "[0.43944231 0.83904746]";
    /// Returns the derivative of the modified spherical Bessel function of the second kind of whole order `n`
    spherical_kn_derivative(n, z) = "sp.special.spherical_kn" as "`scipy.special.spherical_kn` with `derivative=True`", derivatives::spherical_kn_derivative, 32, [1.0, array([1.0, 2.0])] => "[-2.88931837 -0.26573021]";
}
