"""Padding: every mode, every form of its numbers, every layout."""

import numpy as np

from inputs import ALL, BF16, ordinary
from store import EXACT, View, allclose

CLOSE = allclose(1e-13, 1e-13)
ROW = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
PLANE = np.arange(12.0).reshape(3, 4) ** 2
MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap")
COMPUTED = ("linear_ramp", "mean", "median")


def cases(store):
    def pad(label, array, width, tolerance=None, **kwargs):
        mode = kwargs.get("mode", "constant")
        tolerance = tolerance or (CLOSE if mode in COMPUTED else EXACT)
        store.add(f"pad/{mode}/{label}", "np.pad", [array, width], kwargs, tolerance=tolerance)

    views = {
        "transposed": View(PLANE, ("transpose", [1, 0])),
        "negative": View(PLANE, ("slice", [slice(None, None, -1), slice(None, None, -2)])),
        "broadcast": View(PLANE[:1], ("broadcast_to", [2, 4])),
        "part": View(PLANE, ("slice", [slice(1, None), slice(1, 3)])),
    }
    small = {"zero_d": np.array(5.0), "one": np.array([7.0]), "one_by_one": np.array([[7.0]]), "two": np.array([1.0, 2.0]),
             "column": np.arange(3.0).reshape(3, 1)}
    for mode in MODES:
        for label, width in {"one": 1, "far": 7, "none": 0, "left": (3, 0), "right": (0, 2), "both": (2, 3), "exact": (5, 4), "nested": ((1, 2),),
                             "list": [2, 1], "single": (2,)}.items():
            pad(f"row/{label}", ROW, width, mode=mode)
        for label, width in {"each": ((1, 2), (0, 3)), "columns": ((1,), (2,)), "far": ((7, 0), (2, 9)), "both": (1, 2), "one_axis": ((0, 0), (2, 2)),
                             "array": np.array([[1, 0], [0, 1]])}.items():
            pad(f"plane/{label}", PLANE, width, mode=mode)
        for label, array in views.items():
            pad(f"view/{label}", array, ((1, 2), (3, 1)), mode=mode)
        for label, array in small.items():
            pad(f"small/{label}", array, 2, mode=mode)
        pad("cube", np.arange(12).reshape(2, 3, 2), ((1, 1), (2, 0), (0, 3)), mode=mode)
        pad("four_axes", np.arange(16).reshape(2, 2, 2, 2), 1, mode=mode)
        for label, array, width in (("empty", np.zeros(0), 1), ("empty_kept", np.zeros(0), 0), ("empty_axis", np.zeros((0, 2)), ((0, 0), (1, 1))),
                                    ("empty_grown", np.zeros((0, 2)), ((1, 0), (0, 0)))):
            pad(label, array, width, mode=mode)
        for dtype in ALL:
            if dtype == BF16:
                continue
            a = ordinary(dtype, 4, "pad")
            if mode in ("mean", "median") and dtype.kind in "iub":
                a = np.array([1, 0, 1, 1]).astype(dtype)
            loose = allclose(2e-3, 2e-3) if dtype == np.float16 else allclose(1e-6, 1e-6) if dtype in (np.float32, np.complex64) else None
            pad(f"dtype/{dtype.name}", a, (2, 3), tolerance=loose if mode in COMPUTED else None, mode=mode)
        if mode not in COMPUTED:
            special = np.array([np.nan, -0.0, np.inf, 0.0])
            pad("special", special, 3, mode=mode)
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        a = ordinary(BF16, 4, "pad")
        store.add(f"pad/{mode}/dtype/bfloat16", "np.pad", [a, 2], {"mode": mode},
                  expected=np.pad(a.view(np.uint16), 2, mode=mode).view(BF16))

    pad("default", ROW, 2)
    whole = np.arange(6, dtype=np.int32).reshape(2, 3)
    for label, values in {"number": 7, "pair": (1, 2), "each": ((1, 2), (3, 4)), "columns": ((1,), (2,)), "float": 2.75, "negative": -1, "single": (5,),
                          "typed": np.int8(3), "three": (1, 2, 3), "rows_wrong": ((1, 2), (3, 4), (5, 6))}.items():
        pad(f"values/{label}", whole, ((1, 2), (2, 1)), constant_values=values)
        pad(f"end/{label}", PLANE, ((1, 2), (2, 3)), mode="linear_ramp", end_values=values)
    pad("values/wraps", whole.astype(np.uint8), 1, constant_values=-1)
    pad("values/too_large", whole.astype(np.uint8), 1, constant_values=((300, 1), (2, 3)))
    pad("values/float_of_each", whole, 1, constant_values=((1.5, 2.5), (3.5, 4.5)))
    pad("values/nan", PLANE, 1, constant_values=np.nan)
    pad("values/complex", PLANE.astype(complex), 1, constant_values=1 + 2j)
    pad("end/int", whole, ((3, 4), (2, 5)), mode="linear_ramp", end_values=(-5, 9))
    pad("end/float_of_int", whole, 3, mode="linear_ramp", end_values=2.5)
    pad("end/float32", PLANE.astype(np.float32), 3, tolerance=allclose(1e-6, 1e-6), mode="linear_ramp", end_values=1)
    for mode in ("maximum", "mean", "median", "minimum"):
        for label, length in {"two": 2, "pair": (1, 2), "each": ((1, 2), (3, 1)), "long": 99, "none": None, "zero": 0, "one_zero": (0, 2), "negative": -1,
                              "columns": ((2,), (1,))}.items():
            if not (mode in ("mean", "median") and "zero" in label):
                pad(f"length/{label}", PLANE, ((1, 2), (2, 1)), mode=mode, stat_length=length)
        pad("whole_numbers", np.array([[1, 2, 4], [8, 16, 33]]), 1, mode=mode)
        pad("nan", np.array([1.0, np.nan, 3.0]), 2, mode=mode, stat_length=(1, 2))
    for mode in ("reflect", "symmetric"):
        for kind in ("even", "odd"):
            for label, width in {"near": (2, 3), "far": (11, 6), "left": (9, 0), "one": 1}.items():
                pad(f"{kind}/row/{label}", ROW, width, tolerance=CLOSE if kind == "odd" else None, mode=mode, reflect_type=kind)
            pad(f"{kind}/plane", PLANE, ((4, 1), (2, 5)), mode=mode, reflect_type=kind)
            pad(f"{kind}/unsigned", np.array([1, 5, 200], dtype=np.uint8), (4, 3), mode=mode, reflect_type=kind)
            pad(f"{kind}/bool", np.array([True, False, False]), (4, 3), mode=mode, reflect_type=kind)
            pad(f"{kind}/half", np.array([0.5, 1000, -3], dtype=np.float16), (2, 2), mode=mode, reflect_type=kind)
            pad(f"{kind}/one", np.array([[3, 4]]), ((1, 1), (2, 2)), mode=mode, reflect_type=kind)
            pad(f"{kind}/two", np.array([3, 8]), (7, 5), mode=mode, reflect_type=kind)
    for label, (width, kwargs) in {
        "negative_width": (-1, {}), "float_width": (1.5, {}), "three_widths": ((1, 2, 3), {}), "no_mode": (1, {"mode": "unknown"}),
        "wrong_option": (1, {"mode": "edge", "constant_values": 1}), "wrong_length": (1, {"mode": "wrap", "stat_length": 1}),
        "many_pairs": (((1, 1), (1, 1), (1, 1)), {}), "bool_width": (True, {}),
    }.items():
        pad(f"error/{label}", PLANE, width, **kwargs)
