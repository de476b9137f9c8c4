"""Cases of distributions: SciPy's values, which a probability of f64 has to 1e-10 and better."""

import mpmath
import numpy as np
import scipy.special
import scipy.stats

from sf import uniform
from store import allclose

#: Family: shape parameters, and points of the variable.
CONTINUOUS = {
    "norm": ((), (-8, 8)), "uniform": ((), (-0.5, 1.5)), "expon": ((), (-1, 20)), "t": (([0.7, 3.0, 40.0],), (-8, 8)),
    "chi2": (([0.7, 3.0, 40.0],), (-1, 60)), "gamma": (([0.3, 2.5, 60.0],), (-1, 80)), "beta": (([0.5, 2.0, 20.0], [0.7, 3.0, 8.0]), (-0.2, 1.2)),
    "f": (([1.0, 5.0, 20.0], [3.0, 9.0, 30.0]), (-1, 8)), "lognorm": (([0.2, 1.0, 2.0],), (-1, 8)), "laplace": ((), (-8, 8)),
    "logistic": ((), (-20, 20)), "cauchy": ((), (-20, 20)), "pareto": (([1.5, 3.0, 10.0],), (0.5, 8)), "weibull_min": (([0.7, 2.0, 5.0],), (-1, 4)),
    "truncnorm": (([-1.0, 0.5, -3.0], [1.0, 4.0, 0.2]), (-3, 4)), "gumbel_r": ((), (-3, 20)), "gumbel_l": ((), (-20, 3)),
    "gennorm": (([0.8, 2.0, 5.0],), (-4, 4)), "invgamma": (([0.8, 3.0, 10.0],), (-1, 8)), "rayleigh": ((), (-1, 6)), "skewnorm": (([-2.0, 0.5, 4.0],), (-3, 4)), "halfnorm": ((), (-1, 6)),
    "vonmises": (([0.0, 0.5, 4.0, 30.0, 200.0],), (-3.2, 3.2)), "chi": (([0.7, 3.0, 40.0],), (-1, 10)), "maxwell": ((), (-1, 6)), "dgamma": (([0.6, 1.0, 8.0],), (-12, 12)),
    "levy": ((), (-1, 30)), "invgauss": (([0.05, 1.0, 6.0],), (-1, 12)), "exponnorm": (([0.3, 1.0, 5.0],), (-3, 20)), "loguniform": (([0.1, 1.0, 2.0], [0.5, 30.0, 2.5]), (0.05, 12)),
    "triang": (([0.0, 0.3, 1.0],), (-0.2, 1.2)), "halfcauchy": ((), (-1, 20)),
}
DISCRETE = {
    "binom": (([5.0, 20.0, 100.0], [0.3, 0.5, 0.9]), (-2, 102)), "poisson": (([0.5, 4.0, 60.0],), (-2, 90)), "bernoulli": (([0.2, 0.5, 0.9],), (-1, 2)),
    "nbinom": (([2.0, 5.5, 40.0], [0.3, 0.5, 0.9]), (-2, 60)), "geom": (([0.1, 0.5, 0.9],), (-1, 40)), "hypergeom": (([20.0, 100.0, 50.0], [7.0, 40.0, 30.0], [12.0, 20.0, 25.0]), (-1, 26)),
    "betabinom": (([5.0, 20.0, 100.0], [0.5, 2.0, 8.0], [3.0, 0.7, 4.0]), (-2, 102)), "randint": (([-3.0, 0.0, 5.0], [4.0, 1.0, 40.0]), (-5, 42)), "zipf": (([3.2, 5.5, 12.0],), (-1, 30)),
    "logser": (([0.1, 0.5, 0.95],), (-1, 40)), "dlaplace": (([0.2, 1.0, 2.0],), (-5, 5)), "planck": (([0.1, 1.0, 3.0],), (-1, 30)), "boltzmann": (([0.1, 1.0, 0.4], [5.0, 20.0, 12.0]), (-1, 21)),
}
LEVELS = np.array([0.0, 1.0, 1e-10, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.95, 0.999, -0.5, np.nan])


