"""Linear algebra: systems, inverses, factorizations, and the numbers that follow from them.

What NumPy returns depends on its LAPACK in the last digits, so expected values are computed by mpmath with 50 digits and
rounded once; only refusals are NumPy's own. Where a factorization is not unique (signs, phases, bases) the case holds what
must be true of it instead.
"""

import mpmath as mp
import numpy as np

from inputs import ordinary, rng
from store import View, allclose

F16, F32, F64, C64, C128 = map(np.dtype, ("float16", "float32", "float64", "complex64", "complex128"))
I64, BOOL = np.dtype("int64"), np.dtype("bool")
FLOATS = (F32, F64, C64, C128)
INF, NAN = np.inf, np.nan


def part(dtype):
    return np.empty(0, dtype).real.dtype


def result(dtype):
    return dtype if dtype.kind in "fc" else F64


def near(dtype):
    """Small matrices of moderate condition: some thousand roundings."""
    return allclose(2e-4, 2e-5) if part(result(dtype)) == F32 else allclose(1e-10, 1e-11)


def matrix(dtype, shape, name):
    """Ordinary numbers, with a heavier diagonal, so that no matrix is nearly singular."""
    values = ordinary(dtype, int(np.prod(shape, dtype=int)), f"factorizations {name}").reshape(shape)
    if dtype.kind == "i":
        values = values % 7 - 3
    rows, columns = shape[-2:]
    heavy = 3 * np.eye(rows, columns)
    return (values + heavy.astype(dtype)).astype(dtype) if dtype.kind in "fc" else (values + heavy.astype(dtype) * 2)


def hermitian(dtype, shape, name):
    a = matrix(dtype, shape, name)
    return (a + a.conj().swapaxes(-1, -2)) / (2 if dtype.kind in "fc" else 1)


def positive(dtype, shape, name):
    """Hermitian and positive definite, exactly Hermitian in its dtype."""
    a = matrix(dtype, shape, name)
    wide = a.astype(C128 if dtype.kind == "c" else F64)
    product = np.round(wide @ wide.conj().swapaxes(-1, -2) * 16) / 16 + 4 * np.eye(shape[-1])
    lower = np.tril(product, -1)
    diagonal = np.eye(shape[-1]) * np.diagonal(product, axis1=-2, axis2=-1).real[..., None, :]
    return (lower + lower.conj().swapaxes(-1, -2) + diagonal).astype(dtype)


def to_mp(a):
    return mp.matrix([[mp.mpmathify(complex(x)) if a.dtype.kind == "c" else mp.mpf(float(x)) for x in row] for row in a])


def from_mp(m, dtype):
    rows = [[complex(m[i, j]) if dtype.kind == "c" else float(mp.re(m[i, j])) for j in range(m.cols)] for i in range(m.rows)]
    return np.array(rows, C128 if dtype.kind == "c" else F64).reshape(m.rows, m.cols).astype(dtype)


def stacked(function, arrays, core=2):
    """A function of matrices over stacks of them, broadcast against each other."""
    outer = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
    wide = [np.broadcast_to(a, outer + a.shape[-2:]) for a in arrays]
    results = [function(*(a[place] for a in wide)) for place in np.ndindex(*outer)]
    return np.stack(results).reshape(outer + results[0].shape) if outer else results[0]


def inverse(dtype):
    return lambda a: from_mp(mp.inverse(to_mp(a)), dtype)


def solution(dtype):
    return lambda a, b: from_mp(mp.inverse(to_mp(a)) * to_mp(b), dtype)


def determinant(dtype):
    def of(a):
        value = mp.det(to_mp(a))
        return np.array(complex(value) if dtype.kind == "c" else float(mp.re(value))).astype(dtype)
    return of


