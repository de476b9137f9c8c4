"""The error of each special function beside SciPy's, as the table of docs/special.md.

    python accuracy.py EVALUATE > docs/special.md

EVALUATE is the example `evaluate` of the crate ndany-special. The points are those of the golden cases (parts `sf_*`), where
mpmath has a value; errors are in units of the last place of the exact value, in f64 and, for operands that are rounded to f32, in
f32. Of functions whose zeros are in the range, the error is relative to the absolute bound that their cases state, where that is
the larger one.
"""

import importlib
import pathlib
import subprocess
import sys

import mpmath
import numpy as np

import sf

np.seterr(all="ignore")


HEAD = """# Special functions

Made by `cargo xtask accuracy`. Errors in units of the last place of the exact value (mpmath's), at the points of the golden cases:
the 99th percentile and the largest, of ndany and of SciPy 1.17.1. f32 is computed in f64 and rounded once. Of functions with zeros
in the range the error is in units of the bound that their cases state, where that is larger.

In f64 no 99th percentile is above SciPy's. In f32 it is where SciPy's result of float32 is a float64 (below 1e-6 in the table); here it is the
nearest float32 but for few. SciPy's `betaincc` computes in floats of 80 bits (Boost's default on x86); here `betaincc` is computed once
more in two floats where the rounding of the result is not certain, but of large parameters (from 10⁶ to 10¹³ in the rows that say so).

## Where values are not SciPy's

- Real operands give real results, but in `wofz`, `lambertw`, `sph_harm_y`, `kelvin`, `hankel1` and its like, whose results are complex.
  The hypergeometric functions, `elliprg`, `elliprj`, the derivatives of spherical functions and distributions take real operands alone.
  Complex operands of Carlson's integrals on the negative axis give NaN. complex64 stays complex64, also in `lambertw`. Densities of distributions at infinity are 0. float16
  gives float64 in every function.
- Bessel functions of complex numbers have orders up to 1000 where |z| is at most 1000, and orders up to √(10 |z|) beyond; others give NaN.
- Derivatives (`jvp` and its like) have orders from 0 to 32.
- Orthogonal polynomials (`eval_*`): whole degrees up to 1000 by recurrences; others as far as `hyp2f1` and `hyp1f1` reach, NaN below the range of
  orthogonality, where the values are complex (SciPy: ∞), and infinite with their sign at its lower end. Of Hermite's and of complex points,
  whole degrees alone. Polynomials of whole degree have values at all orders (SciPy: NaN for α ≤ −1). `assoc_legendre_p` and `lpmv` have
  order 0 alone where |z| > 1; `lpmv` is infinite with its sign at −1.
- Counts and orders that SciPy makes integers (`kn`, `yn`, `expn`, `smirnov`, `bdtr`, `nbdtr` and their like) count with their whole parts,
  without a warning.
- `jv`, `yv`: NaN for orders above some 35,000 where x is near the order, and for infinite orders (SciPy: 0 for `jv`). `ive(-0.5, 0)` and
  `jve(-0.5, 0)` are infinite, `iv(-1.5, 0)` is −∞; `yv(-n - 1/2, x)` is finite where Y overflows; `kve(v, inf)` is 0.
- `struve`: NaN for x > 160 below the order, and for x > 37 with orders below −1000. `modstruve`: NaN for x > 60 with orders between
  −x (1.4 + x/300) and −x (1 − x/1000). Both are 0 at 0 for negative half orders.
- `airy(150)` has Bi = ∞.
- `hyp0f1`, `hyp1f1`, `hyp2f1`, `hyperu`, `wright_bessel`: NaN where their series (500 to 1000 terms) leave no digits, for instance `hyp1f1`
  with |a| and |b| near 100. `hyp2f1` of z > 1 is NaN unless its sum ends (SciPy: ∞); near c − a − b whole, z > 0.9, digits
  are lost; at z = 1 infinities have their sign. Sums that end not behind a pole of the last parameter have their value, of whichever of a and
  b ends first (DLMF 15.2.6, 13.2.4).
- `ellipkinc`, `ellipeinc`: values of m > 1 where m sin² φ ≤ 1 (SciPy: NaN). `ellipj` of m = 1 has values at every u.
- `smirnov`, `smirnovi`: n up to 1000. Noncentral distributions: noncentralities up to some 3000, NaN beyond. `nctdtrit` and `stdtrit` of p = 0 are −∞.
- Parameters of distributions (`bdtrik`, `chdtriv`, …): NaN where there is no solution, where SciPy has a large or a tiny number; limits where the probability is 0 or 1
  (`bdtrin`, `nbdtrin`: ∞ for 0).
"""


