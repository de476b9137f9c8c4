"""Cases of factorials, combinations and permutations."""

import numpy as np
from mpmath import mp, mpf

from sf import function, uniform


def factorialk(n, k):
    n, k = int(n), int(k)
    return mpf(0) if n < 0 else mp.fprod(range(n, 0, -k))


def comb(n, k):
    return mp.binomial(n, k)


def perm(n, k):
    return mp.gamma(n + 1) / mp.gamma(n - k + 1)


def cases(store):
    whole = np.arange(0.0, 171.0, 3)
    function(store, "factorial", lambda n: mp.gamma(n + 1), [(whole,), (uniform("factorial", 0, 150, 60),), (np.array([-1.0, -2.5, 171.0, np.nan]),)], 8)
    own = lambda n, k=2: float(factorialk(n, k)) if n == 0 else None
    function(store, "factorial2", lambda n: factorialk(n, 2), [(np.arange(1.0, 300.0, 4),), (np.arange(0.0, 30.0),), (np.array([-1.0, 301.0]),)], 2, own=own)
    function(store, "factorialk", factorialk, [(np.arange(1.0, 120.0, 7), np.array([[1.0], [2.0], [3.0], [10.0]])), (np.array([0.0, -1.0]), 3.0)], 2, own=own)
    pairs = [
        (np.floor(uniform("n of comb", 0, 200, 60)), np.floor(uniform("k of comb", 0, 40, 60))),
        (uniform("real n of comb", 0, 60, 60), uniform("real k of comb", 0, 40, 60)),
        (np.array([5.0, 5.0, -2.0, 3.0]), np.array([6.0, -1.0, 1.0, 3.5])),
    ]
    none = lambda n, k: 0.0 if k > n or k < 0 or n < 0 else None
    function(store, "comb", comb, pairs, 128, own=none)
    # The logarithms of two gamma functions, of up to 864, have half a unit each.
    function(store, "perm", perm, pairs, 864, own=none)
    function(store, "comb_with_repetition", lambda n, k: mp.binomial(n + k - 1, k), [(np.arange(1.0, 40.0, 3), np.array([[1.0], [2.0], [7.0]]))], 128)
    half = np.arange(-4.0, 4.5, 0.5)
    function(store, "round", lambda x: mpf(float(np.rint(float(x)))), [(half,), (uniform("round", -1e3, 1e3, 40),), (np.array([np.inf, -np.inf, np.nan, -0.0, 1e300]),)], 0, own=lambda x: 0.0 if -0.5 <= x < 0 else None)
