"""Forms of arguments that NumPy's and CuPy's own tests use: signs of printed numbers, reflections of QR, slices of any numbers,
directives of matrices, many index arrays; and one call for each difference that a replay of those tests once found."""

import numpy as np

from store import ANY_ZERO, EXACT, allclose

INF, NAN = np.inf, np.nan
NEAR = allclose(1e-12, 1e-12)


def cases(store):
    signs(store)
    reflections(store)
    hermitian(store)
    grids(store)
    joined(store)
    indices(store)
    lists(store)
    walk(store)


def signs(store):
    """What stands in front of numbers that are not negative."""
    x = {"whole": np.array([10, 0, 1]), "mixed": np.array([10, -1, 1]), "long": np.array([-100, 5]), "unsigned": np.array([0, 250], np.uint8),
         "floats": np.array([0.0, 1.5, 2.25]), "below": np.array([1.0, -1.5]), "zero": np.array([1.0, -0.0]), "nan": np.array([NAN, 1.0]),
         "inf": np.array([INF, 1.0]), "lost": np.array([NAN, INF]), "falling": np.array([-INF, 2.0]), "neither": np.array([-INF, NAN]),
         "exponents": np.array([1e-9, 1e20]), "exponents/below": np.array([-1e-9, 1e20]), "single": np.array([0.1, 3e7], np.float32), "half": np.array([0.1, 7], np.float16),
         "complex": np.array([1 + 2j, 3.5 - 1j]), "complex/below": np.array([-1 + 2j, 3.5 + 1j]), "complex/nan": np.array([complex(NAN, 1), complex(1, INF)]),
         "truths": np.array([True, False]), "matrix": np.array([[1.0, 2.0], [30.5, 4.0]]), "number": np.array(1.5), "integer": np.array(7),
         "number/below": np.array(-1.5), "number/nan": np.array(NAN), "number/complex": np.array(1 + 2j), "truth": np.array(True), "empty": np.zeros(0),
         "long/many": np.arange(40), "long/floats": np.linspace(0, 1, 30)}
    for label, a in x.items():
        for name, sign in {"space": " ", "plus": "+", "minus": "-"}.items():
            store.add(f"sign/{name}/{label}", "np.array2string", [a], {"sign": sign})
        store.add(f"sign/space/{label}/fixed", "np.array2string", [a], {"sign": " ", "floatmode": "fixed", "precision": 2})
        store.add(f"sign/space/{label}/separator", "np.array2string", [a], {"sign": " ", "separator": ", ", "suppress_small": True})
    for label, sign in {"letter": "x", "empty": "", "two": "+-"}.items():
        store.add(f"sign/unknown/{label}", "np.array2string", [np.array([1])], {"sign": sign})
    for label, legacy in {"false": False, "none": None}.items():
        store.add(f"sign/legacy/{label}", "np.array2string", [np.array([1.0, -2.5])], {"legacy": legacy})


