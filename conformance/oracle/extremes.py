"""Linear algebra near the ends of a dtype's range, where squares and products of elements are no numbers, and of matrices
that have fewer vectors than columns.

Expected values by mpmath as in `factorizations`; what is near is so beside the largest element of a result. Determinants,
which are no numbers there, are left out.
"""

import mpmath as mp
import numpy as np

from factorizations import (C64, C128, F32, FLOATS, from_mp, hermitian, hermitian_values, inverse, matrix, part, positive,
                            singular_values, solution, stacked, to_mp)
from store import allclose

# Of eight times the largest element; inverses are numbers.
SCALES = {"float32": (1e37, 1e20, 1e-20, 1e-36), "float64": (1e307, 1e200, 1e-200, 1e-304)}
FULL = ("Uh@U==I", "Vh@Vhh==I", "S descending")


def cases(store):
    mp.mp.dps = 50
    for dtype in FLOATS:
        for scale in SCALES[part(dtype).name]:
            values(store, dtype, scale)
            factors(store, dtype, scale)
            systems(store, dtype, scale)
        defective(store, dtype)


def roundings(dtype):
    return 1e-4 if part(dtype) == F32 else 1e-10


def near(dtype, expected):
    """Beside the largest."""
    return allclose(0, roundings(dtype) * float(np.max(np.abs(expected.astype(C128)))))


def scaled(a, scale):
    """The matrix with its largest element of this size, rounded to its dtype."""
    wide = a.astype(C128 if a.dtype.kind == "c" else np.float64)
    return (wide / np.max(np.abs(wide)) * scale).astype(a.dtype)


def values(store, dtype, scale):
    """Singular values and eigenvalues alone, and numbers made of them."""
    tail = f"{dtype.name}/{scale:g}"
    for shape in [(4, 4), (5, 3), (3, 5), (2, 3, 3)]:
        a = scaled(matrix(dtype, shape, f"extreme{shape}"), scale / 8)
        s = stacked(singular_values(dtype), [a])
        label = "x".join(map(str, shape))
        store.add(f"svdvals/{tail}/{label}", "np.linalg.svdvals", [a], expected=s, tolerance=near(dtype, s))
    rank = np.array([3, 3], np.int64)
    store.add(f"matrix_rank/{tail}", "np.linalg.matrix_rank", [a], expected=rank)
    ratio = (s[:, 0] / s[:, -1]).astype(part(dtype))
    store.add(f"cond/{tail}", "np.linalg.cond", [a], expected=ratio, tolerance=allclose(10 * roundings(dtype), 0))
    store.add(f"norm/{tail}", "np.linalg.norm", [a[0], 2], expected=s[0, 0], tolerance=near(dtype, s[0, :1]))
    for shape in [(4, 4), (2, 3, 3)]:
        h = scaled(hermitian(dtype, shape, f"extreme{shape}"), scale / 8)
        w = stacked(hermitian_values(dtype), [h])
        store.add(f"eigvalsh/{tail}/{len(shape)}", "np.linalg.eigvalsh", [h], expected=w, tolerance=near(dtype, w))


