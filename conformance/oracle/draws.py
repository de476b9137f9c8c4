"""np.random: what is drawn has the distribution that SciPy says, and what is refused is what NumPy refuses.

Values are ndany's own, so a case holds its distribution instead: points and the probabilities of not exceeding them, by
which the judge compares the whole sample. That they are the same on every device is what two devices side by side show.
"""

import numpy as np
from scipy import special, stats

SEED = 20240607
SIZE = 5_000
LEVELS = np.array([1e-3, 3e-3, 0.01, 0.02, 0.04, *np.arange(0.07, 0.94, 0.03), 0.96, 0.98, 0.99, 0.997, 0.999])
POINTS = 48


def table(distribution):
    """Points and the probabilities of values up to them."""
    if isinstance(distribution, np.ndarray):
        return distribution
    if isinstance(distribution.dist, stats.rv_discrete):
        low, high = (int(distribution.ppf(q)) for q in (1e-4, 1 - 1e-4))
        x = np.unique(np.linspace(low, min(high, 2**62), POINTS).astype(np.int64)) if high - low < 1000 else \
            np.unique(distribution.ppf(LEVELS).astype(np.int64))
        x = x.astype(float)
    else:
        x = np.unique(distribution.ppf(LEVELS))
    return np.array([x, distribution.cdf(x)])


def zipf(a):
    """SciPy's own would add up all terms one by one."""
    x = np.unique(np.geomspace(1, 10 ** min(15, 3.3 / (a - 1)), POINTS).astype(np.int64)).astype(float)
    return np.array([x, 1 - special.zeta(a, x + 1) / special.zeta(a)])


def wrapped(mu, kappa):
    """The von Mises distribution about mu, from -pi to pi."""
    x = np.linspace(-np.pi, np.pi, POINTS + 2)[1:-1]
    cdf = stats.vonmises(kappa).cdf
    return np.array([x, cdf(x - mu) - cdf(-np.pi - mu)])


def held(shape, dtype="float64", column=None):
    tolerance = {"kind": "distribution", "dtype": dtype, "shape": list(shape)}
    return tolerance if column is None else {**tolerance, "column": column}


