//! Associated Legendre functions of whole degree and order, shifted polynomials, Dirichlet's kernel.

use crate::complex::*;
use crate::formulas::legendre;

special! { TABLE;
    /// Returns the associated Legendre function of whole degree `n` and whole order `m`
    assoc_legendre_p(n, m, z) = "sp.special.assoc_legendre_p", legendre::assoc_legendre_p, 256, [2.0, 1.0, array([0.5, 0.25])] => "[-1.29903811 -0.72618438]";
    /// Returns the spherical Legendre function of whole degree `n` and whole order `m`, of norm 1 over the sphere
    sph_legendre_p(n, m, theta) = "sp.special.sph_legendre_p", legendre::sph_legendre_p, 256, [2.0, 1.0, array([0.5, 1.0])] => "[-0.32503853 -0.35123814]";
    /// Returns Legendre's polynomial of degree `n`, shifted to 0 to 1, or the function of a degree that is not whole, which is NaN below 0
    eval_sh_legendre(n, x) = "sp.special.eval_sh_legendre", legendre::sh_legendre::<_, false>, 256, with eval_sh_legendre_complex, whole eval_sh_legendre_whole, [2.0, array([0.5, 0.25])] => "[-0.5   -0.125]";
    /// Returns Chebyshev's polynomial of the first kind of degree `n`, shifted to 0 to 1, or the function of a degree that is not whole, which is NaN below 0
    eval_sh_chebyt(n, x) = "sp.special.eval_sh_chebyt", legendre::sh_chebyt::<_, false>, 256, with eval_sh_chebyt_complex, whole eval_sh_chebyt_whole, [2.0, array([0.5, 0.25])] => "[-1.  -0.5]";
    /// Returns Chebyshev's polynomial of the second kind of degree `n`, shifted to 0 to 1, or the function of a degree that is not whole, which is NaN below 0
    eval_sh_chebyu(n, x) = "sp.special.eval_sh_chebyu", legendre::sh_chebyu::<_, false>, 256, with eval_sh_chebyu_complex, whole eval_sh_chebyu_whole, [2.0, array([0.5, 0.25])] => "[-1.  0.]";
    /// Returns Jacobi's polynomial of degree `n`, shifted to 0 to 1, with 1 before the highest power, or the function of a degree that is not whole, which is NaN below 0
    eval_sh_jacobi(n, p, q, x) = "sp.special.eval_sh_jacobi", legendre::sh_jacobi::<_, false>, 256, with eval_sh_jacobi_complex, whole eval_sh_jacobi_whole, [2.0, 2.0, 1.5, array([0.5, 0.25])] => "[-0.0625  0.    ]";
    /// Returns Chebyshev's polynomial of the first kind of `x / 2`, twice, of degrees as `eval_chebyt`
    eval_chebyc(n, x) = "sp.special.eval_chebyc", legendre::chebyc::<_, false>, 256, with eval_chebyc_complex, whole eval_chebyc_whole, [2.0, array([0.5, 1.0])] => "[-1.75 -1.  ]";
    /// Returns Chebyshev's polynomial of the second kind of `x / 2`, of degrees as `eval_chebyu`
    eval_chebys(n, x) = "sp.special.eval_chebys", legendre::chebys::<_, false>, 256, with eval_chebys_complex, whole eval_chebys_whole, [2.0, array([0.5, 1.5])] => "[-0.75  1.25]";
    /// Returns Dirichlet's kernel of whole `n`
    diric(x, n) = "sp.special.diric", legendre::diric, 64, [array([1.0, 2.0]), 4.0] => "[ 0.47415988 -0.2248451 ]";
}

whole_forms! {
    eval_sh_legendre_whole(n, x) = "sp.special.eval_sh_legendre", legendre::sh_legendre::<_, true>, 256;
    eval_sh_chebyt_whole(n, x) = "sp.special.eval_sh_chebyt", legendre::sh_chebyt::<_, true>, 256;
    eval_sh_chebyu_whole(n, x) = "sp.special.eval_sh_chebyu", legendre::sh_chebyu::<_, true>, 256;
    eval_sh_jacobi_whole(n, p, q, x) = "sp.special.eval_sh_jacobi", legendre::sh_jacobi::<_, true>, 256;
    eval_chebyc_whole(n, x) = "sp.special.eval_chebyc", legendre::chebyc::<_, true>, 256;
    eval_chebys_whole(n, x) = "sp.special.eval_chebys", legendre::chebys::<_, true>, 256;
}
