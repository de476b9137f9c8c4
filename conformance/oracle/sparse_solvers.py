"""Cases of `scipy.sparse.linalg`: solutions of equations, whose bounds are those of the residuals that are asked for; eigenvalues;
norms.

Operations and their arguments are written as in `sparse`.
"""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la

from inputs import rng
from sparse import C128, F32, F64, I32, numbers
from store import allclose

SOLVERS = ("cgs", "bicg", "bicgstab", "gmres", "lgmres", "qmr", "tfqmr", "lsqr", "lsmr", "gcrotmk")


def own(a):
    a = sp.csr_array(a)
    a.sum_duplicates()
    return [a.data, a.indices.astype(I32), a.indptr.astype(I32), tuple(int(n) for n in a.shape)]


def poisson(extent, wind=0.0):
    """A grid of points, each joined to its neighbours, with a wind along the rows."""
    ones = np.ones(extent)
    line = sp.diags_array([2 * ones, (wind - 1) * ones[1:], (-wind - 1) * ones[1:]], offsets=[0, 1, -1])
    still = sp.diags_array([2 * ones, -ones[1:], -ones[1:]], offsets=[0, 1, -1])
    return sp.csr_array(sp.kron(line, sp.eye_array(extent)) + sp.kron(sp.eye_array(extent), still))


def random(name, n, dtype, density=0.2):
    g = rng(f"sparse_solvers {name}")
    places = g.random((n, n)) < density
    a = np.where(places, numbers(g, dtype, n * n).reshape(n, n), 0)
    return sp.csr_array(a + np.diag(abs(a).sum(axis=1) + 1).astype(dtype))


def first_wanted(values, which, is_real):
    """All eigenvalues, the most wanted first; of conjugates the upper one."""
    imag = abs(values.imag) if is_real else values.imag
    key = {"LM": -abs(values), "SM": abs(values), "LR": -values.real, "SR": values.real, "LI": -imag, "SI": imag}[which]
    # Rounding parts the keys of conjugates, which are one.
    return values[np.lexsort((-values.imag, np.round(key, 9)))]


def ordinary(n):
    """A sparse matrix of integers without symmetry, most of whose eigenvalues come in pairs."""
    i = np.arange(n)
    turn = sp.diags_array([1.0 + i % 7, -2.0 - i[1:] % 5, 3.0 + i[2:] % 3], offsets=[0, 1, -2])
    return sp.csr_array(turn + sp.diags_array([i * (8.0 / n)], offsets=[0]))


def spectra(add):
    for case, a, k in (
        ("wind", poisson(7, 0.3), 4),
        ("random", random("random", 30, F64), 4),
        ("complex", random("complex", 25, C128), 4),
        ("pairs", ordinary(60), 6),
        ("restarts", ordinary(150), 4),
        ("single", ordinary(60).astype(F32), 4),
    ):
        whole = np.asarray(a.toarray(), C128 if a.dtype.kind == "c" else F64)
        values = np.linalg.eigvals(whole).astype(C128)
        is_real, size = a.dtype.kind != "c", float(abs(values).max())
        # The angle between left and right vectors says how far rounding moves a value.
        condition = np.linalg.cond(np.linalg.eig(whole)[1])
        bound = (2.0**-23 if a.dtype == F32 else 2.0**-52) * 400 * condition * size
        for which in ("LM", "SM", "LR", "SR", "LI", "SI"):
            expected = first_wanted(values, which, is_real)
            ends = {"restarts": ("LM", "LR", "SR"), "wind": ("LM", "SM", "LR", "SR"), "random": ("LM", "SM", "LR", "SR", "LI"),
                    "pairs": ("LM", "SM", "LR", "SR", "LI"), "single": ("LM", "LR", "SR", "LI")}
            if which not in ends.get(case, (which,)):
                continue
            count = k
            if is_real and expected[count - 1].imag > 1e-6 and abs(expected[count] - expected[count - 1].conj()) < 1e-6 * size:
                count += 1
            result = expected[:count].astype(np.complex64) if a.dtype == F32 else expected[:count]
            add(case, f"eigs_{which}", a, [count], result, allclose(0, bound))
        if case in ("random", "complex", "pairs"):
            inverse = first_wanted(values, "SM", is_real)[:k]
            if not (is_real and inverse[-1].imag > 1e-6):
                add(case, "eigs_inverse", a, [k], inverse, allclose(0, bound))


