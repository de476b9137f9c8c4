"""Fourier transforms, of NumPy's names and SciPy's.

Expected values are sums by definition, in integers of some hundred bits with mpmath's roots of unity, rounded once; NumPy
says shapes, dtypes and refusals, and each value is checked against its own. Rows with NaN or infinities make no case: how far
those spread depends on the algorithm.
"""

import mpmath as mp
import numpy as np

from inputs import ALL, BF16, ordinary
from store import View, allclose, function, plain

F16, F32, F64, C64, C128 = map(np.dtype, ("float16", "float32", "float64", "complex64", "complex128"))
I32 = np.dtype("int32")
BITS = 160
ROOTS = {}


def fixed(x):
    """A number times two to the 160, which loses nothing of what goes in."""
    p, q = float(x).as_integer_ratio()
    return (p << BITS) // q


def roots(n):
    """Cosines and sines of an n-th of the circle's multiples, in fixed point."""
    if n not in ROOTS:
        turn = [mp.expjpi(mp.mpf(2 * k) / n) for k in range(n)]
        ROOTS[n] = [[int(mp.nint(mp.ldexp(part(t), BITS))) for t in turn] for part in (mp.re, mp.im)]
    return ROOTS[n]


def parts(a):
    """Real and imaginary parts in fixed point."""
    fix = np.frompyfunc(fixed, 1, 1)
    a = np.asarray(a).astype(C128)
    return [np.asarray(fix(part), object).reshape(a.shape) for part in (a.real, a.imag)]


def fit(x, n, axis):
    """Cut off, or zeros behind."""
    def one(part):
        part = np.moveaxis(part, axis, -1)[..., :n]
        zeros = np.zeros(part.shape[:-1] + (n - part.shape[-1],), object)
        return np.moveaxis(np.concatenate([part, zeros], -1), -1, axis)
    return [one(part) for part in x]


def sums(x, n, axis, sign):
    """The transform along an axis, by definition."""
    re, im = (np.moveaxis(part, axis, -1) for part in fit(x, n, axis))
    c, s = roots(n)
    places = np.outer(range(n), range(n)) % n
    cosines = np.array(c, object)[places]
    sines = np.array(s, object)[places] * sign
    shifted = np.frompyfunc(lambda v: v >> BITS, 1, 1)
    results = [re @ cosines - im @ sines, re @ sines + im @ cosines]
    return [np.moveaxis(np.asarray(shifted(r), object).reshape(re.shape), -1, axis) for r in results]


