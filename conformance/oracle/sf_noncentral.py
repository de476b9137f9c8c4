"""Cases of noncentral distributions and of Smirnov's statistic."""

import numpy as np
import scipy.special
from mpmath import mp

from sf import function, logarithmic, uniform
from store import allclose


def weighted(mean, lower, step, top):
    """Poisson's weights times probabilities that rise as k falls: `lower(top)`, and `step(k)` is what that of k has more than that of k + 1."""
    weight = mp.exp(-mean) * mean**top / mp.factorial(top)
    part, total = lower(top), mp.mpf(0)
    for k in range(top, -1, -1):
        total += weight * part
        if k:
            part += step(k - 1)
            weight *= k / mean
    return total


def top_of(mean):
    return int(mean + 14 * mp.sqrt(mean) + 60)


def chi(x, df, nc):
    x, s, mean = x / 2, df / 2, nc / 2
    with mp.workdps(mp.dps + 40):
        return weighted(mean, lambda k: mp.gammainc(s + k, 0, x, regularized=True), lambda k: mp.exp((s + k) * mp.log(x) - x - mp.loggamma(s + k + 1)), top_of(mean))


def beta_sum(s, t, mean, y):
    def step(k):
        p = s + k
        return mp.exp(p * mp.log(y) + t * mp.log(1 - y) + mp.loggamma(p + t) - mp.loggamma(p + 1) - mp.loggamma(t))

    return weighted(mean, lambda k: mp.betainc(s + k, t, 0, y, regularized=True), step, top_of(mean))


def noncentral_f(dfn, dfd, nc, f):
    with mp.workdps(mp.dps + 40):
        return beta_sum(dfn / 2, dfd / 2, nc / 2, dfn * f / (dfn * f + dfd))


def noncentral_t(df, nc, t):
    if t < 0:
        with mp.workdps(mp.dps + 60):
            return 1 - noncentral_t(df, -nc, -t)
    with mp.workdps(mp.dps + 60):
        mean, y, s = nc * nc / 2, t * t / (df + t * t), df / 2
        even = beta_sum(mp.mpf(1) / 2, s, mean, y)
        top = top_of(mean)
        weight = mp.exp(-mean) * mean**top / mp.gamma(top + mp.mpf(3) / 2) * nc / mp.sqrt(2)
        part, odd = mp.betainc(top + 1, s, 0, y, regularized=True), mp.mpf(0)
        for k in range(top, -1, -1):
            odd += weight * part
            part += mp.exp(k * mp.log(y) + s * mp.log(1 - y) + mp.loggamma(k + s) - mp.loggamma(k + 1) - mp.loggamma(s)) if k else 0
            weight *= (k + mp.mpf(1) / 2) / mean
        return mp.ncdf(-nc) + (even + odd) / 2


def beside_one(df, nc, t):
    """The value where SciPy has none, though there is one."""
    if np.isfinite(scipy.special.nctdtr(df, nc, t)):
        return None
    return float(noncentral_t(*map(mp.mpf, (df, nc, t))))


def smirnov(n, d):
    n = int(n)
    return d * mp.fsum(mp.binomial(n, j) * (d + mp.mpf(j) / n) ** (j - 1) * (1 - d - mp.mpf(j) / n) ** (n - j) for j in range(int(mp.floor(n * (1 - d))) + 1))


def cases(store):
    df, nc = uniform("noncentral df", 0.5, 40, 60), logarithmic("noncentral nc", 0.01, 200, 60)
    x = (df + nc) * logarithmic("noncentral x", 0.1, 4, 60)
    ends = tuple(map(np.array, ([0.0, np.inf, -1.0, np.nan, 1.0], [1.0, 1, 1, 1, -1], [1.0, 1, 1, 1, 1])))
    function(store, "chndtr", chi, [(x[:30], df[:30], nc[:30]), (x[:6], df[:6], 0.5), ends], 512, digits=30)
    dfd, f = uniform("noncentral dfd", 1, 40, 60), logarithmic("noncentral f", 0.1, 20, 60)
    function(store, "ncfdtr", noncentral_f, [(df[:16], dfd[:16], nc[:16], f[:16])], 512, digits=30)
    delta, t = uniform("noncentral delta", -6, 6, 60), uniform("noncentral t", -8, 8, 60)
    # Of t and δ with two signs both parts of the sum cancel.
    function(store, "nctdtr", noncentral_t, [(df[:16], delta[:16], t[:16]), (df[:3], 30.0, 30 + 3 * t[:3])], 32, own=beside_one, digits=30, absolute=1e-15)
    n, d = np.floor(logarithmic("smirnov n", 1, 200, 80)), uniform("smirnov d", 0, 1, 80)
    ends = (np.array([3.0, 3, 3, -1, 3]), np.array([0.0, 1, 2, 0.5, np.nan]))
    function(store, "smirnov", smirnov, [(n, d), (n, d / np.sqrt(n)), (np.array([400.0, 1000.0]), np.array([0.03, 0.05])), ends], 512, digits=40)
    p = np.concatenate([uniform("noncentral level", 0.001, 0.999, 40)])
    for name, operands in {
        "chndtrix": (p, df[:40], nc[:40]), "ncfdtri": (df[:40], dfd[:40], nc[:40], p), "nctdtrit": (df[:40], delta[:40], p), "smirnovi": (n[:40], p),
    }.items():
        expected = getattr(scipy.special, name)(*operands)
        store.add(f"special/{name}/float64", f"sp.special.{name}", list(operands), expected=expected, tolerance=allclose(1e-10, 1e-13))
