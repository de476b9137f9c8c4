//! Exponential, sine and cosine integrals; Lambert's W.

use crate::complex::*;
use crate::formulas::integrals;

special! { TABLE;
    /// Returns the exponential integral `E1`, of negative numbers the principal value
    exp1(x) = "sp.special.exp1", integrals::exp1, 8 scalar, with exp1_complex, [array([1.0, 2.0])] => "[0.21938393 0.04890051]";
    /// Returns the exponential integral `Ei`
    expi(x) = "sp.special.expi", integrals::expi, 8 scalar, with expi_complex, [array([1.0, 2.0])] => "[1.89511782 4.95423436]";
    /// Returns the exponential integral of order `n`, of which the whole part counts
    expn(n, x) = "sp.special.expn", integrals::expn, 32 scalar, [2.0, array([1.0, 2.0])] => "[0.14849551 0.03753426]";
    /// Returns the sine and the cosine integral; the latter is NaN of negative numbers, where the complex function has an imaginary part
    sici(x) -> 2 = "sp.special.sici", integrals::sici, 16 flat, with sici_complex, [array([1.0, 2.0])] => ("[0.94608307 1.60541298]", "[0.33740392 0.42298083]");
}
