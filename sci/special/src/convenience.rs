//! Functions of the arithmetic kind: means, relative exponentials.

use crate::formulas;

special! { TABLE;
    /// Returns the arithmetic-geometric mean
    agm(a, b) = "sp.special.agm", formulas::convenience::agm, 4, [1.0, array([2.0, 3.0])] => "[1.45679103 1.86361674]";
}
