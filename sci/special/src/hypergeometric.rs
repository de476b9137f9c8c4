//! Hypergeometric functions of real operands. Where no method of few hundred steps has digits, they are NaN.

use crate::formulas::hypergeometric;

special! { TABLE;
    /// Returns the confluent hypergeometric limit function `0F1`
    hyp0f1(v, z) = "sp.special.hyp0f1", hypergeometric::hyp0f1, 1024, [2.0, array([1.0, -1.0])] => "[1.59063685 0.57672481]";
    /// Returns Kummer's confluent hypergeometric function `1F1`, infinite at the poles of `b`, which sums that end before them do not reach
    hyp1f1(a, b, x) = "sp.special.hyp1f1", hypergeometric::hyp1f1, 4096, [0.5, 1.5, array([1.0, -1.0])] => "[1.46265175 0.74682413]";
    /// Returns Gauss's hypergeometric function `2F1` of real `z` up to 1, and beyond where a sum ends; infinite at the poles of `c`, which sums that end before them do not reach
    hyp2f1(a, b, c, z) = "sp.special.hyp2f1", hypergeometric::hyp2f1, 4096, [0.5, 1.5, 2.5, array([0.5, -1.0])] => "[1.21084186 0.79925996]";
    /// Returns Kummer's confluent hypergeometric function `U` of `x` from 0 on
    hyperu(a, b, x) = "sp.special.hyperu", hypergeometric::hyperu, 4096, [0.5, 1.5, array([1.0, 4.0])] => "[1.  0.5]";
    /// Returns Wright's generalized Bessel function
    wright_bessel(a, b, x) = "sp.special.wright_bessel", hypergeometric::wright_bessel, 1024, [0.5, 1.5, array([1.0, 2.0])] => "[2.60189349 5.55343082]";
}