def singular_values(dtype):
    def of(a):
        m = to_mp(a)
        m = m if m.rows >= m.cols else m.H
        values = mp.svd_c(m, compute_uv=False) if a.dtype.kind == "c" else mp.svd_r(m, compute_uv=False)
        return np.array(sorted((float(x) for x in values), reverse=True)).astype(part(dtype))
    return of


def hermitian_values(dtype):
    def of(a):
        m = to_mp(a)
        values = mp.eighe(m, eigvals_only=True) if a.dtype.kind == "c" else mp.eigsy(m, eigvals_only=True)
        return np.array(sorted(float(x) for x in values)).astype(part(dtype))
    return of


def cases(store):
    mp.mp.dps = 50
    systems(store)
    numbers(store)
    unique(store)
    factorizations(store)
    least_squares(store)
    tensors(store)
    empty(store)
    refusals(store)


def systems(store):
    for dtype in FLOATS + (I64,):
        out = result(dtype)
        name, tolerance = dtype.name, near(dtype)
        for n in (1, 2, 5, 9):
            a, b = matrix(dtype, (n, n), f"a{n}"), matrix(dtype, (n, 3), f"b{n}")
            store.add(f"inv/{name}/{n}", "np.linalg.inv", [a], expected=stacked(inverse(out), [a]), tolerance=tolerance)
            store.add(f"solve/{name}/{n}", "np.linalg.solve", [a, b], expected=stacked(solution(out), [a, b]), tolerance=tolerance)
            store.add(f"solve/{name}/{n}/vector", "np.linalg.solve", [a, b[:, 0].copy()], expected=stacked(solution(out), [a, b[:, :1]])[:, 0], tolerance=tolerance)
        a, b = matrix(dtype, (2, 3, 4, 4), "stack"), matrix(dtype, (3, 4, 2), "stack of sides")
        store.add(f"inv/{name}/stack", "np.linalg.inv", [a], expected=stacked(inverse(out), [a]), tolerance=tolerance)
        store.add(f"solve/{name}/stack", "np.linalg.solve", [a, b], expected=stacked(solution(out), [a, b]), tolerance=tolerance)
        store.add(f"solve/{name}/one_matrix", "np.linalg.solve", [a[0, 0], b], expected=stacked(solution(out), [a[0, 0], b]), tolerance=tolerance)
        turned = View(a, ("transpose", [0, 1, 3, 2]))
        store.add(f"inv/{name}/transposed", "np.linalg.inv", [turned], expected=stacked(inverse(out), [a.swapaxes(-1, -2)]), tolerance=tolerance)
    many = matrix(F32, (40, 8, 8), "many")
    store.add("inv/float32/many", "np.linalg.inv", [many], expected=stacked(inverse(F32), [many]), tolerance=near(F32))
    mixed = [matrix(F32, (3, 3), "mixed"), matrix(F64, (3, 3), "mixed"), matrix(C64, (3, 3), "mixed")]
    for k, (a, b) in enumerate([(0, 1), (1, 0), (0, 2), (2, 1)]):
        a, b = mixed[a], mixed[b]
        out = np.result_type(a, b)
        store.add(f"solve/mixed/{k}", "np.linalg.solve", [a, b], expected=stacked(solution(out), [a, b]), tolerance=near(F32))
    # The pivot is not where it stands first.
    store.add("solve/pivot", "np.linalg.solve", [np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([2.0, 4.0])], expected=np.array([1.0, 1.0]), tolerance=near(F64))
    for power in (-1, -3):
        a = matrix(F64, (2, 3, 3), "power")
        expected = stacked(lambda a: from_mp(mp.inverse(to_mp(a)) ** -power, F64), [a])
        store.add(f"matrix_power/{power}", "np.linalg.matrix_power", [a, power], expected=expected, tolerance=near(F64))