def factors(store, dtype, scale):
    tail = f"{dtype.name}/{scale:g}"

    def check(id, op, args, kwargs, expected, *checks):
        tolerance = {"kind": "property", "checks": list(checks), "rtol": roundings(dtype)}
        store.add(f"{id}/{tail}", op, args, kwargs, expected=expected, tolerance=tolerance)

    zeros = lambda *shape: np.zeros(shape, dtype)
    for rows, columns in [(4, 4), (5, 3), (3, 5)]:
        a, label = scaled(matrix(dtype, (rows, columns), "extreme factors"), scale / 8), f"{rows}x{columns}"
        least = min(rows, columns)
        s = singular_values(dtype)(a)
        reduced = [zeros(rows, least), s, zeros(least, columns)]
        check(f"svd/{label}", "np.linalg.svd", [a], {"full_matrices": False}, reduced, "U@diag(S)@Vh==A", *FULL)
        check(f"svd/{label}/full", "np.linalg.svd", [a], {}, [zeros(rows, rows), s, zeros(columns, columns)], *FULL)
        check(f"qr/{label}", "np.linalg.qr", [a], {}, [zeros(rows, least), zeros(least, columns)],
              "Q@R==A", "Qh@Q==I", "R upper triangular")
    h = scaled(hermitian(dtype, (4, 4), "extreme eigh"), scale / 8)
    check("eigh", "np.linalg.eigh", [h], {}, hermitian_values(dtype)(h),
          "A@V==V@diag(w)", "Vh@V==I", "w equals expected", "w ascending")
    a = scaled(matrix(dtype, (4, 4), "extreme eig"), scale / 8)
    w = np.array([complex(x) for x in mp.eig(to_mp(a), left=False, right=False)])
    w = w[np.lexsort((w.imag / scale, w.real / scale))]
    real = dtype.kind != "c" and bool(np.all(abs(w.imag / scale) < 1e-30))
    w = w.real.astype(part(dtype)) if real else w.astype(C64 if part(dtype) == F32 else C128)
    check("eig", "np.linalg.eig", [a], {}, w, "A@V==V@diag(w)", "V of unit columns", "sorted(w) equals expected")


def systems(store, dtype, scale):
    tail = f"{dtype.name}/{scale:g}"
    a, b = matrix(dtype, (4, 4), "extreme system"), matrix(dtype, (4, 2), "extreme sides")
    large = scaled(a, scale / 8)
    for label, side in [("alike", scaled(b, scale / 8)), ("ordinary", (b / 16).astype(dtype))]:
        x = solution(dtype)(large, side)
        store.add(f"solve/{label}/{tail}", "np.linalg.solve", [large, side], expected=x, tolerance=near(dtype, x))
    x = inverse(dtype)(large)
    store.add(f"inv/{tail}", "np.linalg.inv", [large], expected=x, tolerance=near(dtype, x))
    h = scaled(positive(dtype, (4, 4), "extreme cholesky"), scale / 8)
    # mpmath takes a pivot below its own roundoff for none.
    lower = from_mp(mp.cholesky(to_mp(h) / scale) * mp.sqrt(scale), dtype)
    store.add(f"cholesky/{tail}", "np.linalg.cholesky", [h], expected=lower, tolerance=near(dtype, lower))
    # Pivots that are far from each other as well.
    apart = np.diag([1, scale]).astype(dtype)
    store.add(f"inv/apart/{tail}", "np.linalg.inv", [apart], expected=np.diag([1, 1 / scale]).astype(dtype),
              tolerance=allclose(roundings(dtype), 0))
    m = to_mp(large)
    determinant = mp.det(m)
    size = abs(determinant)
    sign = np.array(complex(determinant / size) if dtype.kind == "c" else float(mp.re(determinant / size))).astype(dtype)
    logarithm = np.array(float(mp.log(size))).astype(part(dtype))
    tolerance = allclose(roundings(dtype), roundings(dtype))
    store.add(f"slogdet/{tail}", "np.linalg.slogdet", [large], expected=[sign, logarithm], tolerance=tolerance)


def defective(store, dtype):
    """One value as often as there are columns, and one vector: substitution divides by a rounding again and again."""
    tolerance = {"kind": "property", "rtol": roundings(dtype),
                 "checks": ["A@V==V@diag(w)", "V of unit columns", "sorted(w) equals expected"]}
    for n in (2, 4, 12, 40):
        for value in (0, 3):
            block = (value * np.eye(n) + np.eye(n, k=1)).astype(dtype)
            w = np.full(n, value, dtype)
            store.add(f"eig/block/{dtype.name}/{n}/{value}", "np.linalg.eig", [block], expected=w, tolerance=tolerance)
