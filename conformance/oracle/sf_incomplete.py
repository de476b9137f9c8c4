"""Cases of incomplete gamma and beta functions, and of their inverses."""

import functools

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_lower(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def beta_upper(a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


def tail_over_density(s, t, u):
    """I(s, t, u) over u^s (1 − u)^t / B(s, t): the integral of e^(the change of the density's logarithm) over log(u/(1 − u)) below u."""
    sigma = mp.sqrt(s * t / (s + t))
    width = 1 / (sigma * max(1, abs(s - (s + t) * u) / sigma))
    ends = [-width * step for step in (150, 100, 60, 30, 15, 8, 4, 2, 0)]
    return mp.quad(lambda x: mp.exp(s * x - (s + t) * mp.log1p(u * mp.expm1(x))), ends)


@functools.cache
def large_parts(a, b, x):
    """Both parts of the beta distribution where a and b are large; each of them is a function's."""
    density = mp.exp(a * mp.log(x) + b * mp.log1p(-x) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b))
    if (a + b) * x <= a:
        part = density * tail_over_density(a, b, x)
        return part, 1 - part
    part = density * tail_over_density(b, a, 1 - x)
    return 1 - part, part


def large_points(count):
    """Within four standard deviations of the mean."""
    a, b = (np.rint(logarithmic(f"large beta {of}", 1e6, 1e13, count)) for of in "ab")
    steps = np.linspace(-4, 4, count)
    return a, b, (a + steps * np.sqrt(a / (a + b) * b)) / (a + b)


def gamma_points(name, count):
    a = logarithmic(f"{name} a", 0.02, 300, count)
    return a, a * logarithmic(f"{name} ratio", 0.02, 8, count)


# A part of the gamma distribution that is below 1e-100 has the rounding of its exponent in all its digits, as SciPy's has: so the bound is wide.
def cases(store):
    near = logarithmic("near a", 20, 3000, 80)
    edges = np.array([20.0, np.nextafter(20, 21), 30.0, 100.0])
    points = [gamma_points("gammainc", 220), (near, near * (1 + uniform("near", -0.2, 0.2, 80))),
              (edges[:, None], edges[:, None] * np.array([0.3, 2.35, 1.0, np.nextafter(0.3, 1), np.nextafter(2.35, 3)])),
              (uniform("small a", 0.01, 3, 80), uniform("small x", 0.001, 1.2, 80)),
              (np.array([0.0, 1.0, 0.0, np.inf, 2.0, np.nan, -1.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.0, 1.0, np.inf, 1.0, 1.0, -1.0, np.nan]))]
    function(store, "gammainc", lower, points, 4096, digits=60)
    function(store, "gammaincc", upper, points, 4096, digits=60)
    beta_points = [(logarithmic("beta a", 0.1, 100, 200), logarithmic("beta b", 0.1, 100, 200), uniform("beta x", 0.001, 0.999, 200)),
                   (logarithmic("beta A", 10, 2000, 60), logarithmic("beta B", 10, 2000, 60), uniform("beta X", 0.05, 0.95, 60)),
                   (np.array([1.0, 1.0, 2.0, -1.0, 2.0, np.nan]), np.array([1.0, 2.0, 3.0, 1.0, 2.0, 1.0]), np.array([0.0, 1.0, 0.5, 0.5, 1.5, 0.5]))]
    function(store, "betainc", beta_lower, beta_points, 4, digits=60)
    function(store, "betaincc", beta_upper, beta_points, 1, digits=60)
    large = [large_points(96)]
    function(store, "betainc", lambda *x: large_parts(*x)[0], large, 8, digits=60, note="large")
    function(store, "betaincc", lambda *x: large_parts(*x)[1], large, 8, digits=60, note="large")
