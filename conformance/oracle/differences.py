"""diff, ediff1d, gradient, interp, convolve, correlate."""

import numpy as np

from arithmetic import widened
from inputs import ALL, BF16, BOOL, COMPLEX, FLOATS, INTS, ordinary, specials
from store import ANY_ZERO, EXACT, View, allclose, function

F32, F64 = np.dtype("float32"), np.dtype("float64")


def cases(store):
    diffs(store)
    ends(store)
    gradients(store)
    interpolations(store)
    overlaps(store)
    long_overlaps(store)


def halves(dtype, count, name=""):
    """Numbers whose differences are exact in every dtype."""
    x = ordinary(np.dtype("int8"), count, name)
    if dtype.kind == "c":
        return (x / 2 + 1j * ordinary(np.dtype("int8"), count, name + "i")).astype(dtype)
    return np.abs(x).astype(dtype) if dtype.kind == "u" else (x > 0) if dtype == BOOL else \
        (x / 2).astype(dtype) if dtype.kind not in "iu" else x.astype(dtype)


def call(store, id, op, args, kwargs=None, tolerance=EXACT):
    kwargs = kwargs or {}
    values = [a.apply() if isinstance(a, View) else a for a in args]
    if not any(isinstance(v, np.ndarray) and v.dtype == BF16 for v in values):
        store.add(id, op, args, kwargs, tolerance=tolerance)
        return
    result = function(op)(*[widened(v) if isinstance(v, np.ndarray) else v for v in values], **kwargs)
    store.add(id, op, args, kwargs, expected=result.astype(BF16), tolerance=tolerance)


def diffs(store):
    for dtype in ALL:
        x = halves(dtype, 12, "diff").reshape(3, 4)
        call(store, f"diff/{dtype.name}", "np.diff", [x])
        call(store, f"diff/{dtype.name}/n=2,axis=0", "np.diff", [x, 2, 0])
        if dtype in INTS:
            call(store, f"diff/{dtype.name}/extremes", "np.diff", [specials(dtype)])
    x = halves(F32, 24, "options").reshape(2, 3, 4)
    for n in (0, 1, 3, 4, 7):
        call(store, f"diff/n={n}", "np.diff", [x], {"n": n})
    for axis in (0, 1, -2, 3, -4):
        call(store, f"diff/axis={axis}", "np.diff", [x], {"axis": axis})
    call(store, "diff/negative_n", "np.diff", [x, -1])
    call(store, "diff/zero_d", "np.diff", [np.array(3.0)])
    call(store, "diff/zero_d/n=0", "np.diff", [np.array(3.0), 0])
    for label, shape in (("empty", (0,)), ("one", (1,)), ("empty_axis", (2, 0)), ("no_rows", (0, 3))):
        call(store, f"diff/{label}", "np.diff", [np.zeros(shape, np.float32)])
        call(store, f"diff/{label}/n=2", "np.diff", [np.zeros(shape, np.int16)], {"n": 2})
    special = np.array([1.0, np.inf, np.inf, -np.inf, np.nan, 0.0, -0.0])
    call(store, "diff/specials", "np.diff", [special])
    flat = np.array([1, 4, 9], np.int16)
    for label, kwargs in {
        "prepend": {"prepend": 0}, "append": {"append": 2.5}, "both": {"prepend": 7, "append": np.array([1, 2])},
        "array": {"prepend": np.array([1.5, 2.5])}, "zero_d": {"append": np.array(5, np.int8)},
        "bool": {"prepend": True}, "typed": {"append": np.float32(2)}, "n=2": {"prepend": 0, "append": 0, "n": 2},
        "n=0": {"prepend": 0, "n": 0}, "two_d": {"prepend": np.ones((2, 2))},
    }.items():
        call(store, f"diff/ends/{label}", "np.diff", [flat], kwargs)
    call(store, "diff/ends/axis=1", "np.diff", [x], {"axis": 1, "prepend": 0.5, "append": np.ones((2, 2, 4))})
    call(store, "diff/ends/axis=0", "np.diff", [x], {"axis": 0, "prepend": np.ones((1, 3, 4), np.float64)})
    call(store, "diff/ends/wrong", "np.diff", [x], {"axis": 0, "append": np.ones((1, 3))})
    backward = slice(None, None, -1)
    for label, view in {"transposed": View(x, ("transpose", [2, 0, 1])),
                        "negative": View(x, ("slice", [backward, slice(None, None, 2), backward])),
                        "broadcast": View(x[:, :1], ("broadcast_to", [2, 3, 4]))}.items():
        for axis in (0, 1, 2):
            call(store, f"diff/views/{label}/{axis}", "np.diff", [view], {"axis": axis})


