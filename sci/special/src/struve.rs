//! Struve functions.

use crate::formulas::struve as formulas;

special! { TABLE;
    /// Returns the Struve function of real order `v`
    struve(v, x) = "sp.special.struve", formulas::struve, 64, [0.5, array([1.0, 2.0])] => "[0.36678569 0.79897529]";
    /// Returns the modified Struve function of real order `v`
    modstruve(v, x) = "sp.special.modstruve", formulas::modstruve, 64, [0.5, array([1.0, 2.0])] => "[0.43331565 1.55840204]";
}