def numbers(store):
    for dtype in FLOATS + (I64,):
        out, name, tolerance = result(dtype), dtype.name, near(dtype)
        for n in (1, 2, 3, 6):
            a = matrix(dtype, (n, n), f"det{n}")
            expected = stacked(determinant(out), [a])
            store.add(f"det/{name}/{n}", "np.linalg.det", [a], expected=expected, tolerance=tolerance)
            wide = expected.astype(C128 if out.kind == "c" else F64)
            sign = (wide / abs(wide)).astype(out)
            store.add(f"slogdet/{name}/{n}", "np.linalg.slogdet", [a], expected=[sign, np.log(abs(wide)).astype(part(out))], tolerance=tolerance)
        a = matrix(dtype, (2, 3, 4, 4), "det stack")
        store.add(f"det/{name}/stack", "np.linalg.det", [a], expected=stacked(determinant(out), [a]), tolerance=tolerance)
        flat = np.zeros((2, 3, 3), dtype)
        flat[0] = [[1, 2, 3], [2, 4, 6], [1, 0, 1]]
        flat[1] = np.eye(3)[[1, 0, 2]].astype(dtype)
        store.add(f"det/{name}/singular", "np.linalg.det", [flat], expected=np.array([0, -1], out), tolerance=allclose(0, 0))
        store.add(f"slogdet/{name}/singular", "np.linalg.slogdet", [flat], expected=[np.array([0, -1], out), np.array([-INF, 0], part(out))], tolerance=allclose(0, 0))
        a = matrix(dtype, (4, 3), "rank")
        low = (a[:, :1] * a[:1, :]).astype(dtype) if dtype.kind != "i" else np.outer([1, 2, 3, 4], [1, 0, -1])
        for label, x, rank in [("full", a, 3), ("one", low, 1), ("zero", np.zeros((3, 5), dtype), 0), ("stack", np.stack([a, low, 0 * a]), [3, 1, 0])]:
            store.add(f"matrix_rank/{name}/{label}", "np.linalg.matrix_rank", [x], expected=np.array(rank, I64))
    store.add("slogdet/huge", "np.linalg.slogdet", [np.eye(300) * 1e3], expected=[np.array(1.0), np.array(300 * np.log(1e3))], tolerance=near(F64))
    x = np.diag([4.0, 1.0, 1e-3])
    for label, args, kwargs, rank in [("tol", [x, 0.5], {}, 2), ("tol_array", [np.stack([x, x]), np.array([0.5, 2.0])], {}, [2, 1]), ("rtol", [x], {"rtol": 0.01}, 2),
                                      ("hermitian", [-x], {"hermitian": True}, 3), ("vector", [np.array([0.0, 2.0])], {}, 1), ("zero_vector", [np.zeros(3)], {}, 0), ("number", [np.array(2.0)], {}, 1)]:
        store.add(f"matrix_rank/forms/{label}", "np.linalg.matrix_rank", args, kwargs, expected=np.array(rank, I64))
    for dtype in FLOATS:
        a, out = matrix(dtype, (4, 4), "cond"), part(dtype)
        m = to_mp(a)
        i = mp.inverse(m)
        s = singular_values(F64)(a)
        norms = {1: lambda m: max(sum(abs(m[r, c]) for r in range(4)) for c in range(4)), INF: lambda m: max(sum(abs(m[r, c]) for c in range(4)) for r in range(4)),
                 -1: lambda m: min(sum(abs(m[r, c]) for r in range(4)) for c in range(4)), "fro": lambda m: mp.sqrt(sum(abs(x) ** 2 for x in m))}
        for order, norm in norms.items():
            store.add(f"cond/{dtype.name}/{order}", "np.linalg.cond", [a, order], expected=np.array(float(norm(m) * norm(i))).astype(out), tolerance=near(dtype))
        store.add(f"cond/{dtype.name}/2", "np.linalg.cond", [a, 2], expected=np.array(s[0] / s[-1]).astype(out), tolerance=near(dtype))
        store.add(f"cond/{dtype.name}/-2", "np.linalg.cond", [a, -2], expected=np.array(s[-1] / s[0]).astype(out), tolerance=near(dtype))
        store.add(f"cond/{dtype.name}/None", "np.linalg.cond", [a], expected=np.array(s[0] / s[-1]).astype(out), tolerance=near(dtype))
        store.add(f"cond/{dtype.name}/nuc", "np.linalg.cond", [a, "nuc"], expected=np.array(s.sum() * (1 / s).sum()).astype(out), tolerance=near(dtype))
    flat = np.array([[1.0, 2.0], [2.0, 4.0]])
    store.add("cond/singular", "np.linalg.cond", [np.stack([flat, np.eye(2)]), 1], expected=np.array([INF, 1.0]), tolerance=near(F64))
    store.add("cond/nan", "np.linalg.cond", [np.array([[NAN, 1.0], [1.0, 1.0]]), 1], expected=np.array(NAN), tolerance=near(F64))


