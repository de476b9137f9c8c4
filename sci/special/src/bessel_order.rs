//! Bessel functions of any real order.

use crate::formulas::bessel_order;

special! { TABLE;
    /// Returns the Bessel function of the first kind of real order `v`
    jv(v, x) = "sp.special.jv", bessel_order::jv, 64, [1.5, array([1.0, 2.0])] => "[0.24029784 0.49129378]";
    /// Returns the Bessel function of the first kind of real order `v`, for whole orders the same as [`jv`]
    jn(v, x) = "sp.special.jn", bessel_order::jv, 64, [2.0, array([1.0, 2.0])] => "[0.11490348 0.35283403]";
    /// Returns the Bessel function of the first kind of real order `v`, which times `e^-|Im x|` is the same for real `x`
    jve(v, x) = "sp.special.jve", bessel_order::jv, 64, [1.5, array([1.0, 2.0])] => "[0.24029784 0.49129378]";
    /// Returns the Bessel function of the second kind of real order `v`
    yv(v, x) = "sp.special.yv", bessel_order::yv, 64, [1.5, array([1.0, 2.0])] => "[-1.10249558 -0.39562328]";
    /// Returns the Bessel function of the second kind of real order `v`, which times `e^-|Im x|` is the same for real `x`
    yve(v, x) = "sp.special.yve", bessel_order::yv, 64, [1.5, array([1.0, 2.0])] => "[-1.10249558 -0.39562328]";
}
