//! Error functions and the normal distribution.

use crate::complex::*;
use crate::formulas::errors;

special! { TABLE;
    /// Returns the scaled complementary error function `e^(x²) erfc(x)`
    erfcx(x) = "sp.special.erfcx", errors::erfcx, 4 flat, with erfcx_complex, [array([0.0, 10.0])] => "[1.         0.05614099]";
    /// Returns the imaginary error function `-i erf(ix)`
    erfi(x) = "sp.special.erfi", errors::erfi, 5 flat, with erfi_complex, [array([0.0, 1.0])] => "[0.         1.65042576]";
    /// Returns the inverse of `erf`
    erfinv(y) = "sp.special.erfinv", errors::erfinv, 3 flat, [array([0.0, 0.5])] => "[0.         0.47693628]";
    /// Returns the inverse of `erfc`
    erfcinv(y) = "sp.special.erfcinv", errors::erfcinv, 3 flat, [array([1.0, 0.5])] => "[0.         0.47693628]";
    /// Returns Dawson's integral `√π/2 e^(-x²) erfi(x)`
    dawsn(x) = "sp.special.dawsn", errors::dawsn, 4 flat, with dawsn_complex, [array([0.0, 1.0])] => "[0.         0.53807951]";
    /// Returns the probability that a standard normal variable is at most `x`
    ndtr(x) = "sp.special.ndtr", errors::ndtr, 4 flat, with ndtr_complex, [array([0.0, 1.0])] => "[0.5        0.84134475]";
    /// Returns the logarithm of `ndtr`
    log_ndtr(x) = "sp.special.log_ndtr", errors::log_ndtr, 4 flat, with log_ndtr_complex, [array([0.0, -40.0])] => "[-6.93147181e-01 -8.04608442e+02]";
    /// Returns the inverse of `ndtr`
    ndtri(y) = "sp.special.ndtri", errors::ndtri, 4 flat, [array([0.5, 0.975])] => "[0.         1.95996398]";
    /// Returns the inverse of `log_ndtr`
    ndtri_exp(y) = "sp.special.ndtri_exp", errors::ndtri_exp, 8 scalar, [array([-1.0, -1000.0])] => "[ -0.33747496 -44.61574773]";
    /// Returns Owen's T function
    owens_t(h, a) = "sp.special.owens_t", errors::owens_t, 64, [1.0, array([0.5, 2.0])] => "[0.04306469 0.07846819]";
}
