"""Cases of nodes and weights of Gauss's rules, of Bernoulli's and of Euler's numbers."""

import mpmath
import numpy as np
from mpmath import mp, mpf

import exact
from store import allclose


def legendre(parameters):
    return lambda k: mpf(0), lambda k: mpf(k * k) / (4 * k * k - 1), mpf(2)


def hermite(parameters):
    return lambda k: mpf(0), lambda k: mpf(k) / 2, mp.sqrt(mp.pi)


def hermitenorm(parameters):
    return lambda k: mpf(0), lambda k: mpf(k), mp.sqrt(2 * mp.pi)


def laguerre(parameters):
    a = mpf(parameters[0]) if parameters else mpf(0)
    return lambda k: 2 * k + 1 + a, lambda k: k * (k + a), mp.gamma(a + 1)


def jacobi(parameters):
    a, b = map(mpf, parameters)

    def diagonal(k):
        return (b - a) / (a + b + 2) if k == 0 else (b * b - a * a) / ((2 * k + a + b) * (2 * k + a + b + 2))

    def square(k):
        if k == 1:
            return 4 * (1 + a) * (1 + b) / ((2 + a + b) ** 2 * (3 + a + b))
        return 4 * k * (k + a) * (k + b) * (k + a + b) / ((2 * k + a + b) ** 2 * (2 * k + a + b + 1) * (2 * k + a + b - 1))

    return diagonal, square, mpf(2) ** (a + b + 1) * mp.beta(a + 1, b + 1)


def rule(family, n, parameters):
    """Nodes and weights, by Newton's steps from NumPy's eigenvalues on the monic polynomials."""
    diagonal, square, total = family(parameters)
    a, b = [diagonal(k) for k in range(n)], [square(k) for k in range(1, n)]
    matrix = np.diag([float(x) for x in a]) + sum((np.diag([float(mp.sqrt(x)) for x in b], side) for side in (1, -1)), np.zeros((n, n)))
    nodes, weights = [], []
    for x in map(mpf, np.linalg.eigvalsh(matrix)):
        for _ in range(8):
            below, value, slope_below, slope, total_square, norm = mpf(0), mpf(1), mpf(0), mpf(0), mpf(0), mpf(1)
            for k in range(n):
                total_square += value * value / norm
                left = b[k - 1] if k else mpf(0)
                below, value, slope_below, slope = value, (x - a[k]) * value - left * below, slope, value + (x - a[k]) * slope - left * slope_below
                norm *= b[k] if k < n - 1 else 1
            step = value / slope
            x -= step
            if abs(step) < mpf(10) ** -30:
                break
        nodes.append(mpf(0) if abs(x) < mpf(10) ** -25 else x)
        weights.append(total / total_square)
    return nodes, weights


def half(x):
    return (x + 1) / 2


# Of each rule: what it is made of, its parameters, and how nodes and weights are changed.
RULES = {
    "legendre": (legendre, lambda p: p, None),
    "hermite": (hermite, lambda p: p, None),
    "hermitenorm": (hermitenorm, lambda p: p, None),
    "laguerre": (laguerre, lambda p: p, None),
    "genlaguerre": (laguerre, lambda p: p, None),
    "jacobi": (jacobi, lambda p: p, None),
    "gegenbauer": (jacobi, lambda p: (p[0] - 0.5, p[0] - 0.5), None),
    "chebyt": (jacobi, lambda p: (-0.5, -0.5), None),
    "chebyu": (jacobi, lambda p: (0.5, 0.5), None),
    "chebyc": (jacobi, lambda p: (-0.5, -0.5), (lambda x: 2 * x, lambda p: 2)),
    "chebys": (jacobi, lambda p: (0.5, 0.5), (lambda x: 2 * x, lambda p: 2)),
    "sh_legendre": (legendre, lambda p: p, (half, lambda p: mpf("0.5"))),
    "sh_chebyt": (jacobi, lambda p: (-0.5, -0.5), (half, lambda p: 1)),
    "sh_chebyu": (jacobi, lambda p: (0.5, 0.5), (half, lambda p: mpf("0.25"))),
    "sh_jacobi": (jacobi, lambda p: (p[0] - p[1], p[1] - 1), (half, lambda p: mpf(2) ** -mpf(p[0]))),
}
PARAMETERS = {"genlaguerre": [(0.5,), (-0.25,)], "gegenbauer": [(0.75,), (2.0,)], "jacobi": [(0.5, 1.5), (-0.25, 0.0)], "sh_jacobi": [(2.0, 1.5)]}


def array(values):
    return np.array([exact.round_fraction(exact.fraction_of(mpf(x)), "float64") for x in values])


def cases(store):
    with mpmath.workdps(50):
        for name, (family, own, change) in RULES.items():
            for parameters in PARAMETERS.get(name, [()]):
                for n in (1, 2, 5, 24):
                    nodes, weights = rule(family, n, own(parameters))
                    if change:
                        nodes, weights = [change[0](x) for x in nodes], [w * change[1](parameters) for w in weights]
                    label = "/".join(map(str, (name, *parameters, n)))
                    # The total weight comes from functions of some units' error.
                    store.add(f"special/roots_{label}", f"sp.special.roots_{name}", [n, *parameters],
                              expected=[array(nodes), array(weights)], tolerance=allclose(16 * 2.0**-52, 2.0**-53))
        for name, evaluate, most in (("bernoulli", mp.bernoulli, 200), ("euler", mp.eulernum, 150)):
            store.add(f"special/{name}", f"sp.special.{name}", [most], expected=array(map(evaluate, range(most + 1))), tolerance=allclose(2 * 2.0**-52, 0.0))