def unique(store):
    """Factors and values of which there is one."""
    for dtype in FLOATS + (I64,):
        out, name, tolerance = result(dtype), dtype.name, near(dtype)
        for n in (1, 3, 6):
            a = positive(dtype, (n, n), f"cholesky{n}")
            lower = from_mp(mp.cholesky(to_mp(a)), out)
            spoiled = np.tril(a) + np.triu(np.full((n, n), 77), 1).astype(dtype)
            store.add(f"cholesky/{name}/{n}", "np.linalg.cholesky", [a], expected=lower, tolerance=tolerance)
            store.add(f"cholesky/{name}/{n}/lower_only", "np.linalg.cholesky", [spoiled], expected=lower, tolerance=tolerance)
            store.add(f"cholesky/{name}/{n}/upper", "np.linalg.cholesky", [a], {"upper": True}, expected=lower.conj().T.copy(), tolerance=tolerance)
        a = positive(dtype, (2, 2, 3, 3), "cholesky stack")
        store.add(f"cholesky/{name}/stack", "np.linalg.cholesky", [a], expected=stacked(lambda a: from_mp(mp.cholesky(to_mp(a)), out), [a]), tolerance=tolerance)
        for shape in [(1, 1), (4, 4), (5, 3), (3, 5), (1, 6), (7, 7), (2, 3, 4, 3)]:
            a = matrix(dtype, shape, f"svdvals{shape}")
            store.add(f"svdvals/{name}/{'x'.join(map(str, shape))}", "np.linalg.svdvals", [a], expected=stacked(singular_values(out), [a]), tolerance=tolerance)
        a = matrix(dtype, (5, 3), "svd without")
        store.add(f"svd/{name}/values", "np.linalg.svd", [a], {"compute_uv": False}, expected=stacked(singular_values(out), [a]), tolerance=tolerance)
        for n in (1, 2, 5, 8):
            a = hermitian(dtype, (n, n), f"eigvalsh{n}")
            values = stacked(hermitian_values(out), [a])
            store.add(f"eigvalsh/{name}/{n}", "np.linalg.eigvalsh", [a], expected=values, tolerance=tolerance)
            spoiled = np.triu(a) + np.tril(np.full((n, n), 77), -1).astype(a.dtype)
            store.add(f"eigvalsh/{name}/{n}/upper", "np.linalg.eigvalsh", [spoiled, "U"], expected=values, tolerance=tolerance)
        a = hermitian(dtype, (3, 4, 4), "eigvalsh stack")
        store.add(f"eigvalsh/{name}/stack", "np.linalg.eigvalsh", [a], expected=stacked(hermitian_values(out), [a]), tolerance=tolerance)
        if dtype != I64:
            a = (matrix(dtype, (2, 3, 3), "expm") / 4).astype(dtype)
            store.add(f"expm/{name}", "sp.linalg.expm", [a], expected=stacked(lambda a: from_mp(mp.expm(to_mp(a)), dtype), [a]), tolerance=near(dtype))
            large = (matrix(dtype, (3, 3), "expm large") * 4 - 14 * np.eye(3)).astype(dtype)
            both = np.stack([large, np.zeros((3, 3), dtype)])
            store.add(f"expm/{name}/large", "sp.linalg.expm", [both], expected=stacked(lambda a: from_mp(mp.expm(to_mp(a)), dtype), [both]), tolerance=allclose(1e-3, 2e-5) if part(dtype) == F32 else near(dtype))


