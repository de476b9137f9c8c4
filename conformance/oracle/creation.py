"""zeros, ones, full, arange, linspace, eye, identity."""

import numpy as np

import exact
from inputs import ALL, BF16, FLOATS, INTS
from store import EXACT, allclose

HUGE = (2**40, 2**40)


def cases(store):
    for op in ("np.zeros", "np.ones"):
        for dtype in ALL:
            store.add(f"creation/{op}/{dtype.name}", op, [(2, 3)], {"dtype": dtype})
        for label, shape in {"int": 3, "zero_d": (), "empty": (0, 3), "default": (2, 2), "list": [2, 3],
                             "negative": -1, "negative_extent": (2, -3), "65_dimensions": (1,) * 65}.items():
            store.add(f"creation/{op}/shape/{label}", op, [shape])
    for dtype in ALL:
        value = True if dtype == bool else 3 if dtype.kind in "iu" else 1.5 - 2j if dtype.kind == "c" else 2.5
        store.add(f"creation/np.full/{dtype.name}", "np.full", [(2, 2), value], {"dtype": dtype})
        typed = BF16.type(2) if dtype == BF16 else dtype.type(1)
        store.add(f"creation/np.full/typed/{dtype.name}", "np.full", [3, typed])
        for op, args in (("np.eye", (3,)), ("np.identity", (3,))):
            store.add(f"creation/{op}/{dtype.name}", op, list(args), {"dtype": dtype})
    for label, value in (("int", 3), ("negative", -3), ("float", 2.5), ("bool", True), ("complex", 1j),
                         ("nan", float("nan")), ("inf", float("-inf")), ("minus_zero", -0.0)):
        store.add(f"creation/np.full/weak/{label}", "np.full", [(2,), value])
    store.add("creation/np.full/row", "np.full", [(2, 3), np.array([1, 2, 3])])
    store.add("creation/np.full/wrong_row", "np.full", [(2, 3), np.array([1, 2])])
    store.add("creation/np.full/overflow", "np.full", [(2,), 300], {"dtype": np.dtype("uint8")})
    store.add("creation/np.full/empty", "np.full", [(0, 2), 7])
    aranges(store)
    linspaces(store)
    for label, args, kwargs in [
        ("wide", (2, 4), {}), ("tall", (4, 2), {}), ("above", (3,), {"k": 1}), ("below", (3,), {"k": -1}),
        ("wide_above", (3, 5), {"k": 3}), ("outside", (3,), {"k": 5}), ("outside_below", (3,), {"k": -7}),
        ("empty", (0,), {}), ("no_columns", (3, 0), {}), ("square_by_none", (2, None), {}),
        ("far", (3,), {"k": 2**62}), ("negative", (-2,), {}),
    ]:
        store.add(f"creation/np.eye/{label}", "np.eye", list(args), kwargs)
    for size in (0, 1, 4):
        store.add(f"creation/np.identity/{size}", "np.identity", [size])
    # Refused before anything is allocated, whatever the machine has.
    for op, args in (("np.zeros", [HUGE]), ("np.ones", [HUGE]), ("np.full", [HUGE, 1.5]),
                     ("np.zeros", [(2**62,)]), ("np.zeros", [(2**31, 2**31, 2**31)]),
                     ("np.zeros", [(2**40, 2**40, 0)]), ("np.eye", [2**40]), ("np.identity", [2**40]),
                     ("np.arange", [2**62]), ("np.linspace", [0, 1, 2**60])):
        text = str(args[0]).replace(" ", "")
        store.add(f"creation/too_large/{op}/{text}", op, args, expected=MemoryError())


def aranges(store):
    for label, args in {
        "stop": (5,), "start": (2, 7), "step": (1, 10, 3), "down": (5, 0, -2), "empty": (5, 1), "zero": (0,),
        "empty_down": (0, 5, -1), "negative": (-5, -1), "float": (0.0, 2.0, 0.5), "one_float": (3.0,),
        "mixed": (1, 3, 0.25), "large": (2**62, 2**62 + 3), "exclusive": (0, 1, 0.25), "ends_early": (0.0, 2.25, 0.5),
        "down_float": (1.0, -1.0, -0.5), "exact_end": (0, 10, 5), "past_end": (0, 11, 5),
    }.items():
        store.add(f"creation/np.arange/{label}", "np.arange", list(args))
    tenths = np.arange(0, 1, 0.1)
    store.add("creation/np.arange/tenths", "np.arange", [0, 1, 0.1], expected=tenths, tolerance=allclose(0, 4e-16))
    for dtype in [*INTS, *FLOATS, np.dtype("complex64"), np.dtype("complex128")]:
        expected = np.arange(2, 11, 3).astype(dtype)
        store.add(f"creation/np.arange/{dtype.name}", "np.arange", [2, 11, 3], {"dtype": dtype}, expected=expected)
    store.add("creation/np.arange/typed", "np.arange", [np.int8(2), np.int8(6)])
    store.add("creation/np.arange/typed_float", "np.arange", [np.float32(2), np.float32(4), np.float32(0.5)])
    for label, args in {"zero_step": (0, 5, 0), "nan": (0.0, float("nan")), "endless": (0.0, float("inf"))}.items():
        # NumPy says ZeroDivisionError of a zero step; a range is refused all the same.
        store.add(f"creation/np.arange/error/{label}", "np.arange", list(args))
        if label == "zero_step":
            store.cases[-1]["expected"] = {"error": ["ZeroDivisionError", "ValueError"]}
    store.add("creation/np.arange/error/too_many", "np.arange", [0.0, 1e300, 1e-300])
    store.cases[-1]["expected"] = {"error": ["ValueError", "MemoryError", "OverflowError"]}


def linspaces(store):
    for label, args, kwargs in [
        ("default", (0, 1), {}), ("five", (0, 1, 5), {}), ("down", (3.0, -1.0, 9), {}), ("one", (2, 5, 1), {}),
        ("none", (2, 5, 0), {}), ("open", (0, 1, 5), {"endpoint": False}), ("same", (2.5, 2.5, 3), {}),
        ("two", (0.1, 0.3, 2), {}), ("wide", (-1e300, 1e300, 3), {}), ("tiny", (0, 1e-310, 3), {}),
        ("complex", (0, 1 + 2j, 5), {}), ("open_one", (2, 5, 1), {"endpoint": False}),
        ("thirds", (0, 1, 4), {}), ("typed", (np.float32(0), np.float32(1), 4), {}),
    ]:
        expected = np.linspace(*args, **kwargs)
        scale = float(np.max(np.abs(expected), initial=0))
        bound = allclose(0, 2 * exact.eps(expected.dtype) * scale) if scale > 1e-300 else EXACT
        store.add(f"creation/np.linspace/{label}", "np.linspace", list(args), kwargs, expected=expected, tolerance=bound)
    for dtype in FLOATS + [np.dtype("complex64")]:
        wide = np.linspace(0, 3, 7)
        store.add(f"creation/np.linspace/{dtype.name}", "np.linspace", [0, 3, 7], {"dtype": dtype}, expected=wide.astype(dtype))
    store.add("creation/np.linspace/int32", "np.linspace", [0, 10, 5], {"dtype": np.dtype("int32")})
    store.add("creation/np.linspace/int32_down", "np.linspace", [0, -10, 5], {"dtype": np.dtype("int32")},
              note="integers round down, not toward zero")
    store.add("creation/np.linspace/error/negative", "np.linspace", [0, 1, -1])
