"""Cases of zeros of Bessel, Airy and Kelvin functions."""

import mpmath
import numpy as np
import scipy.special
from mpmath import mp, mpf

import exact
from store import allclose


def array(values):
    return np.array([exact.round_fraction(exact.fraction_of(mpf(x)), "float64") for x in values])


def add(store, name, arguments, values):
    values = [array(part) for part in values]
    label = "/".join(map(str, (name, *arguments)))
    store.add(f"special/{label}", f"sp.special.{name}", list(arguments), expected=values[0] if len(values) == 1 else values,
              tolerance=allclose(8 * 2.0**-52, 0.0))


def slope(function):
    return lambda x: mp.diff(function, x, h=mpf(10) ** -12)


def cases(store):
    with mpmath.workdps(40):
        count = 6
        for n in (0, 1, 5):
            numbers = range(1, count + 1)
            # mpmath counts the zero at 0 of the derivative of J of order 0.
            first = int(n == 0)
            j = [mp.besseljzero(n, k) for k in numbers]
            jp = [mp.besseljzero(n, k + first, derivative=1) for k in numbers]
            y = [mp.besselyzero(n, k) for k in numbers]
            yp = [mp.besselyzero(n, k, derivative=1) for k in numbers]
            for name, values in (("jn_zeros", j), ("jnp_zeros", jp), ("yn_zeros", y), ("ynp_zeros", yp)):
                add(store, name, (n, count), [values])
        add(store, "jnyn_zeros", (5, count), [j, jp, y, yp])
        for name, function, zero in (("ai", mp.airyai, mp.airyaizero), ("bi", mp.airybi, mp.airybizero)):
            own = [zero(k) for k in range(1, count + 1)]
            slopes = [zero(k, derivative=1) for k in range(1, count + 1)]
            add(store, f"{name}_zeros", (count,), [own, slopes, map(function, slopes), [function(x, derivative=1) for x in own]])
        for name in ("ber", "bei", "ker", "kei"):
            function = lambda x, f=getattr(mp, name): f(0, x)
            for suffix, of in (("", function), ("p", slope(function))):
                near = getattr(scipy.special, f"{name}{suffix}_zeros")(count)
                add(store, f"{name}{suffix}_zeros", (count,), [[mp.findroot(of, float(x), tol=1e-40) for x in near]])