def factorizations(store):
    """What must be true of the results."""
    for dtype in FLOATS + (I64,):
        out, name = result(dtype), dtype.name
        rtol = 1e-4 if part(out) == F32 else 1e-10

        def check(id, op, args, kwargs, expected, *checks):
            store.add(id, op, args, kwargs, expected=expected, tolerance={"kind": "property", "checks": list(checks), "rtol": rtol})

        for shape in [(1, 1), (3, 3), (5, 3), (3, 5), (2, 4, 4), (2, 6, 2), (1, 7), (9, 9)]:
            a, label = matrix(dtype, shape, f"factors{shape}"), "x".join(map(str, shape))
            rows, columns = shape[-2:]
            least, outer = min(rows, columns), shape[:-2]
            zeros = lambda *tail: np.zeros(outer + tail, out)
            orthogonal = ("Q@R==A", "Qh@Q==I", "R upper triangular")
            check(f"qr/{name}/{label}", "np.linalg.qr", [a], {}, [zeros(rows, least), zeros(least, columns)], *orthogonal)
            check(f"qr/{name}/{label}/complete", "np.linalg.qr", [a], {"mode": "complete"}, [zeros(rows, rows), zeros(rows, columns)], *orthogonal)
            values = stacked(singular_values(out), [a])
            reduced = [zeros(rows, least), values, zeros(least, columns)]
            check(f"svd/{name}/{label}", "np.linalg.svd", [a], {"full_matrices": False}, reduced, "U@diag(S)@Vh==A", "Uh@U==I", "Vh@Vhh==I", "S descending")
            if rows == columns:
                check(f"svd/{name}/{label}/full", "np.linalg.svd", [a], {}, reduced, "U@diag(S)@Vh==A", "Uh@U==I", "Vh@Vhh==I", "S descending")
            else:
                check(f"svd/{name}/{label}/full", "np.linalg.svd", [a], {}, [zeros(rows, rows), values, zeros(columns, columns)], "Uh@U==I", "Vh@Vhh==I", "S descending")
            if rows != columns:
                continue
            h = hermitian(dtype, shape, f"eigh{shape}")
            values = stacked(hermitian_values(out), [h])
            own = ("A@V==V@diag(w)", "Vh@V==I", "w equals expected", "w ascending")
            check(f"eigh/{name}/{label}", "np.linalg.eigh", [h], {}, values, *own)
            check(f"eigh/{name}/{label}/upper", "np.linalg.eigh", [h, "U"], {}, values, *own)
            if len(shape) == 2:
                found = mp.eig(to_mp(a), left=False, right=False)
                found = np.array([complex(x) for x in found])
                real = dtype.kind != "c" and all(abs(x.imag) < 1e-30 for x in found)
                found = np.array(sorted(found, key=lambda x: (round(x.real, 9), round(x.imag, 9))))
                wide = C64 if part(out) == F32 else C128
                found = found.real.astype(part(out)) if real else found.astype(wide)
                check(f"eig/{name}/{label}", "np.linalg.eig", [a], {}, found, "A@V==V@diag(w)", "sorted(w) equals expected")
        a = positive(dtype, (4, 4), "svd hermitian")
        h = (a - 20 * np.eye(4).astype(dtype)).astype(dtype)
        sizes = np.array(sorted(abs(hermitian_values(F64)(h)), reverse=True)).astype(part(out))
        check(f"svd/{name}/hermitian", "np.linalg.svd", [h], {"hermitian": True}, [np.zeros((4, 4), out), sizes, np.zeros((4, 4), out)], "U@diag(S)@Vh==A", "Uh@U==I", "Vh@Vhh==I", "S descending")
    # A pair of complex eigenvalues, and eigenvalues that stand on the diagonal.
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    pair = {"kind": "property", "checks": ["A@V==V@diag(w)", "sorted(w) equals expected"], "rtol": 1e-10}
    store.add("eig/turn", "np.linalg.eig", [turn], expected=np.array([-1j, 1j]), tolerance=pair)
    steps = np.triu(np.arange(1.0, 17.0).reshape(4, 4))
    store.add("eig/triangle", "np.linalg.eig", [steps], expected=np.diagonal(steps).copy(), tolerance=pair)
    for label, a in [("zeros", np.zeros((3, 3))), ("ones", np.ones((4, 4))), ("identity", np.eye(5))]:
        rank = {"zeros": [0.0] * 3, "ones": [4.0, 0, 0, 0], "identity": [1.0] * 5}[label]
        n = len(a)
        store.add(f"svd/{label}", "np.linalg.svd", [a], expected=[np.zeros((n, n)), np.array(rank), np.zeros((n, n))],
                  tolerance={"kind": "property", "checks": ["U@diag(S)@Vh==A", "Uh@U==I", "Vh@Vhh==I"], "rtol": 1e-10})
        store.add(f"eigh/{label}", "np.linalg.eigh", [a], expected=np.array(sorted(rank)), tolerance={"kind": "property", "checks": ["A@V==V@diag(w)", "Vh@V==I"], "rtol": 1e-10})
    for scale in (1e150, 1e-150):
        a = matrix(F64, (4, 4), "scaled") * scale
        expected = [np.zeros((4, 4)), stacked(singular_values(F64), [a / scale]) * scale, np.zeros((4, 4))]
        store.add(f"svd/scaled/{scale:g}", "np.linalg.svd", [a], expected=expected, tolerance={"kind": "property", "checks": ["Uh@U==I", "Vh@Vhh==I", "S descending"], "rtol": 1e-10})


