//! Bessel functions of any real order.

use crate::complex::*;
use crate::formulas::bessel_order;

special! { TABLE;
    /// Returns the Bessel function of the first kind of real order `v`
    jv(v, x) = "sp.special.jv", bessel_order::jv, 64, with jv_complex, [1.5, array([1.0, 2.0])] => "[0.24029784 0.49129378]";
    /// Returns the Bessel function of the first kind of real order `v`, for whole orders the same as [`jv`]
    jn(v, x) = "sp.special.jn", bessel_order::jv, 64, with jn_complex, [2.0, array([1.0, 2.0])] => "[0.11490348 0.35283403]";
    /// Returns the Bessel function of the first kind of real order `v`, which times `e^-|Im x|` is the same for real `x`
    jve(v, x) = "sp.special.jve", bessel_order::jv, 64, with jve_complex, [1.5, array([1.0, 2.0])] => "[0.24029784 0.49129378]";
    /// Returns the Bessel function of the second kind of real order `v`
    yv(v, x) = "sp.special.yv", bessel_order::yv, 64, with yv_complex, [1.5, array([1.0, 2.0])] => "[-1.10249558 -0.39562328]";
    /// Returns the Bessel function of the second kind of real order `v`, which times `e^-|Im x|` is the same for real `x`
    yve(v, x) = "sp.special.yve", bessel_order::yv, 64, with yve_complex, [1.5, array([1.0, 2.0])] => "[-1.10249558 -0.39562328]";
    /// Returns the modified Bessel function of the first kind of real order `v`
    iv(v, x) = "sp.special.iv", bessel_order::iv, 32, with iv_complex, [1.5, array([1.0, 2.0])] => "[0.29352533 1.09947319]";
    /// Returns the modified Bessel function of the first kind of real order `v`, times `e^-|x|`
    ive(v, x) = "sp.special.ive", bessel_order::ive, 32, with ive_complex, [1.5, array([1.0, 2.0])] => "[0.10798193 0.14879752]";
    /// Returns the modified Bessel function of the second kind of real order `v`
    kv(v, x) = "sp.special.kv", bessel_order::kv, 32, with kv_complex, [1.5, array([1.0, 2.0])] => "[0.92213701 0.17990666]";
    /// Returns the modified Bessel function of the second kind of real order `v`, times `e^x`
    kve(v, x) = "sp.special.kve", bessel_order::kve, 32, with kve_complex, [1.5, array([1.0, 2.0])] => "[2.50662827 1.32934039]";
}