# Name, parameters, their distribution, and the dtype of the values where it is not float64. The first of a name is drawn
# by its old function, too.
DRAWS = [
    ("beta", (2.0, 3.0), stats.beta), ("beta", (0.5, 0.5), stats.beta), ("beta", (0.05, 0.2), stats.beta), ("beta", (300.0, 4000.0), stats.beta),
    ("binomial", (20, 0.3), stats.binom), ("binomial", (1000, 0.4), stats.binom), ("binomial", (10**7, 0.7), stats.binom),
    ("binomial", (10**6, 1e-6), stats.binom), ("binomial", (50, 0.999), stats.binom), ("binomial", (40, 0.5), stats.binom),
    ("chisquare", (3.0,), stats.chi2), ("chisquare", (0.3,), stats.chi2), ("chisquare", (1e4,), stats.chi2),
    ("exponential", (2.0,), lambda scale: stats.expon(scale=scale)),
    ("f", (5.0, 7.0), stats.f), ("f", (0.8, 40.0), stats.f),
    ("gamma", (2.5, 3.0), lambda k, scale: stats.gamma(k, scale=scale)), ("gamma", (0.1, 1.0), lambda k, scale: stats.gamma(k)),
    ("gamma", (1e6, 1.0), lambda k, scale: stats.gamma(k)),
    ("geometric", (0.2,), stats.geom), ("geometric", (1e-4,), stats.geom),
    ("gumbel", (1.0, 2.0), stats.gumbel_r),
    ("hypergeometric", (30, 20, 10), lambda g, b, s: stats.hypergeom(g + b, g, s)),
    ("hypergeometric", (300, 500, 200), lambda g, b, s: stats.hypergeom(g + b, g, s)),
    ("hypergeometric", (500, 300, 700), lambda g, b, s: stats.hypergeom(g + b, g, s)),
    ("hypergeometric", (10**6, 10**6, 10**5), lambda g, b, s: stats.hypergeom(g + b, g, s)),
    ("hypergeometric", (40, 30, 25), lambda g, b, s: stats.hypergeom(g + b, g, s)),
    ("laplace", (0.0, 2.0), stats.laplace), ("logistic", (1.0, 2.0), stats.logistic),
    ("lognormal", (0.5, 0.75), lambda mean, sigma: stats.lognorm(sigma, scale=np.exp(mean))),
    ("logseries", (0.6,), stats.logser), ("logseries", (0.99,), stats.logser),
    ("negative_binomial", (3.0, 0.4), stats.nbinom), ("negative_binomial", (0.3, 0.01), stats.nbinom), ("negative_binomial", (100, 0.9), stats.nbinom),
    ("noncentral_chisquare", (3.0, 2.0), stats.ncx2), ("noncentral_chisquare", (0.5, 30.0), stats.ncx2),
    ("noncentral_f", (4.0, 9.0, 3.0), stats.ncf),
    ("normal", (1.0, 2.0), stats.norm), ("pareto", (3.0,), stats.lomax),
    ("poisson", (4.0,), stats.poisson), ("poisson", (0.01,), stats.poisson), ("poisson", (9.99,), stats.poisson),
    ("poisson", (10.0,), stats.poisson), ("poisson", (123.4,), stats.poisson), ("poisson", (1e9,), stats.poisson),
    ("power", (2.5,), stats.powerlaw), ("rayleigh", (2.0,), lambda scale: stats.rayleigh(scale=scale)),
    ("standard_gamma", (1.5,), stats.gamma), ("standard_gamma", (0.01,), stats.gamma),
    ("standard_t", (3.0,), stats.t), ("standard_t", (0.7,), stats.t), ("standard_t", (200.0,), stats.t),
    ("triangular", (-1.0, 0.5, 3.0), lambda left, mode, right: stats.triang((mode - left) / (right - left), left, right - left)),
    ("uniform", (-2.0, 3.0), lambda low, high: stats.uniform(low, high - low)),
    ("vonmises", (0.0, 4.0), wrapped), ("vonmises", (1.0, 0.5), wrapped), ("vonmises", (-3.0, 30.0), wrapped), ("vonmises", (0.5, 0.0), wrapped),
    ("wald", (1.5, 2.0), lambda mean, scale: stats.invgauss(mean / scale, scale=scale)),
    ("wald", (0.01, 50.0), lambda mean, scale: stats.invgauss(mean / scale, scale=scale)),
    ("weibull", (1.5,), stats.weibull_min), ("zipf", (2.5,), zipf), ("zipf", (1.3,), zipf), ("zipf", (6.0,), zipf),
]
COUNTS = {"binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson", "zipf"}
STANDARD = {"standard_cauchy": stats.cauchy(), "standard_exponential": stats.expon(), "standard_normal": stats.norm(), "random": stats.uniform()}