def least_squares(store):
    for dtype in FLOATS + (I64,):
        out, name, tolerance = result(dtype), dtype.name, near(dtype)

        def pseudo(x, y):
            """Of x times y, both of full rank."""
            x, y = to_mp(x), to_mp(y)
            return y.H * mp.inverse(y * y.H) * mp.inverse(x.H * x) * x.H

        g = rng(f"least squares {name}")
        whole = lambda *shape: g.integers(-3, 4, shape).astype(dtype)
        tall, wide = matrix(dtype, (5, 3), "tall"), matrix(dtype, (3, 5), "wide")
        x, y = whole(5, 2) + 2 * np.eye(5, 2).astype(dtype), whole(2, 4) + 2 * np.eye(2, 4).astype(dtype)
        low = (x @ y).astype(dtype)
        taller = matrix(dtype, (12, 4), "taller")
        for label, a, i, rank in [("tall", tall, pseudo(tall, np.eye(3)), 3), ("taller", taller, pseudo(taller, np.eye(4)), 4), ("wide", wide, pseudo(np.eye(3), wide), 3), ("low", low, pseudo(x, y), 2)]:
            cutoff = {"rcond": 1e-4} if label == "low" else {}
            store.add(f"pinv/{name}/{label}", "np.linalg.pinv", [a], cutoff, expected=from_mp(i, out), tolerance=tolerance)
            for columns in (None, 2):
                b = whole(a.shape[0], columns or 1)
                solved = i * to_mp(b)
                rest = to_mp(b) - to_mp(a) * solved
                sums = np.array([float(sum(abs(rest[r, c]) ** 2 for r in range(rest.rows))) for c in range(rest.cols)]).astype(part(out))
                sums = sums if rank == a.shape[1] and a.shape[0] > a.shape[1] else np.zeros(0, part(out))
                solved = from_mp(solved, out)
                s = stacked(singular_values(out), [a])
                if rank < min(a.shape):
                    s = s.copy()
                    s[rank:] = 0
                b, solved = (b[:, 0].copy(), solved[:, 0].copy()) if columns is None else (b, solved)
                store.add(f"lstsq/{name}/{label}/{columns}", "np.linalg.lstsq", [a, b], cutoff, expected=[solved, sums, np.array(rank, np.int32), s], tolerance=tolerance)
        stack = np.stack([tall, 2 * tall])
        one = pseudo(tall, np.eye(3))
        store.add(f"pinv/{name}/stack", "np.linalg.pinv", [stack], expected=np.stack([from_mp(one, out), from_mp(one / 2, out)]), tolerance=tolerance)
    h = np.diag([4.0, -2.0, 1e-9])
    store.add("pinv/hermitian", "np.linalg.pinv", [h, 1e-6], {"hermitian": True}, expected=np.diag([0.25, -0.5, 0.0]), tolerance=near(F64))
    store.add("pinv/rtol", "np.linalg.pinv", [h], {"rtol": 0.9}, expected=np.diag([0.25, 0.0, 0.0]), tolerance=near(F64))
    store.add("pinv/rcond_stack", "np.linalg.pinv", [np.stack([h, h]), np.array([1e-6, 0.9])], expected=np.stack([np.diag([0.25, -0.5, 0.0]), np.diag([0.25, 0.0, 0.0])]), tolerance=near(F64))


