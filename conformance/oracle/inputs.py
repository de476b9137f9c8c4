"""The numbers that go in: special values first, then ordinary ones, the same in every run."""

import zlib

import numpy as np

from store import BF16

INTS = [np.dtype(n) for n in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")]
FLOATS = [np.dtype("float16"), BF16, np.dtype("float32"), np.dtype("float64")]
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]
BOOL = np.dtype(bool)
ALL = [BOOL, *INTS, *FLOATS, *COMPLEX]
# Smallest subnormal, smallest normal, largest number, distance of 1 to the next.
LIMITS = {"float16": (2.0**-24, 2.0**-14, 65504.0, 2.0**-10),
          "bfloat16": (2.0**-133, 2.0**-126, float.fromhex("0x1.fep127"), 2.0**-7),
          "float32": (2.0**-149, 2.0**-126, float.fromhex("0x1.fffffep127"), 2.0**-23),
          "float64": (2.0**-1074, 2.0**-1022, float.fromhex("0x1.fffffffffffffp1023"), 2.0**-52)}


def rng(name):
    """A generator that belongs to a name."""
    return np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))


def is_int(dtype):
    return dtype.kind in "iu"


def specials(dtype):
    """The values on which implementations differ."""
    if dtype == BOOL:
        return np.array([False, True])
    if is_int(dtype):
        info = np.iinfo(dtype)
        low = [info.min, info.min + 1, -1, -2, -3, -7] if info.min else [info.max // 2 + 1]
        return np.array([0, 1, 2, 3, 5, 7, 10, 100, info.max, info.max - 1, info.max // 2, *low], dtype)
    tiny, normal, big, step = LIMITS[dtype.name]
    both = [0.0, tiny, normal - tiny, normal, 1 - step / 2, 1.0, 1 + step, 0.5, 1.5, 2.5, 3.0, 7.25,
            100.0, big, np.inf]
    return np.array(both + [-v for v in both] + [np.nan], np.float64).astype(dtype)


def ordinary(dtype, count, name=""):
    """Numbers without extremes: sums of them do not overflow, and none is zero."""
    g = rng(f"ordinary {dtype.name} {name}")
    if dtype == BOOL:
        return g.integers(0, 2, count).astype(bool)
    if is_int(dtype):
        values = g.integers(1, 12, count)
        return (values if dtype.kind == "u" else values * g.choice([-1, 1], count)).astype(dtype)
    if dtype.kind == "c":
        return (ordinary(np.dtype("float64"), count, name) +
                1j * ordinary(np.dtype("float64"), count, name + "i")).astype(dtype)
    return (g.uniform(0.25, 4.0, count) * g.choice([-1, 1], count)).astype(dtype)


def complex_specials(dtype):
    values = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
    return np.array([complex(a, b) for a in values for b in values]).astype(dtype)


def mixed(dtype):
    """Specials and ordinary numbers: the input of the unary cases."""
    if dtype.kind == "c":
        return ordinary(dtype, 24)
    return np.concatenate([specials(dtype), ordinary(dtype, 14)])


def pairs(dtype):
    """Every special with every special, and ordinary pairs."""
    if dtype.kind == "c":
        return ordinary(dtype, 24, "left"), ordinary(dtype, 24, "right")
    s = specials(dtype)
    if dtype.kind not in "biu":
        s = np.concatenate([s[:1], s[1:2], s[5:6], s[8:11], s[13:16], s[16:17], s[20:21], s[23:24],
                            s[26:27], s[29:31]])
    left, right = np.repeat(s, len(s)), np.tile(s, len(s))
    return (np.concatenate([left, ordinary(dtype, 14, "left")]),
            np.concatenate([right, ordinary(dtype, 14, "right")]))
