//! Fresnel's integrals, hyperbolic integrals, Spence's function, Voigt's profile.

use crate::complex::*;
use crate::formulas::{faddeeva, fresnel as formulas};

special! { TABLE;
    /// Returns Fresnel's integrals, of the sine and of the cosine
    fresnel(x) -> 2 = "sp.special.fresnel", formulas::fresnel, 8, with fresnel_complex, [array([0.0, 1.0])] => ("[0.         0.43825915]", "[0.        0.7798934]");
    /// Returns the hyperbolic sine and cosine integrals
    shichi(x) -> 2 = "sp.special.shichi", formulas::shichi, 16, with shichi_complex, [array([1.0, 2.0])] => ("[1.05725088 2.50156743]", "[0.83786694 2.45266692]");
    /// Returns Spence's function, the dilogarithm of `1 - z`
    spence(z) = "sp.special.spence", formulas::spence, 8, with spence_complex, [array([0.5, 2.0])] => "[ 0.58224053 -0.82246703]";
    /// Returns Voigt's profile: a normal variable of deviation `sigma` plus Cauchy's of half width `gamma`, continued to negative widths
    voigt_profile(x, sigma, gamma) = "sp.special.voigt_profile", faddeeva::voigt_profile, 64, [array([0.0, 2.0]), 1.0, 1.0] => "[0.20870928 0.0907152 ]";
}