def tensors(store):
    a = matrix(F64, (6, 6), "tensor")
    i = mp.inverse(to_mp(a))
    b = matrix(F64, (2, 3), "tensor side")
    x = from_mp(i * to_mp(b.reshape(6, 1)), F64)
    store.add("tensorsolve/plain", "np.linalg.tensorsolve", [a.reshape(2, 3, 3, 2), b], expected=x.reshape(3, 2), tolerance=near(F64))
    moved = np.moveaxis(a.reshape(2, 3, 3, 2), 2, 0).copy()
    store.add("tensorsolve/axes", "np.linalg.tensorsolve", [np.moveaxis(a.reshape(2, 3, 3, 2), 3, 0).copy(), b], {"axes": (0,)}, expected=x.reshape(3, 2), tolerance=near(F64))
    store.add("tensorinv/two", "np.linalg.tensorinv", [a.reshape(2, 3, 3, 2)], expected=from_mp(i, F64).reshape(3, 2, 2, 3), tolerance=near(F64))
    store.add("tensorinv/one", "np.linalg.tensorinv", [a.reshape(6, 3, 2)], {"ind": 1}, expected=from_mp(i, F64).reshape(3, 2, 6), tolerance=near(F64))
    for label, op, args, kwargs in [("tensorinv/zero", "np.linalg.tensorinv", [a], {"ind": 0}), ("tensorinv/not_square", "np.linalg.tensorinv", [a.reshape(4, 3, 3)], {}),
                                    ("tensorsolve/not_square", "np.linalg.tensorsolve", [a[:, :5].reshape(6, 5), b.reshape(6)], {})]:
        store.add(label, op, args, kwargs)
    del moved


