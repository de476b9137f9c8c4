"""Cases of gamma functions and of what is made of them."""

import numpy as np
from mpmath import mp, mpf

from sf import beside, function, logarithmic, uniform

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.0, 0.5, -0.5, -1.0, -2.0])


def hurwitz(s, q):
    return mp.zeta(s, q)


# Large operands below 0, poles of the sum alone, and infinity.
BESIDE_POLES = (np.array([1.0, 3.0, -0.5, -2.5, -170.5, -170.5, 0.5, 25.0, 30.0, -2.5, -1.5, 2.0]),
                np.array([-9999999999.5, -9999999999.5, 1e10, 1e10, 21.5, 170.5, -20.5, -4.0, -40.0, np.inf, np.inf, np.inf]))


def beta_beside_poles(a, b):
    """Where SciPy's sign or value is wrong, or has no digits."""
    return float(mp.beta(a, b)) if b == -9999999999.5 else None


# Operands below 0, beside large ones, and differences that are small.
BELOW_0 = (np.concatenate([-uniform("beta a below 0", 0.05, 60, 40), -uniform("beta a", 0.05, 40, 30), np.array([-0.5, -2.5, -10.5, -9999999999.5, -9999999999.5, -1e15 - 0.5, -170.5, 1e30, -1e16, 3.0, -0.3])]),
           np.concatenate([uniform("beta b beside 0", -40, 90, 40), logarithmic("beta b wide", 1e3, 1e15, 30), np.array([1e10, 1e17, 1e30, 1.0, 1e10, 3.0, -1e10 - 0.5, -10.5, 0.3, -99999999.25, 1.8e15])]))
# Binomial coefficients and Pochhammer's symbols with operands below 0 or large ones, and results that no sum or product of logarithms has.
WIDE = (np.concatenate([-uniform("wide n", 0.5, 60, 40), uniform("wide n", 1, 40, 30), -logarithmic("wide n", 1e2, 1e14, 20), np.array([-0.5, 0.5, 1e30, -1e10 - 0.5, 1e10, 1e17, -1000.5, -0.5, 1e15, 1029.0, -171.5])]),
        np.concatenate([uniform("wide k", -40, 40, 40), -uniform("wide k", 0.5, 60, 30), uniform("wide k moderate", -12, 12, 20), np.array([1e17, 1e17, 0.5, 30.0, -0.5, -2.5, 150.25, 1000.0, -1.0, 514.0, 31.0])]))


def at_all(evaluate):
    """The exact value where an operand is below 0 or large: SciPy's has no digits there, or is infinite."""
    def value(a, b):
        found = evaluate(mpf(a), mpf(b))
        return float(found) if mp.isfinite(found) else None
    return value


def cases(store):
    positive = [uniform("gamma", 0, 12, 150), logarithmic("gamma", 1e-6, 1e8, 120), beside(1, 2, 10, 1.4616321449683622)]
    negative = [-uniform("negative", 0.05, 20, 80)]
    for name in ("digamma", "psi"):
        # Near the zeros below 0 the error is absolute.
        function(store, name, mp.digamma, [(x,) for x in (*positive, *negative, SPECIAL)], 4, absolute=4 * 2.0**-52)
    function(store, "loggamma", lambda x: mp.loggamma(x), [(x,) for x in positive], 2, absolute=2e-15)
    function(store, "polygamma", lambda n, x: mp.polygamma(int(n), x), [(np.array([[0.0], [1.0], [2.0], [3.0], [7.0], [20.0]]), np.concatenate([uniform("polygamma", 0.2, 30, 40), logarithmic("polygamma", 1e-2, 1e4, 20)]))], 16, absolute=2e-15)
    function(store, "zeta", hurwitz, [(uniform("s", 1.01, 40, 150), uniform("q", 0.1, 30, 150)), (uniform("s wide", 1.1, 8, 60), logarithmic("q wide", 0.01, 1e10, 60)), (np.array([1.0, 2.0, 2.0, 0.5, np.nan, 3.0]), np.array([2.0, 0.0, np.inf, 1.0, 1.0, -1.0]))], 16, digits=100)
    function(store, "zetac", lambda x: mp.zeta(x) - 1, [(x,) for x in (uniform("zetac", 1.01, 60, 100), uniform("zetac low", 0, 0.98, 40), -uniform("zetac negative", 0, 30, 60), np.array([0.0, 1.0, -2.0, np.inf, np.nan, -1000.0, -100000.0, -1e16, -1e20, -1e300]))], 64,
             own=lambda x: -1.0 if x < 0 and np.isfinite(x) and x % 2 == 0 else None, digits=60, absolute=4e-16)
    pairs = [(uniform("beta a", 0.05, 30, 150), uniform("beta b", 0.05, 30, 150)), (logarithmic("beta a", 1e-4, 1e5, 100), logarithmic("beta b", 1e-4, 1e5, 100)[::-1]), (beside(8, 20), beside(8, 20)[::-1])]
    function(store, "betaln", lambda a, b: mp.log(mp.beta(a, b)), [*pairs, BELOW_0], 16, absolute=4e-16,
             own=lambda a, b: at_all(lambda a, b: mp.log(abs(mp.beta(a, b))))(a, b) if a < 0 or b < 0 else None, digits=60)
    function(store, "beta", mp.beta, [pairs[0], pairs[2], (uniform("beta large", 20, 200, 60), uniform("beta small", 0.1, 8, 60)),
                                      (-uniform("beta below 0", 0, 60, 40), uniform("beta beside", -40, 90, 40)), BESIDE_POLES], 128, own=beta_beside_poles, digits=60)
    function(store, "binom", mp.binomial, [(uniform("n", 0, 40, 120), uniform("k", 0, 20, 120)), (np.floor(uniform("n whole", 0, 60, 80)), np.floor(uniform("k whole", 0, 40, 80))), (uniform("n large", 50, 1000, 60), uniform("k large", 1, 49, 60)), WIDE], 192,
             own=lambda n, k: at_all(mp.binomial)(n, k) if (n < 0 and n % 1) or k < 0 or abs(n) > 1e9 or abs(k) > 500 else None, digits=60)
    function(store, "poch", mp.rf, [(uniform("x", 0.1, 30, 120), uniform("m", 0, 20, 120)), (uniform("x", -10, 10, 60), np.floor(uniform("m whole", 0, 8, 60))), (uniform("x large", 50, 500, 40), uniform("m small", 0.5, 20, 40)), WIDE], 128,
             own=lambda x, m: at_all(mp.rf)(x, m) if m < 0 or abs(x) > 1e9 or m > 500 or (x < 0 and m % 1) else None, digits=60)
    function(store, "rgamma", mp.rgamma, [(x,) for x in (uniform("rgamma", -20, 40, 150), uniform("rgamma large", 100, 170, 40), logarithmic("rgamma", 1e-8, 1, 30), SPECIAL)], 4,
             own=lambda x: 0.0 if x in (-1.0, -2.0) else None)
    function(store, "gammasgn", lambda x: mp.sign(mp.gamma(x)), [(uniform("gammasgn", -30, 30, 100),), (SPECIAL,)], 0)
