"""CuPy's kernels in statements of C, against what the statements say, on the device of the tests."""

import math

import numpy
import pytest

import ndany.cupy as cp

X = numpy.random.default_rng(0).normal(size=(3, 7)) * 4


def both(x):
    return cp.asarray(x), x


# Statements for `T y` of `T x`, and NumPy's value of them.
STATEMENTS = [
    ("if (x > 3) y = x; else y = -x;", lambda x: numpy.where(x > 3, x, -x)),
    ("if (x > 0) { y = 1; if (x > 2) { y = 2; } } else if (x < -2) { y = -2; } else { y = 0; }",
     lambda x: numpy.select([x > 2, x > 0, x < -2], [2.0, 1.0, -2.0], 0.0)),
    ("y = 0; for (int j = 0; j < 5; ++j) { y += j * x; }", lambda x: 10 * x),
    ("y = 0; for (int j = 4; j >= 0; j--) { if (j == 2) continue; y = y * x + j; }", lambda x: ((4 * x + 3) * x + 1) * x),
    # The number of rounds is the element's own.
    ("int k = 0; T v = fabs(x); while (v > 0.5) { v *= 0.5; k++; } y = k;",
     lambda x: numpy.maximum(0, numpy.ceil(numpy.log2(abs(x) / 0.5)))),
    ("y = x; for (int j = 0; j < 10; j++) { y = y / 2; if (fabs(y) < 1) break; }",
     lambda x: x / 2.0 ** numpy.maximum(1, numpy.floor(numpy.log2(abs(x)) + 1))),
    ("y = x; if (x < 0) return; y = sqrt(x);", lambda x: numpy.where(x < 0, x, numpy.sqrt(abs(x)))),
    ("y = round(x / 4) + M_PI;", lambda x: numpy.trunc(x / 4 + numpy.copysign(0.5, x)) + math.pi),
    ("y = fma(x, (T)2, static_cast<T>(1)) + (x > 0 && x < 1);", lambda x: x * 2 + 1 + ((x > 0) & (x < 1))),
    # A name of a block hides one from outside.
    ("int i0 = 1; { int i0 = 5; y = i0; } for (int i = 0; i < 2; i++) { T z = x; y += z; } y += i + i0;",
     lambda x: 5 + 2 * x + numpy.arange(x.size).reshape(x.shape) + 1),
    ("T a = x, b = a * 2; y = b / 7 % 2;", lambda x: numpy.fmod(x * 2 / 7, 2)),
]


@pytest.mark.parametrize("case", STATEMENTS, ids=range(len(STATEMENTS)))
def test_statements(case):
    text, value = case
    ours, theirs = both(X)
    made = cp.ElementwiseKernel("T x", "T y", text, "statements")(ours)
    numpy.testing.assert_allclose(made.get(), value(theirs), rtol=1e-12, atol=1e-12)


def test_integers_are_c_s():
    a, b = numpy.array([7, -7, 7, -7, 200], "i4"), numpy.array([2, 2, -2, -2, 100], "i4")
    kernel = cp.ElementwiseKernel("T x, T y", "int32 q, int32 r", "q = x / y; r = x % y;")
    q, r = kernel(cp.asarray(a), cp.asarray(b))
    assert q.tolist() == [3, -3, -3, 3, 2] and r.tolist() == [1, -1, 1, -1, 0]
    # Short ones are computed as `int`, and unsigned ones stay unsigned beside signed ones.
    mean = cp.ElementwiseKernel("T x, T y", "T z", "z = (x + y) / 2")
    assert mean(cp.asarray([200], "u1"), cp.asarray([100], "u1")).tolist() == [150]
    wrapped = cp.ElementwiseKernel("uint64 x, int64 y", "uint64 z", "z = x + y")
    assert wrapped(cp.asarray([2**63 + 2], "u8"), cp.asarray([-1])).tolist() == [2**63 + 1]
    count = cp.ElementwiseKernel("bool x, bool y", "int32 z", "z = x + y")
    assert count(cp.asarray([True, True]), cp.asarray([True, False])).tolist() == [2, 1]


def test_raw_arguments():
    x = cp.arange(6, dtype="f4")
    backwards = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + 10 * y[_ind.size() - i - 1]", "backwards")
    assert backwards(x, x).tolist() == [50, 41, 32, 23, 14, 5]
    ring = cp.ElementwiseKernel("raw float64 a, int32 n", "raw float64 out", """
        int left = i == 0 ? n - 1 : i - 1;
        int right = i == n - 1 ? 0 : i + 1;
        out[i] = a[left] - 2 * a[i] + a[right];
    """, "ring")
    a = cp.asarray(X[0])
    out = cp.empty_like(a)
    assert ring(a, 7, out, size=7) is out
    numpy.testing.assert_allclose(out.get(), numpy.roll(X[0], 1) - 2 * X[0] + numpy.roll(X[0], -1))
    # Elements in C's order, whatever lies in memory; a branch keeps a read beyond the end away.
    turned = cp.asarray(X).T
    after = cp.ElementwiseKernel("raw T a", "T z", "z = i + 1 < a.size() ? a[i + 1] : 0")(turned, size=21)
    assert after.tolist() == X.T.ravel()[1:].tolist() + [0]
    rows = cp.ElementwiseKernel("raw T a", "int64 z", "z = a.shape()[1]")(cp.zeros((2, 5)), size=1)
    assert rows.tolist() == [5]