def empty(store):
    """No elements, or no matrices: NumPy's shapes and dtypes, in which nothing can differ."""
    for dtype in (F32, C128, I64):
        for shape in [(0, 0), (0, 3, 3), (2, 0, 0)]:
            a, label = np.zeros(shape, dtype), "x".join(map(str, shape))
            for op in ("inv", "det", "cholesky", "eigvalsh", "eigh", "svdvals", "slogdet", "eigvals", "eig"):
                store.add(f"empty/{dtype.name}/{label}/{op}", f"np.linalg.{op}", [a], tolerance=allclose(0, 0))
            store.add(f"empty/{dtype.name}/{label}/solve", "np.linalg.solve", [a, np.zeros(shape[:-1] + (2,), dtype)])
        for shape in [(0, 3), (3, 0), (2, 0, 3), (0, 2, 3)]:
            a, label = np.zeros(shape, dtype), "x".join(map(str, shape))
            for op in ("qr", "svd", "svdvals", "pinv"):
                store.add(f"empty/{dtype.name}/{label}/{op}", f"np.linalg.{op}", [a])
            store.add(f"empty/{dtype.name}/{label}/qr_complete", "np.linalg.qr", [a], {"mode": "complete"})
    store.add("empty/solve/columns", "np.linalg.solve", [np.eye(3), np.zeros((3, 0))])
    for shape in [(0, 3), (3, 0)]:
        store.add(f"empty/lstsq/{shape[0]}", "np.linalg.lstsq", [np.zeros(shape), np.ones(shape[0])])


def refusals(store):
    flat, square = np.array([[1.0, 2.0], [2.0, 4.0]]), np.eye(2)
    for op in ("inv", "det", "cholesky", "eigvalsh", "eigh", "svdvals", "slogdet", "eigvals", "eig", "qr", "svd", "pinv"):
        name = f"np.linalg.{op}"
        store.add(f"refused/{op}/vector", name, [np.ones(3)])
        store.add(f"refused/{op}/half", name, [np.eye(2, dtype=F16)])
        if op not in ("qr", "svd", "svdvals", "pinv"):
            store.add(f"refused/{op}/not_square", name, [np.ones((2, 3))])
    store.add("refused/inv/singular", "np.linalg.inv", [flat])
    store.add("refused/inv/one_of_a_stack", "np.linalg.inv", [np.stack([square, flat, square])])
    store.add("refused/solve/singular", "np.linalg.solve", [flat, square])
    store.add("refused/solve/rows", "np.linalg.solve", [square, np.ones(3)])
    store.add("refused/solve/rows_of_matrix", "np.linalg.solve", [square, np.ones((3, 2))])
    store.add("refused/solve/stack", "np.linalg.solve", [np.stack([square] * 2), np.ones((3, 2, 2))])
    store.add("refused/solve/not_square", "np.linalg.solve", [np.ones((2, 3)), np.ones(2)])
    store.add("refused/cholesky/not_positive", "np.linalg.cholesky", [flat - square * 2])
    store.add("refused/cholesky/zero", "np.linalg.cholesky", [np.zeros((2, 2))])
    store.add("refused/svd/nan", "np.linalg.svd", [np.array([[NAN, 1.0], [1.0, 1.0]])])
    store.add("refused/eig/inf", "np.linalg.eig", [np.array([[INF, 1.0], [1.0, 1.0]])])
    store.add("refused/eigvals/nan", "np.linalg.eigvals", [np.array([[NAN, 1.0], [1.0, 1.0]])])
    store.add("refused/qr/mode", "np.linalg.qr", [square, "whole"])
    store.add("refused/eigh/triangle", "np.linalg.eigh", [square, "X"])
    store.add("refused/lstsq/stack", "np.linalg.lstsq", [np.ones((2, 2, 2)), np.ones(2)])
    store.add("refused/lstsq/rows", "np.linalg.lstsq", [square, np.ones(3)])
    store.add("refused/matrix_power/singular", "np.linalg.matrix_power", [flat, -1])
    store.add("refused/cond/empty", "np.linalg.cond", [np.zeros((0, 0))])
    store.add("refused/cond/vector", "np.linalg.cond", [np.ones(3)])
    store.add("refused/cond/order", "np.linalg.cond", [square, 3])
    store.add("refused/matrix_rank/both", "np.linalg.matrix_rank", [square, 0.1], {"rtol": 0.1})
    store.add("refused/pinv/both", "np.linalg.pinv", [square, 0.1], {"rtol": 0.1})