def cases(store):
    seen = set()
    for name, parameters, distribution in DRAWS:
        dtype = "int64" if name in COUNTS else "float64"
        found = distribution(*parameters)
        expected = table(found)
        label = ",".join(str(p) for p in parameters)
        store.add(f"draws/np.random.Generator.{name}/{label}", f"np.random.Generator.{name}", [SEED, *parameters], {"size": SIZE},
                  expected=expected, tolerance=held([SIZE], dtype))
        if name not in seen:
            seen.add(name)
            store.add(f"draws/np.random.{name}", f"np.random.{name}", [*parameters, (SIZE // 4, 2)],
                      expected=expected, tolerance=held([SIZE // 4, 2], dtype))
    for name, distribution in STANDARD.items():
        for op, args in ((f"np.random.Generator.{name}", [SEED]), (f"np.random.{name}", [])):
            store.add(f"draws/{op}", op, args, {"size": SIZE}, expected=table(distribution), tolerance=held([SIZE]))
        store.add(f"draws/np.random.Generator.{name}/float32", f"np.random.Generator.{name}", [SEED], {"size": SIZE, "dtype": np.float32},
                  expected=table(distribution), tolerance=held([SIZE], "float32"))
    store.add("draws/np.random.Generator.standard_gamma/float32", "np.random.Generator.standard_gamma", [SEED, 0.75],
              {"size": SIZE, "dtype": np.float32}, expected=table(stats.gamma(0.75)), tolerance=held([SIZE], "float32"))
    arrays(store)
    together(store)
    integers(store)
    orders(store)
    refused(store)


def arrays(store):
    """Parameters that broadcast: a column each, of one axis or crossed."""
    def columns(name, args, distributions, dtype, count=SIZE):
        for column, distribution in enumerate(distributions):
            store.add(f"draws/np.random.Generator.{name}/array/{column}", f"np.random.Generator.{name}", [SEED, *args],
                      {"size": (count, len(distributions))}, expected=table(distribution), tolerance=held([count, len(distributions)], dtype, column))

    means = np.array([0.5, 8.0, 30.0, 1e5])
    columns("poisson", [means], [stats.poisson(mean) for mean in means], "int64")
    shapes = np.array([0.2, 1.0, 40.0])
    columns("gamma", [shapes, 2.0], [stats.gamma(k, scale=2.0) for k in shapes], "float64")
    columns("beta", [shapes, 0.5], [stats.beta(k, 0.5) for k in shapes], "float64")
    trials, chances = np.array([10, 400, 10**5]), np.array([0.9, 0.25, 0.6])
    columns("binomial", [trials, chances], [stats.binom(n, p) for n, p in zip(trials, chances)], "int64")
    good = np.array([5, 900])
    columns("hypergeometric", [good, 1000, 500], [stats.hypergeom(g + 1000, g, 500) for g in good], "int64")
    columns("normal", [np.array([0.0, 5.0]), np.array([1.0, 0.5])], [stats.norm(0, 1), stats.norm(5, 0.5)], "float64")
    exponents = np.array([1.5, 4.0], np.float32)
    columns("zipf", [exponents], [zipf(float(a)) for a in exponents], "int64")
    # The shape is what the parameters broadcast to.
    store.add("draws/np.random.Generator.exponential/array", "np.random.Generator.exponential", [SEED, np.full((40, 50), 2.0)],
              expected=table(stats.expon(scale=2.0)), tolerance=held([40, 50]))
    store.add("draws/np.random.Generator.poisson/crossed", "np.random.Generator.poisson", [SEED, np.full((40, 1), 12.0) + np.zeros(50)],
              expected=table(stats.poisson(12.0)), tolerance=held([40, 50], "int64"))


def together(store):
    def columns(name, args, distributions, dtype, many=None):
        shape = [SIZE // 2, many or len(distributions)]
        for column, distribution in enumerate(distributions):
            for op, first in ((f"np.random.Generator.{name}", [SEED]), (f"np.random.{name}", [])):
                if first or hasattr(np.random, name):
                    store.add(f"draws/{op}/{column}", op, [*first, *args], {"size": SIZE // 2}, expected=table(distribution),
                              tolerance=held(shape, dtype, column))

    alpha = np.array([0.1, 1.0, 2.5])
    columns("dirichlet", [alpha], [stats.beta(a, alpha.sum() - a) for a in alpha], "float64")
    p = np.array([0.1, 0.0, 0.5, 0.3, 0.1])
    columns("multinomial", [200, p], [stats.binom(200, q) for q in p if q > 0][:1] , "int64", many=5)
    for column in (2, 4):
        store.add(f"draws/np.random.Generator.multinomial/{column}", "np.random.Generator.multinomial", [SEED, 200, p], {"size": SIZE // 2},
                  expected=table(stats.binom(200, p[column])), tolerance=held([SIZE // 2, 5], "int64", column))
    colors = np.array([16, 80, 200])
    columns("multivariate_hypergeometric", [colors, 120], [stats.hypergeom(296, c, 120) for c in colors], "int64")
    mean, covariance = np.array([1.0, -2.0, 0.0]), np.array([[4.0, 1.2, 0.5], [1.2, 1.0, 0.3], [0.5, 0.3, 2.0]])
    columns("multivariate_normal", [mean, covariance], [stats.norm(m, c**0.5) for m, c in zip(mean, np.diag(covariance))], "float64")


def integers(store):
    generator, old = "np.random.Generator.integers", "np.random.randint"
    for dtype in ("int8", "uint16", "int32", "uint32", "int64", "uint64"):
        expected = table(stats.randint(3, 100))
        store.add(f"draws/{generator}/{dtype}", generator, [SEED, 3, 100], {"size": SIZE, "dtype": np.dtype(dtype)}, expected=expected,
                  tolerance=held([SIZE], dtype))
    store.add(f"draws/{generator}/endpoint", generator, [SEED, 6], {"size": SIZE, "endpoint": True}, expected=table(stats.randint(0, 7)),
              tolerance=held([SIZE], "int64"))
    store.add(f"draws/{generator}/large", generator, [SEED, 3 << 61], {"size": SIZE}, expected=table(stats.randint(0, 3 << 61)),
              tolerance=held([SIZE], "int64"))
    low, high = np.array([0, -5]), np.array([3, 1000])
    for column in range(2):
        store.add(f"draws/{generator}/array/{column}", generator, [SEED, low, high], {"size": (SIZE, 2)},
                  expected=table(stats.randint(low[column], high[column])), tolerance=held([SIZE, 2], "int64", column))
    store.add(f"draws/{generator}/array/endpoint", generator, [SEED, np.zeros(1, np.uint8), np.full(1, 255, np.uint8)],
              {"size": SIZE, "dtype": np.dtype("uint8"), "endpoint": True}, expected=table(stats.randint(0, 256)), tolerance=held([SIZE], "uint8"))
    store.add(f"draws/{old}", old, [-3, 9, SIZE], expected=table(stats.randint(-3, 9)), tolerance=held([SIZE], "int64"))
    store.add("draws/np.random.random_integers", "np.random.random_integers", [6, None, SIZE], expected=table(stats.randint(1, 7)),
              tolerance=held([SIZE], "int64"))
    for op, args in (("np.random.rand", [100, 50]), ("np.random.random_sample", [(100, 50)]), ("np.random.ranf", [(100, 50)]), ("np.random.sample", [(100, 50)])):
        store.add(f"draws/{op}", op, args, expected=table(stats.uniform()), tolerance=held([100, 50]))
    store.add("draws/np.random.randn", "np.random.randn", [100, 50], expected=table(stats.norm()), tolerance=held([100, 50]))
    for op, args in (("np.random.bytes", [SIZE]), ("np.random.Generator.bytes", [SEED, SIZE])):
        store.add(f"draws/{op}", op, args, expected=table(stats.randint(0, 256)), tolerance=held([SIZE], "uint8"))


def orders(store):
    reordered = {"kind": "reordered"}
    values = np.array([3.5, -1.0, 7.25, 0.0, 2.0, 9.0, 4.0])
    rows = np.arange(12).reshape(4, 3)
    for op, first in (("np.random.Generator", [SEED]), ("np.random", [])):
        store.add(f"draws/{op}.permutation/count", f"{op}.permutation", [*first, 100], expected=np.arange(100), tolerance=reordered)
        store.add(f"draws/{op}.permutation/array", f"{op}.permutation", [*first, values], expected=values, tolerance=reordered)
        store.add(f"draws/{op}.permutation/rows", f"{op}.permutation", [*first, rows], expected=rows, tolerance=reordered)
        store.add(f"draws/{op}.shuffle", f"{op}.shuffle", [*first, values], expected=values, tolerance=reordered)
        store.add(f"draws/{op}.choice/all", f"{op}.choice", [*first, values, 7], {"replace": False}, expected=values, tolerance=reordered)
        store.add(f"draws/{op}.choice/count", f"{op}.choice", [*first, 10, SIZE], expected=table(stats.randint(0, 10)), tolerance=held([SIZE], "int64"))
        store.add(f"draws/{op}.choice/few", f"{op}.choice", [*first, 10**12, SIZE], {"replace": False},
                  expected=table(stats.uniform(0, 1e12)), tolerance=held([SIZE], "int64"))
        p = np.array([0.1, 0.0, 0.6, 0.3])
        weighted = stats.rv_discrete(values=(np.arange(4), p))()
        store.add(f"draws/{op}.choice/p", f"{op}.choice", [*first, 4, (SIZE // 2, 2)], {"p": p}, expected=np.array([np.arange(4.0), weighted.cdf(np.arange(4))]),
                  tolerance=held([SIZE // 2, 2], "int64"))
    store.add("draws/np.random.Generator.choice/axis", "np.random.Generator.choice", [SEED, rows, 3], {"axis": 1, "replace": False, "shuffle": False},
              expected=rows, tolerance=reordered)
    for label, axis in (("all", None), ("0", 0), ("1", 1)):
        store.add(f"draws/np.random.Generator.permuted/{label}", "np.random.Generator.permuted", [SEED, rows], {"axis": axis}, expected=rows, tolerance=reordered)


def refused(store):
    bad = {
        "beta": [(-1.0, 2.0), (1.0, 0.0), (np.array([1.0, -1.0]), 2.0)], "binomial": [(-1, 0.5), (5, 1.5), (5, np.nan), (np.array([3, -2]), 0.5)],
        "chisquare": [(0.0,), (np.array([0.0]),)], "exponential": [(-1.0,), (np.array([2.0, -0.5]),)], "f": [(0.0, 1.0), (1.0, -1.0)],
        "gamma": [(-0.5,), (1.0, -1.0), (np.array([1.0, -1.0]),)], "geometric": [(0.0,), (1.5,), (np.array([0.5, 0.0]),)], "gumbel": [(0.0, -1.0)],
        "hypergeometric": [(-1, 2, 1), (3, 4, 8), (np.array([3, 1]), 2, 4)], "laplace": [(0.0, -1.0)], "logistic": [(0.0, -1.0)],
        "lognormal": [(0.0, -1.0)], "logseries": [(1.5,), (-0.1,), (np.array([0.5, 2.0]),)], "multinomial": [(5, np.array([0.9, 0.9, 0.1])), (-1, np.array([0.5, 0.5]))],
        "multivariate_normal": [(np.zeros(3), np.eye(2)), (np.zeros((1, 2)), np.eye(2))], "negative_binomial": [(-1.0, 0.5), (1.0, 1.5)],
        "noncentral_chisquare": [(0.0, 1.0), (1.0, -1.0)], "noncentral_f": [(0.0, 1.0, 1.0), (1.0, 1.0, -1.0)], "normal": [(0.0, -1.0), (0.0, np.array([1.0, -1.0]))],
        "pareto": [(0.0,)], "poisson": [(-1.0,), (np.nan,), (1e20,), (np.array([1.0, -1.0]),)], "power": [(0.0,)], "rayleigh": [(-1.0,)],
        "standard_gamma": [(-1.0,)], "standard_t": [(0.0,)], "triangular": [(0.0, 3.0, 2.0), (1.0, 1.0, 1.0), (2.0, 1.0, 3.0)],
        "vonmises": [(0.0, -1.0)], "wald": [(0.0, 1.0), (1.0, 0.0)], "weibull": [(-1.0,)], "zipf": [(1.0,), (np.array([2.0, 0.5]),)],
        "dirichlet": [(np.array([1.0, -1.0]),)], "choice": [(0, 3), (3, 4, False), (3, 2, True, np.array([0.5, 0.2, 0.1])), (3, 2, True, np.array([0.5, 0.5]))],
        "randint": [(5, 5), (7, 3), (np.array([1, 5]), 4)], "seed": [(-1,)],
    }
    for name, several in bad.items():
        for number, parameters in enumerate(several):
            store.add(f"draws/bad/np.random.{name}/{number}", f"np.random.{name}", list(parameters))
    store.add("draws/bad/np.random.poisson/size", "np.random.poisson", [np.ones(3)], {"size": 2})
    store.add("draws/bad/np.random.normal/size", "np.random.normal", [np.ones(3), 1.0], {"size": 2})
    store.add("draws/bad/np.random.gamma/shapes", "np.random.gamma", [np.ones(3), np.ones(2)])
