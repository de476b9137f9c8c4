//! Orthogonal polynomials, and the functions of degrees that are not whole.

use crate::complex::*;
use crate::formulas::orthogonal;

special! { TABLE;
    /// Returns Legendre's polynomial of degree `n`, or the function of a degree that is not whole, which is NaN below -1
    eval_legendre(n, x) = "sp.special.eval_legendre", orthogonal::legendre::<_, false>, 256, with eval_legendre_complex, whole eval_legendre_whole, [2.0, array([0.5, 1.0])] => "[-0.125  1.   ]";
    /// Returns the associated Legendre function of whole order `m` and degree `v`, NaN of negative orders beyond a whole degree, and beyond -1 to 1 of other orders than 0
    lpmv(m, v, x) = "sp.special.lpmv", orthogonal::lpmv, 256, [1.0, 2.0, array([0.5, 0.25])] => "[-1.29903811 -0.72618438]";
    /// Returns Chebyshev's polynomial of the first kind of degree `n`, or `cos(n arccos x)` of a degree that is not whole, which is NaN below -1
    eval_chebyt(n, x) = "sp.special.eval_chebyt", orthogonal::chebyt::<_, false>, 256, with eval_chebyt_complex, whole eval_chebyt_whole, [2.0, array([0.5, 1.0])] => "[-0.5  1. ]";
    /// Returns Chebyshev's polynomial of the second kind of degree `n`, or the function of a degree that is not whole, which is NaN below -1
    eval_chebyu(n, x) = "sp.special.eval_chebyu", orthogonal::chebyu::<_, false>, 256, with eval_chebyu_complex, whole eval_chebyu_whole, [2.0, array([0.5, 1.0])] => "[0. 3.]";
    /// Returns Hermite's polynomial of whole degree `n`, in the physicists' form
    eval_hermite(n, x) = "sp.special.eval_hermite", orthogonal::hermite, 256, [2.0, array([0.5, 1.0])] => "[-1.  2.]";
    /// Returns Hermite's polynomial of whole degree `n`, in the probabilists' form
    eval_hermitenorm(n, x) = "sp.special.eval_hermitenorm", orthogonal::hermitenorm, 256, [2.0, array([0.5, 1.0])] => "[-0.75  0.  ]";
    /// Returns Laguerre's polynomial of degree `n`, or the function of a degree that is not whole
    eval_laguerre(n, x) = "sp.special.eval_laguerre", orthogonal::laguerre::<_, false>, 256, with eval_laguerre_complex, whole eval_laguerre_whole, [2.0, array([0.5, 1.0])] => "[ 0.125 -0.5  ]";
    /// Returns Laguerre's polynomial of degree `n` and order `alpha`, at most -1 too, or the function of a degree that is not whole
    eval_genlaguerre(n, alpha, x) = "sp.special.eval_genlaguerre", orthogonal::genlaguerre::<_, false>, 256, with eval_genlaguerre_complex, whole eval_genlaguerre_whole, [2.0, 1.0, array([0.5, 1.0])] => "[1.625 0.5  ]";
    /// Returns Gegenbauer's polynomial of degree `n` and any order `alpha`, or the function of a degree that is not whole, which is NaN below -1
    eval_gegenbauer(n, alpha, x) = "sp.special.eval_gegenbauer", orthogonal::gegenbauer::<_, false>, 256, with eval_gegenbauer_complex, whole eval_gegenbauer_whole, [2.0, 1.0, array([0.5, 1.0])] => "[0. 3.]";
    /// Returns Jacobi's polynomial of degree `n` and any orders `alpha` and `beta`, or the function of a degree that is not whole, which is NaN below -1
    eval_jacobi(n, alpha, beta, x) = "sp.special.eval_jacobi", orthogonal::jacobi::<_, false>, 256, with eval_jacobi_complex, whole eval_jacobi_whole, [2.0, 1.0, 1.0, array([0.5, 1.0])] => "[0.1875 3.    ]";
}

whole_forms! {
    eval_legendre_whole(n, x) = "sp.special.eval_legendre", orthogonal::legendre::<_, true>, 256;
    eval_chebyt_whole(n, x) = "sp.special.eval_chebyt", orthogonal::chebyt::<_, true>, 256;
    eval_chebyu_whole(n, x) = "sp.special.eval_chebyu", orthogonal::chebyu::<_, true>, 256;
    eval_laguerre_whole(n, x) = "sp.special.eval_laguerre", orthogonal::laguerre::<_, true>, 256;
    eval_genlaguerre_whole(n, alpha, x) = "sp.special.eval_genlaguerre", orthogonal::genlaguerre::<_, true>, 256;
    eval_gegenbauer_whole(n, alpha, x) = "sp.special.eval_gegenbauer", orthogonal::gegenbauer::<_, true>, 256;
    eval_jacobi_whole(n, alpha, beta, x) = "sp.special.eval_jacobi", orthogonal::jacobi::<_, true>, 256;
}
