//! Bessel functions of the orders 0 and 1, and of whole orders.

use crate::complex::*;
use crate::derivatives::*;
use crate::formulas::bessel;

special! { TABLE;
    /// Returns the Bessel function of the first kind of order 0
    j0(x) = "sp.special.j0", bessel::j0, 16 flat, [array([0.0, 1.0])] => "[1.         0.76519769]";
    /// Returns the Bessel function of the first kind of order 1
    j1(x) = "sp.special.j1", bessel::j1, 16 flat, [array([0.0, 1.0])] => "[0.         0.44005059]";
    /// Returns the Bessel function of the second kind of order 0
    y0(x) = "sp.special.y0", bessel::y0, 16 flat, [array([1.0, 2.0])] => "[0.08825696 0.51037567]";
    /// Returns the Bessel function of the second kind of order 1
    y1(x) = "sp.special.y1", bessel::y1, 16 flat, [array([1.0, 2.0])] => "[-0.78121282 -0.10703243]";
    /// Returns the modified Bessel function of the first kind of order 0, times `e^-|x|`
    i0e(x) = "sp.special.i0e", bessel::i0e, 4 flat, [array([0.0, 1.0])] => "[1.         0.46575961]";
    /// Returns the modified Bessel function of the first kind of order 1
    i1(x) = "sp.special.i1", bessel::i1, 5 flat, [array([0.0, 1.0])] => "[0.        0.5651591]";
    /// Returns the modified Bessel function of the first kind of order 1, times `e^-|x|`
    i1e(x) = "sp.special.i1e", bessel::i1e, 4 flat, [array([0.0, 1.0])] => "[0.         0.20791042]";
    /// Returns the modified Bessel function of the second kind of order 0
    k0(x) = "sp.special.k0", bessel::k0, 8 flat, [array([1.0, 2.0])] => "[0.42102444 0.11389387]";
    /// Returns the modified Bessel function of the second kind of order 0, times `e^x`
    k0e(x) = "sp.special.k0e", bessel::k0e, 8 flat, [array([1.0, 2.0])] => "[1.14446308 0.84156822]";
    /// Returns the modified Bessel function of the second kind of order 1
    k1(x) = "sp.special.k1", bessel::k1, 8 flat, [array([1.0, 2.0])] => "[0.60190723 0.13986588]";
    /// Returns the modified Bessel function of the second kind of order 1, times `e^x`
    k1e(x) = "sp.special.k1e", bessel::k1e, 8 flat, [array([1.0, 2.0])] => "[1.63615349 1.03347685]";
    /// Returns the Bessel function of the second kind of order `n`, of which the whole part counts
    yn(n, x) = "sp.special.yn", bessel::yn, 64 scalar, [2.0, array([1.0, 2.0])] => "[-1.65068261 -0.6174081 ]";
    /// Returns the modified Bessel function of the second kind of order `n`, of which the whole part counts
    kn(n, x) = "sp.special.kn", bessel::kn, 32 scalar, [2.0, array([1.0, 2.0])] => "[1.6248389  0.25375975]";
    /// Returns the spherical Bessel function of the second kind of whole order `n`
    spherical_yn(n, z) = "sp.special.spherical_yn", bessel::spherical_yn, 64, by "n z derivative?" [], or "derivative" spherical_yn_derivative, with spherical_yn_complex, [1.0, array([1.0, 2.0])] => "[-1.38177329 -0.350612  ]";
}
