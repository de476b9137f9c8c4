"""Cases of Jacobi's elliptic functions, Carlson's integral of the third kind and Wright's omega."""

import numpy as np
from mpmath import mp

from sf import function, logarithmic, uniform


def jacobi(u, m):
    sn, cn, dn = (mp.ellipfun(kind, u, m=m) for kind in ("sn", "cn", "dn"))
    near = mp.pi * u / (2 * mp.ellipk(m))
    angle = mp.atan2(sn, cn)
    return sn, cn, dn, angle + 2 * mp.pi * mp.nint((near - angle) / (2 * mp.pi))


def cases(store):
    u, m = uniform("jacobi u", -12, 12, 160), uniform("jacobi m", 0, 1, 160)
    one = np.array([1.0, -2.0, 30.0, 0.0])
    ends = (np.array([0.0, -0.0, 1, 1, np.inf, np.nan, 1e-320]), np.array([0.5, 0.5, -1, 2, 0.5, 0.5, 0.5]))

    def own(u, m):
        if m == 1:
            return [float(part) for part in (mp.tanh(u), mp.sech(u), mp.sech(u), mp.atan(mp.sinh(u)))]
        return None

    # Near a zero, and by the phase of a long operand, the error is absolute.
    function(store, "ellipj", jacobi, [(u, m), (u[:60] / 4, 1 - logarithmic("jacobi 1 - m", 1e-14, 0.1, 60)), (one, 1.0), (one, 0.0), ends], 64, own=own, absolute=2e-15)
    x, y, z, p = (logarithmic(f"carlson j {name}", 1e-3, 1e3, 120) for name in "xyzp")
    ends = tuple(map(np.array, ([0.0, 0.0, 1.0, 1.0, -1.0, np.inf], [1.0, 0, 1, np.nan, 1, 1], [1.0, 1, 1, 1, 1, 1], [1.0, 1, np.inf, 1, 1, 1])))
    function(store, "elliprj", mp.elliprj, [(x[:60], y[:60], z[:60], p[:60]), (0.0, y[:12], z[:12], p[:12]), (x[:20], y[:20], z[:20], x[:20]), (x[:12], y[:12], z[:12], -p[:12]), ends], 64, digits=30)
    omega = [uniform("omega", -10, 20, 120), logarithmic("omega", 1e-8, 1e20, 60), -logarithmic("omega", 1e-8, 700, 60), np.array([-np.inf, np.inf, np.nan, 1e30, -740.0])]
    function(store, "wrightomega", lambda x: mp.lambertw(mp.exp(x)).real if x < 1e4 else x - mp.log(x) + mp.log(x) / x if x > 1e17 else mp.findroot(lambda w: w + mp.log(w) - x, x - mp.log(x)), [(x,) for x in omega], 8, digits=50)
