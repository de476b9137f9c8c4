"""Writes cases.txt: arrays and what NumPy's str() makes of them.

    pip install numpy==2.4.6
    python make.py > cases.txt

A case is a line `dtype shape precision source`, where the shape is comma-separated or `-` for 0-d,
the precision is a number or `-` for the default, and the source is the elements' bytes in hex
(little-endian, C order) or `arange`; then the text, each line behind a bar.
"""

import random
import struct

import numpy as np

FLOATS = ["float16", "float32", "float64"]
rng = random.Random(20250601)


def case(array, precision=None, source=None):
    array = np.asarray(array)
    with np.printoptions(precision=8 if precision is None else precision):
        text = str(array)
    shape = ",".join(map(str, array.shape)) or "-"
    source = source or array.astype(array.dtype.newbyteorder("<")).tobytes().hex() or "empty"
    print(array.dtype.name, shape, "-" if precision is None else precision, source)
    for line in text.split("\n"):
        print("|" + line)


def arange(dtype, *shape):
    case(np.arange(int(np.prod(shape))).astype(dtype).reshape(shape), source="arange")


def bits(dtype, value):
    """The float with these bits."""
    kind = {"float16": ("<H", "<f2"), "float32": ("<I", "<f4"), "float64": ("<Q", "<f8")}[dtype]
    return np.frombuffer(struct.pack(kind[0], value), kind[1])[0]


def random_float(dtype):
    width = np.dtype(dtype).itemsize * 8
    return bits(dtype, rng.getrandbits(width))


assert np.__version__ == "2.4.6", np.__version__
np.seterr(all="ignore")
nan, inf = np.nan, np.inf

# bool and integers
case(np.array([True, False, True]))
case(np.array([True, True]))
case(np.array([[True], [False]]))
case(np.array(True))
case(np.array([[1, -20], [300, 4]], "int32"))
case(np.array([-128, 127], "int8"))
case(np.array([0, 2**64 - 1], "uint64"))
case(np.array([-(2**63), 2**63 - 1]))
case(np.array(-5, "int16"))
case(np.array([7], "uint8"))

# empty
for shape in [(0,), (0, 3), (3, 0), (2, 0, 4), (2000, 0)]:
    case(np.zeros(shape))

# layout
for shape in [(1, 1, 1), (2, 3, 4), (2, 1, 2, 3), (1, 2, 1, 2, 1), (4, 30), (1, 60), (3, 1)]:
    arange("int64", *shape)
    arange("float64", *shape)
    arange("bool", *shape)
for shape in [(1001,), (1000,), (7, 200), (6, 200), (200, 6), (40, 50), (10, 11, 12), (2, 1000),
              (1000, 2), (8, 2, 3, 50), (3, 400, 1), (5, 5, 5, 5, 5), (30, 7, 7), (100_000,)]:
    arange("int32", *shape)
    arange("float32", *shape)
    arange("complex128", *shape)
arange("float16", 1200)
arange("bool", 1500)
arange("uint8", 40, 40)
for length in [1, 7, 13, 36, 37, 38, 39, 75, 76, 100]:
    case(np.full(length, 7, "int8"))
    case(np.full(length, 1.5, "float32"))
    case(np.full((2, length), 123456789.0))

# floats: notation, padding, special values
for dtype in FLOATS:
    lists = [
        [0.0], [-0.0], [0.0, -0.0, 1.0], [1.0, 2.0, 3.0], [1.0, 2.5, 10.25], [0.1, 0.2, 0.3],
        [1e-4], [9e-5], [1.0, 1000.0], [1.0, 1001.0], [1e8], [99999999.0], [1e5, 1.0], [999.0],
        [1000.0], [999999.0], [1e6], [1e-5, 1e5], [nan], [inf], [-inf], [nan, inf], [nan, -inf, 1.0],
        [nan, 1.0, 2.25], [inf, 1e10, 1e-3], [-inf, 1e10, -1.0], [nan, 1e-5], [0.1 + 0.2],
        [1 / 3, 2 / 3, 1], [-1 / 3, 100.0], [1 / 3, 1e-9], [123.456789012345, 0.5], [12345.678],
        [0.5, -0.25, nan, inf, -inf, -0.0], [1e-300, 1e300, 5e-324], [65504.0, 6e-8],
        [16777216.0, 16777217.0], [1.5, nan, -1000.0],
    ]
    for values in lists:
        case(np.array(values, dtype))
    for value in [0.0, -0.0, 1.0, -2.5, 0.1, 1e-4, 9.99e-5, 1e-5, 999.0, 1e3, 999999.0, 1e6, 1e15, 1e16,
                  1.2345678901234567e20, nan, inf, -inf, 65504.0, 1 / 3, 5e-324, 1e22, 123456.789]:
        case(np.array(value, dtype))
    width = np.dtype(dtype).itemsize * 8
    for _ in range(60):
        case(np.array(random_float(dtype)))
    for _ in range(60):
        case(np.array([random_float(dtype) for _ in range(rng.randint(1, 9))], dtype))
    for _ in range(60):
        scale = 10.0 ** rng.randint(-4, 6)
        values = [rng.gauss(0, 1) * scale for _ in range(rng.randint(1, 12))]
        case(np.array(values, dtype))
        case(np.round(np.array(values, dtype), rng.randint(0, 4)), rng.randint(0, 6))
    # Powers of two: the neighbour below is nearer than the one above.
    mantissa = {16: 10, 32: 23, 64: 52}[width]
    exponents = 2 ** (width - 1 - mantissa) - 1
    step = max(1, exponents // 60)
    for exponent in range(1, exponents, step):
        case(np.array(bits(dtype, exponent << mantissa)))
        case(np.array([bits(dtype, exponent << mantissa), 1.0], dtype))

# precision
for precision in range(0, 12):
    case(np.array([0.0006, 0.0124, 0.0005, 0.00015]), precision)
    case(np.array([0.5, 1.5, 2.5, 99.5, -0.5]), precision)
    case(np.array([1e10, 3.5, 2.25e-7]), precision)
    case(np.array([np.pi, -np.e], "float32"), precision)
    case(np.array([np.pi + 1j, -np.e - 100j]), precision)

# complex
for dtype in ["complex64", "complex128"]:
    c = lambda re, im: complex(re, im)
    lists = [
        [c(1, 2)], [c(0, 0)], [c(-0.0, -0.0)], [c(1, -2), c(-1.5, 0.25)], [c(nan, inf), c(1, 1)],
        [c(1, nan), c(2, -inf)], [c(1e10, 1), c(1, 1e-10)], [c(1, 1e-10), c(2, 3)],
        [c(1 / 3, -2 / 3), c(100, 1)], [c(nan, nan)], [c(inf, -inf)], [c(1, 0.5), c(2, nan)],
    ]
    for values in lists:
        case(np.array(values, dtype))
    for value in [c(1, 2), c(0, 1), c(-0.0, 1), c(0, -0.0), c(0.5, -0.25), c(1e20, 1e-7), c(nan, inf),
                  c(inf, nan), c(0, inf), c(0, -inf), c(1 / 3, 2 / 3), c(-1e6, 1e6), c(nan, -0.0)]:
        case(np.array(value, dtype))
    case((np.arange(12) * (0.3 - 1.7j)).reshape(3, 4).astype(dtype))