def reflections(store):
    """QR by NumPy's other modes. Values are those of LAPACK: signs are told by the first element of each column."""
    chance = np.random.Generator(np.random.PCG64(64))
    shapes = {"tall": (7, 3), "wide": (3, 6), "square": (5, 5), "stack": (2, 3, 4, 3), "column": (6, 1), "row": (1, 4), "one": (1, 1), "large": (40, 23),
              "large/wide": (23, 40), "larger": (90, 40)}
    for dtype in map(np.dtype, ("float32", "float64", "complex64", "complex128", "int64")):
        near = allclose(2e-3, 2e-4) if dtype.name in ("float32", "complex64") else allclose(1e-10, 1e-11)
        for label, shape in shapes.items():
            # Reflections are taken one after the other: large matrices cost a simulated device minutes.
            if label.startswith("large") and dtype.name not in ("float64", "complex128"):
                continue
            a = chance.integers(-9, 10, shape)
            a = (a + (0 if dtype.kind != "c" else 1j * chance.integers(-9, 10, shape))).astype(dtype)
            for mode in ("raw", "economic", "e"):
                if mode == "raw" or label == "tall" or mode == "economic" and label == "wide":
                    store.add(f"reflections/{mode}/{label}/{dtype}", "np.linalg.qr", [a], {"mode": mode}, tolerance=near)
        for label, a in {"triangle": [[3, 1, 2], [0, 4, 5], [0, 0, -6]], "identity": np.eye(3), "zero": np.zeros((3, 2)), "middle": [[1, 0, 2], [2, 0, 1], [2, 0, 7]],
                         "last": [[1, 2], [2, 0], [0, 5]], "diagonal": np.diag([1, -2, 3]), "heads": [[0, 1], [3, 1], [4, 1]], "rows": [[2, 1, 3], [4, 1, 0]]}.items():
            a = np.asarray(a).astype(dtype)
            store.add(f"reflections/raw/{label}/{dtype}", "np.linalg.qr", [a], {"mode": "raw"}, tolerance=near)
    turned = np.array([[1j, 2], [0, 3]])
    store.add("reflections/raw/imaginary", "np.linalg.qr", [turned], {"mode": "raw"}, tolerance=NEAR)
    for label, shape in {"none": (0, 0), "rows": (0, 3), "columns": (3, 0), "batch": (0, 3, 2), "batch/columns": (2, 3, 0)}.items():
        for mode in ("raw", "economic", "r"):
            store.add(f"reflections/{mode}/{label}", "np.linalg.qr", [np.zeros(shape)], {"mode": mode})
    a = np.array([[3.0, 5.0], [4.0, 10.0]])
    for label, args in {"unknown": [a, "Raw"], "letter": [a, "c"], "vector": [a[0], "raw"], "half": [a.astype(np.float16), "raw"], "reduced/letter": [a, "reduce"]}.items():
        store.add(f"reflections/refused/{label}", "np.linalg.qr", args)


def hermitian(store):
    """Singular vectors of singular Hermitian matrices: those of eigenvalues that are zero have length 1 too."""
    singular = {"first": [[1, 0], [0, 0]], "zero": [[0, 0], [0, 0]], "ones": [[1, 1], [1, 1]], "below": [[-2, 0], [0, 0]], "large": np.ones((5, 5)), "none": [[0]],
                "mixed": np.diag([3, 0, -4, 0]), "three": [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]], "stack": [[[1, 0], [0, 0]], [[0, 0], [0, 0]], [[1, 1], [1, 1]]]}
    for dtype in map(np.dtype, ("float32", "float64", "complex64", "complex128")):
        bound = 1e-4 if dtype.name in ("float32", "complex64") else 1e-10
        near = allclose(bound, bound)
        for label, rows in singular.items():
            a = np.asarray(rows).astype(dtype)
            s = np.linalg.svd(a.astype(np.complex128), compute_uv=False).astype(np.zeros((), dtype).real.dtype)
            for full in (True, False):
                store.add(f"hermitian/{label}/{dtype}/{'full' if full else 'reduced'}", "np.linalg.svd", [a], {"hermitian": True, "full_matrices": full},
                          expected=[np.zeros_like(a), s, np.zeros_like(a)],
                          tolerance={"kind": "property", "rtol": bound, "checks": ["U@diag(S)@Vh==A", "Uh@U==I", "Vh@Vhh==I", "S descending"]})
            store.add(f"hermitian/{label}/{dtype}/values", "np.linalg.svd", [a], {"hermitian": True, "compute_uv": False}, expected=s, tolerance=near)
            store.add(f"hermitian/{label}/{dtype}/rank", "np.linalg.matrix_rank", [a], {"hermitian": True})
            store.add(f"hermitian/{label}/{dtype}/pinv", "np.linalg.pinv", [a], {"hermitian": True, "rcond": 1e-3}, tolerance=near)
        i = np.array([[1, 1j], [-1j, 1]]).astype(np.complex128)
        if dtype.kind == "c":
            store.add(f"hermitian/turned/{dtype}", "np.linalg.svd", [i.astype(dtype)], {"hermitian": True},
                      expected=[np.zeros((2, 2), dtype), np.array([2, 0], np.zeros((), dtype).real.dtype), np.zeros((2, 2), dtype)],
                      tolerance={"kind": "property", "rtol": bound, "checks": ["U@diag(S)@Vh==A", "Uh@U==I", "Vh@Vhh==I", "S descending"]})


