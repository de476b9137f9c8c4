//! Spherical Bessel functions.

use crate::complex::*;
use crate::derivatives::*;
use crate::formulas::spherical;

special! { TABLE;
    /// Returns the spherical Bessel function of the first kind of whole order `n`
    spherical_jn(n, z) = "sp.special.spherical_jn", spherical::spherical_jn, 64, by "n z derivative?" [], or "derivative" spherical_jn_derivative, with spherical_jn_complex, [1.0, array([1.0, 2.0])] => "[0.30116868 0.43539777]";
    /// Returns the modified spherical Bessel function of the first kind of whole order `n`
    spherical_in(n, z) = "sp.special.spherical_in", spherical::spherical_in, 32, by "n z derivative?" [], or "derivative" spherical_in_derivative, with spherical_in_complex, [1.0, array([1.0, 2.0])] => "[0.36787944 0.97438274]";
    /// Returns the modified spherical Bessel function of the second kind of whole order `n`
    spherical_kn(n, z) = "sp.special.spherical_kn", spherical::spherical_kn, 32, by "n z derivative?" [], or "derivative" spherical_kn_derivative, with spherical_kn_complex, [1.0, array([1.0, 2.0])] => "[1.15572735 0.15943812]";
}