class VonMises:
    """The von Mises distribution by its Fourier series in 70 digits: SciPy's is that of a normal variable where kappa is large."""

    ratios = {}

    def __init__(self, method):
        self.method = method

    def __call__(self, *operands):
        with mpmath.workdps(70):
            return np.nan if np.isnan(operands[0]) else float(getattr(self, self.method)(*operands))

    def harmonics(self, kappa):
        """I_p(kappa)/I_0(kappa) of p = 1, 2, ..., by backward recurrence."""
        if kappa not in self.ratios:
            count = int(60 + 24 * np.sqrt(kappa) + 0.1 * kappa)
            ratio, all_ratios = mpmath.mpf(0), []
            for p in range(count, 0, -1):
                ratio = kappa / (2 * p + kappa * ratio)
                all_ratios.append(ratio)
            terms, product = [], mpmath.mpf(1)
            for ratio in reversed(all_ratios):
                product *= ratio
                terms.append(product)
            self.ratios[kappa] = terms
        return self.ratios[kappa]

    def tail(self, distance, kappa):
        terms = self.harmonics(kappa)
        series = sum(term * mpmath.sin(p * distance) / p for p, term in enumerate(terms, 1))
        return 0.5 - (distance / 2 + series) / mpmath.pi

    def pdf(self, x, kappa):
        return mpmath.exp(kappa * (mpmath.cos(mpmath.mpf(x)) - 1)) / (2 * mpmath.pi * mpmath.besseli(0, kappa) * mpmath.exp(-mpmath.mpf(kappa)))

    def logpdf(self, x, kappa):
        return mpmath.log(self.pdf(x, kappa))

    def cdf(self, x, kappa):
        if np.isinf(x):
            return float(x > 0)
        turns = np.round(x / (2 * np.pi))
        angle = mpmath.mpf(x) - 2 * mpmath.pi * turns
        tail = self.tail(abs(angle), kappa)
        return turns + (1 - tail if angle > 0 else tail)

    def sf(self, x, kappa):
        return self.cdf(-x, kappa)

    def logcdf(self, x, kappa):
        value = self.cdf(x, kappa)
        return np.nan if value < 0 else mpmath.log(value) if value > 0 else -np.inf

    def logsf(self, x, kappa):
        return self.logcdf(-x, kappa)

    def ppf(self, q, kappa):
        if not 0 <= q <= 1:
            return np.nan
        if q in (0, 0.5, 1):
            return {0: -np.inf, 0.5: 0.0, 1: np.inf}[q]
        part, sign = (mpmath.mpf(q), -1) if q < 0.5 else (1 - mpmath.mpf(q), 1)
        guess = min(max(scipy.stats.vonmises.isf(float(part), kappa), 1e-3), 3.14)
        return sign * mpmath.findroot(lambda d: self.tail(d, kappa) / part - 1, guess)

    def isf(self, q, kappa):
        return -self.ppf(q, kappa)

    def mean(self, kappa):
        return 0

    def median(self, kappa):
        return 0

    def skew(self, kappa):
        return 0

    def var(self, kappa):
        return mpmath.pi**2 / 3 + sum(4 * (-1) ** p * term / p**2 for p, term in enumerate(self.harmonics(kappa), 1))

    def kurtosis(self, kappa):
        fourth = mpmath.pi**4 / 5 + sum((-1) ** p * term * (8 * mpmath.pi**2 / p**2 - mpmath.mpf(48) / p**4) for p, term in enumerate(self.harmonics(kappa), 1))
        return fourth / self.var(kappa) ** 2 - 3

    def entropy(self, kappa):
        bessel = mpmath.besseli(0, kappa)
        return mpmath.log(2 * mpmath.pi * bessel) - kappa * mpmath.besseli(1, kappa) / bessel


def zipf_logsf(k, a):
    return np.log(scipy.special.zeta(a, max(np.floor(k), 0) + 1) / scipy.special.zeta(a, 1))


