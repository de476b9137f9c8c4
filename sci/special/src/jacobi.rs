//! Jacobi's elliptic functions, Carlson's integral of the third kind, Wright's omega.

use crate::complex::*;
use crate::formulas::jacobi;

special! { TABLE;
    /// Returns Jacobi's elliptic functions sn, cn, dn, and the amplitude, of the parameter `m`
    ellipj(u, m) -> 4 = "sp.special.ellipj", jacobi::ellipj, 64, [1.0, array([0.0, 0.5])] => ("[0.84147098 0.80300182]", "[0.54030231 0.59597657]", "[1.       0.823161]", "[1.         0.93231508]");
    /// Returns Carlson's integral `R_J`, NaN of `p = 0`
    elliprj(x, y, z, p) = "sp.special.elliprj", jacobi::elliprj, 64, [array([1.0, 0.0]), 2.0, 3.0, 4.0] => "[0.2398481  0.42114284]";
    /// Returns Wright's omega function of real `z`
    wrightomega(z) = "sp.special.wrightomega", jacobi::wrightomega, 8, with wrightomega_complex, [array([0.0, 1.0])] => "[0.56714329 1.        ]";
}
