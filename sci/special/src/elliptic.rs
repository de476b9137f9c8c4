//! Elliptic integrals.

use crate::complex::*;
use crate::formulas::elliptic;

special! { TABLE;
    /// Returns the complete elliptic integral of the first kind of the parameter `m`
    ellipk(m) = "sp.special.ellipk", elliptic::ellipk, 4 flat, [array([0.0, 0.5])] => "[1.57079633 1.85407468]";
    /// Returns the complete elliptic integral of the first kind of `m = 1 - p`
    ellipkm1(p) = "sp.special.ellipkm1", elliptic::ellipkm1, 4 flat, [array([1.0, 0.5])] => "[1.57079633 1.85407468]";
    /// Returns the complete elliptic integral of the second kind of the parameter `m`
    ellipe(m) = "sp.special.ellipe", elliptic::ellipe, 4 flat, [array([0.0, 0.5])] => "[1.57079633 1.35064388]";
    /// Returns the incomplete elliptic integral of the first kind, also of `m` above 1 where `m sin²(phi)` is at most 1
    ellipkinc(phi, m) = "sp.special.ellipkinc", elliptic::ellipkinc, 16, [1.0, array([0.0, 0.5])] => "[1.         1.08321677]";
    /// Returns the incomplete elliptic integral of the second kind, also of `m` above 1 where `m sin²(phi)` is at most 1
    ellipeinc(phi, m) = "sp.special.ellipeinc", elliptic::ellipeinc, 16, [1.0, array([0.0, 0.5])] => "[1.         0.92732988]";
    /// Returns Carlson's degenerate integral `R_C`, NaN of `y = 0`
    elliprc(x, y) = "sp.special.elliprc", elliptic::elliprc, 8, with elliprc_complex, [array([1.0, 2.0]), 1.0] => "[1.         0.88137359]";
    /// Returns Carlson's integral `R_D`
    elliprd(x, y, z) = "sp.special.elliprd", elliptic::elliprd, 8, with elliprd_complex, [array([1.0, 0.0]), 2.0, 3.0] => "[0.29046028 0.52585345]";
    /// Returns Carlson's integral `R_F`
    elliprf(x, y, z) = "sp.special.elliprf", elliptic::elliprf, 8, with elliprf_complex, [array([1.0, 2.0]), 2.0, 3.0] => "[0.72694594 0.65847895]";
    /// Returns Carlson's integral `R_G`
    elliprg(x, y, z) = "sp.special.elliprg", elliptic::elliprg, 16, [array([1.0, 2.0]), 2.0, 3.0] => "[1.4018471  1.52450435]";
}