def functions(add):
    for case, a in {
        "poisson": -poisson(5), "random": random("exp", 20, F64), "complex": random("complex", 25, C128) * 0.1,
        "small": poisson(4) * 1e-3, "tiny": poisson(4) * 1e-1, "some": poisson(4) * 0.2, "nilpotent": sp.triu(poisson(5), 1),
        "single": poisson(4).astype(F32) * F32.type(0.25), "integers": sp.csr_array(np.array([[0, 1], [-1, 0]], I32)), "none": sp.csr_array((3, 3)),
    }.items():
        expected = la.expm(sp.csc_array(a)).toarray()
        eps = 2.0**-23 if a.dtype == F32 else 2.0**-52
        add(case, "expm", a, [], expected, allclose(0, 2e3 * eps * float(abs(expected).max())))
        if case in ("poisson", "random", "complex"):
            inverse = np.linalg.inv(a.toarray())
            add(case, "inv", a, [], inverse, allclose(0, 100 * eps * np.linalg.cond(a.toarray()) * float(abs(inverse).max())))
    for case, a in {"poisson": poisson(5), "upper": sp.triu(poisson(4), 2)}.items():
        below, above = la.spbandwidth(a)
        add(case, "spbandwidth", a, [], [np.array([below, above], np.int64)], allclose(0, 0))


