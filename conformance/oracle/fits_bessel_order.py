"""Tables of Bessel functions of any order: `python fits_bessel_order.py` prints the constants that stand in
sci/special/src/formulas/bessel_order_tables.rs.

These are the Taylor coefficients of 1/Γ(1 + z), whose odd and even ones are Temme's two functions of gamma functions, and Debye's
polynomials U(k) of DLMF 10.41.9 without their factor p^k, in powers of p²; and
(t − arctan t)/t³ by 2t² − 1 for t up to 1.
"""

from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 60


def rows(name, values):
    print(f"pub(crate) const {name}: [f64; {len(values)}] = [")
    for v in values:
        print(f"    {float(v)!r},")
    print("];")


def debye(count):
    """The coefficients of U(k), each a list of those of p^j."""
    found = [[Fraction(1)]]
    for _ in range(count - 1):
        u = found[-1]
        following = [Fraction(0)] * (len(u) + 3)
        for j, c in enumerate(u):
            # p² (1 − p²) U' / 2, and the integral of (1 − 5 p²) U over 8.
            if j:
                following[j + 1] += c * j / 2
                following[j + 3] -= c * j / 2
            following[j + 1] += c / (8 * (j + 1))
            following[j + 3] -= 5 * c / (8 * (j + 3))
        found.append(following)
    return found


def monomial(count, function):
    """The interpolation at Chebyshev's points of -1 to 1, in powers."""
    points = [mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    rows = mp.matrix([[p**k for k in range(count)] for p in points])
    return list(mp.lu_solve(rows, mp.matrix([function(p) for p in points])))


def arc_rest(u):
    t = mp.sqrt((1 + u) / 2)
    return (t - mp.atan(t)) / t**3


def main():
    terms = mp.taylor(lambda z: mp.rgamma(1 + z), 0, 26)
    rows("GAMMA_ODD", [-c for c in terms[1::2]][:10])
    rows("GAMMA_EVEN", terms[0::2][:11])
    found = debye(11)
    print(f"pub(crate) const DEBYE: [&[f64]; {len(found)}] = [")
    for k, u in enumerate(found):
        print("    &[" + ", ".join(repr(float(mpf(c.numerator) / c.denominator)) for c in u[k::2]) + "],")
    print("];")
    rows("ARC_REST", monomial(22, arc_rest))


main()