def slices():
    """Slices of numbers of every kind."""
    for start, stop, step in ((0, 1, 5j), (-1, 1, 5j), (None, 1, 3j), (0, 10, 4j), (1, 0, 3j), (0, 1, 1j), (2, 1, 0j), (0, 1, -4j), (0, 1, 3 + 4j), (0, 1, 2.9j),
                              (0.5, 2, 4j), (0, 0.3, 7j), (0, 1, 0.25), (0, 1, 0.1), (1, 2, 0.3), (1.5, 4, None), (1.5, 4.5, 1), (None, 2.5, None), (3, 0, -0.5), (0, -1, 0.5),
                              (0, 5, None), (5, 0, -2), (2, 2, None), (np.float32(0), np.float32(1), 5j), (np.float32(0), 1, 4j), (0, 1, np.complex64(3j)),
                              (0, 1, np.complex128(3j)), (np.float32(0), np.float32(1), np.float32(0.25)), (np.float16(0), np.float16(1), 4j),
                              (np.float32(0.1), 2, 0.3), (np.int8(0), np.int8(5), np.int8(2)), (np.int16(1), 4, None), (np.uint8(0), 3, None), (np.int64(0), 6, 3j), (0, 1j, 3j), (1j, 1, 4j),
                              (0, 1e300, 3j), (0, INF, 3j), (NAN, 1, 3j), (True, 4, None), (0, 2**40, 2**39), (0, 1, 1.5)):
        yield slice(start, stop, step)


def label(part):
    return f"{part.start},{part.stop},{part.step}"


def grids(store):
    for k, part in enumerate(slices()):
        for op in ("np.mgrid", "np.ogrid"):
            store.add(f"slices/{op}/{k}/{label(part)}", op, [part], tolerance=ANY_ZERO)
            # NumPy falls back to its rule for one slice where two of complex numbers raise, and then raises another error.
            if not (isinstance(part.start, complex) or isinstance(part.stop, complex)):
                for other, second in {"whole": slice(0, 3), "points": slice(0, 1, 3j), "floats": slice(0, 1, 0.5)}.items():
                    store.add(f"slices/{op}/{k}/{label(part)}/{other}", op, [part, second], tolerance=ANY_ZERO)
                    store.add(f"slices/{op}/{k}/{other}/{label(part)}", op, [second, part], tolerance=ANY_ZERO)
    for op in ("np.mgrid", "np.ogrid"):
        store.add(f"slices/{op}/three", op, [slice(0, 2), slice(0, 1, 3j), slice(1.5, 0, -0.5)])
        store.add(f"slices/{op}/nan", op, [slice(0, 1, complex(NAN, 0))])
    a = np.arange(10)
    for name, key in {"beyond": slice(-2**70, 2**70), "beyond/step": slice(None, None, 2**70), "beyond/back": slice(None, None, -2**70), "beyond/stop": slice(2**70, None),
                      "word": slice(2**63 - 1, None, -1), "word/below": slice(-2**63, None), "truth": slice(True, 5), "float": slice(0.0, 5), "float/stop": slice(0, 5.0),
                      "float/step": slice(0, 5, 2.0), "complex": slice(0, 1, 5j), "typed": slice(np.int8(1), np.uint64(5), np.int16(2)), "typed/truth": slice(np.bool_(True), 5),
                      "typed/float": slice(np.float32(1), 5), "zero": slice(None, None, 0)}.items():
        store.add(f"slices/getitem/{name}", "getitem", [a, key])
        store.add(f"slices/setitem/{name}", "setitem", [a, 7, key])