class Recorder:
    """Takes what the parts say of a function in place of its cases."""

    def __init__(self):
        self.functions = []
        self.complex_functions = []

    def add(self, *arguments, **options):
        """Cases that are SciPy's values."""

    def function(self, store, name, evaluate, points, bound, own=None, digits=40, absolute=None, note=None):
        self.functions.append((name, evaluate, points, own, digits, absolute, note))

    def complex_function(self, store, name, kinds, evaluate, points, bound, own=None, digits=40):
        self.complex_functions.append((name, kinds, evaluate, points, own, digits))


def exact_values(name, evaluate, operands, own, digits):
    return [sf.value(name, evaluate, row, own, digits) for row in zip(*operands)]


def error(found, value, eps, absolute):
    """In units of the last place; NaN where there is nothing to compare."""
    if not isinstance(value, mpmath.mpf) or not mpmath.isfinite(value) or value == 0:
        return np.nan
    if not np.isfinite(found):
        return np.nan if abs(value) > (1e308 if eps < 1e-10 else 3.4e38) else np.inf
    unit = mpmath.mpf(2) ** (int(mpmath.floor(mpmath.log(abs(value), 2)))) * eps
    unit = max(unit, mpmath.mpf(2) ** (-1074 if eps < 1e-10 else -149))
    if absolute:
        unit = max(unit, mpmath.mpf(absolute))
    return float(abs(mpmath.mpf(float(found)) - value) / unit)


