"""Cases of Kelvin functions."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def cases(store):
    turn = lambda: mp.mpc(1, 1) / mp.sqrt(2)
    own = {
        "ber": lambda x: mp.besseli(0, turn() * x).real,
        "bei": lambda x: mp.besseli(0, turn() * x).imag,
        "ker": lambda x: mp.besselk(0, turn() * x).real,
        "kei": lambda x: mp.besselk(0, turn() * x).imag,
        "berp": lambda x: (turn() * mp.besseli(1, turn() * x)).real,
        "beip": lambda x: (turn() * mp.besseli(1, turn() * x)).imag,
        "kerp": lambda x: -(turn() * mp.besselk(1, turn() * x)).real,
        "keip": lambda x: -(turn() * mp.besselk(1, turn() * x)).imag,
    }
    points = [uniform("points of kelvin", 0, 30, 60), logarithmic("kelvin", 1e-6, 900, 30), beside(2), np.array([0.0, -0.0, np.inf, -np.inf, np.nan])]
    left = [-points[0][:10]]
    # Values beside zeros have fewer digits.
    for name, evaluate in own.items():
        # The derivatives of the first kind are odd functions with a value −0 at −0.
        stated = lambda x, name=name: 0.0 if name in ("berp", "beip") and x == 0 else None
        function(store, name, evaluate, [(x,) for x in points + left], 256, own=stated, digits=25)
