"""Polynomials of Fresnel's and the hyperbolic integrals, and of weights of a trapezoidal rule: `python fits_fresnel.py`
prints sci/special/src/formulas/fresnel_tables.rs."""

from mpmath import mp, mpf

from fits import fit

CHI_ROOT = mp.findroot(mp.chi, mpf("0.52382257138986440645"))


def auxiliary(v):
    """πx f and π²x³ g of Fresnel's auxiliary functions by v = 1/x⁴ (DLMF 7.2.10, 7.12)."""
    if v < mpf("0.0005"):
        square = v / mp.pi**2
        f = mp.fsum((-1) ** m * mp.fac2(4 * m - 1) * square**m for m in range(20))
        g = mp.fsum((-1) ** m * mp.fac2(4 * m + 1) * square**m for m in range(20))
        return f, g
    with mp.workdps(100):
        x = 1 / mp.sqrt(mp.sqrt(v))
        s, c = mpf(1) / 2 - mp.fresnels(x), mpf(1) / 2 - mp.fresnelc(x)
        sine, cosine = mp.sin(mp.pi * x * x / 2), mp.cos(mp.pi * x * x / 2)
        return mp.pi * x * (s * cosine - c * sine), mp.pi**2 * x**3 * (c * cosine + s * sine)


def root(t):
    return mp.sqrt(mp.sqrt(t))


NEAR, FAR = 1 / mpf("1.5") ** 4, 1 / mpf("2.25") ** 4

FITS = {
    "FRESNEL_S": (lambda t: mp.fresnels(root(t)) / root(t) ** 3 if t else mp.pi / 6, 0, mpf("1.5") ** 4, 13),
    "FRESNEL_C": (lambda t: mp.fresnelc(root(t)) / root(t) if t else mpf(1), 0, mpf("1.5") ** 4, 13),
    "FRESNEL_F_NEAR": (lambda v: auxiliary(v)[0], FAR, NEAR, 22),
    "FRESNEL_G_NEAR": (lambda v: auxiliary(v)[1], FAR, NEAR, 24),
    "FRESNEL_F_FAR": (lambda v: auxiliary(v)[0], 0, FAR, 24),
    "FRESNEL_G_FAR": (lambda v: auxiliary(v)[1], 0, FAR, 27),
    "SHI_SERIES": (lambda t: mp.shi(mp.sqrt(t)) / mp.sqrt(t) if t else mpf(1), 0, 16, 15),
    # (Chi(x) − log(x/x₀)) / (x − x₀).
    "CHI_SERIES": (lambda x: (mp.chi(x) - mp.log(x / CHI_ROOT)) / (x - CHI_ROOT) if x else (mp.euler + mp.log(CHI_ROOT)) / -CHI_ROOT, 0, 4, 25),
}


def main():
    print("//! Coefficients of `fresnel.rs`; made by conformance/oracle/fits_fresnel.py. Lowest degree first.\n")
    print("#![allow(clippy::excessive_precision, clippy::unreadable_literal)]\n")
    for name, (function, low, high, degree) in FITS.items():
        found, worst = fit(function, low, high, degree)
        print(f"/// Largest error in f64: {worst:.2f} units of the last place.")
        print(f"pub(crate) const {name}: [f64; {len(found)}] = [")
        for c in found:
            print(f"    {c!r},")
        print("];")
    high = float(CHI_ROOT)
    print("/// The zero of Chi, in two parts.")
    print(f"pub(crate) const CHI_ROOT: (f64, f64) = ({high!r}, {float(CHI_ROOT - high)!r});")
    step = mp.sqrt(mp.pi / 12)
    for name, shift, what in (("AT_WHOLE", mpf(0), "k h"), ("AT_HALF", mpf(1) / 2, "(k + 1/2) h")):
        values = [mp.exp(-(((k + shift) * step) ** 2)) * (mpf(1) / 2 if k == 0 and shift == 0 else 1) for k in range(12)]
        print(f"/// The weights e^(−t²) at t = {what}, h = √(π/12)" + (", the first one halved." if shift == 0 else "."))
        print(f"pub(crate) const {name}: [f64; 12] = [")
        for value in values:
            print(f"    {float(value)!r},")
        print("];")


if __name__ == "__main__":
    main()