def ends(store):
    for dtype in ALL:
        call(store, f"ediff1d/{dtype.name}", "np.ediff1d", [halves(dtype, 6, "ediff").reshape(2, 3)])
    x = np.array([1, 2, 4, 7, 0], np.int32)
    call(store, "ediff1d/ends", "np.ediff1d", [x, np.array([88, 99]), np.array([[-9]])])
    call(store, "ediff1d/to_begin", "np.ediff1d", [x], {"to_begin": -99})
    call(store, "ediff1d/to_end", "np.ediff1d", [x.astype(np.float32)], {"to_end": 5})
    call(store, "ediff1d/wrong_dtype", "np.ediff1d", [x], {"to_end": 2.5})
    call(store, "ediff1d/wrong_begin", "np.ediff1d", [x], {"to_begin": np.array([1j])})
    call(store, "ediff1d/narrow", "np.ediff1d", [x.astype(np.int8)], {"to_begin": np.array([3], np.int64)})
    for count in (0, 1):
        call(store, f"ediff1d/{count}", "np.ediff1d", [np.zeros(count)])
        call(store, f"ediff1d/{count}/ends", "np.ediff1d", [np.zeros(count)], {"to_end": 2.0})
    call(store, "ediff1d/zero_d", "np.ediff1d", [np.array(3.0)])


def gradients(store):
    near = allclose(1e-6, 1e-6)
    for dtype in ALL:
        if dtype == BF16:
            continue
        x = halves(dtype, 20, "gradient").reshape(4, 5)
        bound = allclose(1e-2, 1e-2) if dtype.itemsize == 2 else near
        call(store, f"gradient/{dtype.name}", "np.gradient", [x], {"axis": 0}, bound)
        call(store, f"gradient/{dtype.name}/edge_order=2", "np.gradient", [x], {"axis": 1, "edge_order": 2}, bound)
    x = halves(F64, 24, "gradient").reshape(4, 3, 2)[:, :, [0, 1, 0]]
    uneven, even = np.array([0.0, 1.0, 3.0, 3.5]), np.array([1, 3, 5, 7])
    for label, args, kwargs in (
            ("all", [], {}), ("step", [2.0], {}), ("integer_step", [2], {}), ("steps", [1.0, 2.0, 0.5], {}),
            ("strong_step", [np.float64(0.5)], {}), ("zero_d_step", [np.array(0.25)], {}),
            ("uneven", [uneven], {"axis": 0}), ("even", [even], {"axis": 0}),
            ("uneven_2", [uneven], {"axis": 0, "edge_order": 2}), ("even_2", [even], {"axis": 0, "edge_order": 2}),
            ("mixed", [uneven, 2.0], {"axis": (0, 1)}), ("order", [2.0, uneven], {"axis": (1, 0)}),
            ("edge_order=2", [], {"edge_order": 2}), ("axis=-1", [], {"axis": -1}), ("axes", [], {"axis": (2, 0)}),
            ("one_axis_tuple", [], {"axis": (1,)}), ("edge_order=3", [], {"edge_order": 3}),
            ("too_many_steps", [1.0, 2.0], {}), ("wrong_length", [even[:3]], {"axis": 0}),
            ("two_d", [np.ones((2, 2))], {"axis": 0}), ("bad_axis", [], {"axis": 3}), ("twice", [], {"axis": (0, 0)})):
        call(store, f"gradient/{label}", "np.gradient", [x, *args], kwargs, near)
    y = x.astype(np.float32)
    call(store, "gradient/float32/uneven", "np.gradient", [y, uneven], {"axis": 0}, near)
    call(store, "gradient/float32/strong", "np.gradient", [y, np.float64(0.3)], {"axis": 1}, near)
    call(store, "gradient/float32/weak", "np.gradient", [y, 0.3], {"axis": 1}, near)
    call(store, "gradient/too_short", "np.gradient", [np.ones(1)])
    call(store, "gradient/too_short_2", "np.gradient", [np.ones(2)], {"edge_order": 2})
    call(store, "gradient/two", "np.gradient", [np.array([1.0, 4.0])], {}, near)
    call(store, "gradient/line", "np.gradient", [np.array([1, 2, 4, 7, 11, 16], np.int8)], {}, near)
    call(store, "gradient/view", "np.gradient", [View(x, ("transpose", [2, 0, 1]))], {"axis": 1}, near)


