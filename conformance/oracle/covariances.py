"""cov, corrcoef, unwrap, packbits, unpackbits."""

import numpy as np

from inputs import ALL, BF16, BOOL, COMPLEX, FLOATS, INTS, ordinary, specials
from store import ANY_ZERO, EXACT, View, allclose

NEAR = allclose(1e-12, 1e-12)


def cases(store):
    variables(store)
    phases(store)
    bits(store)


def variables(store):
    for op in ("cov", "corrcoef"):
        for dtype in [d for d in ALL if d not in (BF16, BOOL)]:
            x = ordinary(dtype, 24, op).reshape(3, 8)
            store.add(f"{op}/{dtype.name}", f"np.{op}", [x], tolerance=allclose(1e-6 if dtype.itemsize == 2 else 1e-10, 1e-10))
        x = ordinary(np.dtype("float64"), 24, op + "options").reshape(4, 6)
        for label, args, kwargs in (
                ("flat", [x[0]], {}), ("two", [x[0], x[1]], {}), ("more", [x, x[:2] * 2], {}), ("columns", [x], {"rowvar": False}),
                ("columns/two", [x[:, 0], x[:, 1]], {"rowvar": False}), ("columns/more", [x, x[:, :2]], {"rowvar": False}),
                ("dtype", [x], {"dtype": np.dtype("float32")}), ("one_variable", [x[:1]], {}), ("one_observation", [x[:, :1]], {}),
                ("empty", [x[:, :0]], {}), ("none", [x[:0]], {}), ("three_d", [x.reshape(2, 2, 6)], {}), ("three_d_second", [x, x.reshape(2, 2, 6)], {}),
                ("constant", [np.ones((2, 4))], {}), ("view", [View(x, ("transpose", [1, 0]))], {}), ("mixed", [x[0].astype(np.float32), np.arange(6)], {}),
                ("lengths", [x, x[:, :3]], {}), ("mixed_complex", [x + 1j * x[::-1]], {}), ("complex/columns", [(x + 1j * x[::-1]).astype(np.complex64)], {"rowvar": False})):
            # NumPy's own f32 products round in another order.
            tolerance = allclose(1e-5, 1e-6) if label == "dtype" else allclose(1e-10, 1e-12)
            store.add(f"{op}/{label}", f"np.{op}", args, kwargs, tolerance=tolerance)
    f, a = np.array([1, 2, 0, 3, 1, 1]), np.array([0.5, 1.0, 2.0, 0.25, 1.0, 3.0])
    for label, kwargs in {"bias": {"bias": True}, "ddof": {"ddof": 2}, "ddof=0": {"ddof": 0}, "ddof/large": {"ddof": 9}, "ddof/half": {"ddof": 0.5}, "fweights": {"fweights": f},
                          "aweights": {"aweights": a}, "both": {"fweights": f, "aweights": a}, "both/ddof=0": {"fweights": f, "aweights": a, "ddof": 0},
                          "aweights/bias": {"aweights": a, "bias": True}, "fweights/negative": {"fweights": -f}, "fweights/fractions": {"fweights": a},
                          "aweights/negative": {"aweights": -a}}.items():
        store.add(f"cov/{label}", "np.cov", [x], kwargs, tolerance=NEAR)
    for label, kwargs in {"fweights/short": {"fweights": f[:3]}, "aweights/two_d": {"aweights": np.ones((2, 3))}}.items():
        # NumPy says RuntimeError, which elsewhere it keeps for machines.
        store.add(f"cov/{label}", "np.cov", [x], kwargs)
        store.cases[-1]["expected"] = {"error": ["RuntimeError", "ValueError"]}


def phases(store):
    x = np.array([0.0, 3.0, 6.5, 0.5, 9.0, -9.0, 0.0, 3.25, 100.0, -40.0])
    near = allclose(1e-12, 1e-12)
    for label, args, kwargs in (
            ("plain", [x], {}), ("two_d", [x.reshape(2, 5)], {}), ("axis=0", [x.reshape(5, 2)], {"axis": 0}), ("period", [x], {"period": 4.0}),
            ("period/integer", [x], {"period": 4}), ("discont", [x, 5.0], {}), ("discont/small", [x, 0.5], {}), ("integers", [np.array([0, 1, 2, -1, 0]) ], {"period": 4}),
            ("integers/odd", [np.array([0, 2, 4, 1, 3, 0])], {"period": 5}), ("integers/turn", [np.array([0, 3, 6, 1])], {}), ("hours", [np.array([22, 23, 0, 1], np.int8)], {"period": 24}),
            ("float32", [x.astype(np.float32)], {"period": 8.0}), ("half_turns", [np.array([0.0, 4.0, 0.0, -4.0, -8.0])], {"period": 8.0}), ("one", [x[:1]], {}), ("empty", [x[:0]], {}),
            ("nan", [np.array([0.0, np.nan, 7.0, 1.0])], {}), ("inf", [np.array([0.0, np.inf, 1.0])], {}), ("bad_axis", [x], {"axis": 1}), ("zero_d", [np.array(1.0)], {}),
            ("view", [View(x, ("slice", [slice(None, None, -2)]))], {})):
        store.add(f"unwrap/{label}", "np.unwrap", args, kwargs, tolerance=allclose(1e-6, 1e-6) if label == "float32" else near)


def bits(store):
    for dtype in ALL:
        x = specials(dtype) if dtype.kind in "biu" else ordinary(dtype, 9) if dtype.kind == "c" else np.zeros(9, dtype)
        if dtype == BF16:
            continue
        store.add(f"packbits/{dtype.name}", "np.packbits", [x])
    g = (np.arange(60).reshape(3, 20) * 7 % 5 < 2)
    for order in ("big", "little"):
        for axis in (None, 0, 1, -1):
            store.add(f"packbits/{order}/axis={axis}", "np.packbits", [g, axis, order])
    b = (np.arange(6, dtype=np.uint8) * 41).reshape(2, 3)
    for order in ("big", "little"):
        for axis in (None, 0, -1):
            for count in (None, 0, 5, 16, 60, -3):
                store.add(f"unpackbits/{order}/axis={axis}/count={count}", "np.unpackbits", [b], {"axis": axis, "count": count, "bitorder": order})
    for label, args, kwargs in (("zero_d", [np.array(True)], {}), ("empty", [g[:0]], {}), ("empty/axis=0", [g[:0], 0], {}), ("empty/axis=1", [g[:0], 1], {}), ("bad_axis", [g, 2], {}),
                                ("bad_order", [g], {"bitorder": "middle"}), ("view", [View(g, ("transpose", [1, 0])), 1], {}), ("exact", [g[:, :16], 1], {})):
        store.add(f"packbits/{label}", "np.packbits", args, kwargs)
    for label, args, kwargs in (("zero_d", [np.array(5, np.uint8)], {}), ("empty", [b[:0]], {}), ("empty/axis=1", [b[:0], 1], {}), ("wrong_dtype", [b.astype(np.int8)], {}), ("bad_axis", [b, 2], {}),
                                ("too_few", [b], {"count": -50}), ("bad_order", [b], {"bitorder": "middle"}), ("view", [View(b, ("slice", [slice(None, None, -1), slice(None, None, 2)])), 0], {})):
        store.add(f"unpackbits/{label}", "np.unpackbits", args, kwargs)