def joined(store):
    for k, part in enumerate(slices()):
        for op in ("np.r_", "np.c_"):
            store.add(f"joined/{op}/{k}/{label(part)}", op, [part], tolerance=NEAR)
            store.add(f"joined/{op}/{k}/{label(part)}/directive", op, ["0,2", part], tolerance=NEAR)
            store.add(f"joined/{op}/{k}/{label(part)}/turned", op, ["0,2,0", part, part], tolerance=NEAR)
            store.add(f"joined/{op}/{k}/{label(part)}/behind", op, [part, part], tolerance=NEAR)
        store.add(f"joined/np.r_/{k}/{label(part)}/mixed", "np.r_", [np.array([1, 2], np.int8), part, 3, [0.5]], tolerance=NEAR)
    x, table, cube = np.arange(3), np.arange(6.0).reshape(2, 3), np.arange(8).reshape(2, 2, 2)
    for op in ("np.r_", "np.c_"):
        store.add(f"joined/{op}/start", op, [slice(3, None)])
        store.add(f"joined/{op}/start/step", op, [slice(3, None, 2)])
        for text in ("r", "c"):
            for name, parts in {"vectors": [x, x], "lists": [[1, 2], [3, 4.5]], "number": [x, 7], "numbers": [1, 2, 3], "tables": [table, table], "cubes": [cube, cube],
                                "slice": [slice(0, 3), slice(3, 6)], "points": [slice(0, 1, 3j), 5], "one": [x], "column": [table[:, :1], table[:, :1]], "none": []}.items():
                run = np.r_ if op == "np.r_" else np.c_
                try:
                    expected = np.asarray(run[(text, *parts)])
                except Exception as error:
                    expected = error
                store.add(f"joined/{op}/{text}/{name}", op, [text, *parts], expected=expected, tolerance=NEAR)
        store.add(f"joined/{op}/unknown", op, ["R", x])
        store.add(f"joined/{op}/both", op, ["r,2", x])
        store.add(f"joined/{op}/late", op, [x, "r"])


def indices(store):
    """As many index arrays as an array has axes."""
    deep, shallow, flat = np.arange(2).reshape(2, *(1,) * 63), np.arange(2).reshape(2, *(1,) * 31), np.arange(3)
    items = {"arrays": np.array(0), "lists": [0], "truths": True, "integers": 0, "lies": False, "pairs": np.array([0, 0])}
    for name, a in {"deep": deep, "shallow": shallow, "flat": flat, "number": np.array(5)}.items():
        for kind, item in items.items():
            for count in (1, 2, 31, 32, 33, 62, 63, 64, 65):
                key = (item,) * count
                store.add(f"many/{name}/{kind}/{count}", "getitem", [a, *key])
                if count >= 62:
                    store.add(f"many/set/{name}/{kind}/{count}", "setitem", [a, 9, *key])
    for count in (61, 62, 63, 64):
        store.add(f"many/slice/{count}", "getitem", [deep, *[[0]] * count, slice(None)])
        store.add(f"many/ellipsis/{count}", "getitem", [deep, *[[0]] * count, Ellipsis])
        store.add(f"many/integers/{count}", "getitem", [deep, *[0] * (count - 1), [0]])
        store.add(f"many/new/{count}", "getitem", [flat, *[None] * count])
        store.add(f"many/new/array/{count}", "getitem", [flat, *[None] * count, [0]])
        store.add(f"many/mask/{count}", "getitem", [deep, np.ones((2, *(1,) * (count - 1)), bool)])


def lists(store):
    """Functions that change the dtype of arrays, or their values, take no lists. What asks a list for an attribute of arrays is
    an AttributeError in NumPy, and a TypeError here."""
    def add(id, op, args):
        store.add(id, op, args)
        if store.cases[-1]["expected"] == {"error": ["AttributeError"]}:
            store.cases[-1]["expected"] = {"error": ["TypeError"]}

    for name, x in {"list": [1, 2], "tuple": (1.5, 2), "nested": [[1], [2]], "empty": [], "typed": np.float64(1.5), "integer": np.int8(3), "truth": np.bool_(True),
                    "array": np.array([1, 2]), "none": None, "text": "1", "number": 1, "float": 2.5}.items():
        add(f"lists/astype/{name}", "np.astype", [x, np.dtype("float32")])
    for name, x in {"list": [1, 2], "tuple": (1, 2), "nested": [[1, 2]], "number": 1, "none": None}.items():
        for op, rest in {"np.copyto": [5], "np.put": [[0], 5], "np.place": [[True, False], [5]], "np.putmask": [[True, False], 5], "np.fill_diagonal": [1],
                         "np.add.at": [[0], 1], "np.put_along_axis": [np.array([0]), 5, 0]}.items():
            add(f"lists/{op}/{name}", op, [x, *rest])