def interpolations(store):
    near = allclose(1e-14, 1e-14)
    xp, fp = np.array([1.0, 2.0, 4.0, 4.5]), np.array([3.0, -2.0, 0.5, 8.0])
    x = np.array([0.0, 1.0, 1.25, 2.0, 3.5, 4.5, 4.6, np.nan, np.inf, -np.inf, 4.25, -0.0])
    for label, args, kwargs in (
            ("plain", [x, xp, fp], {}), ("left", [x, xp, fp], {"left": -1.0}), ("right", [x, xp, fp], {"right": 99}),
            ("both", [x, xp, fp, 7, 8.5], {}), ("none", [x, xp, fp, None, None, None], {}),
            ("two_d", [x[:4].reshape(2, 2), xp, fp], {}), ("scalar", [2.5, xp, fp], {}), ("zero_d", [np.array(2.5), xp, fp], {}),
            ("empty", [x[:0], xp, fp], {}), ("one_sample", [x, xp[:1], fp[:1]], {}),
            ("one_sample/ends", [x, xp[:1], fp[:1], 0.0, 1.0], {}),
            ("no_sample", [x, xp[:0], fp[:0]], {}), ("lengths", [x, xp, fp[:2]], {}), ("two_d_samples", [x, xp.reshape(2, 2), fp.reshape(2, 2)], {}),
            ("integers", [np.array([1, 2, 3], np.int8), np.array([0, 2, 4], np.int16), np.array([10, 20, 0], np.uint8)], {}),
            ("float32", [np.array([0.5, 1.5], np.float32), np.array([0, 1, 2], np.float32), np.array([1, 3, 9], np.float32)], {}),
            ("period", [np.array([-180.0, -170, 5, 355, 725]), np.array([190.0, -190, 350, -350]), np.array([5.0, 10, 3, 4])], {"period": 360}),
            ("period/ignores_ends", [x[:5], xp, fp, 0.0, 0.0], {"period": -3.0}), ("period/0", [x[:5], xp, fp], {"period": 0}),
            ("steps", [np.array([1.0, 1.5, 2.0]), np.array([1.0, 1.0, 2.0]), np.array([0.0, 5.0, 6.0])], {}),
            ("infinite", [np.array([0.5, 1.0, 1.5, 2.5]), np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, np.inf, 2.0, 2.0])], {}),
            ("flat_infinite", [np.array([0.5, 1.5]), np.array([0.0, 1.0, np.inf]), np.array([1.0, 2.0, 2.0])], {}),
            ("complex", [x[:7], xp, fp + 1j * fp[::-1]], {}), ("complex/left", [x[:3], xp, fp * 1j], {"left": 2 + 1j}),
            ("complex_places", [x * 1j, xp, fp], {}),
            ("view", [View(x, ("slice", [slice(None, 6, 2)])), View(xp[::-1].copy(), ("slice", [slice(None, None, -1)])), fp], {})):
        call(store, f"interp/{label}", "np.interp", args, kwargs, near)


