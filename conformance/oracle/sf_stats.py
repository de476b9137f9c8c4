"""Cases of distributions: SciPy's values, which a probability of f64 has to 1e-10 and better."""

import numpy as np
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
}
DISCRETE = {
    "binom": (([5.0, 20.0, 100.0], [0.3, 0.5, 0.9]), (-2, 102)), "poisson": (([0.5, 4.0, 60.0],), (-2, 90)), "bernoulli": (([0.2, 0.5, 0.9],), (-1, 2)),
    "nbinom": (([2.0, 5.5, 40.0], [0.3, 0.5, 0.9]), (-2, 60)), "geom": (([0.1, 0.5, 0.9],), (-1, 40)), "hypergeom": (([20.0, 100.0, 50.0], [7.0, 40.0, 30.0], [12.0, 20.0, 25.0]), (-1, 26)),
}
LEVELS = np.array([0.0, 1.0, 1e-10, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.95, 0.999, -0.5, np.nan])


def cases(store):
    for table in (CONTINUOUS, DISCRETE):
        for name, (shapes, (low, high)) in table.items():
            family(store, name, [np.array(s)[:, None] for s in shapes], low, high, table is DISCRETE)


def family(store, name, shapes, low, high, discrete):
    own = getattr(scipy.stats, name)
    x = uniform(f"stats {name}", low, high, 24)
    x = np.concatenate([np.floor(x) if discrete else x, [low + 0.5, np.nan, np.inf, -np.inf]])
    loc, scale = ([2.0], []) if discrete else ([2.0], [3.0])

    def add(method, variable, moved):
        extra = loc + scale if moved else []
        # The tail of the skew normal distribution is a difference, whose error is absolute.
        if name == "skewnorm" and method in ("logcdf", "logsf"):
            variable = variable[~(np.abs((variable - 2) / 3 if moved else variable) > 1)]
        arguments = ([variable] if variable is not None else []) + list(shapes) + extra
        if variable is None and not arguments:
            expected = np.float64(getattr(own, method)())
        else:
            expected = np.asarray(getattr(own, method)(*arguments), np.float64)
        label = "moved" if moved else "plain"
        store.add(f"stats/{name}/{method}/{label}", f"sp.stats.{name}.{method}", arguments, expected=expected, tolerance=allclose(1e-9, 1e-14))

    density, logarithm = ("pmf", "logpmf") if discrete else ("pdf", "logpdf")
    for method in (density, logarithm, "cdf", "sf", "logcdf", "logsf"):
        # Densities at infinity are 0, where SciPy's may be NaN.
        points = x[~np.isinf(x)] if method in (density, logarithm) else x
        add(method, points, False)
        add(method, points * (1 if discrete else 3) + 2, True)
    # SciPy's F has 1e-7 of an error there.
    levels = LEVELS[LEVELS != 1e-10] if name in ("skewnorm", "f") else LEVELS
    for method in ("ppf", "isf"):
        add(method, levels, False)
        add(method, levels, True)
    for method in ("mean", "var", "entropy", "median"):
        add(method, None, False)
    for method, key in (("skew", "s"), ("kurtosis", "k")):
        expected = np.asarray(own.stats(*shapes, moments=key), np.float64)
        # A fourth moment is a difference of large numbers, here and there.
        store.add(f"stats/{name}/{method}/plain", f"sp.stats.{name}.{method}", list(shapes), expected=expected, tolerance=allclose(1e-7, 1e-9))
