"""Cases of Struve functions."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def cases(store):
    orders, points = uniform("orders of struve", 0, 20, 80), uniform("points of struve", 0.1, 60, 80)
    tables = [
        (orders, points),
        (-orders[:20] / 4, points[:20]),
        (np.array([[0.0], [1.0], [-0.5], [-1.0], [-2.5], [-3.0]]), logarithmic("struve", 1e-3, 60, 12)),
        (uniform("large orders of struve", 20, 150, 25), uniform("large points of struve", 1, 100, 25)),
        (0.0, beside(37)),
        (np.array([[0.0], [1.0], [-1.0], [0.5], [-0.5], [-3.0], [np.nan]]), np.array([0.0, -0.0, np.nan])),
    ]
    left = [(np.array([[0.0], [1.0], [2.0], [0.5]]), np.array([-1.0, -30.0]))]
    sign = lambda v, x: -1 if x < 0 and int(v) % 2 == 0 else 1
    own = {"struve": lambda v, x: sign(v, x) * mp.struveh(v, abs(x)), "modstruve": lambda v, x: sign(v, x) * mp.struvel(v, abs(x))}

    # Of no order there is no value; of the order 0 the exact one, not SciPy's.
    def stated(name, v, x):
        if np.isnan(v):
            return np.nan
        if v == 0 and x != 0 and np.isfinite(x):
            with mp.workdps(50):
                return float(own[name](v, mp.mpf(x)))
        return None

    # Near zeros of H the error is absolute.
    function(store, "struve", own["struve"], tables + left, 64, own=lambda v, x: stated("struve", v, x), digits=50, absolute=4e-16)
    function(store, "modstruve", own["modstruve"], tables + left, 32, own=lambda v, x: stated("modstruve", v, x), digits=50)