def test_raw_outputs():
    out = cp.zeros((2, 3), "i4")
    cp.ElementwiseKernel("int32 x", "raw int32 out", "if (x >= 0) out[x] = i + 1;")(cp.asarray([4, -1, 1], "i4"), out)
    assert out.tolist() == [[0, 3, 0], [0, 1, 0]]
    counts = cp.zeros(3, "i4")
    count = cp.ElementwiseKernel("int32 x", "raw int32 counts", "atomicAdd(&counts[x], 1);", "count", no_return=True)
    assert count(cp.asarray([0, 2, 2, 2], "i4"), counts) is None and counts.tolist() == [1, 0, 3]
    largest = cp.zeros(2)
    cp.ElementwiseKernel("T x", "raw T y", "atomicMax(&y[i % 2], x)")(cp.asarray([3.0, 1, 5, 9, 2, 4]), largest)
    assert largest.tolist() == [5, 9]
    # Each element sums a row.
    sums = cp.ElementwiseKernel("raw T a", "T y", "int w = a.shape()[1]; y = 0; for (int j = 0; j < w; j++) y += a[i * w + j];")
    numpy.testing.assert_allclose(sums(cp.asarray(X), size=3).get(), X.sum(1))


def test_complex_numbers():
    points = cp.asarray([0.5, 1 + 1j, -2, 0.1j])
    rounds = cp.ElementwiseKernel("complex128 c, int32 most", "int32 n, complex64 w", """
        complex<double> z = 0;
        n = most;
        for (int k = 0; k < most; k++) {
            if (abs(z) > 2) { n = k; break; }
            z = z * z + c;
        }
        w = thrust::complex<float>(c.imag(), 2 * c.real());
    """)
    n, w = rounds(points, 10)
    assert n.tolist() == [5, 2, 10, 10] and w.dtype == "complex64"
    assert w.tolist() == numpy.asarray([1j, 1 + 2j, -4j, 0.1], "c8").tolist()


def test_a_preamble_has_functions():
    preamble = """
    template <typename T> __device__ T sigmoid(T x) { return 1 / (1 + exp(-x)); }
    __device__ inline float64 steps(float64 x, int n) {
        for (int j = 0; j < n; j++) { if (x < 1) return j; x = x / 2; }
        return n;
    }
    """
    kernel = cp.ElementwiseKernel("T x", "T y, T z", "y = sigmoid(x); z = steps(x, 3)", "squash", preamble=preamble)
    ours, theirs = both(X)
    y, z = kernel(ours)
    numpy.testing.assert_allclose(y.get(), 1 / (1 + numpy.exp(-theirs)))
    assert z.tolist() == numpy.select([theirs < 1, theirs / 2 < 1, theirs / 4 < 1], [0, 1, 2], 3).tolist()


def test_reductions():
    ours, theirs = both(X)
    variance = cp.ReductionKernel("T x, T m", "T y", "(x - m) * (x - m)", "a + b", "y = a / (_in_ind.size() - 1)", "0", "variance")
    numpy.testing.assert_allclose(float(variance(ours, ours.mean())), theirs.var(ddof=1))
    # An expression that is none of NumPy's reductions.
    length = cp.ReductionKernel("T x", "T y", "x", "sqrt(a * a + b * b)", "y = a", "0", "length")
    for axis in (0, 1, (0, 1), None):
        expected = numpy.sqrt((theirs**2).sum(axis, keepdims=True))
        numpy.testing.assert_allclose(length(ours, axis=axis, keepdims=True).get(), expected)
    far = "template <typename T> __device__ T further(T a, T b) { return fabs(a) > fabs(b) ? a : b; }"
    furthest = cp.ReductionKernel("T x", "T y", "x", "further(a, b)", "y = a", "0", "furthest", preamble=far)
    assert furthest(ours).item() == theirs.ravel()[abs(theirs).argmax()]
    assert furthest(ours, axis=-1).tolist() == theirs[numpy.arange(3), abs(theirs).argmax(1)].tolist()
    assert furthest(cp.zeros((2, 0)), axis=1).tolist() == [0, 0]
    with pytest.raises(ValueError, match="identity"):
        cp.ReductionKernel("T x", "T y", "x", "a * b + 1", "y = a", None)(cp.zeros(0))
    scaled = cp.ReductionKernel("T x, T s", "T y", "x", "a + b", "y = a * s", "0", "scaled")
    numpy.testing.assert_allclose(scaled(ours, 0.5, axis=0).get(), theirs.sum(0) / 2)
    bits = cp.ReductionKernel("int32 x", "int32 y", "x", "a ^ b", "y = a", "0", "bits")
    assert bits(cp.asarray([5, 3, 9], "i4")).item() == 5 ^ 3 ^ 9


@pytest.mark.parametrize("text", [
    "switch (x) { }", "do { z = x; } while (z > 0);", "z = unknown(x)", "float t[3]; z = x;", "float* p = &x; z = *p;", "z = x->y;",
    "x + 1;", "asm('')",
])
def test_what_is_refused(text):
    with pytest.raises((NotImplementedError, SyntaxError)):
        cp.ElementwiseKernel("T x", "T z", text)


def test_arguments_that_do_not_fit():
    kernel = cp.ElementwiseKernel("raw T x", "T z", "z = x[i]")
    with pytest.raises(ValueError, match="size"):
        kernel(cp.zeros(3))
    with pytest.raises(TypeError, match="raw argument x"):
        kernel(numpy.zeros(3), size=3)
    with pytest.raises(ValueError, match="raw output"):
        cp.ElementwiseKernel("T x", "raw T z", "z[i] = x")(cp.zeros(3))
    with pytest.raises(NotImplementedError, match="#define"):
        cp.ElementwiseKernel("T x", "T z", "z = x", preamble="#define TWO 2")
    with pytest.raises(NameError, match="other"):
        cp.ElementwiseKernel("T x", "T z", "z = other")(cp.zeros(3))