def overlaps(store):
    for name in ("convolve", "correlate"):
        op = f"np.{name}"
        for dtype in ALL:
            a, v = halves(dtype, 7, name), halves(dtype, 3, name + "v")
            for mode in ("full", "same", "valid"):
                call(store, f"{name}/{dtype.name}/{mode}", op, [a, v], {"mode": mode}, ANY_ZERO)
        x = halves(F64, 9, name)
        for m, n in ((1, 1), (5, 1), (1, 5), (3, 6), (4, 4), (5, 2), (2, 5), (9, 4)):
            for mode in ("full", "same", "valid"):
                call(store, f"{name}/sizes/{m},{n}/{mode}", op, [x[:m], x[::-1][:n].copy()], {"mode": mode}, ANY_ZERO)
        call(store, f"{name}/default", op, [x, x[:3]], {}, ANY_ZERO)
        call(store, f"{name}/mixed", op, [np.array([1, 2, 3], np.int8), np.array([0.5, 2.0], np.float32)], {}, ANY_ZERO)
        call(store, f"{name}/infinite", op, [np.array([1.0, 2.0, 3.0]), np.array([np.inf, 1.0])], {"mode": "full"})
        call(store, f"{name}/empty", op, [x[:0], x])
        call(store, f"{name}/empty_second", op, [x, x[:0]])
        call(store, f"{name}/mode", op, [x, x[:2]], {"mode": "wrong"})
        call(store, f"{name}/view", op, [View(x, ("slice", [slice(None, None, -2)])), x[:2]], {"mode": "full"}, ANY_ZERO)
        call(store, f"{name}/number", op, [x[:3], np.array(2.0)], {}, ANY_ZERO)
    z = np.array([1 + 1j, 2 - 1j, 3j])
    call(store, "correlate/complex/short_first", "np.correlate", [z[:2], z, "full"], {}, ANY_ZERO)
    call(store, "correlate/complex/real", "np.correlate", [np.array([1.0, 2.0, 3.0]), z[:2], "same"], {}, ANY_ZERO)


def waves(dtype, count, period):
    """Small numbers of both signs, whose products add up exactly in any order."""
    x = (np.arange(count) * 5 % period - period // 2).astype(np.int8)
    return x.astype(dtype) if dtype.kind != "c" else (x + 1j * x[::-1]).astype(dtype)


def long_overlaps(store):
    """Lengths around the runs of taps and the tiles of results in which devices work."""
    for taps in (63, 64, 65, 128, 1000):
        x, v = waves(F32, 3000, 7), waves(F32, taps, 5)
        call(store, f"convolve/long/{taps}/same", "np.convolve", [x, v, "same"], {}, ANY_ZERO)
        call(store, f"correlate/long/{taps}/valid", "np.correlate", [x[:2100], v, "valid"], {}, ANY_ZERO)
    for mode in ("full", "same", "valid"):
        v = waves(F32, 65, 5)
        call(store, f"convolve/long/short_first/{mode}", "np.convolve", [v, waves(F32, 130, 7), mode], {}, ANY_ZERO)
        call(store, f"correlate/long/short_first/{mode}", "np.correlate", [v, waves(F32, 130, 7), mode], {}, ANY_ZERO)
        call(store, f"correlate/long/equal/{mode}", "np.correlate", [waves(F64, 200, 9), waves(F64, 200, 5), mode], {}, ANY_ZERO)
        # Infinities at both ends, so that 0 * inf would show where nothing lies.
        ends = waves(F32, 300, 7)
        ends[0], ends[-1] = np.inf, -np.inf
        call(store, f"convolve/long/infinite/{mode}", "np.convolve", [ends, np.abs(v) + 1, mode], {}, ANY_ZERO)
    for dtype in ALL:
        if dtype not in (F32, BOOL):
            x, v = waves(dtype, 700, 7), waves(dtype, 70, 5)
            call(store, f"correlate/long/{dtype.name}", "np.correlate", [x, v, "full"], {}, ANY_ZERO)
    sparse = np.arange(700) % 97 == 0
    call(store, "convolve/long/bool", "np.convolve", [sparse, sparse[:70], "full"], {}, ANY_ZERO)
    views = View(waves(F32, 700, 7), ("slice", [slice(None, None, -2)])), View(waves(F32, 210, 5), ("slice", [slice(1, None, 3)]))
    call(store, "convolve/long/views", "np.convolve", [*views, "full"], {}, ANY_ZERO)
    # So few results of so many taps that they are reductions.
    call(store, "correlate/long/few", "np.correlate", [waves(F32, 4200, 7), waves(F32, 4100, 5)], {}, ANY_ZERO)