def walk(store):
    """What a replay found, once more with other values."""
    count = {}

    def add(op, args, kwargs=None, tolerance=NEAR, expected=None):
        count[op] = count.get(op, -1) + 1
        store.add(f"walk/{op}/{count[op]}", op, args, kwargs, expected=expected, tolerance=tolerance)

    # Singular values of matrices of low rank, and norms of nothing.
    for rows in ([[2.0, 4], [3, 6]], [[0.0, 0, 5]], [[1.0, 1, 1], [2, 2, 2], [3, 3, 3]], [[1.0, 2], [1, 2], [1, 2]]):
        a = np.array(rows)
        for op in ("svdvals", "pinv", "matrix_rank", "norm"):
            add(f"np.linalg.{op}", [a], tolerance=EXACT if op == "matrix_rank" else allclose(1e-10, 1e-10))
        add("np.linalg.norm", [a, 2])
        add("np.linalg.norm", [a, "nuc"])
    for shape, kind, axis in (((0, 4), "nuc", None), ((4, 0), 2, None), ((3, 0, 0), "nuc", (1, 2)), ((3, 0, 2), -2, (1, 2)), ((0, 2, 2), 2, (1, 2)), ((0,), 2, None), ((0,), 1, None)):
        add("np.linalg.norm", [np.zeros(shape), kind, axis])
    # Bins beyond what floats tell apart.
    far = np.array([2**62 + 3, 2**62 + 1, 2**62 - 1])
    add("np.digitize", [np.array([2**62, 2**62 + 2, 2**62 + 4, 0]), far], expected=np.array([2, 1, 0, 3]))
    add("np.digitize", [np.array([2**62, 2**62 + 2, 2**62 + 4, 0]), far, True], expected=np.array([2, 1, 0, 3]))
    add("np.digitize", [np.array([2**62 - 1, 2**62 + 3]), far[::-1].copy()], expected=np.array([1, 3]))
    # Complex parts by themselves.
    for fp in ([complex(INF, 1), 2], [1j, complex(0, -INF)], [complex(NAN, 1), 3], [complex(-INF, INF), complex(INF, 0)]):
        for xp in ([0, INF], [1, 2], [-INF, 5]):
            add("np.interp", [np.array([0.5, 1.5, INF, -3]), xp, fp])
    for values in ([complex(NAN, 2)] * 2, [complex(1, NAN)] * 3, [complex(NAN, NAN), 1], [complex(NAN, 0)] * 4):
        add("np.nanmedian", [np.array(values)])
    # Python's numbers beside typed arrays.
    for key in ([np.float16([1]), 2, 0.5], [np.uint16([3]), 70000], [np.uint8([3]), -1], [np.int32([3]), 2.5], [7, np.int8([1])], [np.bool_([True]), 2], [1j, np.float32([1])]):
        add("np.r_", key)
        add("np.c_", key)
    add("np.histogramdd", [[0.25, 0.5, 0.5], [[0, 0.3, 1]]], expected=[np.array([1.0, 2.0]), np.array([0, 0.3, 1])])
    for op in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        add(f"np.{op}", [np.array([False, True]), 2**64])
        add(f"np.{op}", [-(2**65), np.array([[True]])])
        add(f"np.{op}", [np.array([1], np.uint8), 2**64])
    for value, dtype in ((np.uint32(2**32 - 1), "int8"), (np.int16(-1), "uint8"), (np.float32(100.75), "int8"), (np.complex64(3 + 1j), "float32"), (np.int64(2**40), "int32")):
        add("np.array", [value], {"dtype": np.dtype(dtype)})
        add("np.asarray", [[value]], {"dtype": np.dtype(dtype)})
    for value in ([INF, 1], [NAN], (1, [2]), [[1.5]], [-INF]):
        for dtype in ("uint8", "int32", "bool", "complex64"):
            add("np.asarray_chkfinite", [value], {"dtype": np.dtype(dtype)})
    for rtol in (0.3333333333333333, 0.33333334):
        add("np.isclose", [np.float32([2]), np.float32([3])], {"atol": 0, "rtol": rtol})
        add("np.isclose", [np.float16([2]), 3], {"atol": 0, "rtol": rtol})
    for op in ("nanmean", "nanvar", "nanstd"):
        add(f"np.{op}", [np.array([[1.0, NAN], [2, 4]]), 0], {"out": np.zeros(2, np.int32)})
        add(f"np.{op}", [np.array([[1.0, NAN], [2, 4]]), 0], {"out": np.zeros(2, np.complex64)})
    add("np.quantile", [np.arange(5.0), 0.25], {"out": np.zeros((2, 1))})
    add("np.vecdot", [np.ones((1, 3)), np.ones(3)], {"out": np.zeros((4, 1))})
    for dtype in ("int16", "uint8", "bool", "int64", "float64"):
        add("np.argmax", [np.array([[1, 5], [7, 2]]), 1], {"out": np.zeros(2, dtype)})
        add("np.argmin", [np.array([[1, 5], [7, 2]])], {"out": np.zeros((), dtype)})
    for a, b in ((np.zeros((2, 2)), np.zeros((2, 0))), (np.array([[1.0, 2], [2, 4]]), np.zeros((2, 0))), (np.eye(2), np.zeros((2, 0)))):
        add("np.linalg.solve", [a, b])
    for x in (0.1, 123456.0, np.float32(0.3), 1e-7, np.float16(0.1), 9.999, 1e16):
        for kwargs in ({"fractional": False, "min_digits": 4}, {"min_digits": 12}, {"precision": 25}, {"fractional": False, "precision": 3}, {"precision": 3, "min_digits": 3},
                       {"unique": False, "precision": 12}, {"trim": "0", "min_digits": 3}, {"precision": 7, "min_digits": 3, "trim": "."}):
            # NumPy counts the digits of 1e-07 from elsewhere than those of 1e-05.
            if x != 1e-7 or "fractional" not in kwargs:
                add("np.format_float_positional", [x], kwargs)
            add("np.format_float_scientific", [x], {key: value for key, value in kwargs.items() if key != "fractional"})
    for dtype in ("float32", "float64"):
        x = np.array([0, 1, 2, 3], dtype)
        add("np.polyfit", [x, x * x, 1], {"full": True}, allclose(1e-4, 1e-5), [np.asarray(part) for part in np.polyfit(x, x * x, 1, full=True)])
    for kwargs in ({"dtype": np.dtype("int16")}, {"dtype": np.dtype("float32")}, {"rowvar": False}, {"dtype": np.dtype("complex64")}):
        add("np.cov", [np.zeros((0, 2))], kwargs)
    for method in ("averaged_inverted_cdf", "interpolated_inverted_cdf", "inverted_cdf", "linear", "weibull"):
        for dtype in ("int8", "uint8", "int16", "uint64"):
            for q in ([0, 1], 1, True, [1.0], np.int8(0), np.array([1], np.int8), np.array([0, 1], np.int32)):
                add("np.quantile", [np.array([3, 1, 2], dtype), q], {"method": method})
    # What NumPy refuses.
    for kwargs in ({"start": 4}, {"stop": 3, "step": 2}, {"step": 2}, {"stop": 3}):
        add("np.arange", [], kwargs)
    add("np.choose", [np.array([0, 1]), [np.array(k) for k in range(70)]])
    add("getitem", [np.zeros((2, 2)), [[0], slice(0, 1)]])
    add("getitem", [np.zeros((2, 2)), [[0, 1], [2]]])
    add("getitem", [np.zeros((2, 2)), [[0], None]])
    add("getitem", [np.zeros((2, 2)), [0.5]])
    add("setitem", [np.zeros((2, 2)), [1, [2, 3]], 0])
    add("np.pad", [np.arange(3), 2], {"mode": "linear_ramp", "foo": 1})
    add("np.pad", [np.arange(3), 2], {"mode": "reflect", "constant_values": 1})
    add("np.pad", [np.arange(3), 2], {"mode": 3.5})
    add("np.pad", [np.arange(3), 2], {"mode": "Constant"})
    add("np.bincount", [np.array([1.5])])
    add("np.bincount", [np.array([1, 1])], {"minlength": -2})
    add("np.histogramdd", [np.zeros((3, 2))], {"bins": [2, 1.5]})
    add("np.negative.at", [np.arange(3.0), [0], [1.0]])
    add("np.tril_indices", [np.arange(2)])
    add("np.cov", [np.zeros((2, 3)), np.zeros((2, 2))], {"dtype": np.dtype("int32")})
    add("np.put_along_axis", [np.zeros((2, 3)), np.zeros((1, 3), int), [1, [2]], 0])
    add("np.fft.fft", [np.arange(4.0)], {"out": np.zeros(3)})
    # Names, keywords and forms.
    x = np.array([3.0, -1, 2])
    for code in ("d", "e", "?", "f4", "<i4", "p", "n", "float32", "F"):
        add("np.ones", [2], {"dtype": code})
        add("np.full_like", [x, 1], {"dtype": code})
        add("np.result_type", [code, np.int16([1])], tolerance=EXACT)
        add("np.add.reduce", [x], {"dtype": code})
        add("np.linspace", [0, 4, 5, True, False, code])
    for op in ("polyadd", "polysub", "polymul", "polydiv"):
        add(f"np.polynomial.polynomial.{op}", [[1, 2, 3.5], [2, 1]], expected=None)
    add("np.take", [x, [2, 2, 0]], {"out": np.zeros(3), "mode": "clip"})
    add("np.choose", [[0, 1, 0], [x, -x]], {"out": np.zeros(3)})
    add("np.compress", [[True, False, True], x], {"out": np.zeros(2)})
    add("np.concatenate", [[x, x]], {"out": np.zeros(6, np.float32), "casting": "same_kind"})
    add("np.stack", [[x, x]], {"out": np.zeros((2, 3))})
    add("np.concatenate", [[x, x]], {"out": np.zeros(6, np.int8)})
    for order in ("F", "c", "f", None, "K", "x"):
        add("np.eye", [2, 3], {"order": order})
    for where in (0, 3.2, 1 + 1j, [1, 0, 1], np.array([True, False, True]), "x", None):
        add("np.copyto", [np.zeros(3), x], {"where": where}, expected=copied(x, where))
    for op in ("equal", "not_equal"):
        add(f"np.{op}", [x, None])
        add(f"np.{op}", [x, Ellipsis])
    for number in (np.int16(3), np.float32(2), np.uint8(200), np.bool_(False)):
        for to in ("int64", "i1", "e", "?"):
            add("np.can_cast", [number, to], tolerance=EXACT)
    add("np.linalg.matrix_power", [np.array([[0, 1], [1, 0]]), 2**90 + 1])
    add("np.einsum", [np.arange(6.0).reshape(2, 3), np.array([0, 1]), np.array([1])])
    for value in (np.complex128(1), np.complex64(0)):
        add("np.polynomial.polyutils.trimcoef", [x, value])
    add("np.sqrt", [np.abs(x)], {"sig": "d->d"})
    add("np.add", [x, x], {"signature": ("f", "f", "f"), "casting": "same_kind"})
    for args, kwargs in (([None], {"dtype": float}), ([[None, 1]], {"dtype": np.dtype("float32")}), ([None], {"dtype": int}), ([[None, True]], {"dtype": bool})):
        add("np.array", args, kwargs)
    add("setitem", [np.zeros(3), None, 0])
    add("setitem", [np.zeros(3, int), None, 0])
    add("np.ndim", [None])
    add("np.isin", [[None], x])
    add("np.lib.stride_tricks.as_strided", [np.arange(6, dtype=np.int16), (2, 2), (4, 2)])
    add("np.sum", [x], {"where": [True, False, True]})
    add("np.histogram", [x, 2], {"range": np.array([-1, 3])})
    add("np.multiply", [x, 2], {"out": Ellipsis})
    add("np.reshape", [x, (3, 1)], {"copy": "x"})
    add("np.matmul.at", [np.eye(2), [0], np.eye(2)])
    # Errors of calls, of what a Python layer leans on.
    for args in ([[1.0, 2], [1, 3], 1.0], [[1.0, 2, 3], [1, 3, 4], np.float64(1)]):
        add("np.polyfit", args, tolerance=allclose(1e-9, 1e-9))
    for a, key in ((np.zeros(0), [0]), (np.arange(2.0), [7]), (np.arange(2), [-3])):
        add("getitem", [a, key])
    add("np.power", [np.array([1, 2]), -1])
    add("np.power", [np.array([2, 3]), np.array([-1, 1])])
    add("np.einsum", ["ij->ji", np.arange(4.0).reshape(2, 2)])
    add("np.reshape", [np.zeros(0), ()])
    add("np.result_type", ["i4", "f4"], tolerance=EXACT)
    add("np.sort", [x], {"stable": True})
    add("np.argsort", [x], {"stable": True})
    add("np.sort", [x], {"kind": "stable", "stable": True})


def copied(x, where):
    try:
        into = np.zeros(3)
        np.copyto(into, x, where=where)
        return into
    except Exception as error:
        return error