def zipf_entropy(a):
    return float(-a * mpmath.zeta(a, 1, 1) / mpmath.zeta(a) + mpmath.log(mpmath.zeta(a)))


#: What SciPy has to 1e-5 or worse.
EXACT = {("zipf", "logsf"): zipf_logsf, ("zipf", "entropy"): zipf_entropy}


def cases(store):
    for table in (CONTINUOUS, DISCRETE):
        for name, (shapes, (low, high)) in table.items():
            family(store, name, [np.array(s)[:, None] for s in shapes], low, high, table is DISCRETE)


def family(store, name, shapes, low, high, discrete):
    own = getattr(scipy.stats, name)
    x = uniform(f"stats {name}", low, high, 24)
    # No sum of SciPy's goes as far as 1e300, and its densities are 0 there or NaN.
    far = [1e300] if name not in ("betabinom", "logser", "zipf", "hypergeom", "vonmises") else []
    x = np.concatenate([np.floor(x) if discrete else x, [low + 0.5, np.nan, np.inf, -np.inf, *far]])
    loc, scale = ([2.0], []) if discrete else ([2.0], [3.0])

    def add(method, variable, moved):
        extra = loc + scale if moved else []
        # The tail of the skew normal distribution is a difference, whose error is absolute; von Mises' beyond the middle.
        if name in ("skewnorm", "vonmises") and method in ("logcdf", "logsf"):
            variable = variable[~(np.abs((variable - 2) / 3 if moved else variable) > 1)]
        arguments = ([variable] if variable is not None else []) + list(shapes) + extra
        if (name, method) in EXACT or name == "vonmises":
            of = EXACT.get((name, method)) or VonMises(method)
            operands = arguments if not discrete else [a - 2 * moved if n == 0 and variable is not None else a for n, a in enumerate(arguments)]
            operands = operands[:len(operands) - len(extra)]
            if not discrete and moved:
                operands[0] = operands[0] if method in ("ppf", "isf") else (operands[0] - 2) / 3
            expected = np.vectorize(of, otypes=[np.float64])(*operands)
            if moved and method in ("pdf", "logpdf", "ppf", "isf"):
                expected = {"pdf": expected / 3, "logpdf": expected - np.log(3)}.get(method, 3 * expected + 2)
        elif variable is None and not arguments:
            expected = np.float64(getattr(own, method)())
        else:
            expected = np.asarray(getattr(own, method)(*arguments), np.float64)
        label = "moved" if moved else "plain"
        store.add(f"stats/{name}/{method}/{label}", f"sp.stats.{name}.{method}", arguments, expected=expected, tolerance=allclose(1e-9, 1e-14))

    density, logarithm = ("pmf", "logpmf") if discrete else ("pdf", "logpdf")
    for method in (density, logarithm, "cdf", "sf", "logcdf", "logsf"):
        # Densities at infinity are 0, where SciPy's may be NaN.
        points = x if method in ("cdf", "sf") else x[x != 1e300]
        if method in (density, logarithm):
            points = points[~np.isinf(points)]
        add(method, points, False)
        add(method, points * (1 if discrete else 3) + 2, True)
    # SciPy has 1e-8 to 1e-7 of an error there.
    levels = LEVELS[LEVELS != 1e-10] if name in ("skewnorm", "f", "exponnorm") else LEVELS
    for method in ("ppf", "isf"):
        add(method, levels, False)
        add(method, levels, True)
    for method in ("mean", "var", "entropy", "median"):
        add(method, None, False)
    for method, key in (("skew", "s"), ("kurtosis", "k")):
        if name == "vonmises":
            expected = np.vectorize(VonMises(method))(*shapes)
        else:
            expected = np.asarray(own.stats(*shapes, moments=key), np.float64)
        # A fourth moment is a difference of large numbers, here and there.
        store.add(f"stats/{name}/{method}/plain", f"sp.stats.{name}.{method}", list(shapes), expected=expected, tolerance=allclose(1e-7, 1e-9))