def cases(store):
    def add(case, name, a, more, expected, tolerance):
        store.add(f"sparse_solvers/{case}/{name}", f"csr.{name}", [*own(a), *more], expected=expected, tolerance=tolerance)

    def solutions(case, a, names, dtype):
        b = numbers(rng(f"sparse_solvers {case} b"), dtype, a.shape[0])
        x = np.linalg.solve(a.toarray(), b)
        # The error of a solution is the residual's times the norm of the inverse.
        bound = 1e-11 * np.linalg.norm(b) * np.linalg.norm(np.linalg.inv(a.toarray()), 2)
        for name in names:
            add(case, name, a, [b], x, allclose(0, 20 * bound))
        eps = 2.0**-23 if dtype in (F32,) else 2.0**-52
        direct = 100 * eps * np.linalg.cond(a.toarray()) * float(abs(x).max())
        add(case, "spsolve", a, [b], x, allclose(0, direct))
        many = np.stack([b, 2 * b, b[::-1]], axis=1)
        add(f"{case} many", "spsolve", a, [many], np.linalg.solve(a.toarray(), many), allclose(0, 2 * direct))
        add(case, "splu_adjoint", a, [b], np.linalg.solve(a.toarray().conj().T, b), allclose(0, 4 * direct))

    solutions("poisson", poisson(8), ("cg", "minres", *SOLVERS), F64)
    solutions("wind", poisson(7, 0.3), SOLVERS, F64)
    solutions("random", random("random", 30, F64), SOLVERS, F64)
    complex_one = random("complex", 25, C128)
    solutions("complex", complex_one, SOLVERS, C128)
    hermitian = sp.csr_array(complex_one + complex_one.conj().T)
    solutions("hermitian", hermitian, ("cg", "minres"), C128)
    integers = sp.csr_array(poisson(5).astype(I32))
    solutions("integers", integers, ("cg", "gmres"), F64)
    spectra(add)
    functions(add)

    g = rng("sparse_solvers least squares")
    tall = sp.csr_array(np.where(g.random((40, 9)) < 0.5, g.standard_normal((40, 9)), 0))
    b = g.standard_normal(40)
    x = np.linalg.lstsq(tall.toarray(), b, rcond=None)[0]
    for name in ("lsqr", "lsmr"):
        add("tall", name, tall, [b], x, allclose(0, 1e-8))
    for n in (1, 12, 90):
        lower = sp.csr_array(sp.tril(random(f"lower {n}", n, F64, 0.1)))
        b = g.standard_normal(n)
        add(f"lower {n}", "spsolve_triangular", lower, [b], la.spsolve_triangular(lower, b), allclose(1e-12, 1e-13))
    for case, a in {"poisson": poisson(6), "random": random("exp", 20, F64) * 0.3, "complex": complex_one * 0.1}.items():
        b = numbers(rng(f"sparse_solvers exp {case}"), F64, a.shape[0])
        expected = la.expm_multiply(-a, b)
        add(case, "expm_multiply", -a, [b], expected, allclose(0, 1e-11 * float(abs(expected).max()) + 1e-13))
        dense = abs(a.toarray())
        add(case, "norm_1", a, [], np.asarray(dense.sum(axis=0).max()), allclose(1e-14, 0))
        add(case, "norm_inf", a, [], np.asarray(dense.sum(axis=1).max()), allclose(1e-14, 0))
        add(case, "norm_fro", a, [], np.asarray(np.sqrt((dense**2).sum())), allclose(1e-14, 0))
        # A lower bound, which is less than the norm of the random one.
        if case != "random":
            add(case, "onenormest", a, [], np.asarray(dense.sum(axis=0).max()), allclose(1e-13, 0))

    for case, a in {"poisson": poisson(9), "diagonal": sp.diags_array(np.arange(1.0, 41.0)), "hermitian": hermitian}.items():
        values = np.linalg.eigvalsh(a.toarray())
        size = float(abs(values).max())
        k = 4
        largest = values[-k:]
        magnitude = np.sort(values[np.argsort(abs(values))[-k:]])
        nearest = np.sort(values[np.argsort(abs(values))[:k]])
        add(case, "eigsh_largest", a, [k], largest, allclose(0, 1e-9 * size))
        add(case, "eigsh_magnitude", a, [k], magnitude, allclose(0, 1e-9 * size))
        add(case, "eigsh_inverse", a, [k], nearest, allclose(0, 1e-9 * size))
        if case != "hermitian":
            start = rng(f"sparse_solvers lobpcg {case}").standard_normal((a.shape[0], 3))
            add(case, "lobpcg", a, [start], values[::-1][:3], allclose(0, 1e-7 * size))
    identity = sp.eye_array(30)
    add("identity", "eigsh_largest", identity, [3], np.ones(3), allclose(0, 1e-13))
    for case, a in {"tall": tall, "wide": tall.T, "square": random("svd", 25, F64)}.items():
        values = np.linalg.svd(a.toarray(), compute_uv=False)
        add(case, "svds", a, [3], values[:3], allclose(0, 1e-8 * float(values[0])))

    def wrong(case, name, a, more, error):
        store.add(f"sparse_solvers/errors/{case}", f"csr.{name}", [*own(a), *more], expected=error("refused"))

    singular = sp.csr_array(np.array([[1.0, 2.0], [2.0, 4.0]]))
    empty_row = sp.csr_array(np.array([[1.0, 2.0], [0.0, 0.0]]))
    wrong("singular", "spsolve", singular, [np.ones(2)], np.linalg.LinAlgError)
    wrong("empty row", "spsolve", empty_row, [np.ones(2)], np.linalg.LinAlgError)
    wrong("zero pivot", "spsolve_triangular", empty_row, [np.ones(2)], np.linalg.LinAlgError)
    wrong("lengths", "qmr", singular, [np.ones(3)], ValueError)
    wrong("not square", "splu_adjoint", tall, [np.ones(40)], ValueError)
    wrong("no eigenvalues", "eigsh_largest", identity, [0], ValueError)
    wrong("too many eigenvalues", "eigsh_largest", identity, [30], ValueError)
    wrong("none of the eigenvalues", "eigs_LM", identity, [0], ValueError)
    wrong("eigenvalues of all", "eigs_LM", identity, [30], ValueError)
    wrong("eigenvalues not square", "eigs_LM", tall, [2], ValueError)
    wrong("eigenvalues of nan", "eigs_LM", sp.csr_array(np.array([[np.nan, 1.0], [1.0, 2.0]])), [1], ValueError)
    wrong("inverse of a singular one", "inv", singular, [], np.linalg.LinAlgError)
    wrong("inverse not square", "inv", tall, [], ValueError)
    wrong("exponential not square", "expm", tall, [], ValueError)
    wrong("exponential beyond floats", "expm", sp.csr_array(np.array([[0.0, 1e200], [1e200, 0.0]])), [], ValueError)
    wrong("infinite exponential", "expm", sp.csr_array(np.array([[np.inf]])), [], ValueError)
    wrong("infinite", "expm_multiply", sp.csr_array(np.array([[np.inf]])), [np.ones(1)], ValueError)
