//! Functions of complex numbers: those that have complex results alone, and what real ones call where an operand is complex.

use crate::formulas::kelvin as of_kelvin;
use crate::formulas::{complex_airy, complex_bessel, complex_elliptic, complex_errors};
use crate::formulas::{complex_gamma, complex_integrals, complex_orthogonal};

complex! { TABLE;
    /// Returns Faddeeva's function, `e^(-z²) erfc(-iz)`
    wofz(z: C) = "sp.special.wofz", complex_errors::wofz, 32, [array([Complex64::new(1.0, 1.0), Complex64::new(2.0, -0.5)])] => "[ 0.30474421+0.20821894j -0.12293249+0.32755514j]";
    /// Returns the branch `k` of Lambert's W, the inverse of `w e^w`, which is 0 for the principal one
    lambertw(z: C, k: R) = "sp.special.lambertw", complex_integrals::lambertw, 4, by "z k? tol=1e-8" [0.0], [array([1.0, -1.0]), 0.0] => "[ 0.56714329+0.j        -0.31813151+1.3372357j]";
    /// Returns the spherical harmonic of degree `n` and order `m` at the polar angle `theta` and the azimuth `phi`
    sph_harm_y(n: R, m: R, theta: R, phi: R) = "sp.special.sph_harm_y", complex_integrals::sph_harm_y, 256, by "n m theta phi * diff_n=0" [], [2.0, 1.0, 0.5, array([0.3, 1.0])] => "[-0.31052117-0.09605545j -0.17561907-0.27351049j]";
    /// Returns Kelvin's functions as complex numbers: `ber + i bei`, `ker + i kei`, and the derivatives of both
    kelvin(x: R) -> 4 = "sp.special.kelvin", of_kelvin::kelvin, 256, [array([1.0, 2.0])] => ("[0.98438178+0.24956604j 0.75173418+0.97229163j]", "[ 0.28670621-0.49499464j -0.04166451-0.20240007j]", "[-0.06244575+0.49739651j -0.49306712+0.91701361j]", "[-0.69460389+0.35236991j -0.10660097+0.21980791j]");
    /// Returns Hankel's function of the first kind
    hankel1(v: R, z: C) = "sp.special.hankel1", complex_bessel::hankel1, 64, [1.5, array([1.0, 2.0])] => "[0.24029784-1.10249558j 0.49129378-0.39562328j]";
    /// Returns Hankel's function of the first kind, times `e^-iz`
    hankel1e(v: R, z: C) = "sp.special.hankel1e", complex_bessel::hankel1e, 64, [1.5, array([1.0, 2.0])] => "[-0.79788456-0.79788456j -0.56418958-0.28209479j]";
    /// Returns Hankel's function of the second kind
    hankel2(v: R, z: C) = "sp.special.hankel2", complex_bessel::hankel2, 64, [1.5, array([1.0, 2.0])] => "[0.24029784+1.10249558j 0.49129378+0.39562328j]";
    /// Returns Hankel's function of the second kind, times `e^iz`
    hankel2e(v: R, z: C) = "sp.special.hankel2e", complex_bessel::hankel2e, 64, [1.5, array([1.0, 2.0])] => "[-0.79788456+0.79788456j -0.56418958+0.28209479j]";
    /// Returns the derivative of order `n`, a whole number up to 32, of Hankel's function of the first kind
    h1vp(v: R, z: C, n: R) = "sp.special.h1vp", complex_bessel::h1vp, 128, by "v z n?" [1.0], [1.5, array([1.0, 2.0]), 1.0] => "[0.31094995+1.22264449j 0.1445458 +0.53150317j]";
    /// Returns the derivative of order `n`, a whole number up to 32, of Hankel's function of the second kind
    h2vp(v: R, z: C, n: R) = "sp.special.h2vp", complex_bessel::h2vp, 128, by "v z n?" [1.0], [1.5, array([1.0, 2.0]), 1.0] => "[0.31094995-1.22264449j 0.1445458 -0.53150317j]";
}

