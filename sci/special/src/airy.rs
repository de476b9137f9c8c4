//! Airy functions.

use crate::complex::*;
use crate::formulas::airy as formulas;

special! { TABLE;
    /// Returns the Airy functions `Ai`, `Ai'`, `Bi` and `Bi'`
    airy(x) -> 4 = "sp.special.airy", formulas::airy, 64, with airy_complex, [array([0.0, 1.0])] => ("[0.35502805 0.13529242]", "[-0.2588194  -0.15914744]", "[0.61492663 1.20742359]", "[0.44828836 0.93243593]");
    /// Returns the Airy functions times `e^z` (`Ai` and `Ai'`) and `e^-z` (`Bi` and `Bi'`), where `z` is two thirds of `x^1.5`
    airye(x) -> 4 = "sp.special.airye", formulas::airye, 64, with airye_complex, [array([0.0, 1.0])] => ("[0.35502805 0.26351364]", "[-0.2588194  -0.30997689]", "[0.61492663 0.61991194]", "[0.44828836 0.47872857]");
}
