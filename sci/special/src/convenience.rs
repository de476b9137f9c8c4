//! Functions of entropy, losses, transformations of Box and Cox, angles in degrees, means.

use crate::formulas::convenience;

special! { TABLE;
    /// Returns the arithmetic-geometric mean
    agm(a, b) = "sp.special.agm", convenience::agm, 4, [1.0, array([2.0, 3.0])] => "[1.45679103 1.86361678]";
    /// Returns the relative entropy `x log(x / y)`
    rel_entr(x, y) = "sp.special.rel_entr", convenience::rel_entr, 4 flat, [array([0.0, 2.0]), 1.0] => "[0.         1.38629436]";
    /// Returns the Kullback-Leibler divergence `x log(x / y) - x + y`
    kl_div(x, y) = "sp.special.kl_div", convenience::kl_div, 8 flat, [array([0.0, 2.0]), 1.0] => "[1.         0.38629436]";
    /// Returns Huber's loss of a residual `r`
    huber(delta, r) = "sp.special.huber", convenience::huber, 2 flat, [1.0, array([0.5, 2.0])] => "[0.125 1.5  ]";
    /// Returns the smooth form of Huber's loss
    pseudo_huber(delta, r) = "sp.special.pseudo_huber", convenience::pseudo_huber, 4 flat, [1.0, array([0.5, 2.0])] => "[0.11803399 1.23606798]";
    /// Returns the transformation of Box and Cox, `(x^lmbda - 1) / lmbda`
    boxcox(x, lmbda) = "sp.special.boxcox", convenience::boxcox, 8 flat, [array([1.0, 4.0]), 0.5] => "[0. 2.]";
    /// Returns the transformation of Box and Cox of `1 + x`
    boxcox1p(x, lmbda) = "sp.special.boxcox1p", convenience::boxcox1p, 8 flat, [array([0.0, 3.0]), 0.5] => "[0. 2.]";
    /// Returns the inverse of `boxcox`
    inv_boxcox(y, lmbda) = "sp.special.inv_boxcox", convenience::inv_boxcox, 16 flat, [array([0.0, 2.0]), 0.5] => "[1. 4.]";
    /// Returns the inverse of `boxcox1p`
    inv_boxcox1p(y, lmbda) = "sp.special.inv_boxcox1p", convenience::inv_boxcox1p, 16 flat, [array([0.0, 2.0]), 0.5] => "[0. 3.]";
    /// Returns the logarithm of `expit`
    log_expit(x) = "sp.special.log_expit", convenience::log_expit, 2 flat, [array([0.0, -100.0])] => "[  -0.69314718 -100.        ]";
    /// Returns `log(1 + e^x)`
    softplus(x) = "sp.special.softplus", convenience::softplus, 2 flat, [array([0.0, 100.0])] => "[  0.69314718 100.        ]";
    /// Returns `(e^x - 1) / x`
    exprel(x) = "sp.special.exprel", convenience::exprel, 3 flat, [array([0.0, 1.0])] => "[1.         1.71828183]";
    /// Returns `cos(x) - 1`, accurate near zero
    cosm1(x) = "sp.special.cosm1", convenience::cosm1, 5 flat, [array([0.0, 1.0])] => "[ 0.         -0.45969769]";
    /// Returns `x^y - 1`, accurate where it is small
    powm1(x, y) = "sp.special.powm1", convenience::powm1, 8, [array([1.0, 2.0]), 3.0] => "[0. 7.]";
    /// Returns the sine of an angle in degrees
    sindg(x) = "sp.special.sindg", convenience::sindg, 3, [array([30.0, 180.0])] => "[0.5 0. ]";
    /// Returns the cosine of an angle in degrees
    cosdg(x) = "sp.special.cosdg", convenience::cosdg, 3, [array([60.0, 90.0])] => "[0.5 0. ]";
    /// Returns the tangent of an angle in degrees
    tandg(x) = "sp.special.tandg", convenience::tandg, 5, [array([45.0, 135.0])] => "[ 1. -1.]";
    /// Returns the cotangent of an angle in degrees
    cotdg(x) = "sp.special.cotdg", convenience::cotdg, 5, [array([45.0, 135.0])] => "[ 1. -1.]";
    /// Returns an angle of degrees, minutes and seconds in radians
    radian(d, m, s) = "sp.special.radian", convenience::radian, 3, [array([180.0, 0.0]), 0.0, 0.0] => "[3.14159265 0.        ]";
}