def run(evaluate, name, operands):
    lines = [name + "".join(f" {np.float64(x).view(np.uint64):016x}" for x in row) for row in zip(*operands)]
    result = subprocess.run([evaluate], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [[np.uint64(int(word, 16)).view(np.float64) for word in line.split()] for line in result.stdout.splitlines()]


def figures(errors):
    errors = np.array([e for e in errors if not np.isnan(e)])
    if len(errors) == 0:
        return "–"
    shown = [f"{np.percentile(errors, 99):.2g}", f"{errors.max():.2g}"]
    return " / ".join(shown)


def worst(name, operands, ours, values, absolute):
    """The five points with the largest errors, for whoever works on a formula."""
    rows = [(error(o, v, 2.0**-52, absolute), row, o, v) for row, os, vs in zip(zip(*operands), ours, values) for o, v in zip(os, vs)]
    rows = [row for row in rows if not np.isnan(row[0])]
    for row in sorted(rows, key=lambda row: -row[0])[:5]:
        print(f"    {row[0]:.3g} at {[float(x) for x in row[1]]}: {row[2]!r} for {mpmath.nstr(row[3], 17)}", file=sys.stderr)


def complex_error(found, value, eps):
    """In units of the last place of the modulus."""
    if not isinstance(value, mpmath.mpc) or not mpmath.isfinite(value) or value == 0:
        return np.nan
    if not np.isfinite(found):
        return np.nan if abs(value) > (1e308 if eps < 1e-10 else 3.4e38) else np.inf
    unit = mpmath.mpf(2) ** (int(mpmath.floor(mpmath.log(abs(value), 2)))) * eps
    unit = max(unit, mpmath.mpf(2) ** (-1074 if eps < 1e-10 else -149))
    return float(abs(mpmath.mpc(complex(found)) - value) / unit)


def complex_row(evaluate, known, name, kinds, function, points, own, digits):
    """The line of a function of complex operands."""
    cells = []
    for dtype, eps in ((np.complex128, 2.0**-52), (np.complex64, 2.0**-23)):
        typed = sf.complex_operands(kinds, points, dtype is np.complex128)
        wide = [x.astype({"C": np.complex128, "R": np.float64}[kind]) for x, kind in zip(typed, kinds)]
        values = [sf.complex_value(name, function, row, own, digits) for row in zip(*wide)]
        parts = [part for x, kind in zip(wide, kinds) for part in ((x.real, x.imag) if kind == "C" else (x,))]
        ours = run(evaluate, name if name in known else name + "_complex", parts)
        ours = [[dtype(complex(re, im)) for re, im in zip(row[::2], row[1::2])] for row in ours]
        theirs = sf.scipys_complex(name)(*typed)
        theirs = list(zip(*theirs)) if isinstance(theirs, tuple) else [[x] for x in theirs]
        for found in (ours, theirs):
            errors = [complex_error(f, v, eps) for fs, vs in zip(found, values) for f, v in zip(fs, vs)]
            cells.append(figures(errors))
            if "--worst" in sys.argv and found is ours and dtype is np.complex128:
                rows = [(complex_error(f, v, eps), row, f, v) for row, fs, vs in zip(zip(*typed), ours, values) for f, v in zip(fs, vs)]
                for row in sorted((row for row in rows if not np.isnan(row[0])), key=lambda row: -row[0])[:5]:
                    print(f"    {row[0]:.3g} at {row[1]}: {row[2]!r} for {mpmath.nstr(row[3], 17)}", file=sys.stderr)
    print(f"| `{name}`, complex | {len(wide[0])} | " + " | ".join(cells) + " |", flush=True)


def main():
    evaluate = sys.argv[1]
    here = pathlib.Path(__file__).parent
    recorder = Recorder()
    sf.function, sf.complex_function = recorder.function, recorder.complex_function
    for path in sorted(here.glob("sf_*.py")):
        importlib.import_module(path.stem).cases(recorder)
    print(HEAD)
    print("| function | points | f64: p99 / max | SciPy | f32: p99 / max | SciPy |")
    print("|---|---|---|---|---|---|")
    wanted = [argument for argument in sys.argv[2:] if not argument.startswith("-")]
    for name, function, points, own, digits, absolute, note in sorted(recorder.functions, key=lambda f: f[0]):
        if wanted and name not in wanted:
            continue
        columns = [np.broadcast_arrays(*(np.asarray(x, np.float64) for x in operands)) for operands in points]
        operands = [np.concatenate([np.ravel(c[k]) for c in columns]) for k in range(len(columns[0]))]
        cells = []
        for dtype, eps in ((np.float64, 2.0**-52), (np.float32, 2.0**-23)):
            typed = [x.astype(dtype) for x in operands]
            wide = [x.astype(np.float64) for x in typed]
            values = exact_values(name, function, wide, own, digits)
            ours = run(evaluate, name, wide)
            theirs = sf.scipys(name)(*typed)
            theirs = list(zip(*theirs)) if isinstance(theirs, tuple) else [[x] for x in theirs]
            bound = absolute * eps / 2.0**-52 if absolute else None
            cells.append(figures(error(dtype(o), v, eps, bound) for os, vs in zip(ours, values) for o, v in zip(os, vs)))
            cells.append(figures(error(t, v, eps, bound) for ts, vs in zip(theirs, values) for t, v in zip(ts, vs)))
        if "--worst" in sys.argv:
            worst(name, operands, run(evaluate, name, operands), exact_values(name, function, operands, own, digits), absolute)
        print(f"| `{name}`{f', {note}' if note else ''} | {len(operands[0])} | " + " | ".join(cells) + " |", flush=True)
    alone = ("kelvin", "h1vp", "h2vp", "wofz", "lambertw", "sph_harm_y", "hankel1", "hankel1e", "hankel2", "hankel2e")
    for name, *rest in sorted(recorder.complex_functions, key=lambda f: f[0]):
        if not wanted or name in wanted:
            complex_row(evaluate, alone, name, *rest)


main()
