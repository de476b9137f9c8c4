"""Cases of Bessel functions of any real order."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def cases(store):
    # Near zeros the error is absolute.
    orders = uniform("orders of j", 0, 20, 60)
    points = uniform("points of j", 0.1, 50, 60)
    tables = [
        (orders, points),
        (-orders[:30], points[:30]),
        (np.array([[0.0], [0.5], [1.0], [2.0], [7.5], [12.0]]), logarithmic("orders", 1e-3, 300, 20)),
        (np.array([[0.3], [1.5]]), beside(2)),
        (uniform("large orders", 20, 200, 30), uniform("large", 1, 300, 30)),
    ]
    ends = [
        (np.array([[0.0], [0.5], [-0.5], [-1.5], [2.0], [-3.0], [2.5], [np.nan]]), np.array([0.0, -0.0, np.inf, -np.inf, np.nan])),
        (np.array([[2.0], [3.0], [-3.0], [2.5], [-2.5]]), np.array([-1.0, -30.0])),
    ]
    for name in ("jv", "jn", "jve"):
        part = [tables[0], *ends] if name == "jn" else [tables[0], tables[1]] if name == "jve" else tables + ends
        function(store, name, mp.besselj, part, 64, absolute=4e-16)
    for name in ("yv", "yve"):
        part = [tables[0], tables[1]] if name == "yve" else tables + ends
        function(store, name, mp.bessely, part, 64, absolute=4e-16)