def half(x, n, axis):
    return [np.moveaxis(np.moveaxis(part, axis, -1)[..., : n // 2 + 1], -1, axis) for part in x]


def whole(x, n, axis):
    """From the first half: the rest are conjugates, and what is its own conjugate is real."""
    re, im = (np.moveaxis(part, axis, -1).copy() for part in fit(x, n // 2 + 1, axis))
    im[..., 0] = 0
    if n % 2 == 0:
        im[..., -1] = 0
    rest = slice((n - 1) // 2, 0, -1)
    re, im = np.concatenate([re, re[..., rest]], -1), np.concatenate([im, -im[..., rest]], -1)
    return [np.moveaxis(re, -1, axis), np.moveaxis(im, -1, axis)]


def conjugate(x):
    return [x[0], -x[1]]


def scale(norm, forward, n):
    if norm == "ortho":
        return 1 / mp.sqrt(n)
    return mp.mpf(1) if (norm == "forward") != forward else mp.mpf(1) / n


def expected(name, a, kwargs, out):
    """The values of a transform, in the dtype and shape of `out`, which is NumPy's."""
    a, x, norm = np.asarray(a), parts(a), kwargs.get("norm") or "backward"
    if name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        axes = [kwargs.get("axis", -1)]
        lengths = None if kwargs.get("n") is None else [kwargs["n"]]
    else:
        axes, lengths = kwargs.get("axes"), kwargs.get("s")
        if axes is None:
            count = 2 if "2" in name else len(lengths) if lengths is not None else a.ndim
            axes = range(-count, 0)
    to_real = name.startswith("irfft") or name == "hfft"
    if lengths is None:
        lengths = [a.shape[axis] for axis in axes]
        if to_real:
            lengths[-1] = 2 * (lengths[-1] - 1)
    lengths = [a.shape[axis] if n == -1 else n for n, axis in zip(lengths, axes)]
    forward = not name.startswith("i")
    if name == "hfft":
        x = conjugate(x)
    sign = -1 if forward or name == "ihfft" else 1
    factor = mp.mpf(1)
    for number in reversed(range(len(axes))):
        n, axis = lengths[number], axes[number]
        factor *= scale(norm, forward, n)
        last = number == len(axes) - 1
        if to_real and last:
            continue
        x = sums(x, n, axis, sign)
        if last and (name.startswith("rfft") or name == "ihfft"):
            x = half(x, n, axis)
    if to_real:
        n, axis = lengths[-1], axes[-1]
        x = sums(whole(x, n, axis), n, axis, 1)
    if name == "ihfft":
        x = conjugate(x)
    rounded = np.frompyfunc(lambda v: float(mp.ldexp(mp.mpf(v) * factor, -BITS)), 1, 1)
    re, im = (np.asarray(rounded(part), float).reshape(part.shape) for part in x)
    values = (re + 1j * im if out.dtype.kind == "c" else re).astype(out.dtype)
    if values.shape != out.shape:
        raise ValueError(f"{name}: {values.shape} is not {out.shape}")
    points = int(np.prod(lengths))
    size = np.sqrt(np.sum(np.abs(a.astype(C128)) ** 2)) * float(factor)
    precision = 2.0**-24 if a.real.dtype in (F16, F32) else 2.0**-53
    # Roundings of each step are as large as the row; a chirp has some more.
    bound = 4 * precision * (2 + np.log2(points)) * (2 if to_real else 1) * size
    tolerance = allclose(1e-3 if out.dtype == F16 else 0, bound if out.dtype != F16 else max(bound, 1e-4))
    np.testing.assert_allclose(out, values, rtol=max(tolerance["rtol"], 4e-3 if a.dtype == F16 else 0), atol=tolerance["atol"])
    return values, tolerance


def add(store, label, name, a, kwargs=None, library="np.fft"):
    kwargs = kwargs or {}
    op = f"{library}.{name}"
    given = plain(a)
    # Neither what may be overwritten nor what is written shows in the case.
    own = {key: value.copy() if key == "out" else value for key, value in kwargs.items()}
    out = np.asarray(function(op)(given.copy(), **own))
    computed = {key: value for key, value in kwargs.items() if key not in ("out", "overwrite_x")}
    values, tolerance = expected(name, given, computed, out)
    store.add(label, op, [a], kwargs, expected=values, tolerance=tolerance)


def cases(store):
    mp.mp.dps = 60
    lengths(store)
    dtypes(store)
    axes(store)
    views(store)
    several(store)
    outs(store)
    helpers(store)
    empty(store)
    refusals(store)


def array(dtype, shape, name):
    count = int(np.prod(shape, dtype=int))
    return ordinary(np.dtype(dtype), count, f"fourier {name}").reshape(shape)


def lengths(store):
    factors = [*range(1, 18), 19, 20, 22, 23, 24, 25, 26, 27, 29, 30, 31, 32, 33, 34, 36, 37, 45, 48, 49, 53, 61, 64, 81, 97, 100,
               101, 105, 121, 125, 128, 169, 211, 240, 243, 256]
    for n in factors:
        add(store, f"fft/complex64/{n}", "fft", array(C64, n, n))
        add(store, f"ifft/complex128/{n}", "ifft", array(C128, n, n))
        add(store, f"rfft/float32/{n}", "rfft", array(F32, n, n))
        add(store, f"irfft/complex64/{n}", "irfft", array(C64, n // 2 + 1, n), {"n": n})
        if n <= 37:
            add(store, f"rfft/float64/{n}", "rfft", array(F64, n, n))
            add(store, f"irfft/complex128/{n}", "irfft", array(C128, n // 2 + 1, n), {"n": n})
    for n in (512, 1000, 1009, 1024):
        add(store, f"fft/complex64/{n}", "fft", array(C64, n, n))
        add(store, f"fft/complex128/{n}", "fft", array(C128, n, n))
        add(store, f"rfft/float32/{n}", "rfft", array(F32, n, n))
        add(store, f"irfft/complex64/{n}", "irfft", array(C64, n // 2 + 1, n), {"n": n})
    # Many rows of one length.
    for n in (3, 8, 31):
        add(store, f"fft/complex64/rows_of_{n}", "fft", array(C64, (40, n), n))
        add(store, f"rfft/float32/rows_of_{n}", "rfft", array(F32, (40, n), n))
        add(store, f"irfft/complex64/rows_of_{n}", "irfft", array(C64, (40, n // 2 + 1), n), {"n": n})


ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def takes(name, dtype):
    return not (dtype.kind == "c" and (name.startswith("rfft") or name == "ihfft"))


def dtypes(store):
    for dtype in ALL:
        if dtype == BF16:
            continue
        a = array(dtype, 6, "dtypes")
        for name in ONE:
            for library in ("np.fft", "fft"):
                if takes(name, dtype):
                    add(store, f"{name}/{dtype.name}/{library}", name, a, library=library)
                else:
                    store.add(f"{name}/{dtype.name}/{library}", f"{library}.{name}", [a])


def axes(store):
    for name in ONE:
        dtype = F64 if name in ("rfft", "ihfft") else C64
        a = array(dtype, (3, 4, 5), "axes")
        for axis in (0, 1, 2, -1, -2, -3):
            add(store, f"{name}/axis/{axis}", name, a, {"axis": axis})
        for norm in ("backward", "ortho", "forward", None):
            add(store, f"{name}/norm/{norm}", name, a, {"norm": norm, "axis": 1})
            add(store, f"{name}/norm/{norm}/scipy", name, a, {"norm": norm, "axis": 1}, library="fft")
        for n in (1, 2, 4, 5, 9, None):
            add(store, f"{name}/points/{n}", name, a, {"n": n})
            if n is not None:
                add(store, f"{name}/points/{n}/axis", name, a, {"n": n, "axis": 0, "norm": "ortho"})
        add(store, f"{name}/scipy/overwritten", name, a, {"overwrite_x": True}, library="fft")


def views(store):
    for name in ("fft", "rfft", "irfft", "fftn", "rfftn", "irfftn", "ihfft"):
        dtype = F32 if name in ("rfft", "rfftn", "ihfft") else C128
        a = array(dtype, (6, 8), "views")
        for label, view in [("strided", View(a, ("slice", [slice(None), slice(1, None, 2)]))),
                            ("backward", View(a, ("slice", [slice(None, None, -1), slice(None, None, -1)]))),
                            ("transposed", View(a, ("transpose", [1, 0]))),
                            ("inner", View(a, ("slice", [slice(1, 4), slice(2, 7)]))),
                            ("broadcast", View(a[:1], ("broadcast_to", [5, 8])))]:
            add(store, f"{name}/view/{label}", name, view)
        axis = {"axes": (0,)} if name.endswith("n") else {"axis": 0}
        add(store, f"{name}/view/axis", name, View(a, ("slice", [slice(None, None, -2), slice(None, None, 3)])), axis)


def several(store):
    for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
        for dtype in ((F32, F64) if name.startswith("rfft") else (C64, C128)):
            for shape in ((4, 6), (3, 4, 5), (2, 3, 2, 5)):
                add(store, f"{name}/{dtype.name}/{len(shape)}", name, array(dtype, shape, "several"))
        a = array(F32 if name.startswith("rfft") else C64, (3, 4, 5), "several")
        for norm in ("ortho", "forward"):
            add(store, f"{name}/norm/{norm}", name, a, {"norm": norm})
        for number, pair in enumerate([(0, 1), (1, 0), (-1, 0), (2, 1)]):
            add(store, f"{name}/axes/{number}", name, a, {"axes": pair})
            add(store, f"{name}/axes/{number}/points", name, a, {"axes": pair, "s": (2, 7), "norm": "ortho"})
            add(store, f"{name}/axes/{number}/scipy", name, a, {"axes": pair, "s": (6, 3)}, library="fft")
        add(store, f"{name}/points/as_many", name, a, {"axes": (0, 2), "s": (-1, 4)})
        add(store, f"{name}/points/last", name, a, {"axes": (0, 2), "s": (4, -1)})
        add(store, f"{name}/points/one", name, a, {"axes": (1,), "s": (9,)})
        add(store, f"{name}/integers", name, array(I32, (3, 4), "several"))
        add(store, f"{name}/half", name, array(F16, (3, 4), "several"))
        add(store, f"{name}/half/scipy", name, array(F16, (3, 4), "several"), library="fft")
        twice = {"axes": (0, 0)}
        add(store, f"{name}/axes/twice", name, a, twice) if name in ("fft2", "fftn") else None
        store.add(f"{name}/axes/twice/scipy", f"fft.{name}", [a], twice)
    for name in ("fftn", "rfftn", "irfftn"):
        a = array(F64 if name == "rfftn" else C128, (3, 4, 5), "several")
        add(store, f"{name}/axes/three", name, a, {"axes": (2, 0, 1), "s": (4, 3, 5)})
        add(store, f"{name}/points/without_axes", name, a, {"s": (3, 6)}, library="fft")
    store.add("fftn/axes/none", "np.fft.fftn", [array(C64, (2, 3), "none")], {"axes": ()})


def outs(store):
    a = array(C64, (3, 4), "outs")
    for name in ("fft", "ifft", "fftn", "fft2"):
        add(store, f"{name}/out", name, a, {"out": np.ones((3, 4), C64)})
        add(store, f"{name}/out/wider", name, a, {"out": np.ones((3, 4), C128)})
        store.add(f"{name}/out/shape", f"np.fft.{name}", [a], {"out": np.ones((3, 5), C64)})
        store.add(f"{name}/out/real", f"np.fft.{name}", [a], {"out": np.ones((3, 4), F32)})
    add(store, "rfft/out", "rfft", a.real.copy(), {"out": np.ones((3, 3), C64)})
    add(store, "irfft/out", "irfft", a, {"out": np.ones((3, 6), F32)})
    add(store, "irfftn/out", "irfftn", a, {"out": np.ones((3, 6), F32)})


def helpers(store):
    for library in ("np.fft", "fft"):
        for n in (1, 2, 3, 4, 5, 8, 9, 10, 17):
            for name in ("fftfreq", "rfftfreq"):
                store.add(f"{name}/{library}/{n}", f"{library}.{name}", [n])
                store.add(f"{name}/{library}/{n}/spacing", f"{library}.{name}", [n], {"d": 0.1})
        for name in ("fftshift", "ifftshift"):
            op = f"{library}.{name}"
            for dtype, shape in [(F64, (9,)), (F32, (4,)), (C64, (3, 4)), (I32, (2, 3, 5)), (F64, (0, 3))]:
                store.add(f"{name}/{library}/{'x'.join(map(str, shape))}", op, [array(dtype, shape, "shift")])
            a = array(F32, (3, 4, 5), "shift")
            for number, some in enumerate([0, 1, -1, (0, 2), (2, 0), (1, 1), None]):
                store.add(f"{name}/{library}/axes/{number}", op, [a], {"axes": some})
            store.add(f"{name}/{library}/view", op, [View(a, ("transpose", [2, 0, 1]), ("slice", [slice(None, None, -2)]))])
            store.add(f"{name}/{library}/axis_out", op, [a], {"axes": 3})
            store.add(f"{name}/{library}/no_axes", op, [a], {"axes": ()})
        store.add(f"fftfreq/{library}/integer", f"{library}.fftfreq", [6], {"d": 2})
        store.add(f"fftfreq/{library}/backward", f"{library}.fftfreq", [6], {"d": -0.5})
        for name in ("fftfreq", "rfftfreq"):
            for n in (0, -3, 2.0):
                store.add(f"{name}/{library}/refused/{n}", f"{library}.{name}", [n])
            store.add(f"{name}/{library}/refused/spacing", f"{library}.{name}", [4], {"d": 0.0})


def empty(store):
    for name in ONE:
        for library in ("np.fft", "fft"):
            dtype = F32 if name in ("rfft", "ihfft") else C64
            for shape, kwargs in [((0, 4), {}), ((0, 4), {"n": 7}), ((4, 0), {"n": 3}), ((4, 0), {}), ((0,), {}), ((2, 0, 3), {"axis": 0}),
                                  ((0, 3), {"axis": 0}), ((1,), {}), ((3, 1), {})]:
                label = "x".join(map(str, shape)) + "".join(f"_{k}{v}" for k, v in kwargs.items())
                # NumPy 2.4 leaves zeros to real numbers unwritten where there is nothing to transform.
                zeros = np.zeros((4, 3), F32) if label == "4x0_n3" and name in ("irfft", "hfft") else None
                store.add(f"{name}/empty/{library}/{label}", f"{library}.{name}", [np.zeros(shape, dtype)], kwargs, expected=zeros, tolerance=allclose(0, 0))
    for name in ("fftn", "rfftn", "irfftn", "fft2"):
        for shape in ((0, 3), (3, 0), (0, 3, 4)):
            store.add(f"{name}/empty/{'x'.join(map(str, shape))}", f"np.fft.{name}", [np.zeros(shape, F32)])


def refusals(store):
    a = np.ones((3, 4))
    for library in ("np.fft", "fft"):
        for name in ONE:
            op = f"{library}.{name}"
            for n in (0, -1, -3, 2.5):
                store.add(f"refused/{op}/points/{n}", op, [a], {"n": n}) if not (library == "fft" and n in (0, 2.5) and name in ("irfft", "hfft", "ihfft", "rfft")) else None
            store.add(f"refused/{op}/axis", op, [a], {"axis": 2})
            store.add(f"refused/{op}/axis_and_points", op, [a], {"axis": -3, "n": 4})
            store.add(f"refused/{op}/norm", op, [a], {"norm": "both"})
            store.add(f"refused/{op}/scalar", op, [np.array(1.0)])
        for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
            op = f"{library}.{name}"
            store.add(f"refused/{op}/lengths", op, [a], {"s": (2,), "axes": (0, 1)})
            store.add(f"refused/{op}/axis", op, [a], {"axes": (0, 2)})
            store.add(f"refused/{op}/points", op, [a], {"s": (0, 2), "axes": (0, 1)})
            store.add(f"refused/{op}/negative", op, [a], {"s": (-3, 2), "axes": (0, 1)})
            store.add(f"refused/{op}/norm", op, [a], {"norm": "both"})
            if "2" in name:
                store.add(f"refused/{op}/vector", op, [np.ones(4)])
            if name.startswith("rfft"):
                store.add(f"refused/{op}/complex", op, [a + 1j])
    for name in ("rfftn", "irfftn"):
        store.add(f"refused/np.fft.{name}/none", f"np.fft.{name}", [a], {"axes": ()})
        store.add(f"refused/np.fft.{name}/scalar", f"np.fft.{name}", [np.array(1.0)])