complex_forms! { FORMS;
    erfcx_complex(z: C) = "sp.special.erfcx", complex_errors::erfcx, 32;
    erfi_complex(z: C) = "sp.special.erfi", complex_errors::erfi, 32;
    dawsn_complex(z: C) = "sp.special.dawsn", complex_errors::dawsn, 32;
    ndtr_complex(z: C) = "sp.special.ndtr", complex_errors::ndtr, 64;
    rgamma_complex(z: C) = "sp.special.rgamma", complex_gamma::rgamma, 256;
    loggamma_complex(z: C) = "sp.special.loggamma", complex_gamma::loggamma, 32;
    digamma_complex(z: C) = "sp.special.digamma", complex_gamma::digamma, 32;
    log_ndtr_complex(z: C) = "sp.special.log_ndtr", complex_errors::log_ndtr, 64;
    fresnel_complex(z: C) -> 2 = "sp.special.fresnel", complex_errors::fresnel, 64;
    airy_complex(z: C) -> 4 = "sp.special.airy", complex_airy::airy, 64;
    airye_complex(z: C) -> 4 = "sp.special.airye", complex_airy::airye, 64;
    spherical_jn_complex(n: R, z: C) = "sp.special.spherical_jn", complex_airy::spherical_jn, 64;
    spherical_yn_complex(n: R, z: C) = "sp.special.spherical_yn", complex_airy::spherical_yn, 64;
    spherical_in_complex(n: R, z: C) = "sp.special.spherical_in", complex_airy::spherical_in, 64;
    spherical_kn_complex(n: R, z: C) = "sp.special.spherical_kn", complex_airy::spherical_kn, 64;
    jvp_complex(v: R, z: C, n: R) = "sp.special.jvp", complex_bessel::jvp, 128;
    yvp_complex(v: R, z: C, n: R) = "sp.special.yvp", complex_bessel::yvp, 128;
    ivp_complex(v: R, z: C, n: R) = "sp.special.ivp", complex_bessel::ivp, 128;
    kvp_complex(v: R, z: C, n: R) = "sp.special.kvp", complex_bessel::kvp, 128;
    wrightomega_complex(z: C) = "sp.special.wrightomega", complex_integrals::wrightomega, 32;
    elliprc_complex(x: C, y: C) = "sp.special.elliprc", complex_elliptic::elliprc, 64;
    elliprf_complex(x: C, y: C, z: C) = "sp.special.elliprf", complex_elliptic::elliprf, 64;
    elliprd_complex(x: C, y: C, z: C) = "sp.special.elliprd", complex_elliptic::elliprd, 4;
    eval_legendre_complex(n: R, x: C) = "sp.special.eval_legendre", complex_orthogonal::legendre, 256;
    eval_chebyt_complex(n: R, x: C) = "sp.special.eval_chebyt", complex_orthogonal::chebyt, 256;
    eval_chebyu_complex(n: R, x: C) = "sp.special.eval_chebyu", complex_orthogonal::chebyu, 256;
    eval_chebyc_complex(n: R, x: C) = "sp.special.eval_chebyc", complex_orthogonal::chebyc, 256;
    eval_chebys_complex(n: R, x: C) = "sp.special.eval_chebys", complex_orthogonal::chebys, 256;
    eval_laguerre_complex(n: R, x: C) = "sp.special.eval_laguerre", complex_orthogonal::laguerre, 256;
    eval_sh_legendre_complex(n: R, x: C) = "sp.special.eval_sh_legendre", complex_orthogonal::sh_legendre, 256;
    eval_sh_chebyt_complex(n: R, x: C) = "sp.special.eval_sh_chebyt", complex_orthogonal::sh_chebyt, 256;
    eval_sh_chebyu_complex(n: R, x: C) = "sp.special.eval_sh_chebyu", complex_orthogonal::sh_chebyu, 256;
    eval_genlaguerre_complex(n: R, alpha: R, x: C) = "sp.special.eval_genlaguerre", complex_orthogonal::genlaguerre, 256;
    eval_gegenbauer_complex(n: R, alpha: R, x: C) = "sp.special.eval_gegenbauer", complex_orthogonal::gegenbauer, 256;
    eval_jacobi_complex(n: R, alpha: R, beta: R, x: C) = "sp.special.eval_jacobi", complex_orthogonal::jacobi, 256;
    eval_sh_jacobi_complex(n: R, p: R, q: R, x: C) = "sp.special.eval_sh_jacobi", complex_orthogonal::sh_jacobi, 256;
    psi_complex(z: C) = "sp.special.psi", complex_gamma::digamma, 32;
    exp1_complex(z: C) = "sp.special.exp1", complex_integrals::exp1, 32;
    expi_complex(z: C) = "sp.special.expi", complex_integrals::expi, 32;
    spence_complex(z: C) = "sp.special.spence", complex_integrals::spence, 4;
    sici_complex(z: C) -> 2 = "sp.special.sici", complex_integrals::sici, 32;
    shichi_complex(z: C) -> 2 = "sp.special.shichi", complex_integrals::shichi, 32;
    jv_complex(v: R, z: C) = "sp.special.jv", complex_bessel::jv, 64;
    jn_complex(v: R, z: C) = "sp.special.jn", complex_bessel::jv, 64;
    jve_complex(v: R, z: C) = "sp.special.jve", complex_bessel::jve, 64;
    yv_complex(v: R, z: C) = "sp.special.yv", complex_bessel::yv, 64;
    yve_complex(v: R, z: C) = "sp.special.yve", complex_bessel::yve, 64;
    iv_complex(v: R, z: C) = "sp.special.iv", complex_bessel::iv, 64;
    ive_complex(v: R, z: C) = "sp.special.ive", complex_bessel::ive, 64;
    kv_complex(v: R, z: C) = "sp.special.kv", complex_bessel::kv, 64;
    kve_complex(v: R, z: C) = "sp.special.kve", complex_bessel::kve, 64;
}

complex_forms! { ROWS;
    erf_complex(z: C) = "sp.special.erf", complex_errors::erf, 32;
    erfc_complex(z: C) = "sp.special.erfc", complex_errors::erfc, 32;
    gamma_complex(z: C) = "sp.special.gamma", complex_gamma::gamma, 256;
    xlogy_complex(x: C, y: C) = "sp.special.xlogy", complex_integrals::xlogy, 8;
    xlog1py_complex(x: C, y: C) = "sp.special.xlog1py", complex_integrals::xlog1py, 8;
}
