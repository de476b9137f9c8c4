"""Cases of functions of entropy, losses, transformations, angles in degrees, and means."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def cases(store):
    x, y = logarithmic("entropy x", 1e-8, 1e8, 120), logarithmic("entropy y", 1e-8, 1e8, 120)[::-1]
    near = uniform("entropy near", 0.5, 2, 80)
    edges = (np.array([0.0, 0.0, 1.0, -1.0, np.nan, np.inf, 1e-310]), np.array([1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]))
    function(store, "rel_entr", lambda x, y: x * mp.log(x / y), [(x, y), (near, near[::-1]), (near, near * (1 + 1e-9)), edges], 4)
    function(store, "kl_div", lambda x, y: x * mp.log(x / y) - x + y, [(x, y), (near, near[::-1]), (near, near * (1 + 1e-6)), edges], 64)
    delta, r = uniform("delta", 0, 4, 150), uniform("residual", -6, 6, 150)
    function(store, "huber", lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), [(delta, r), (np.array([-1.0, 0.0, 1.0, np.nan]), np.array([1.0, 1.0, 1.0, 1.0]))], 3)
    function(store, "pseudo_huber", lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1), [(delta, r), (np.array([-1.0, 0.0, 1.0, np.nan]), np.array([1.0, 1.0, 0.0, 1.0]))], 4, digits=60)
    points, lam = logarithmic("boxcox", 1e-3, 1e3, 150), uniform("lambda", -3, 3, 150)
    function(store, "boxcox", lambda x, l: (x**l - 1) / l, [(points, lam), (points[:40], logarithmic("tiny", 1e-18, 1e-3, 40)), (np.array([1.0, 0.0, -1.0]), np.array([0.5, 0.5, 0.5]))], 16, digits=80)
    function(store, "boxcox1p", lambda x, l: ((1 + x) ** l - 1) / l, [(points, lam), (logarithmic("small", 1e-12, 1e-2, 40), lam[:40])], 16, digits=80)
    function(store, "inv_boxcox", lambda y, l: (1 + l * y) ** (1 / l), [(uniform("inverse", 0, 5, 150), uniform("inverse lambda", 0.05, 3, 150))], 64, digits=80)
    function(store, "inv_boxcox1p", lambda y, l: (1 + l * y) ** (1 / l) - 1, [(uniform("inverse", 0, 5, 150), uniform("inverse lambda", 0.05, 3, 150)), (logarithmic("inverse small", 1e-12, 1e-2, 40), np.array([0.5]))], 64, digits=80)
    both = [uniform("both", -40, 40, 150), logarithmic("both small", 1e-12, 1, 40), -logarithmic("both small", 1e-12, 1, 40), np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 800.0, -800.0])]
    function(store, "log_expit", lambda x: -mp.log1p(mp.exp(-x)), [(x,) for x in both], 2, digits=60)
    function(store, "softplus", lambda x: mp.log1p(mp.exp(x)), [(x,) for x in both], 2, digits=60)
    function(store, "exprel", lambda x: mp.expm1(x) / x, [(x,) for x in both], 3, digits=60)
    function(store, "cosm1", lambda x: mp.cos(x) - 1, [(x,) for x in (*both[:3], np.array([0.0, np.nan]))], 6, digits=60)
    function(store, "powm1", lambda x, y: x**y - 1, [(uniform("powm1 x", 0.1, 4, 150), uniform("powm1 y", -4, 4, 150)), (uniform("powm1 near", 0.9, 1.1, 60), uniform("powm1 small", -1e-6, 1e-6, 60))], 8, digits=80)
    angles = [np.floor(uniform("degrees whole", -720, 720, 120)), uniform("degrees", -1000, 1000, 120), np.array([0.0, 30.0, 45.0, 60.0, 90.0, 180.0, 270.0, 360.0])]
    for name, evaluate in (("sindg", mp.sin), ("cosdg", mp.cos), ("tandg", mp.tan), ("cotdg", mp.cot)):
        function(store, name, lambda x, f=evaluate: f(x * mp.pi / 180), [(x,) for x in angles[:2]], 5, digits=60, absolute=2e-16)
    function(store, "radian", lambda d, m, s: ((d * 60 + m) * 60 + s) * mp.pi / 648000, [(uniform("d", 0, 360, 80), uniform("minutes", 0, 60, 80), uniform("seconds", 0, 60, 80))], 3)
    function(store, "agm", mp.agm, [(logarithmic("agm x", 1e-6, 1e6, 120), logarithmic("agm y", 1e-6, 1e6, 120)[::-1]), (np.array([1.0, 0.0, -2.0, 1.0, np.inf, np.nan]), np.array([1.0, 1.0, -3.0, -1.0, 1.0, 1.0]))], 4, own=lambda x, y: -2.4746804362363046 if x == -2.0 else None)
